#include "constraint/joint_rows.hpp"

#include "constraint/joint_pose.hpp"
#include "constraint/point_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
enum AxisSlot : std::size_t { kLower, kUpper, kMotor, kFriction, kSpring };

std::size_t slot_of(std::size_t axis, AxisSlot slot) {
  return JointState::kStructural + axis * JointState::kPerAxis + slot;
}

Row opposite(Row row) {
  row.linear_a = -row.linear_a;
  row.angular_a = -row.angular_a;
  row.linear_b = -row.linear_b;
  row.angular_b = -row.angular_b;
  return row;
}

/// Implicit spring: see the head of joint_rows.hpp.
void make_spring(Row& row, double stiffness, double damping, double stretch, double h) {
  const double resistance = h * stiffness + damping;
  row.softness = 1 / (h * resistance);
  row.target = -stiffness * stretch / resistance;
}

/// Rate of a row over all bodies, those that cannot be moved included.
double full_rate(const Row& row, const WorldJoint& joint, std::span<const BodyVelocity> u) {
  return row.linear_a.dot(u[joint.body_a].linear) + row.angular_a.dot(u[joint.body_a].angular) +
         row.linear_b.dot(u[joint.body_b].linear) + row.angular_b.dot(u[joint.body_b].angular);
}

class RowList {
 public:
  RowList(const World& world, std::uint32_t joint, std::span<const BodyInverseMass> inverse_mass,
          std::size_t group_start, std::vector<Row>& rows, std::vector<double>& impulses)
      : world_(world),
        joint_(world.joints[joint]),
        state_(world.joint_states[joint]),
        inverse_mass_(inverse_mass),
        rows_(rows),
        impulses_(impulses) {
    where_.joint = joint;
    where_.first = static_cast<std::uint32_t>(rows.size() - group_start);
  }

  void add(Row row, std::size_t slot) {
    place_row(row, {joint_.body_a, joint_.body_b, {}, {}}, world_.bodies, inverse_mass_);
    rows_.push_back(row);
    impulses_.push_back(std::clamp(state_.impulses[slot], row.lower, row.upper));
    where_.slot[where_.count++] = static_cast<std::uint8_t>(slot);
  }
  /// Velocity per impulse along a row, J M⁻¹ Jᵀ.
  [[nodiscard]] double mobility(Row row) const {
    place_row(row, {joint_.body_a, joint_.body_b, {}, {}}, world_.bodies, inverse_mass_);
    return row.diagonal;
  }
  [[nodiscard]] const JointRows& where() const { return where_; }

 private:
  const World& world_;
  const WorldJoint& joint_;
  const JointState& state_;
  std::span<const BodyInverseMass> inverse_mass_;
  std::vector<Row>& rows_;
  std::vector<double>& impulses_;
  JointRows where_;
};

void append_limits(const Row& axis_row, const JointDrive& drive, double position, double rate, double h,
                   std::size_t axis, RowList& list) {
  // Twice what the free motion would cover, so that a push from elsewhere in the group finds the limit too.
  const double reach = 2 * std::abs(rate) * h + 0.01;
  const auto append = [&](Row row, double gap, AxisSlot slot) {
    if (gap > reach) return;
    row.lower = 0;
    row.upper = kInfinity;
    row.target = -std::max(gap, 0.0) / h;
    list.add(row, slot_of(axis, slot));
  };
  append(axis_row, position - drive.lower, kLower);
  append(opposite(axis_row), drive.upper - position, kUpper);
}

void append_drive(const Row& axis_row, const JointDrive& drive, double position, double h, std::size_t axis,
                  RowList& list) {
  if (drive.motor != JointDrive::Motor::kNone) {
    Row row = axis_row;
    row.target = drive.motor == JointDrive::Motor::kSpeed
                     ? drive.motor_target
                     : choose_motor_speed(drive.motor_target - position, drive.motor_max * list.mobility(row), h);
    row.upper = h * drive.motor_max;
    row.lower = -row.upper;
    list.add(row, slot_of(axis, kMotor));
  }
  if (drive.friction > 0) {
    Row row = axis_row;
    row.upper = h * drive.friction;
    row.lower = -row.upper;
    list.add(row, slot_of(axis, kFriction));
  }
  if (drive.stiffness > 0 || drive.damping > 0) {
    Row row = axis_row;
    make_spring(row, drive.stiffness, drive.damping, position - drive.rest, h);
    list.add(row, slot_of(axis, kSpring));
  }
}

}  // namespace

double choose_motor_speed(double way, double acceleration, double h) {
  const double distance = std::abs(way);
  const double at_once = distance / h;
  const double a = 0.5 * acceleration;
  const double braked = a * h * (std::sqrt(0.25 + 2 * distance / (a * h * h)) - 0.5);
  return std::copysign(a > 0 ? std::min(at_once, braked) : at_once, way);
}

JointRows append_joint_rows(World& world, std::uint32_t joint, std::span<const BodyInverseMass> inverse_mass,
                            std::span<const BodyVelocity> free, double h, std::size_t group_start,
                            std::vector<Row>& rows, std::vector<double>& impulses) {
  const WorldJoint& model = world.joints[joint];
  JointState& state = world.joint_states[joint];
  const JointPose pose = place_joint(model, world.bodies, state.position);
  state.position = pose.position;
  RowList list(world, joint, inverse_mass, group_start, rows, impulses);
  std::array<JointEquality, JointState::kStructural> equalities;
  const std::size_t count = list_equalities(model, world.bodies, pose, equalities);
  for (std::size_t k = 0; k < count; ++k) {
    Row& row = equalities[k].row;
    if (equalities[k].soft && model.compliance > 0) make_spring(row, 1 / model.compliance, 0, equalities[k].error, h);
    list.add(row, k);
  }
  for (std::size_t axis = 0; axis < model.axis_count; ++axis) {
    const Row row = make_axis_row(model, world.bodies, pose, axis);
    append_limits(row, model.drives[axis], pose.position[axis], full_rate(row, model, free), h, axis, list);
    append_drive(row, model.drives[axis], pose.position[axis], h, axis, list);
  }
  return list.where();
}

void stabilize_joint_rows(const World& world, const JointRows& where, double rate, std::span<Row> group_rows) {
  const WorldJoint& model = world.joints[where.joint];
  const JointPose pose = place_joint(model, world.bodies, world.joint_states[where.joint].position);
  std::array<JointEquality, JointState::kStructural> equalities;
  (void)list_equalities(model, world.bodies, pose, equalities);
  for (std::uint32_t k = 0; k < where.count; ++k) {
    Row& row = group_rows[where.first + k];
    const std::size_t slot = where.slot[k];
    if (slot < JointState::kStructural) {
      if (row.softness == 0) row.target -= rate * equalities[slot].error;
      continue;
    }
    const std::size_t axis = (slot - JointState::kStructural) / JointState::kPerAxis;
    const JointDrive& drive = model.drives[axis];
    if (slot == slot_of(axis, kLower)) row.target += rate * std::max(0.0, drive.lower - pose.position[axis]);
    if (slot == slot_of(axis, kUpper)) row.target += rate * std::max(0.0, pose.position[axis] - drive.upper);
  }
}

double joint_row_reads_position(const WorldJoint& joint, std::size_t slot, double h) {
  if (slot < JointState::kStructural) return 1;
  const std::size_t axis = (slot - JointState::kStructural) / JointState::kPerAxis;
  if (slot == slot_of(axis, kLower) || slot == slot_of(axis, kUpper)) return 1;
  if (slot != slot_of(axis, kSpring)) return 0;
  const JointDrive& drive = joint.drives[axis];
  return h * drive.stiffness / (h * drive.stiffness + drive.damping);
}

double take_joint_impulses(World& world, const JointRows& where, std::span<const Row> group_rows,
                           std::span<const double> group_impulses, std::span<const BodyVelocity> before) {
  const WorldJoint& joint = world.joints[where.joint];
  JointState& state = world.joint_states[where.joint];
  state.impulses.fill(0);
  double work = 0;
  for (std::uint32_t k = 0; k < where.count; ++k) {
    const std::size_t slot = where.slot[k];
    const double impulse = group_impulses[where.first + k];
    state.impulses[slot] = impulse;
    const bool is_motor = slot == slot_of(0, kMotor) || slot == slot_of(1, kMotor);
    if (!is_motor) continue;
    const Row& row = group_rows[where.first + k];
    // The velocity changes from one to the other while the motor acts: its work is that of the mean.
    work += impulse * 0.5 * (full_rate(row, joint, before) + full_rate(row, joint, world.bodies.velocity));
  }
  return work;
}

JointLoad measure_joint_load(const World& world, const JointRows& where, std::span<const Row> group_rows,
                             std::span<const double> group_impulses, double h) {
  const WorldJoint& joint = world.joints[where.joint];
  JointLoad load;
  Vec3 about_center = Vec3::Zero();
  for (std::uint32_t k = where.first; k < where.first + where.count; ++k) {
    load.force += group_impulses[k] / h * group_rows[k].linear_b;
    about_center += group_impulses[k] / h * group_rows[k].angular_b;
  }
  const Vec3 arm = world.bodies.orientation[joint.body_b] * joint.anchor_B;
  load.torque = about_center - arm.cross(load.force);
  return load;
}

void append_joint_corrections(const World& world, std::uint32_t joint, std::span<const BodyInverseMass> inverse_mass,
                              std::vector<Row>& rows) {
  const WorldJoint& model = world.joints[joint];
  const JointPose pose = place_joint(model, world.bodies, world.joint_states[joint].position);
  const auto append = [&](Row row, double error) {
    row.target = -error;
    // Displacements of bodies that cannot be moved are zero: nothing of theirs to fold into the target.
    if (world.bodies.is_movable(model.body_a)) row.body_a = model.body_a;
    if (world.bodies.is_movable(model.body_b)) row.body_b = model.body_b;
    finish_row(row, inverse_mass);
    rows.push_back(row);
  };
  std::array<JointEquality, JointState::kStructural> equalities;
  const std::size_t count = list_equalities(model, world.bodies, pose, equalities);
  for (std::size_t k = 0; k < count; ++k) {
    if (!equalities[k].soft || model.compliance == 0) append(equalities[k].row, equalities[k].error);
  }
  for (std::size_t axis = 0; axis < model.axis_count; ++axis) {
    const JointDrive& drive = model.drives[axis];
    Row row = make_axis_row(model, world.bodies, pose, axis);
    row.lower = 0;
    row.upper = kInfinity;
    const double position = pose.position[axis];
    if (position < drive.lower) append(row, position - drive.lower);
    if (position > drive.upper) append(opposite(row), drive.upper - position);
  }
}

}  // namespace achilles
