// How a placed geometry moves over an interval [0, h], as continuous collision detection sees it.
#pragma once

#include "collision/broad_phase/broad_phase.hpp"
#include "collision/collider.hpp"

#include <variant>

namespace achilles {

/// Free flight: the centre of mass on a parabola, constant spin about it. At time t the geometry stands at
///   p(t) = c + v t + ½ a t² + exp(t [w]) (p(0) − c),  R(t) = exp(t [w]) R(0).
struct BallisticMotion {
  Transform X_WG;                    // at time 0
  Vec3 center = Vec3::Zero();        // [m] c, of mass, at time 0
  Vec3 velocity = Vec3::Zero();      // [m/s] v
  Vec3 spin = Vec3::Zero();          // [rad/s] w, world axes
  Vec3 acceleration = Vec3::Zero();  // [m/s²] a
};

/// A way that something outside decides on (a script). Users implement it.
class MotionPath {
 public:
  virtual ~MotionPath() = default;
  /// Placement of the geometry at time t of the interval. The same t must give the same pose.
  [[nodiscard]] virtual Transform pose(double t) const = 0;
};

/// Motion along a path of which only bounds are known.
struct GuidedMotion {
  const MotionPath* path = nullptr;
  double max_speed = 0;  // [m/s] of the geometry's origin, over the whole interval
  double max_spin = 0;   // [rad/s]
};

using Motion = std::variant<BallisticMotion, GuidedMotion>;

/// A collider in motion.
struct MovingCollider {
  const Geometry* geometry = nullptr;
  Motion motion;
  std::uint32_t body = 0;  // dense body index; pieces of one body never collide with each other
  bool movable = true;     // two pieces of which neither is movable never collide
};

/// The constant spin that makes the smaller turn from one orientation to another in time t. [rad/s]
[[nodiscard]] Vec3 find_mean_spin(const Quat& from, const Quat& to, double t);

[[nodiscard]] MovingCollider make_resting(const Collider& collider);

[[nodiscard]] Transform compute_pose(const Motion& motion, double t);

/// Largest distance of a point of the geometry from the centre its spin turns it about. [m]
[[nodiscard]] double compute_reach(const Geometry& geometry, const Motion& motion);

/// A box that holds the geometry at every time of [0, h]: the box of the centre's way grown by the reach, [Mirtich95,
/// sec. 3.2], met with the box at time 0 grown by how far its points can come. Infinite for a plane.
[[nodiscard]] Aabb compute_swept_bounds(const Geometry& geometry, const Motion& motion, double h);

/// The proxy of a moving collider over [0, h]: the boxes of two of them meet if their gap is at most the margin at some
/// time of the interval. Throws std::invalid_argument when the motion is not finite.
[[nodiscard]] BroadPhaseProxy make_swept_proxy(const MovingCollider& collider, double h, double margin);

}  // namespace achilles
