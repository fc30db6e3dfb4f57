// Vectors, rotations and placements, the words every other header is written in.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <limits>

namespace achilles {

using Vec2 = Eigen::Vector2d;
using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Quat = Eigen::Quaterniond;
static_assert(alignof(Quat) <= 16,
              "compile with -DEIGEN_MAX_ALIGN_BYTES=16, as the library was: its CMake target sets it");

/// Placement of frame B in frame A: x_A = p + q x_B, with q of unit length.
struct Pose {
  Vec3 p = Vec3::Zero();
  Quat q = Quat::Identity();
};

/// The same placement with the rotation as a matrix, for code that turns many vectors: x_A = p + R x_B.
struct Transform {
  Mat3 R = Mat3::Identity();
  Vec3 p = Vec3::Zero();

  [[nodiscard]] Vec3 operator*(const Vec3& x) const { return R * x + p; }
  [[nodiscard]] Transform operator*(const Transform& other) const { return {R * other.R, R * other.p + p}; }
  [[nodiscard]] Transform inverse() const { return {R.transpose(), -(R.transpose() * p)}; }
  /// x_B of a point given in A, without forming the inverse.
  [[nodiscard]] Vec3 to_local(const Vec3& x) const { return R.transpose() * (x - p); }
};

[[nodiscard]] inline Transform to_transform(const Pose& pose) { return {pose.q.toRotationMatrix(), pose.p}; }

/// Velocity of one body: of its centre of mass, and spin in world axes.
struct BodyVelocity {
  Vec3 linear = Vec3::Zero();   // [m/s]
  Vec3 angular = Vec3::Zero();  // [rad/s]
};

/// Axis-aligned box, empty when lower exceeds upper.
struct Aabb {
  Vec3 lower = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 upper = Vec3::Constant(-std::numeric_limits<double>::infinity());

  void include(const Vec3& x) {
    lower = lower.cwiseMin(x);
    upper = upper.cwiseMax(x);
  }
  void include(const Aabb& other) {
    lower = lower.cwiseMin(other.lower);
    upper = upper.cwiseMax(other.upper);
  }
  [[nodiscard]] bool overlaps(const Aabb& other) const {
    return (lower.array() <= other.upper.array()).all() && (other.lower.array() <= upper.array()).all();
  }
  [[nodiscard]] Vec3 center() const { return 0.5 * (lower + upper); }
  [[nodiscard]] Vec3 extent() const { return upper - lower; }
  [[nodiscard]] Aabb grown(double margin) const {
    return {lower - Vec3::Constant(margin), upper + Vec3::Constant(margin)};
  }
};

}  // namespace achilles
