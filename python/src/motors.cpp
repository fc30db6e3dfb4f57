#include "motors.hpp"

#include <algorithm>

namespace achilles::python {
namespace {

using Kind = DriveControl::Kind;

/// Indices of the joints with a motor or drive along their first axis.
std::vector<std::uint32_t> list_motors(const World& world) {
  std::vector<std::uint32_t> list;
  for (std::uint32_t k = 0; k < world.joints.size(); ++k) {
    const WorldJoint& joint = world.joints[k];
    const JointDrive& first = joint.drives[0];
    const bool has_motor = first.motor != JointDrive::Motor::kNone || first.control.kind != Kind::kNone;
    if (joint.axis_count > 0 && has_motor) list.push_back(k);
  }
  return list;
}

std::span<const DrivePoint> points_of(const World& world, const DriveControl& control) {
  return std::span<const DrivePoint>(world.drive_points).subspan(control.first, control.count);
}

/// The target at a time: linear between its points, constant before the first and after the last.
double target_at(std::span<const DrivePoint> points, double time) {
  const auto next = std::find_if(points.begin(), points.end(), [&](const DrivePoint& p) { return p.time > time; });
  if (next == points.begin()) return points.empty() ? 0 : points.front().value;
  const DrivePoint& before = *(next - 1);
  if (next == points.end()) return before.value;
  return before.value + (next->value - before.value) * (time - before.time) / (next->time - before.time);
}

DriveDescription::Kind to_description(Kind kind) {
  if (kind == Kind::kForce) return DriveDescription::Kind::kForce;
  return kind == Kind::kSpeed ? DriveDescription::Kind::kSpeed : DriveDescription::Kind::kPosition;
}

DriveDescription describe(const World& world, const DriveControl& control) {
  DriveDescription drive{
      to_description(control.kind), {}, control.stiffness, control.damping, control.max_force, control.max_rate};
  for (const DrivePoint& point : points_of(world, control)) drive.target.emplace_back(point.time, point.value);
  return drive;
}

}  // namespace

std::vector<std::string> list_motor_names(Core& core) {
  std::vector<std::string> names;
  for (const std::uint32_t k : list_motors(core.world())) names.push_back(core.world().joint_names[k]);
  return names;
}

std::vector<double> read_motor_targets(Core& core) {
  const World& world = core.world();
  std::vector<double> targets;
  for (const std::uint32_t k : list_motors(world)) {
    const JointDrive& drive = world.joints[k].drives[0];
    const bool is_drive = drive.control.kind != Kind::kNone;
    targets.push_back(is_drive ? target_at(points_of(world, drive.control), world.time) : drive.motor_target);
  }
  return targets;
}

void write_motor_targets(Core& core, std::span<const double> targets) {
  World& world = core.change();
  const std::vector<std::uint32_t> motors = list_motors(world);
  if (motors.size() != targets.size()) {
    throw py::value_error("motor_target: " + std::to_string(motors.size()) + " numbers are expected, one per motor");
  }
  for (std::size_t k = 0; k < motors.size(); ++k) {
    const JointDrive& drive = world.joints[motors[k]].drives[0];
    if (drive.control.kind == Kind::kNone) {
      world.set_motor(motors[k], 0, {drive.motor, targets[k], drive.motor_max});
      continue;
    }
    DriveDescription changed = describe(world, drive.control);
    changed.target = {{0, targets[k]}};
    world.set_drive(motors[k], 0, changed);
  }
}

void change_drive(Core& core, std::uint32_t joint, std::size_t axis, const DriveChange& change) {
  World& world = core.change();
  const WorldJoint& at = world.joints.at(joint);
  if (axis >= at.axis_count) throw py::value_error("set_drive: the joint has no axis " + std::to_string(axis));
  const DriveControl& before = at.drives[axis].control;
  const int targets = int{change.force.has_value()} + int{change.speed.has_value()} + int{change.position.has_value()};
  if (targets > 1) throw py::value_error("set_drive: give one of force=, speed= and position=");
  if (targets == 0 && before.kind == Kind::kNone) {
    throw py::value_error("set_drive: the joint has no drive yet: give force=, speed= or position=");
  }
  DriveDescription drive = before.kind == Kind::kNone ? DriveDescription{} : describe(world, before);
  if (targets == 1) {
    drive.kind = change.force   ? DriveDescription::Kind::kForce
                 : change.speed ? DriveDescription::Kind::kSpeed
                                : DriveDescription::Kind::kPosition;
    drive.target = {{0, change.force ? *change.force : change.speed ? *change.speed : *change.position}};
  }
  drive.stiffness = change.stiffness.value_or(drive.stiffness);
  drive.damping = change.damping.value_or(drive.damping);
  drive.max_force = change.max_force.value_or(drive.max_force);
  drive.max_rate = change.max_rate.value_or(drive.max_rate);
  world.set_drive(joint, axis, drive);
}

py::object show_drive(Core& core, std::uint32_t joint, std::size_t axis) {
  const World& world = core.world();
  const WorldJoint& at = world.joints.at(joint);
  if (axis >= at.axis_count || at.drives[axis].control.kind == Kind::kNone) return py::none();
  const DriveControl& control = at.drives[axis].control;
  const char* word = control.kind == Kind::kForce ? "force" : control.kind == Kind::kSpeed ? "speed" : "position";
  py::dict drive;
  drive[word] = target_at(points_of(world, control), world.time);
  drive["stiffness"] = control.stiffness;
  drive["damping"] = control.damping;
  drive["max_force"] = control.max_force;
  drive["max_rate"] = control.max_rate;
  return drive;
}

}  // namespace achilles::python
