#include "live/drives.hpp"

#include "constraint/drive_target.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace achilles::live {
namespace {

using Json = nlohmann::json;
using Kind = DriveDescription::Kind;

/// What a drive or motor acts by; none where nothing acts along the axis.
std::optional<Kind> kind_of(const JointDrive& drive) {
  switch (drive.control.kind) {
    case DriveControl::Kind::kForce:
      return Kind::kForce;
    case DriveControl::Kind::kSpeed:
      return Kind::kSpeed;
    case DriveControl::Kind::kPosition:
      return Kind::kPosition;
    case DriveControl::Kind::kNone:
      break;
  }
  if (drive.motor == JointDrive::Motor::kNone) return std::nullopt;
  return drive.motor == JointDrive::Motor::kSpeed ? Kind::kSpeed : Kind::kPosition;
}

const char* unit_of(Kind kind, bool slides) {
  if (kind == Kind::kForce) return slides ? "N" : "N m";
  if (kind == Kind::kSpeed) return slides ? "m/s" : "rad/s";
  return slides ? "m" : "rad";
}

/// How far a slider goes to both sides where nothing limits the axis.
double widest(Kind kind, bool slides, const JointDrive& drive, double value) {
  if (kind == Kind::kPosition) return slides ? 1.0 : std::numbers::pi;
  const double most = kind == Kind::kForce ? drive.control.max_force : 0;
  if (kind == Kind::kForce && std::isfinite(most) && most > 0) return most;
  return std::max(2 * std::abs(value), slides ? 2.0 : 10.0);
}

Json describe(const World& world, std::uint32_t joint, std::size_t axis, Kind kind) {
  const WorldJoint& at = world.joints[joint];
  const JointDrive& drive = at.drives[axis];
  const bool slides = at.kind == JointKind::kSlider;
  const bool is_motor = drive.control.kind == DriveControl::Kind::kNone;
  const double value = is_motor ? drive.motor_target : find_drive_target(world, joint, axis, {world.time, 0}).start;
  const double wide = widest(kind, slides, drive, value);
  const bool is_limited = kind == Kind::kPosition && std::isfinite(drive.lower) && std::isfinite(drive.upper);
  const double low = is_limited ? drive.lower : -wide, high = is_limited ? drive.upper : wide;
  const std::string name = world.joint_names[joint] + (at.axis_count > 1 ? " " + std::to_string(axis + 1) : "");
  return {{"joint", joint},
          {"axis", axis},
          {"name", name},
          {"unit", unit_of(kind, slides)},
          {"low", std::min(low, value)},
          {"high", std::max(high, value)},
          {"value", value}};
}

}  // namespace

Json list_drives(const World& world) {
  Json list = Json::array();
  for (std::uint32_t joint = 0; joint < world.joints.size(); ++joint) {
    for (std::size_t axis = 0; axis < world.joints[joint].axis_count; ++axis) {
      if (const auto kind = kind_of(world.joints[joint].drives[axis])) {
        list.push_back(describe(world, joint, axis, *kind));
      }
    }
  }
  return list;
}

void move_drive(World& world, const DriveMessage& message) {
  const bool is_there = message.joint < world.joints.size() && message.axis < world.joints[message.joint].axis_count;
  const std::optional<Kind> kind = is_there ? kind_of(world.joints[message.joint].drives[message.axis]) : std::nullopt;
  if (!kind) throw Refusal("there is no drive to be moved");
  const JointDrive drive = world.joints[message.joint].drives[message.axis];
  if (drive.control.kind == DriveControl::Kind::kNone) {
    world.set_motor(message.joint, message.axis, {drive.motor, message.value, drive.motor_max});
    return;
  }
  DriveDescription next;
  next.kind = *kind;
  next.target = {{0.0, message.value}};
  next.stiffness = drive.control.stiffness;
  next.damping = drive.control.damping;
  next.max_force = drive.control.max_force;
  next.max_rate = drive.control.max_rate;
  world.set_drive(message.joint, message.axis, next);
}

}  // namespace achilles::live
