// Scripted bodies: a script gives the place, the velocity follows from it.
#include <achilles/world.hpp>

#include "world/script_path.hpp"
#include "world/world_memory.hpp"

#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

/// Throws std::invalid_argument unless times rise and all numbers are finite: what a path is made from.
void check_script(const ScriptDescription& script) {
  const auto require = [&](bool holds, const char* what) {
    if (!holds) throw std::invalid_argument("script of body '" + script.body + "': " + what);
  };
  for (const Vec3& point : script.space) require(point.allFinite(), "the points of its path must be finite");
  for (std::size_t i = 0; i < script.speed.size(); ++i) {
    const auto& [time, length] = script.speed[i];
    require(std::isfinite(time) && std::isfinite(length), "times and lengths must be finite");
    require(i == 0 || script.speed[i - 1].first < time, "the times of its speed must rise");
  }
  for (std::size_t i = 0; i < script.turn.size(); ++i) {
    const auto& [time, key] = script.turn[i];
    const double length = key.norm();
    require(std::isfinite(time) && std::isfinite(length) && length > 0, "its turn needs finite times and orientations");
    require(i == 0 || script.turn[i - 1].first < time, "the times of its turn must rise");
  }
}

}  // namespace

void World::add_script(const ScriptDescription& description) {
  const std::uint32_t body = index_of(find(description.body));
  if (bodies.kind[body] != BodyKind::kScripted) {
    throw std::invalid_argument("body '" + description.body + "' has a script but is not scripted");
  }
  check_script(description);
  WorldScript script{body, description, bodies.frame(body), nullptr};
  script.path = std::make_shared<const ScriptPath>(description, script.start);
  const Pose pose = script.path->pose(time);
  if (!pose.p.allFinite() || !pose.q.coeffs().allFinite()) {
    throw std::invalid_argument("script of body '" + description.body + "': its place is no number");
  }
  memory().sleep_log.reader = nullptr;
  scripts.push_back(std::move(script));
  bodies.orientation[body] = pose.q;
  bodies.position[body] = pose.p + pose.q * bodies.center_B[body];
}

void World::aim_scripts(double h) { aim_scripts(time, h); }

void World::aim_scripts(double start, double h) {
  for (const WorldScript& script : scripts) {
    const std::uint32_t body = script.body;
    const Pose goal = script.path->pose(start + h);
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
