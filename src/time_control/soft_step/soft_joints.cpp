#include "time_control/soft_step/soft_joints.hpp"

#include "constraint/joint_pose.hpp"
#include "constraint/joint_rows.hpp"
#include "math/refill.hpp"
#include "time_control/step_workspace.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace achilles {
namespace {

using Kind = SoftJointRow::Kind;
enum AxisSlot : std::size_t { kLower, kUpper, kMotor, kFriction, kSpring };

void store(const Vec3& value, float (&to)[3]) {
  for (int k = 0; k < 3; ++k) to[k] = static_cast<float>(value[k]);
}

/// Writes the rows of one joint.
class JointWriter {
 public:
  JointWriter(World& world, const StepWorkspace& scratch, double h, int substeps, bool warm_start, SoftJoints& to)
      : world_(world), scratch_(scratch), h_(h), substep_(h / substeps), warm_start_(warm_start), to_(to) {}

  void write(std::uint32_t index) {
    const WorldJoint& model = world_.joints[index];
    const bool moves_a = scratch_.movable[model.body_a] != 0, moves_b = scratch_.movable[model.body_b] != 0;
    if (!moves_a && !moves_b) return;
    index_ = index;
    pose_ = place_joint(model, world_.bodies, world_.joint_states[index].position);
    SoftJoint joint;
    joint.joint = index;
    joint.slot_a = scratch_.soft.slot_of[model.body_a];
    joint.slot_b = scratch_.soft.slot_of[model.body_b];
    store(pose_.anchor_a - world_.bodies.position[model.body_a], joint.arm_a);
    store(pose_.anchor_b - world_.bodies.position[model.body_b], joint.arm_b);
    joint.first = static_cast<std::uint32_t>(to_.rows.size());
    write_equalities(model);
    for (std::size_t axis = 0; axis < model.axis_count; ++axis) write_axis(model, axis);
    joint.count = static_cast<std::uint32_t>(to_.rows.size()) - joint.first;
    while (joint.rigid < joint.count && to_.rows[joint.first + joint.rigid].kind == Kind::kRigid) ++joint.rigid;
    to_.joints.push_back(joint);
  }

 private:
  void write_equalities(const WorldJoint& model) {
    std::array<JointEquality, JointState::kStructural> equalities;
    const std::size_t count = list_equalities(model, world_.bodies, pose_, equalities);
    for (std::size_t k = 0; k < count; ++k) {
      const JointEquality& one = equalities[k];
      if (one.soft && model.compliance > 0) {
        write_spring(one.row, 1 / model.compliance, 0, one.error, k);
      } else {
        append(one.row, Kind::kRigid, one.error, k);
      }
    }
  }

  void write_axis(const WorldJoint& model, std::size_t axis) {
    const JointDrive& drive = model.drives[axis];
    const Row row = make_axis_row(model, world_.bodies, pose_, axis);
    const double position = pose_.position[axis];
    const std::size_t slots = JointState::kStructural + axis * JointState::kPerAxis;
    if (std::isfinite(drive.lower)) append(row, Kind::kLimit, position - drive.lower, slots + kLower).lower = 0;
    if (std::isfinite(drive.upper))
      append(opposite(row), Kind::kLimit, drive.upper - position, slots + kUpper).lower = 0;
    if (drive.motor != JointDrive::Motor::kNone) {
      SoftJointRow& motor = append(row, Kind::kPlain, 0, slots + kMotor);
      const double strength = drive.motor_max * (motor.mass > 0 ? 1 / static_cast<double>(motor.mass) : 0);
      const double speed = drive.motor == JointDrive::Motor::kSpeed
                               ? drive.motor_target
                               : choose_motor_speed(drive.motor_target - position, strength, h_);
      motor.target = static_cast<float>(speed);
      motor.is_motor = true;
      bound(motor, drive.motor_max);
    }
    if (drive.friction > 0) bound(append(row, Kind::kPlain, 0, slots + kFriction), drive.friction);
    if (drive.stiffness > 0 || drive.damping > 0) {
      write_spring(row, drive.stiffness, drive.damping, position - drive.rest, slots + kSpring);
    }
  }

  void bound(SoftJointRow& row, double force) const {
    row.upper = static_cast<float>(substep_ * force);
    row.lower = -row.upper;
  }

  /// λ/h = −k (x + h w) − d w, see constraint/joint_rows.hpp.
  void write_spring(const Row& row, double stiffness, double damping, double stretch, std::size_t slot) {
    const double resistance = substep_ * stiffness + damping;
    SoftJointRow& spring = append(row, Kind::kPlain, stretch, slot);
    spring.softness = static_cast<float>(1 / (substep_ * resistance));
    spring.target = static_cast<float>(-stiffness * stretch / resistance);
    spring.reads = static_cast<float>(substep_ * stiffness / resistance);
  }

  static Row opposite(Row row) {
    for (Vec3* part : {&row.linear_a, &row.angular_a, &row.linear_b, &row.angular_b}) *part = -*part;
    return row;
  }

  SoftJointRow& append(Row row, Kind kind, double error, std::size_t slot) {
    const WorldJoint& model = world_.joints[index_];
    const auto is_arm = [](const Vec3& angular, const Vec3& linear, const Vec3& arm) {
      return (angular - arm.cross(linear)).norm() <= 1e-12 * (1 + arm.norm());
    };
    SoftJointRow to{};
    to.is_point = !row.linear_b.isZero(0) && row.linear_a == -row.linear_b &&
                  is_arm(row.angular_a, row.linear_a, pose_.anchor_a - world_.bodies.position[model.body_a]) &&
                  is_arm(row.angular_b, row.linear_b, pose_.anchor_b - world_.bodies.position[model.body_b]);
    row.body_a = model.body_a;
    row.body_b = model.body_b;
    finish_row(row, scratch_.inverse_mass);
    store(row.linear_a, to.linear_a);
    store(row.angular_a, to.angular_a);
    store(row.linear_b, to.linear_b);
    store(row.angular_b, to.angular_b);
    to.mass = row.diagonal > 0 ? static_cast<float>(1 / row.diagonal) : 0;
    to.error = static_cast<float>(error);
    to.lower = -std::numeric_limits<float>::infinity();
    to.upper = std::numeric_limits<float>::infinity();
    to.kind = kind;
    to.slot = static_cast<std::uint8_t>(slot);
    if (warm_start_) to.impulse = static_cast<float>(world_.joint_states[index_].impulses[slot] * substep_ / h_);
    to_.rows.push_back(to);
    return to_.rows.back();
  }

  World& world_;
  const StepWorkspace& scratch_;
  double h_, substep_;
  bool warm_start_;
  SoftJoints& to_;
  std::uint32_t index_ = 0;
  JointPose pose_;
};

}  // namespace

void list_joints(World& world, double h, int substeps, bool warm_start, StepWorkspace& scratch) {
  SoftJoints& joints = scratch.soft.joints;
  joints.joints.clear();
  joints.rows.clear();
  JointWriter writer(world, scratch, h, substeps, warm_start, joints);
  for (std::uint32_t k = 0; k < world.joints.size(); ++k) writer.write(k);
}

double conclude_joints(World& world, double h, StepWorkspace& scratch, const SoftJoints& joints) {
  refill(scratch.joint_loads, world.joints.size(), JointLoad{});
  double work = 0;
  for (const SoftJoint& joint : joints.joints) {
    JointState& state = world.joint_states[joint.joint];
    JointLoad& load = scratch.joint_loads[joint.joint];
    state.impulses.fill(0);
    Vec3 about_center = Vec3::Zero();
    for (std::uint32_t k = joint.first; k < joint.first + joint.count; ++k) {
      const SoftJointRow& row = joints.rows[k];
      const auto total = static_cast<double>(row.total);
      state.impulses[row.slot] = total;
      for (int axis = 0; axis < 3; ++axis) {
        load.force[axis] += total / h * static_cast<double>(row.linear_b[axis]);
        about_center[axis] += total / h * static_cast<double>(row.angular_b[axis]);
      }
      if (!row.is_motor) continue;
      // The velocity changes from one to the other while the motor acts: its work is that of the mean.
      const WorldJoint& model = world.joints[joint.joint];
      for (const std::vector<BodyVelocity>* u : {&scratch.velocity_before, &world.bodies.velocity}) {
        for (int axis = 0; axis < 3; ++axis) {
          work += 0.5 * total *
                  (static_cast<double>(row.angular_a[axis]) * (*u)[model.body_a].angular[axis] +
                   static_cast<double>(row.angular_b[axis]) * (*u)[model.body_b].angular[axis] +
                   static_cast<double>(row.linear_a[axis]) * (*u)[model.body_a].linear[axis] +
                   static_cast<double>(row.linear_b[axis]) * (*u)[model.body_b].linear[axis]);
        }
      }
    }
    load.torque = about_center - Vec3(joint.arm_b[0], joint.arm_b[1], joint.arm_b[2]).cross(load.force);
  }
  return work;
}

}  // namespace achilles
