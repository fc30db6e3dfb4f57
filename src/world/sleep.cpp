// Waking: sleepers wake as they fell asleep, together.
#include <achilles/world.hpp>

namespace achilles {

void World::wake(std::uint32_t body) {
  sleep.calm_steps[body] = 0;
  if (bodies.asleep[body] == 0) return;
  const std::uint32_t group = sleep.group[body];
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.asleep[i] == 0 || sleep.group[i] != group) continue;
    bodies.asleep[i] = 0;
    sleep.calm_steps[i] = 0;
  }
}

void World::wake_all() {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.asleep[i] = 0;
    sleep.calm_steps[i] = 0;
  }
}

}  // namespace achilles
