#include "record/certify/paths.hpp"

#include "world/colliders.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace achilles {
namespace {

constexpr double kTouch = 2e-4;       // [m] gaps up to this may be contacts for a method that works with a slop
constexpr double kLeast = 1e-9;       // [m] depths below this are rounding
constexpr int kMostIterations = 400;  // distance evaluations of a pair
constexpr int kSamples = 16;          // of a pair for which no bound is known
constexpr std::size_t kPairBlock = 32;

/// The rotation vector from one orientation to another that is nearest to `expected`.
Vec3 find_turn(const Quat& before, const Quat& after, const Vec3& expected) {
  Quat d = after * before.conjugate();
  if (d.w() < 0) d.coeffs() *= -1;
  const double sine = d.vec().norm();
  const double angle = 2 * std::atan2(sine, d.w());
  const Vec3 axis = sine > 1e-12          ? Vec3(d.vec() / sine)
                    : expected.norm() > 0 ? Vec3(expected.normalized())
                                          : Vec3::UnitZ();
  const double turns = std::round((expected.dot(axis) - angle) / (2 * std::numbers::pi));
  return (angle + 2 * std::numbers::pi * turns) * axis;
}

/// How far the centre can be from the chord, [m]; see find_path.
double bound_deviation(const Vec3& change, const Vec3& gravity, double dt) {
  const double g = gravity.norm();
  if (!(g > 0)) return 0.25 * dt * change.norm();
  const Vec3 kick = change - dt * gravity;
  const double up = -kick.dot(gravity) / g;
  const double sag = 0.125 * g * dt * dt;
  const double along = up >= 0 ? std::max(sag, 0.25 * dt * up - sag) : sag - 0.25 * dt * up;
  const double across = std::sqrt(std::max(0.0, kick.squaredNorm() - up * up));
  return std::hypot(along, 0.25 * dt * across);
}

MovingPair make_pair(const IntervalWorkspace& scratch, const ColliderPair& pair) {
  const MovingCollider& a = scratch.colliders[pair.a];
  const MovingCollider& b = scratch.colliders[pair.b];
  return {*a.geometry, a.motion, *b.geometry, b.motion};
}

/// The deepest of a pair from a time on at which it is already `met.depth` deep.
void find_deepest(const MovingPair& pair, double dt, double start, IntervalWorkspace::Met& met) {
  double time = start;
  for (int round = 0; round < 64; ++round) {
    const double level = 1.25 * met.depth + kLeast;
    const FirstContact deeper = find_first_descent(pair, time, dt, {-level, -0.95 * level}, kMostIterations);
    if (deeper.status == ContactSearchStatus::kApart) return;
    if (deeper.status != ContactSearchStatus::kContact) {
      met.unresolved = true;
      return;
    }
    met.depth = -deeper.gap.distance;
    met.time = time = deeper.time;
  }
  met.unresolved = true;
}

/// Where no bound is known the path is looked at in many places instead.
void sample_pair(const MovingPair& pair, double dt, IntervalWorkspace::Met& met) {
  for (int k = 0; k <= kSamples; ++k) {
    const double t = dt * k / kSamples;
    const double depth = -pair.compute_gap(t, 0).distance;
    if (!(depth > met.depth)) continue;
    met.depth = depth;
    met.time = t;
  }
}

/// True when the pair may touch; then `met` holds how deep it goes, if deeper than `depth` beyond the allowance.
bool follow_pair(const MovingPair& pair, double dt, double margin, double depth, IntervalWorkspace::Met& met) {
  // Apart means that the gap is never below the lower of the two levels.
  const FirstContact near = find_first_descent(pair, 0, dt, {margin, 1.5 * margin}, kMostIterations);
  if (near.status == ContactSearchStatus::kApart) return false;
  const double level = std::max(kLeast, depth + met.allowance);
  const FirstContact deep = find_first_descent(pair, 0, dt, {-level, -0.95 * level}, kMostIterations);
  if (deep.status == ContactSearchStatus::kApart) return true;
  met.time = deep.time;
  if (deep.status == ContactSearchStatus::kContact) {
    met.depth = -deep.gap.distance;
    find_deepest(pair, dt, deep.time, met);
  } else {
    met.unresolved = true;
  }
  if (met.unresolved) sample_pair(pair, dt, met);
  return true;
}

void make_colliders(const World& before, double dt, IntervalWorkspace& scratch) {
  scratch.colliders.resize(before.pieces.size());
  scratch.allowance.resize(before.pieces.size());
  for (std::size_t i = 0; i < before.pieces.size(); ++i) {
    const WorldPiece& piece = before.pieces[i];
    const BodyPath& path = scratch.paths[piece.body];
    BallisticMotion motion;
    motion.center = before.bodies.position[piece.body];
    motion.X_WG = Transform{before.bodies.orientation[piece.body].toRotationMatrix(), motion.center} * piece.X_CG;
    motion.velocity = path.velocity;
    motion.spin = path.spin;
    motion.acceleration = path.acceleration;
    scratch.colliders[i] = {piece.geometry.get(), motion, piece.body, before.bodies.is_movable(piece.body)};
    const double radius = piece.geometry->radius;
    const double arm = std::isfinite(radius) ? piece.X_CG.p.norm() + radius : 0;
    scratch.allowance[i] = path.deviation + 0.25 * dt * path.turn_rate * arm;
  }
}

double reach_of(const World& world, const WorldPiece& piece, const BodyPath& path) {
  const BodyVelocity& u = world.bodies.velocity[piece.body];
  const double radius = piece.geometry->radius;
  const double arm = std::isfinite(radius) ? piece.X_CG.p.norm() + radius : 0;
  return std::max(u.linear.norm(), path.velocity.norm()) + arm * std::max(u.angular.norm(), path.spin.norm());
}

/// How near things must come to act on each other: methods that look ahead see what a piece, and what gravity makes of
/// its speed, covers in a step.
double margin_of(const World& world, std::size_t i, double reach, const IntervalWorkspace& scratch) {
  const WorldPiece& piece = world.pieces[i];
  const double speed = reach_of(world, piece, scratch.paths[piece.body]) + reach * world.gravity.norm();
  return 0.5 * kTouch + std::max(scratch.allowance[i], scratch.paths[piece.body].excursion) + reach * speed;
}

}  // namespace

BodyPath find_path(const World& before, const World& after, std::size_t body, double dt) {
  const Vec3 moved = after.bodies.position[body] - before.bodies.position[body];
  const BodyVelocity& u0 = before.bodies.velocity[body];
  const BodyVelocity& u1 = after.bodies.velocity[body];
  const Vec3 fall = dt * before.gravity;
  BodyPath path;
  const bool fell = before.bodies.is_movable(body) &&
                    (u1.linear - u0.linear - fall).norm() <= 1e-6 * (u0.linear.norm() + fall.norm()) &&
                    (moved - 0.5 * dt * (u0.linear + u1.linear)).norm() <= dt * fall.norm();
  const bool movable = before.bodies.is_movable(body);
  if (fell) path.acceleration = before.gravity;
  path.velocity = moved / dt - 0.5 * dt * path.acceleration;
  path.spin =
      find_turn(before.bodies.orientation[body], after.bodies.orientation[body], 0.5 * dt * (u0.angular + u1.angular)) /
      dt;
  path.deviation = fell ? 0 : bound_deviation(u1.linear - u0.linear, movable ? before.gravity : Vec3::Zero(), dt);
  if (!fell && movable) {
    const double length = dt * (std::max(u0.linear.norm(), u1.linear.norm()) + fall.norm());
    path.excursion = 0.5 * std::sqrt(std::max(0.0, length * length - moved.squaredNorm()));
  }
  path.turn_rate = (u1.angular - u0.angular).norm();
  return path;
}

void follow_interval(const World& before, const World& after, double dt, double depth, double reach,
                     IntervalWorkspace& scratch) {
  scratch.paths.resize(before.bodies.size());
  for (std::size_t k = 0; k < before.bodies.size(); ++k) scratch.paths[k] = find_path(before, after, k, dt);
  make_colliders(before, dt, scratch);
  list_ignored_pairs(before, scratch.ignored);
  scratch.margins.resize(scratch.colliders.size());
  scratch.proxies.resize(scratch.colliders.size());
  for (std::size_t i = 0; i < scratch.colliders.size(); ++i) {
    scratch.margins[i] = margin_of(before, i, reach, scratch);
    scratch.proxies[i] = make_swept_proxy(scratch.colliders[i], dt, 3 * scratch.margins[i]);
  }
  find_pairs(scratch.proxies, scratch.ignored, TreeOptions{}, scratch.runner, scratch.broad_phase, scratch.pairs);
  const std::size_t blocks = BlockRunner::count_blocks(scratch.pairs.size(), kPairBlock);
  if (scratch.blocks.size() < blocks) scratch.blocks.resize(blocks);
  scratch.runner.run(scratch.pairs.size(), kPairBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    scratch.blocks[block].clear();
    for (std::size_t k = first; k < last; ++k) {
      const ColliderPair& pair = scratch.pairs[k];
      IntervalWorkspace::Met met{scratch.colliders[pair.a].body, scratch.colliders[pair.b].body};
      met.allowance = scratch.allowance[pair.a] + scratch.allowance[pair.b];
      const double margin = scratch.margins[pair.a] + scratch.margins[pair.b];
      if (follow_pair(make_pair(scratch, pair), dt, margin, depth, met)) {
        scratch.blocks[block].push_back(met);
      }
    }
  });
  scratch.met.clear();
  for (std::size_t block = 0; block < blocks; ++block) {
    scratch.met.insert(scratch.met.end(), scratch.blocks[block].begin(), scratch.blocks[block].end());
  }
}

}  // namespace achilles
