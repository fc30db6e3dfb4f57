#include "reproduce/between.hpp"

#include "collision/continuous/motion_between.hpp"
#include "collision/continuous/time_of_contact.hpp"

#include <algorithm>

namespace achilles::reproduce {

void Places::take(const World& world) {
  time = world.time;
  position = world.bodies.position;
  orientation = world.bodies.orientation;
  velocity = world.bodies.velocity;
}

namespace {

MovingCollider make_moving(const Places& before, const World& world, const WorldPiece& piece, double h) {
  const std::size_t i = piece.body;
  const BallisticMotion motion =
      make_motion_between({before.position[i], before.orientation[i]},
                          {world.bodies.position[i], world.bodies.orientation[i]}, piece.X_CG, h);
  return {piece.geometry.get(), motion, piece.body, world.bodies.is_movable(i)};
}

double measure_bend(const Places& before, const World& world, const MovingCollider& moving, double h) {
  if (!moving.movable) return 0;
  const BodyVelocity &u = before.velocity[moving.body], &w = world.bodies.velocity[moving.body];
  const double reach = compute_reach(*moving.geometry, moving.motion);
  // A spin w turns its own velocities by w h as well.
  const double turn = (w.angular - u.angular).norm() + w.angular.squaredNorm() * h;
  return 0.25 * h * ((w.linear - u.linear).norm() + reach * turn);
}

}  // namespace

int count_violations_between(const Places& before, const World& world, double depth, bool bends) {
  const double h = world.time - before.time;
  if (!(h > 0)) return 0;
  std::vector<MovingCollider> moving;
  std::vector<BroadPhaseProxy> proxies;
  std::vector<IgnoredPair> ignored;
  for (const auto& [first, second] : world.ignored_pairs) ignored.push_back({first, second});
  for (const WorldPiece& piece : world.pieces) moving.push_back(make_moving(before, world, piece, h));
  for (const MovingCollider& collider : moving) proxies.push_back(make_swept_proxy(collider, h, 0));
  int violations = 0;
  for (std::size_t a = 0; a < moving.size(); ++a) {
    for (std::size_t b = a + 1; b < moving.size(); ++b) {
      if (!may_collide(proxies[a], proxies[b], ignored) || !boxes_intersect(proxies[a], proxies[b])) continue;
      const MovingPair pair(*moving[a].geometry, moving[a].motion, *moving[b].geometry, moving[b].motion);
      const double allowed =
          bends ? depth + measure_bend(before, world, moving[a], h) + measure_bend(before, world, moving[b], h) : depth;
      const FirstContact found = find_first_descent(pair, 0, h, {-1.1 * allowed, -allowed}, 1000);
      if (found.status != ContactSearchStatus::kApart) ++violations;
    }
  }
  return violations;
}

}  // namespace achilles::reproduce
