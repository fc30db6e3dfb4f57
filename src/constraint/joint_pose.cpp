#include "constraint/joint_pose.hpp"

#include "constraint/point_row.hpp"
#include "constraint/reach_cone.hpp"
#include "math/tangents.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace achilles {
namespace {

/// The angle plus the whole turns that bring it nearest to where it was.
double count_turns(double angle, double before) {
  constexpr double kTurn = 2 * std::numbers::pi;
  return angle + kTurn * std::round((before - angle) / kTurn);
}

/// Angle by which `to` is turned about the axis against `from`; lengths do not matter.
double turn_about(const Vec3& axis, const Vec3& from, const Vec3& to) {
  const Vec3 f = from - axis.dot(from) * axis;
  const Vec3 t = to - axis.dot(to) * axis;
  return std::atan2(axis.dot(f.cross(t)), f.dot(t));
}

/// Arms to one point in space that both bodies carry at this instant.
Arms arms_to(const WorldJoint& joint, const BodyArrays& bodies, const Vec3& point_a, const Vec3& point_b) {
  return {joint.body_a, joint.body_b, point_a - bodies.position[joint.body_a], point_b - bodies.position[joint.body_b]};
}

/// Directions such that ω_b − ω_a = Σ (d_k · (ω_b − ω_a)) s_k for rotations about the two axes s_k.
std::array<Vec3, 2> dual_axes(const JointPose& pose) {
  const Vec3& s1 = pose.axis_a[0];
  const Vec3& s2 = pose.axis_b[1];
  const Vec3 u = s1.cross(s2);
  const double volume = u.squaredNorm();
  return {s2.cross(u) / volume, u.cross(s1) / volume};
}

ReachConeFrame cone_frame(const WorldJoint& joint, const JointPose& pose) {
  return {pose.axis_a[0], pose.axis_a[1], pose.axis_b[0], pose.axis_b[1], joint.half_angles};
}

class EqualityList {
 public:
  EqualityList(const WorldJoint& joint, const BodyArrays& bodies, const JointPose& pose,
               std::array<JointEquality, JointState::kStructural>& out)
      : joint_(joint), bodies_(bodies), pose_(pose), out_(out) {}

  /// The anchors coincide along a direction; [Erleben04, eq. 4.117]
  void point(const Vec3& direction, bool soft) {
    const Arms arms = arms_to(joint_, bodies_, pose_.anchor_a, pose_.anchor_b);
    add(make_point_row(direction, arms), direction.dot(pose_.anchor_b - pose_.anchor_a), soft);
  }
  /// b's anchor keeps its place along a direction that a carries with it.
  void carried_point(const Vec3& direction) {
    const Arms arms = arms_to(joint_, bodies_, pose_.anchor_b, pose_.anchor_b);
    add(make_point_row(direction, arms), direction.dot(pose_.anchor_b - pose_.anchor_a), true);
  }
  void spin(const Vec3& direction, double error) { add(make_spin_row(direction), error, false); }

  void whole_point() {
    for (int k = 0; k < 3; ++k) point(Vec3::Unit(k), true);
  }
  /// No rotation at all; [Erleben04, eq. 4.134]
  void whole_orientation() {
    for (int k = 0; k < 3; ++k) spin(Vec3::Unit(k), pose_.twist[k]);
  }
  /// The first axis is common to both bodies; [Erleben04, eqs. 4.121 and 4.124]
  void common_axis() {
    const Vec3& axis = pose_.axis_a[0];
    const Vec3 lean = axis.cross(pose_.axis_b[0]);
    const auto [t1, t2] = make_tangents(axis);
    spin(t1, t1.dot(lean));
    spin(t2, t2.dot(lean));
  }
  /// The angle between the first axis in a and the second in b stays; [Erleben04, eq. 4.145]
  void axis_angle() {
    const Vec3 u = pose_.axis_a[0].cross(pose_.axis_b[1]);
    const double angle = std::atan2(u.norm(), pose_.axis_a[0].dot(pose_.axis_b[1]));
    spin(u.normalized(), angle - joint_.angle);
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  void add(const Row& row, double error, bool soft) { out_[size_++] = {row, error, soft}; }

  const WorldJoint& joint_;
  const BodyArrays& bodies_;
  const JointPose& pose_;
  std::array<JointEquality, JointState::kStructural>& out_;
  std::size_t size_ = 0;
};

}  // namespace

JointPose place_joint(const WorldJoint& joint, const BodyArrays& bodies, const std::array<double, 2>& before) {
  const Quat& q_a = bodies.orientation[joint.body_a];
  const Quat& q_b = bodies.orientation[joint.body_b];
  JointPose pose;
  pose.anchor_a = bodies.position[joint.body_a] + q_a * joint.anchor_A;
  pose.anchor_b = bodies.position[joint.body_b] + q_b * joint.anchor_B;
  for (std::size_t k = 0; k < 2; ++k) {
    pose.axis_a[k] = q_a * joint.axis_A[k];
    pose.axis_b[k] = q_b * joint.axis_B[k];
  }
  const Quat away = q_b * (q_a * joint.rest_AB).conjugate();
  pose.twist = (away.w() < 0 ? -2.0 : 2.0) * away.vec();
  const Vec3& s = pose.axis_a[0];
  switch (joint.kind) {
    case JointKind::kHinge:
      pose.position[0] = count_turns(2 * std::atan2(s.dot(away.vec()), away.w()), before[0]);
      break;
    case JointKind::kSlider:
      pose.position[0] = s.dot(pose.anchor_b - pose.anchor_a);
      break;
    case JointKind::kHinge2:
    case JointKind::kUniversal:
      // The second axis, which b carries, turns about the first with the first angle; seen from b the first axis turns
      // backwards about the second.
      pose.position[0] = count_turns(turn_about(s, pose.axis_a[1], pose.axis_b[1]), before[0]);
      pose.position[1] = count_turns(turn_about(pose.axis_b[1], s, pose.axis_b[0]), before[1]);
      break;
    case JointKind::kBall:
      if (joint.axis_count == 2) {
        const ReachConeCoordinates reach = measure_reach(cone_frame(joint, pose));
        pose.position = {reach.swing, count_turns(reach.twist, before[1])};
      }
      break;
    case JointKind::kFixed:
    case JointKind::kPlanar:
    case JointKind::kDistance:
      break;
  }
  return pose;
}

std::size_t list_equalities(const WorldJoint& joint, const BodyArrays& bodies, const JointPose& pose,
                            std::array<JointEquality, JointState::kStructural>& equalities) {
  EqualityList list(joint, bodies, pose, equalities);
  const auto [t1, t2] = make_tangents(pose.axis_a[0]);
  switch (joint.kind) {
    case JointKind::kBall:
      list.whole_point();
      break;
    case JointKind::kHinge:
      list.whole_point();
      list.common_axis();
      break;
    case JointKind::kSlider:
      list.carried_point(t1);
      list.carried_point(t2);
      list.whole_orientation();
      break;
    case JointKind::kHinge2:
      // Rows along the first axis and across it, so that the compliance can be a suspension; [Erleben04, sec. 4.9.4]
      list.point(pose.axis_a[0], true);
      list.point(t1, false);
      list.point(t2, false);
      list.axis_angle();
      break;
    case JointKind::kUniversal:
      list.whole_point();
      list.axis_angle();
      break;
    case JointKind::kFixed:
      list.whole_point();
      list.whole_orientation();
      break;
    case JointKind::kPlanar:
      list.carried_point(pose.axis_a[0]);
      list.common_axis();
      break;
    case JointKind::kDistance: {
      const Vec3 between = pose.anchor_b - pose.anchor_a;
      const double distance = between.norm();
      // Anchors on top of each other: any direction out of that is as good.
      list.point(distance > 0 ? Vec3(between / distance) : Vec3(Vec3::UnitZ()), true);
      equalities[0].error = distance - joint.length;
      break;
    }
  }
  return list.size();
}

Row make_axis_row(const WorldJoint& joint, const BodyArrays& bodies, const JointPose& pose, std::size_t axis) {
  if (joint.kind == JointKind::kSlider) {
    return make_point_row(pose.axis_a[0], arms_to(joint, bodies, pose.anchor_b, pose.anchor_b));
  }
  if (joint.kind == JointKind::kHinge) return make_spin_row(pose.axis_a[0]);
  if (joint.kind == JointKind::kBall) {
    const ReachConeCoordinates reach = measure_reach(cone_frame(joint, pose));
    return make_spin_row(axis == 0 ? reach.swing_rate : reach.twist_rate);
  }
  return make_spin_row(dual_axes(pose)[axis]);
}

double measure_joint_error(const WorldJoint& joint, const JointPose& pose) {
  const Vec3 between = pose.anchor_b - pose.anchor_a;
  const Vec3& s = pose.axis_a[0];
  switch (joint.kind) {
    case JointKind::kBall:
    case JointKind::kHinge:
    case JointKind::kUniversal:
    case JointKind::kFixed:
      return between.norm();
    case JointKind::kHinge2:
      return joint.compliance > 0 ? (between - s.dot(between) * s).norm() : between.norm();
    case JointKind::kSlider:
      return (between - s.dot(between) * s).norm();
    case JointKind::kPlanar:
      return std::abs(s.dot(between));
    case JointKind::kDistance:
      return std::abs(between.norm() - joint.length);
  }
  return 0;
}

double measure_overshoot(const WorldJoint& joint, const JointPose& pose, double arm) {
  const double unit = joint.kind == JointKind::kSlider ? arm : 1;
  double most = 0;
  for (std::size_t axis = 0; axis < joint.axis_count; ++axis) {
    const JointDrive& drive = joint.drives[axis];
    const double at = pose.position[axis];
    most = std::max({most, (drive.lower - at) / unit, (at - drive.upper) / unit});
  }
  return most;
}

double measure_joint_arm(const WorldJoint& joint, const BodyArrays& bodies) {
  const auto arm_of = [&bodies](std::uint32_t body, const Vec3& anchor_B) {
    if (!bodies.is_movable(body)) return 0.0;
    const double gyration = std::sqrt(0.5 * bodies.inertia_B[body].trace() / bodies.mass[body]);
    return std::max(anchor_B.norm(), gyration);
  };
  return std::max(arm_of(joint.body_a, joint.anchor_A), arm_of(joint.body_b, joint.anchor_B));
}

}  // namespace achilles
