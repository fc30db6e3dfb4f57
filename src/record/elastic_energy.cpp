#include "record/elastic_energy.hpp"

#include "constraint/joint_pose.hpp"

namespace achilles {
namespace {

/// Where the free coordinates are `dt` [s] after `before` at the present spins: exact enough to count whole turns.
std::array<double, 2> predict(const WorldJoint& joint, const BodyArrays& bodies, const std::array<double, 2>& before,
                              double dt) {
  std::array<double, 2> position = before;
  if (joint.kind == JointKind::kSlider) return position;
  const Vec3 turn = dt * (bodies.velocity[joint.body_b].angular - bodies.velocity[joint.body_a].angular);
  for (std::size_t axis = 0; axis < joint.axis_count; ++axis) {
    const bool is_of_a = axis == 0;
    const Vec3 axis_W = is_of_a ? Vec3(bodies.orientation[joint.body_a] * joint.axis_A[axis])
                                : Vec3(bodies.orientation[joint.body_b] * joint.axis_B[axis]);
    position[axis] += turn.dot(axis_W);
  }
  return position;
}

}  // namespace

ElasticEnergy::Parts ElasticEnergy::measure(const World& world) {
  Parts energy;
  const double dt = positions_.empty() ? 0 : world.time - time_;
  time_ = world.time;
  positions_.resize(world.joints.size());
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    const WorldJoint& joint = world.joints[k];
    const JointPose pose = place_joint(joint, world.bodies, predict(joint, world.bodies, positions_[k], dt));
    positions_[k] = pose.position;
    for (std::size_t axis = 0; axis < joint.axis_count; ++axis) {
      const double stretch = pose.position[axis] - joint.drives[axis].rest;
      energy.springs += 0.5 * joint.drives[axis].stiffness * stretch * stretch;
    }
    if (!(joint.compliance > 0)) continue;
    std::array<JointEquality, JointState::kStructural> equalities;
    const std::size_t count = list_equalities(joint, world.bodies, pose, equalities);
    for (std::size_t i = 0; i < count; ++i) {
      const JointEquality& equality = equalities[i];
      if (equality.soft) energy.compliance += 0.5 * equality.error * equality.error / joint.compliance;
    }
  }
  return energy;
}

}  // namespace achilles
