#include "stepping/joint_stiffness.hpp"

#include "constraint/joint_pose.hpp"
#include "constraint/joint_rows.hpp"
#include "math/refill.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace achilles {
namespace {

/// K of a force f that acts on a body at the arm r.
Mat3 stiffness_of(const Vec3& force, const Vec3& arm) {
  const Mat3 outer = arm * force.transpose();
  return force.dot(arm) * Mat3::Identity() - 0.5 * (outer + outer.transpose());
}

/// Ĩ of the header; false where it is I itself.
bool limit_inertia(const Mat3& inertia, const Mat3& stiffness, Mat3& limited) {
  const Eigen::LLT<Mat3> root(inertia);
  if (root.info() != Eigen::Success) return false;
  const Mat3 half = root.matrixL().solve(stiffness);
  const Mat3 scaled = root.matrixL().solve(Mat3(half.transpose()));
  if (scaled.norm() <= 1) return false;  // nor is any eigenvalue above 1
  Eigen::SelfAdjointEigenSolver<Mat3> modes;
  modes.compute(0.5 * (scaled + scaled.transpose()));
  const Vec3 sizes = modes.eigenvalues().cwiseAbs();
  if (!(sizes.maxCoeff() > 1)) return false;
  const Mat3 axes = root.matrixL() * modes.eigenvectors();
  limited = axes * sizes.cwiseMax(1).asDiagonal() * axes.transpose();
  return true;
}

/// Sets the inverse of an inertia with the body's locks.
void set_inertia(const BodyArrays& bodies, std::size_t i, const Mat3& inertia, BodyWorkspace& scratch) {
  constexpr int kFirstRotation = 3;
  static_assert(Locks::kRx == 1 << kFirstRotation);
  scratch.inverse_mass[i].angular =
      invert_inertia_with_locks(inertia, static_cast<std::uint8_t>(bodies.locks[i].bits >> kFirstRotation));
}

Mat3 turn_inertia(const BodyArrays& bodies, std::size_t i, const Quat& q) {
  const Mat3 R = q.toRotationMatrix();
  return R * bodies.inertia_B[i] * R.transpose();
}

void limit_body(BodyArrays& bodies, std::size_t i, const Mat3& stiffness, BodyWorkspace& scratch) {
  const Mat3 inertia = turn_inertia(bodies, i, bodies.orientation[i]);
  Mat3 limited;
  if (!limit_inertia(inertia, stiffness, limited)) return;
  set_inertia(bodies, i, limited, scratch);
  const Vec3& before = scratch.velocity_before[i].angular;
  Vec3& spin = bodies.velocity[i].angular;
  spin = before + scratch.inverse_mass[i].angular * (inertia * (spin - before));
}

void linearize_body(BodyArrays& bodies, std::size_t i, const Mat3& stiffness, const Quat& q, const Vec3& guess,
                    BodyWorkspace& scratch) {
  const Mat3 inertia = turn_inertia(bodies, i, q);
  Eigen::SelfAdjointEigenSolver<Mat3> modes;
  modes.compute(stiffness);
  const Mat3& axes = modes.eigenvectors();
  const Mat3 positive = axes * modes.eigenvalues().cwiseMax(0).asDiagonal() * axes.transpose();
  set_inertia(bodies, i, inertia + positive, scratch);
  Vec3& spin = bodies.velocity[i].angular;
  spin = guess + scratch.inverse_mass[i].angular * (inertia * (spin - guess));
}

}  // namespace

void sum_geometric_stiffness(const World& world, double h, std::vector<Mat3>& stiffness) {
  const BodyArrays& bodies = world.bodies;
  refill(stiffness, bodies.size(), Mat3(Mat3::Zero()));
  for (std::uint32_t k = 0; k < world.joints.size(); ++k) {
    const WorldJoint& joint = world.joints[k];
    const JointPose pose = place_joint(joint, bodies, world.joint_states[k].position);
    const Vec3 force = measure_joint_force(world, k, pose, h);
    stiffness[joint.body_b] += stiffness_of(force, pose.anchor_b - bodies.position[joint.body_b]);
    stiffness[joint.body_a] += stiffness_of(-force, pose.anchor_a - bodies.position[joint.body_a]);
  }
}

void limit_geometric_stiffness(World& world, double h, BodyWorkspace& scratch) {
  limit_geometric_stiffness(world, h, h, scratch);
}

void limit_geometric_stiffness(World& world, double h, double substep, BodyWorkspace& scratch) {
  if (world.joints.empty()) return;
  std::vector<Mat3>& stiffness = scratch.stiffness;
  sum_geometric_stiffness(world, h, stiffness);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] != 0 && !stiffness[i].isZero(0)) {
      limit_body(world.bodies, i, substep * substep * stiffness[i], scratch);
    }
  }
}

void linearize_geometric_stiffness(World& world, double h, const PoseSnapshot& start,
                                   std::span<const BodyVelocity> guess, BodyWorkspace& scratch) {
  if (world.joints.empty()) return;
  std::vector<Mat3>& stiffness = scratch.stiffness;
  sum_geometric_stiffness(world, h, stiffness);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    linearize_body(world.bodies, i, h * h * stiffness[i], start.orientation[i], guess[i].angular, scratch);
  }
}

}  // namespace achilles
