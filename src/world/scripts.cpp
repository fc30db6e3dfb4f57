// Scripted bodies: a script tells the place, the velocity follows from it.
#include <achilles/world.hpp>

#include "world/script_path.hpp"

#include <cmath>
#include <stdexcept>

namespace achilles {

void World::add_script(const ScriptDescription& description) {
  const std::uint32_t body = index_of(find(description.body));
  if (bodies.kind[body] != BodyKind::kScripted) {
    throw std::invalid_argument("body '" + description.body + "' has a script but is not scripted");
  }
  WorldScript script{body, description, bodies.frame(body), nullptr};
  script.path = std::make_shared<const ScriptPath>(description, script.start);
  sleep_log.reader = nullptr;
  scripts.push_back(std::move(script));
  const Pose pose = scripts.back().path->pose(time);
  bodies.orientation[body] = pose.q;
  bodies.position[body] = pose.p + pose.q * bodies.center_B[body];
}

void World::aim_scripts(double h) {
  for (const WorldScript& script : scripts) {
    const std::uint32_t body = script.body;
    const Pose goal = script.path->pose(time + h);
    const Vec3 center = goal.p + goal.q * bodies.center_B[body];
    bodies.velocity[body].linear = (center - bodies.position[body]) / h;
    Quat turn = goal.q * bodies.orientation[body].conjugate();
    if (turn.w() < 0) turn.coeffs() = -turn.coeffs();
    const double sine = turn.vec().norm();
    const double angle = 2 * std::atan2(sine, turn.w());
    bodies.velocity[body].angular = sine > 0 ? Vec3(angle / (sine * h) * turn.vec()) : Vec3(Vec3::Zero());
  }
}

}  // namespace achilles
