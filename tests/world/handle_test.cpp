#include "world/random_world.hpp"

#include "geometry/geometry.hpp"
#include "world/world_memory.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <sstream>
#include <vector>

namespace achilles {
namespace {

using testing::RandomWorlds;

BodyDescription make_ball(const std::string& name) {
  BodyDescription ball;
  ball.name = name;
  ball.shape = {Sphere{1}};
  return ball;
}

TEST(Handle, OfARemovedBodyIsDeadAlsoAfterItsPlaceWasTakenAgain) {
  World world;
  const BodyHandle first = world.add_body(make_ball("first"));
  world.remove_body(first);
  EXPECT_FALSE(world.is_alive(first));
  const BodyHandle second = world.add_body(make_ball("second"));
  EXPECT_EQ(second.slot, first.slot) << "the place is taken again, or this test shows nothing";
  EXPECT_TRUE(world.is_alive(second));
  EXPECT_FALSE(world.is_alive(first));
  EXPECT_THROW((void)world.index_of(first), std::out_of_range);
  EXPECT_THROW(world.remove_body(first), std::out_of_range);
  EXPECT_THROW(world.set_velocity(first, {}), std::out_of_range);
  EXPECT_THROW(world.apply_force(first, Vec3::UnitX(), Vec3::Zero()), std::out_of_range);
}

TEST(Handle, ThatNobodyGaveOutNamesNoBody) {
  World world;
  EXPECT_FALSE(world.is_alive(BodyHandle{}));
  world.add_body(make_ball("ball"));
  EXPECT_FALSE(world.is_alive(BodyHandle{}));
  EXPECT_FALSE(world.is_alive(BodyHandle{7, 1}));
}

// Ids only grow, so that no handle ever names another joint; copies and saved worlds know the same ones.
TEST(Handle, OfAJointNamesItWhileOthersComeAndGoInCopiesAndSavedWorldsToo) {
  World world;
  world.add_body(make_ball("a"));
  world.add_body(make_ball("b"));
  JointDescription joint;
  joint.kind = JointKind::kFixed;
  joint.first = "a";
  joint.second = "b";
  std::vector<JointHandle> handles;
  for (const char* name : {"one", "two", "three"}) {
    joint.name = name;
    handles.push_back(world.add_joint(joint));
  }
  world.remove_joint(handles[1]);
  std::stringstream stream;
  world.save(stream);
  const World copy = world, loaded = World::load(stream);
  for (const World* one : {&copy, &loaded, static_cast<const World*>(&world)}) {
    EXPECT_EQ(one->joint_names[one->index_of(handles[0])], "one");
    EXPECT_EQ(one->joint_names[one->index_of(handles[2])], "three");
    EXPECT_FALSE(one->is_alive(handles[1]));
    EXPECT_FALSE(one->is_alive(JointHandle{}));
  }
  world.remove_body(world.find("a"));
  EXPECT_FALSE(world.is_alive(handles[0]));
}

TEST(Find, NamesTheBodyThatIsMissing) {
  World world;
  world.add_body(make_ball("ball"));
  try {
    (void)world.find("bell");
    FAIL();
  } catch (const std::out_of_range& error) {
    EXPECT_NE(std::string(error.what()).find("bell"), std::string::npos);
  }
}

// The oracle is a map from names to handles; whatever is added and removed, every living handle finds its own body and
// every dead one is known to be dead.
RC_GTEST_PROP(Handle, NamesTheSameBodyThroughAnyAddingAndRemovingOfOthers, ()) {
  const auto actions = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
  World world;
  std::map<std::string, BodyHandle> living;
  std::vector<BodyHandle> dead;
  int count = 0;
  for (const std::uint8_t action : actions) {
    if (action % 3 != 0 || living.empty()) {
      const std::string name = "ball" + std::to_string(count++);
      living[name] = world.add_body(make_ball(name));
    } else {
      const auto chosen = std::next(living.begin(), static_cast<std::ptrdiff_t>(action / 3U % living.size()));
      world.remove_body(chosen->second);
      dead.push_back(chosen->second);
      living.erase(chosen);
    }
    RC_ASSERT(world.bodies.size() == living.size());
    for (const auto& [name, handle] : living) {
      RC_ASSERT(world.is_alive(handle));
      RC_ASSERT(world.names[world.index_of(handle)] == name);
      RC_ASSERT(world.find(name) == handle);
      RC_ASSERT(world.handle_of(world.index_of(handle)) == handle);
    }
    for (const BodyHandle& handle : dead) RC_ASSERT(!world.is_alive(handle));
  }
}

/// Everything the world holds of one body, told apart by name instead of index.
struct BodyView {
  Vec3 position, force;
  double mass = 0;
  std::uint32_t material = 0;
  std::vector<const Geometry*> pieces;
  std::vector<std::string> ignored;
  std::vector<double> remembered;  // approach speeds of its cached points

  bool operator==(const BodyView&) const = default;
};

BodyView view(const World& world, std::uint32_t body) {
  BodyView v{world.bodies.position[body],
             world.bodies.applied_force[body],
             world.bodies.mass[body],
             world.body_material[body],
             {},
             {},
             {}};
  for (const WorldPiece& piece : world.pieces) {
    if (piece.body == body) v.pieces.push_back(piece.geometry.get());
  }
  for (const auto& [first, second] : world.ignored_pairs) {
    if (first == body) v.ignored.push_back(world.names[second]);
    if (second == body) v.ignored.push_back(world.names[first]);
  }
  for (const CachedContact& contact : world.memory().contact_cache.contacts) {
    if (world.pieces[contact.collider_a].body != body && world.pieces[contact.collider_b].body != body) continue;
    for (std::uint32_t k = contact.first; k < contact.first + contact.count; ++k) {
      v.remembered.push_back(world.memory().contact_cache.points[k].approach);
    }
  }
  return v;
}

// Removing a body takes away what belongs to it and nothing else: the others keep their state, their pieces, their
// ignored partners and their remembered contacts, except those they shared with it.
RC_GTEST_PROP(RemoveBody, LeavesEverythingOfTheOthersAsItWas, (std::uint64_t seed)) {
  RandomWorlds random(seed);
  World world = random.world(8);
  World rest = world;
  const auto gone = static_cast<std::uint32_t>(random.integer(0, static_cast<int>(world.bodies.size()) - 1));
  const std::string gone_name = world.names[gone];
  rest.remove_body(world.handle_of(gone));
  RC_ASSERT(rest.bodies.size() + 1 == world.bodies.size());
  // Points that the removed body shared are forgotten by both.
  std::erase_if(world.memory().contact_cache.contacts, [&](const CachedContact& contact) {
    return world.pieces[contact.collider_a].body == gone || world.pieces[contact.collider_b].body == gone;
  });
  for (std::uint32_t body = 0; body < world.bodies.size(); ++body) {
    if (body == gone) continue;
    BodyView expected = view(world, body);
    std::erase(expected.ignored, gone_name);
    const std::uint32_t now = rest.index_of(world.handle_of(body));
    RC_ASSERT(view(rest, now) == expected);
  }
}

}  // namespace
}  // namespace achilles
