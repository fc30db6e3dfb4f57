#include "constraint/joint_rows.hpp"

#include "constraint/drive_target.hpp"
#include "constraint/point_row.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
enum AxisSlot : std::size_t { kLower, kUpper, kMotor, kFriction, kSpring, kDrive, kArmature };

std::size_t slot_of(std::size_t axis, AxisSlot slot) {
  return JointState::kStructural + axis * JointState::kPerAxis + slot;
}

/// Motors and drives: what brings energy.
bool drives_axis(std::size_t slot) {
  if (slot < JointState::kStructural) return false;
  const std::size_t kind = (slot - JointState::kStructural) % JointState::kPerAxis;
  return kind == kMotor || kind == kDrive;
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
  RowList(const World& world, std::uint32_t joint, const JointRowInput& input, std::size_t island_start,
          std::vector<Row>& rows, std::vector<double>& impulses)
      : world_(world),
        joint_(world.joints[joint]),
        state_(world.joint_states[joint]),
        input_(input),
        rows_(rows),
        impulses_(impulses) {
    where_.joint = joint;
    where_.first = static_cast<std::uint32_t>(rows.size() - island_start);
  }

  void add(Row row, std::size_t slot) {
    place_row(row, {joint_.body_a, joint_.body_b, {}, {}}, world_.bodies, input_.inverse_mass);
    push(row, slot);
  }
  /// A row that is complete.
  void push(const Row& row, std::size_t slot) {
    rows_.push_back(row);
    impulses_.push_back(std::clamp(state_.impulses[slot], row.lower, row.upper));
    where_.slot[where_.count++] = static_cast<std::uint8_t>(slot);
  }
  /// Velocity per impulse along a row, J M⁻¹ Jᵀ.
  [[nodiscard]] double mobility(Row row) const {
    place_row(row, {joint_.body_a, joint_.body_b, {}, {}}, world_.bodies, input_.inverse_mass);
    return row.diagonal;
  }
  [[nodiscard]] const JointRowInput& input() const { return input_; }
  [[nodiscard]] const JointRows& where() const { return where_; }

 private:
  const World& world_;
  const WorldJoint& joint_;
  const JointState& state_;
  const JointRowInput& input_;
  std::vector<Row>& rows_;
  std::vector<double>& impulses_;
  JointRows where_;
};

void append_limits(const Row& axis_row, const JointDrive& drive, double position, double rate, double h,
                   std::size_t axis, RowList& list) {
  // Twice what the free motion would cover, so that a push from elsewhere in the island finds the limit too.
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
  const auto mobility_with_rotor = [&](const Row& row) {
    const double mobility = list.mobility(row);
    return mobility / (1 + drive.armature * mobility);
  };
  if (drive.motor != JointDrive::Motor::kNone) {
    Row row = axis_row;
    row.target = drive.motor == JointDrive::Motor::kSpeed
                     ? drive.motor_target
                     : choose_motor_speed(drive.motor_target - position, drive.motor_max * mobility_with_rotor(row), h);
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

void append_control(const World& world, const Row& axis_row, std::uint32_t joint, std::size_t axis, StepSpan step,
                    RowList& list) {
  const DriveControl& control = world.joints[joint].drives[axis].control;
  if (control.kind == DriveControl::Kind::kNone) return;
  const double h = step.h;
  const DriveTarget target = find_drive_target(world, joint, axis, step);
  const double position = world.joint_states[joint].position[axis];
  Row row = axis_row;
  if (control.kind == DriveControl::Kind::kForce) {
    row.upper = row.lower = h * std::clamp(target.mean, -control.max_force, control.max_force);
  } else {
    const double resistance = h * control.stiffness + control.damping;
    const bool to_speed = control.kind == DriveControl::Kind::kSpeed;
    row.softness = 1 / (h * resistance);
    row.target = to_speed ? target.end
                          : (control.stiffness * (target.end - position) + control.damping * target.rate) / resistance;
    row.upper = h * control.max_force;
    row.lower = -row.upper;
  }
  list.add(row, slot_of(axis, kDrive));
}

}  // namespace

double choose_motor_speed(double way, double acceleration, double h) {
  const double distance = std::abs(way);
  const double at_once = distance / h;
  const double a = 0.5 * acceleration;
  const double braked = a * h * (std::sqrt(0.25 + 2 * distance / (a * h * h)) - 0.5);
  return std::copysign(a > 0 ? std::min(at_once, braked) : at_once, way);
}

Row make_armature_row(const WorldJoint& joint, const BodyArrays& bodies, const JointPose& pose, std::size_t axis,
                      std::span<const BodyInverseMass> inverse_mass, std::span<const BodyVelocity> u) {
  Row row = make_axis_row(joint, bodies, pose, axis);
  row.softness = 1 / joint.drives[axis].armature;
  place_row(row, {joint.body_a, joint.body_b, {}, {}}, bodies, inverse_mass);
  row.target = row_velocity(row, u);
  return row;
}

JointRows append_joint_rows(World& world, std::uint32_t joint, const JointRowInput& input, std::size_t island_start,
                            std::vector<Row>& rows, std::vector<double>& impulses) {
  const double h = input.h;
  const WorldJoint& model = world.joints[joint];
  JointState& state = world.joint_states[joint];
  const JointPose pose = place_joint(model, world.bodies, state.position);
  state.position = pose.position;
  RowList list(world, joint, input, island_start, rows, impulses);
  std::array<JointEquality, JointState::kStructural> equalities;
  const std::size_t count = list_equalities(model, world.bodies, pose, equalities);
  for (std::size_t k = 0; k < count; ++k) {
    Row& row = equalities[k].row;
    if (equalities[k].soft && model.compliance > 0) {
      make_spring(row, 1 / model.compliance, model.damping, equalities[k].error, h);
    }
    list.add(row, k);
  }
  for (std::size_t axis = 0; axis < model.axis_count; ++axis) {
    const Row row = make_axis_row(model, world.bodies, pose, axis);
    append_limits(row, model.drives[axis], pose.position[axis], full_rate(row, model, input.free), h, axis, list);
    append_drive(row, model.drives[axis], pose.position[axis], h, axis, list);
    append_control(world, row, joint, axis, {input.start, h}, list);
    if (model.drives[axis].armature > 0) {
      list.push(make_armature_row(model, world.bodies, pose, axis, input.inverse_mass, input.before),
                slot_of(axis, kArmature));
    }
  }
  return list.where();
}

void stabilize_joint_rows(const World& world, const JointRows& where, double rate, std::span<Row> island_rows) {
  const WorldJoint& model = world.joints[where.joint];
  const JointPose pose = place_joint(model, world.bodies, world.joint_states[where.joint].position);
  std::array<JointEquality, JointState::kStructural> equalities;
  (void)list_equalities(model, world.bodies, pose, equalities);
  for (std::uint32_t k = 0; k < where.count; ++k) {
    Row& row = island_rows[where.first + k];
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

double joint_row_reads_position(const WorldJoint& joint, std::size_t slot, const Row& row, double h) {
  if (slot < JointState::kStructural) {
    return row.softness > 0 ? h / (h + joint.damping * joint.compliance) : 1;  // h k/(h k + d) with k = 1/compliance
  }
  const std::size_t axis = (slot - JointState::kStructural) / JointState::kPerAxis;
  if (slot == slot_of(axis, kLower) || slot == slot_of(axis, kUpper)) return 1;
  const JointDrive& drive = joint.drives[axis];
  const DriveControl& control = drive.control;
  if (slot == slot_of(axis, kDrive) && control.kind == DriveControl::Kind::kPosition) {
    return h * control.stiffness / (h * control.stiffness + control.damping);
  }
  if (slot != slot_of(axis, kSpring)) return 0;
  return h * drive.stiffness / (h * drive.stiffness + drive.damping);
}

double take_joint_impulses(World& world, const JointRows& where, std::span<const Row> island_rows,
                           std::span<const double> island_impulses, std::span<const BodyVelocity> before) {
  const WorldJoint& joint = world.joints[where.joint];
  JointState& state = world.joint_states[where.joint];
  state.impulses.fill(0);
  double work = 0;
  for (std::uint32_t k = 0; k < where.count; ++k) {
    const std::size_t slot = where.slot[k];
    const double impulse = island_impulses[where.first + k];
    state.impulses[slot] = impulse;
    if (!drives_axis(slot)) continue;
    const Row& row = island_rows[where.first + k];
    // The velocity changes from one to the other while the motor acts: its work is that of the mean.
    work += impulse * 0.5 * (full_rate(row, joint, before) + full_rate(row, joint, world.bodies.velocity));
  }
  return work;
}

JointLoad measure_joint_load(const World& world, const JointRows& where, std::span<const Row> island_rows,
                             std::span<const double> island_impulses, double h) {
  const WorldJoint& joint = world.joints[where.joint];
  JointLoad load;
  Vec3 about_center = Vec3::Zero();
  for (std::uint32_t k = where.first; k < where.first + where.count; ++k) {
    load.force += island_impulses[k] / h * island_rows[k].linear_b;
    about_center += island_impulses[k] / h * island_rows[k].angular_b;
    const std::size_t slot = where.slot[k - where.first];
    if (!drives_axis(slot)) continue;
    load.drive[(slot - JointState::kStructural) / JointState::kPerAxis] += island_impulses[k] / h;
  }
  const Vec3 arm = world.bodies.orientation[joint.body_b] * joint.anchor_B;
  load.torque = about_center - arm.cross(load.force);
  return load;
}

Vec3 measure_joint_force(const World& world, std::uint32_t joint, const JointPose& pose, double h) {
  const WorldJoint& model = world.joints[joint];
  const std::array<double, JointState::kSlots>& impulses = world.joint_states[joint].impulses;
  std::array<JointEquality, JointState::kStructural> equalities;
  const std::size_t count = list_equalities(model, world.bodies, pose, equalities);
  Vec3 impulse = Vec3::Zero();
  for (std::size_t k = 0; k < count; ++k) impulse += impulses[k] * equalities[k].row.linear_b;
  if (model.kind == JointKind::kSlider) {
    double along = -impulses[slot_of(0, kUpper)];
    for (const AxisSlot slot : {kLower, kMotor, kFriction, kSpring, kDrive, kArmature})
      along += impulses[slot_of(0, slot)];
    impulse += along * pose.axis_a[0];
  }
  return impulse / h;
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
