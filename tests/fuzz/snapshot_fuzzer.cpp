// Feeds World::load saved worlds with changes, the checksum made right, so that what is behind it is reached. The input
// is the number of a world (1 byte), then changes, each where (4) and the four bytes to put there. It may refuse with
// std::runtime_error, and with nothing else; what it accepts can be saved and read again, asked and changed.
#include "world/binary_stream.hpp"
#include "world/random_world.hpp"

#include <achilles/query.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

using namespace achilles;

std::string save(const World& world) {
  std::ostringstream out;
  world.save(out);
  return out.str();
}

/// A saved world, changed.
std::string make_bytes(const std::uint8_t* data, std::size_t size) {
  achilles::testing::RandomWorlds random(size > 0 ? data[0] : 0);
  std::string bytes = save(random.world(6));
  for (std::size_t at = 1; at + 8 <= size; at += 8) {
    std::uint32_t where = 0;
    std::memcpy(&where, data + at, sizeof where);
    where %= static_cast<std::uint32_t>(bytes.size() - 12);
    std::memcpy(bytes.data() + where, data + at + 4, 4);
  }
  Checksum sum;
  sum.add(bytes.data(), bytes.size() - 8);
  const std::uint64_t value = sum.value();
  std::memcpy(bytes.data() + bytes.size() - 8, &value, sizeof value);
  return bytes;
}

void use(World& world) {
  (void)world.state_hash();
  (void)world.kinetic_energy();
  (void)world.potential_energy();
  if (!world.first_not_finite()) (void)WorldQuery(world).cast_ray({0, 0, 5}, {0, 0, -1});
  world.wake_all();
  while (world.bodies.size() > 0) {
    world.remove_body(world.handle_of(static_cast<std::uint32_t>(world.bodies.size() - 1)));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes = make_bytes(data, size);
  try {
    std::istringstream in(bytes);
    World world = World::load(in);
    const std::string again = save(world);
    std::istringstream same(again);
    if (save(World::load(same)) != again) {
      std::fputs("a world that was saved reads as another\n", stderr);
      std::abort();
    }
    use(world);
  } catch (const std::runtime_error&) {
  } catch (const std::invalid_argument&) {  // of queries
  }
  return 0;
}
