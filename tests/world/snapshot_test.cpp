// Saving and loading: the same bits come back, and damage is recognized before anything is built from it.
#include "world/largest_allocation.hpp"
#include "world/random_world.hpp"

#include "geometry/geometry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <sstream>

namespace achilles {
namespace {

using testing::RandomWorlds;

std::string save(const World& world) {
  std::ostringstream out;
  world.save(out);
  return out.str();
}

World load(const std::string& bytes) {
  std::istringstream in(bytes);
  return World::load(in);
}

// What is written names every field, so two worlds that save the same bytes are the same; that what is built from them
// agrees too is seen from the pieces.
RC_GTEST_PROP(SavedWorld, ComesBackBitForBit, (std::uint64_t seed)) {
  RandomWorlds random(seed);
  const World world = random.world(random.integer(1, 12));
  const std::string bytes = save(world);
  const World back = load(bytes);
  RC_ASSERT(save(back) == bytes);
  RC_ASSERT(back.state_hash() == world.state_hash());
  RC_ASSERT(back.names == world.names);
  RC_ASSERT(back.pieces.size() == world.pieces.size());
  for (std::size_t i = 0; i < world.pieces.size(); ++i) {
    RC_ASSERT(back.pieces[i].body == world.pieces[i].body);
    RC_ASSERT(back.pieces[i].material == world.pieces[i].material);
    RC_ASSERT(back.pieces[i].X_CG.p == world.pieces[i].X_CG.p);
    RC_ASSERT(back.pieces[i].X_CG.R == world.pieces[i].X_CG.R);
    RC_ASSERT(back.pieces[i].geometry->kind.index() == world.pieces[i].geometry->kind.index());
    RC_ASSERT(back.pieces[i].geometry->radius == world.pieces[i].geometry->radius);
  }
}

TEST(SavedWorld, KeepsHandlesAndGivesOutTheSameNewOnes) {
  RandomWorlds random(2);
  World world = random.world(9);
  World back = load(save(world));
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) EXPECT_EQ(back.handle_of(i), world.handle_of(i));
  const BodyDescription one_more = random.body("one more");
  EXPECT_EQ(back.add_body(one_more), world.add_body(one_more));
  EXPECT_EQ(save(back), save(world));
}

TEST(SavedWorld, WithoutBodiesComesBack) { EXPECT_EQ(load(save(World())).bodies.size(), 0U); }

TEST(SavedWorld, CutOffAnywhereIsRefused) {
  const std::string bytes = save(RandomWorlds(21).world(6));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    ASSERT_THROW((void)load(bytes.substr(0, length)), std::runtime_error) << length << " of " << bytes.size();
  }
}

TEST(SavedWorld, WithAnyByteChangedIsRefused) {
  RandomWorlds random(22);
  const std::string bytes = save(random.world(6));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ random.integer(1, 255));
    ASSERT_THROW((void)load(damaged), std::runtime_error) << "byte " << at;
  }
}

// A length field of all ones asks for 2⁶⁴ elements; the reader takes only what the stream can fill, in blocks of 65536
// elements, the largest of them 72 bytes (a 3 × 3 matrix) and a vector that has grown by doubling.
TEST(SavedWorld, WithAbsurdLengthsIsRefusedWithoutAskingForTheMemory) {
  const std::string bytes = save(RandomWorlds(23).world(6));
  for (std::size_t at = 0; at + 8 <= bytes.size(); ++at) {
    std::string damaged = bytes;
    std::memset(damaged.data() + at, 0x7f, 8);
    testing::forget_allocations();
    ASSERT_THROW((void)load(damaged), std::runtime_error) << "byte " << at;
    ASSERT_LT(testing::largest_allocation(), std::size_t{64} << 20U) << "byte " << at;
  }
}

TEST(SavedWorld, OfNoiseIsRefused) {
  RandomWorlds random(24);
  for (int round = 0; round < 1000; ++round) {
    std::string noise(static_cast<std::size_t>(random.integer(0, 2000)), '\0');
    for (char& byte : noise) byte = static_cast<char>(random.integer(0, 255));
    ASSERT_THROW((void)load(noise), std::runtime_error);
  }
}

TEST(SavedWorld, OfAnotherFormatSaysWhichOneItIs) {
  std::string bytes = save(World());
  bytes[8] = 99;  // the format follows the eight bytes that say what the file is
  try {
    (void)load(bytes);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("99"), std::string::npos) << error.what();
  }
}

TEST(SavedWorld, ThatCannotBeWrittenSaysSo) {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  EXPECT_THROW(RandomWorlds(1).world(2).save(out), std::runtime_error);
}

}  // namespace
}  // namespace achilles
