#include "world/drives.hpp"

#include "world/world_memory.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

namespace achilles {
namespace {

DriveControl::Kind control_kind(DriveDescription::Kind kind) {
  switch (kind) {
    case DriveDescription::Kind::kForce:
      return DriveControl::Kind::kForce;
    case DriveDescription::Kind::kSpeed:
      return DriveControl::Kind::kSpeed;
    case DriveDescription::Kind::kPosition:
      return DriveControl::Kind::kPosition;
  }
  return DriveControl::Kind::kNone;
}

/// The two spins that a rate about an axis of a joint is read from: d · (ω_b − ω_a).
Vec3 spin_direction(const WorldJoint& joint, const BodyArrays& bodies, std::size_t axis) {
  const Vec3 s1 = bodies.orientation[joint.body_a] * joint.axis_A[0];
  if (joint.kind == JointKind::kHinge) return s1;
  // Dual to the two axes, so that each sees its own rate alone.
  const Vec3 s2 = bodies.orientation[joint.body_b] * joint.axis_B[1];
  const Vec3 u = s1.cross(s2);
  return (axis == 0 ? s2.cross(u) : u.cross(s1)) / u.squaredNorm();
}

}  // namespace

const char* find_drive_fault(const DriveDescription& drive) {
  using Kind = DriveDescription::Kind;
  if (drive.target.empty()) return "a drive needs a target";
  for (std::size_t k = 0; k < drive.target.size(); ++k) {
    if (!std::isfinite(drive.target[k].first) || !std::isfinite(drive.target[k].second)) {
      return "times and values of its drive's target must be finite";
    }
    if (k > 0 && !(drive.target[k - 1].first < drive.target[k].first)) return "times of its drive's target must rise";
  }
  for (const double gain : {drive.stiffness, drive.damping}) {
    if (!(gain >= 0) || !std::isfinite(gain)) return "the gains of its drive must be finite, not negative";
  }
  if (drive.kind == Kind::kPosition && !(drive.stiffness > 0)) return "a drive to a position needs a stiffness above 0";
  if (drive.kind == Kind::kSpeed && !(drive.damping > 0)) return "a drive to a speed needs a damping above 0";
  if (!(drive.max_force >= 0)) return "the limit of its drive must not be negative";
  if (!(drive.max_rate > 0)) return "the rate at which its drive follows must be above 0";
  return nullptr;
}

double target_at(const World& world, const DriveControl& control, double time) {
  const auto points = std::span(world.drive_points).subspan(control.first, control.count);
  const auto next = std::upper_bound(points.begin(), points.end(), time,
                                     [](double t, const DrivePoint& point) { return t < point.time; });
  if (next == points.begin()) return points.front().value;
  if (next == points.end()) return points.back().value;
  const DrivePoint& last = *(next - 1);
  return last.value + (next->value - last.value) * ((time - last.time) / (next->time - last.time));
}

bool has_moving_target(const World& world, std::uint32_t joint) {
  const WorldJoint& one = world.joints[joint];
  for (std::size_t axis = 0; axis < one.axis_count; ++axis) {
    const DriveControl& control = one.drives[axis].control;
    if (control.kind == DriveControl::Kind::kNone) continue;
    const DrivePoint& last = world.drive_points[control.first + control.count - 1];
    const bool lags = std::isfinite(control.max_rate) && world.joint_states[joint].followed[axis] != last.value;
    if (lags || (control.count > 1 && world.time < last.time)) return true;
  }
  return false;
}

void World::set_drive(JointHandle handle, std::size_t axis, const std::optional<DriveDescription>& drive) {
  set_drive(index_of(handle), axis, drive);
}

void World::set_drive(std::uint32_t index, std::size_t axis, const std::optional<DriveDescription>& drive) {
  WorldJoint& joint = joints.at(index);
  const auto refuse = [&](const std::string& reason) {
    return std::invalid_argument("joint '" + joint_names[index] + "': " + reason);
  };
  if (axis >= joint.axis_count || joint.kind == JointKind::kBall) {
    throw refuse("it has no axis " + std::to_string(axis) + " that a drive can act along");
  }
  if (drive) {
    if (const char* fault = find_drive_fault(*drive)) throw refuse(fault);
  }
  JointDrive& at = joint.drives[axis];
  at.motor = JointDrive::Motor::kNone;
  const DriveControl before = std::exchange(at.control, {});
  if (drive) {
    DriveControl& control = at.control;
    control.kind = control_kind(drive->kind);
    control.count = static_cast<std::uint32_t>(drive->target.size());
    control.stiffness = drive->kind == DriveDescription::Kind::kPosition ? drive->stiffness : 0;
    control.damping = drive->damping;
    control.max_force = drive->max_force;
    control.max_rate = drive->max_rate;
    // A program that gives a new target every step gets the place of the old one.
    const bool fits = before.count >= control.count;
    control.first = fits ? before.first : static_cast<std::uint32_t>(drive_points.size());
    if (!fits) drive_points.resize(drive_points.size() + control.count);
    for (std::uint32_t k = 0; k < control.count; ++k) {
      drive_points[control.first + k] = {drive->target[k].first, drive->target[k].second};
    }
    // What is followed at a limited rate goes on from where it was; the unit of another kind is another.
    if (before.kind != control.kind) joint_states[index].followed[axis] = 0;
  }
  wake(joint.body_a);
  wake(joint.body_b);
}

double World::joint_rate(JointHandle handle, std::size_t axis) const { return joint_rate(index_of(handle), axis); }

double World::joint_rate(std::uint32_t index, std::size_t axis) const {
  const WorldJoint& joint = joints.at(index);
  if (axis >= joint.axis_count) throw std::out_of_range("joint_rate: there is no axis " + std::to_string(axis));
  const BodyVelocity &a = bodies.velocity[joint.body_a], &b = bodies.velocity[joint.body_b];
  if (joint.kind != JointKind::kSlider) return spin_direction(joint, bodies, axis).dot(b.angular - a.angular);
  const Vec3 r_b = bodies.orientation[joint.body_b] * joint.anchor_B;
  const Vec3 r_a = bodies.position[joint.body_b] + r_b - bodies.position[joint.body_a];
  const Vec3 axis_W = bodies.orientation[joint.body_a] * joint.axis_A[0];
  return axis_W.dot(b.linear + b.angular.cross(r_b) - a.linear - a.angular.cross(r_a));
}

std::uint32_t World::add_coupling(const CouplingDescription& description) {
  const auto refuse = [&](const std::string& reason) {
    return std::invalid_argument("coupling '" + description.name + "': " + reason);
  };
  if (description.terms.empty()) throw refuse("it needs a joint");
  if (!std::isfinite(description.offset)) throw refuse("its offset must be finite");
  std::vector<WorldCouplingTerm> terms;
  std::set<std::pair<std::uint32_t, std::size_t>> used;
  for (const CouplingTerm& term : description.terms) {
    const auto found = std::find(joint_names.begin(), joint_names.end(), term.joint);
    if (found == joint_names.end()) throw refuse("there is no joint '" + term.joint + "'");
    const auto joint = static_cast<std::uint32_t>(found - joint_names.begin());
    if (term.axis >= joints[joint].axis_count) throw refuse("the joint '" + term.joint + "' has no such free axis");
    if (!std::isfinite(term.coefficient) || term.coefficient == 0) throw refuse("coefficients must be finite, not 0");
    if (!used.emplace(joint, term.axis).second) throw refuse("the joint '" + term.joint + "' is in it twice");
    terms.push_back({joint, static_cast<std::uint32_t>(term.axis), term.coefficient});
  }
  for (const WorldCouplingTerm& term : terms) {
    wake(joints[term.joint].body_a);
    wake(joints[term.joint].body_b);
  }
  memory().sleep_log.reader = nullptr;
  couplings.push_back({static_cast<std::uint32_t>(coupling_terms.size()), static_cast<std::uint32_t>(terms.size()),
                       description.offset});
  coupling_terms.insert(coupling_terms.end(), terms.begin(), terms.end());
  coupling_names.push_back(description.name);
  return static_cast<std::uint32_t>(couplings.size() - 1);
}

/// Takes a joint out of all lists, with the couplings that it is part of.
void World::erase_joint(std::uint32_t index) {
  const auto erase_at = [](auto& list, std::size_t at) { list.erase(list.begin() + static_cast<std::ptrdiff_t>(at)); };
  erase_at(joints, index);
  erase_at(joint_states, index);
  erase_at(joint_names, index);
  erase_at(joint_ids_, index);
  erase_at(joint_loads, index);
  for (std::size_t k = couplings.size(); k-- > 0;) {
    const auto terms = std::span(coupling_terms).subspan(couplings[k].first, couplings[k].count);
    const bool names_it =
        std::any_of(terms.begin(), terms.end(), [&](const auto& term) { return term.joint == index; });
    if (!names_it) continue;
    const WorldCoupling gone = couplings[k];
    const auto first = coupling_terms.begin() + gone.first;
    coupling_terms.erase(first, first + gone.count);
    erase_at(couplings, k);
    erase_at(coupling_names, k);
    for (WorldCoupling& other : couplings) {
      if (other.first > gone.first) other.first -= gone.count;
    }
  }
  for (WorldCouplingTerm& term : coupling_terms) {
    if (term.joint > index) --term.joint;
  }
}

}  // namespace achilles
