#include "methods/soft_step/joints.hpp"

#include "constraint/drive_target.hpp"
#include "constraint/joint_pose.hpp"
#include "constraint/joint_rows.hpp"
#include "math/refill.hpp"
#include "methods/soft_step/stages.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

namespace achilles {
namespace {

using Kind = SoftJointRow::Kind;
enum AxisSlot : std::size_t { kLower, kUpper, kMotor, kFriction, kSpring, kDrive, kArmature };

std::size_t slot_of_rotor(std::size_t axis) {
  return JointState::kStructural + axis * JointState::kPerAxis + kArmature;
}

/// Of the impulse I (s − w) that a rotor has yet to give. A joint with n free axes has at most 6 − n structural rows:
/// the last n structural slots are not theirs.
std::size_t slot_of_owed(std::size_t axis) { return JointState::kStructural - 1 - axis; }

/// Writes the rows of one joint.
class JointWriter {
 public:
  JointWriter(World& world, const SoftJointOptions& options, const BodyWorkspace& bodies,
              const std::vector<std::int32_t>& slot_of, SoftJoints& to)
      : world_(world),
        bodies_(bodies),
        slot_of_(slot_of),
        h_(options.h),
        substep_(options.h / options.substeps),
        warm_start_(options.warm_start),
        to_(to) {}

  void write(std::uint32_t index) {
    const WorldJoint& model = world_.joints[index];
    const bool moves_a = bodies_.movable[model.body_a] != 0, moves_b = bodies_.movable[model.body_b] != 0;
    if (!moves_a && !moves_b) return;
    index_ = index;
    pose_ = place_joint(model, world_.bodies, world_.joint_states[index].position);
    SoftJoint joint;
    joint.joint = index;
    joint.slot_a = slot_of_[model.body_a];
    joint.slot_b = slot_of_[model.body_b];
    store_vector(pose_.anchor_a - world_.bodies.position[model.body_a], joint.arm_a);
    store_vector(pose_.anchor_b - world_.bodies.position[model.body_b], joint.arm_b);
    joint.first = static_cast<std::uint32_t>(to_.rows.size());
    for (std::size_t axis = 0; axis < model.axis_count; ++axis) write_rotor(model, axis);
    joint.rotors = static_cast<std::uint32_t>(to_.rows.size()) - joint.first;
    write_equalities(model);
    for (std::size_t axis = 0; axis < model.axis_count; ++axis) write_axis(model, axis);
    joint.count = static_cast<std::uint32_t>(to_.rows.size()) - joint.first;
    while (joint.held() < joint.count && to_.rows[joint.first + joint.held()].kind == Kind::kRigid) ++joint.rigid;
    to_.joints.push_back(joint);
  }

 private:
  void write_equalities(const WorldJoint& model) {
    std::array<JointEquality, JointState::kStructural> equalities;
    const std::size_t count = list_equalities(model, world_.bodies, pose_, equalities);
    for (std::size_t k = 0; k < count; ++k) {
      const JointEquality& one = equalities[k];
      if (one.soft && model.compliance > 0) {
        write_spring(one.row, 1 / model.compliance, model.damping, one.error, k);
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
      const double mobility = motor.mass > 0 ? 1 / static_cast<double>(motor.mass) : 0;
      const double strength = drive.motor_max * mobility / (1 + drive.armature * mobility);
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
    if (drive.control.kind != DriveControl::Kind::kNone) write_drive(row, axis, position, slots + kDrive);
  }

  /// See constraint/joint_rows.hpp; the target of a substep is the target of the drive at the substep's end.
  void write_drive(const Row& axis_row, std::size_t axis, double position, std::size_t slot) {
    const DriveControl& control = world_.joints[index_].drives[axis].control;
    const DriveTarget target = find_drive_target(world_, index_, axis, {world_.time, h_});
    SoftJointRow& drive = append(axis_row, Kind::kPlain, 0, slot);
    drive.is_motor = true;
    if (control.kind == DriveControl::Kind::kForce) {
      const double force = std::clamp(target.mean, -control.max_force, control.max_force);
      drive.lower = drive.upper = static_cast<float>(substep_ * force);
      return;
    }
    const double resistance = substep_ * control.stiffness + control.damping;
    const double share = substep_ / h_ * (target.end - target.start);
    drive.softness = static_cast<float>(1 / (substep_ * resistance));
    if (control.kind == DriveControl::Kind::kSpeed) {
      drive.target = static_cast<float>(target.start + share);
      drive.follows = static_cast<float>(share);
    } else {
      const double way = target.start + share - position;
      drive.target = static_cast<float>((control.stiffness * way + control.damping * target.rate) / resistance);
      drive.follows = static_cast<float>(control.stiffness * share / resistance);
      drive.reads = static_cast<float>(substep_ * control.stiffness / resistance);
    }
    bound(drive, control.max_force);
  }

  /// A rotor at speed s: w + λ/I = s, and s − λ/I is its speed after the substep.
  void write_rotor(const WorldJoint& model, std::size_t axis) {
    const double armature = model.drives[axis].armature;
    if (!(armature > 0)) return;
    const Row row = make_axis_row(model, world_.bodies, pose_, axis);
    SoftJointRow& rotor = append(row, Kind::kRotor, 0, slot_of_rotor(axis));
    rotor.softness = static_cast<float>(1 / armature);
    double rate = 0;
    for (const auto& [body, linear, angular] : {std::tuple(model.body_a, row.linear_a, row.angular_a),
                                                std::tuple(model.body_b, row.linear_b, row.angular_b)}) {
      const BodyVelocity& u = bodies_.velocity_before[body];
      rate += linear.dot(u.linear) + angular.dot(u.angular);
    }
    rotor.target = static_cast<float>(rate + world_.joint_states[index_].impulses[slot_of_owed(axis)] / armature);
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
    finish_row(row, bodies_.inverse_mass);
    store_vector(row.linear_a, to.linear_a);
    store_vector(row.angular_a, to.angular_a);
    store_vector(row.linear_b, to.linear_b);
    store_vector(row.angular_b, to.angular_b);
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
  const BodyWorkspace& bodies_;
  const std::vector<std::int32_t>& slot_of_;
  double h_, substep_;
  bool warm_start_;
  SoftJoints& to_;
  std::uint32_t index_ = 0;
  JointPose pose_;
};

template <std::size_t kCount>
void store(const float (&from)[kCount], BatchFloats (&to)[kCount], std::size_t lane) {
  for (std::size_t k = 0; k < kCount; ++k) to[k][lane] = from[k];
}
template <std::size_t kCount>
void load(const BatchFloats (&from)[kCount], std::size_t lane, float (&to)[kCount]) {
  for (std::size_t k = 0; k < kCount; ++k) to[k] = from[k][lane];
}

void pack_row(const SoftJointRow& row, JointRowBatch& to, std::size_t lane) {
  store(row.linear_a, to.linear_a, lane);
  store(row.angular_a, to.angular_a, lane);
  store(row.linear_b, to.linear_b, lane);
  store(row.angular_b, to.angular_b, lane);
  to.error[lane] = row.error;
  to.target[lane] = row.target;
  to.reads[lane] = row.reads;
  to.follows[lane] = row.follows;
  to.softness[lane] = row.softness;
  to.lower[lane] = row.lower;
  to.upper[lane] = row.upper;
  to.impulse[lane] = row.impulse;
  to.total[lane] = 0;
  to.is_point[lane] = row.is_point ? 1.0f : 0.0f;
  to.is_limit[lane] = row.kind == SoftJointRow::Kind::kLimit ? 1.0f : 0.0f;
  to.plain[lane] = row.kind == SoftJointRow::Kind::kPlain ? 1.0f : 0.0f;
}

/// Index of row k of a joint among the rows of its batch, which has as many rotors as the joint with most of them, and
/// as many rigid rows.
std::uint32_t place_of(const SoftJoint& joint, const JointBatch& c, std::uint32_t k) {
  if (k < joint.rotors) return c.first + k;
  return c.first + (k < joint.held() ? c.rotors + k - joint.rotors : c.held() + k - joint.held());
}

void pack_joint(const SoftJoints& joints, const SoftJoint& joint, const SoftMass* masses, JointBatches& batches,
                JointBatch& c, std::size_t lane) {
  c.slot_a[lane] = joint.slot_a;
  c.slot_b[lane] = joint.slot_b;
  store(joint.arm_a, c.arm_a, lane);
  store(joint.arm_b, c.arm_b, lane);
  store(masses[joint.slot_a].inverse_mass, c.inverse_mass_a, lane);
  store(masses[joint.slot_b].inverse_mass, c.inverse_mass_b, lane);
  store(masses[joint.slot_a].inverse_inertia, c.inverse_inertia_a, lane);
  store(masses[joint.slot_b].inverse_inertia, c.inverse_inertia_b, lane);
  for (std::uint32_t k = 0; k < joint.count; ++k) {
    pack_row(joints.rows[joint.first + k], batches.rows[place_of(joint, c, k)], lane);
  }
}

std::array<std::uint32_t, 3> rows_of(const SoftJoint& joint) { return {joint.rotors, joint.rigid, joint.count}; }

/// Whether the batches are laid out for these joints already.
bool is_layout_known(const SoftJointWorkspace& work) {
  return work.coloring.kept && std::ranges::equal(work.list.joints, work.batches.known_rows, {}, rows_of);
}

/// Batches of one colour, `most` joints in each.
void add_batches(const SoftJoints& list, std::span<const std::uint32_t> joints, std::size_t most, std::uint32_t& rows,
                 JointBatches& to) {
  for (std::size_t k = 0; k < joints.size(); k += most) {
    JointBatch& c = to.joints.emplace_back();
    std::uint32_t others = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const bool present = lane < most && k + lane < joints.size();
      to.joint_at.push_back(present ? static_cast<std::int32_t>(joints[k + lane]) : -1);
      if (!present) continue;
      const SoftJoint& joint = list.joints[joints[k + lane]];
      c.rotors = std::max(c.rotors, joint.rotors);
      c.rigid = std::max(c.rigid, joint.rigid);
      others = std::max(others, joint.count - joint.held());
    }
    c.first = rows;
    c.count = c.held() + others;
    rows += c.count;
  }
}

/// Colour after colour, joints of the overflow alone.
void lay_out(SoftJointWorkspace& work) {
  JointBatches& batches = work.batches;
  Coloring& coloring = work.coloring;
  const std::vector<SoftJoint>& joints = work.list.joints;
  if (std::exchange(batches.known, false) && is_layout_known(work)) {
    batches.known = true;
    return;
  }
  batches.joints.clear();
  batches.joint_at.clear();
  batches.start.clear();
  list_by_color(coloring);
  std::uint32_t rows = 0;
  for (std::size_t color = 0; color <= coloring.colors(); ++color) {
    batches.start.push_back(static_cast<std::uint32_t>(batches.joints.size()));
    const auto all = std::span(coloring.order).subspan(coloring.start[color], coloring.edges_of(color).size());
    const bool overflow = color == coloring.colors();
    // Joints with as many rows share a batch, so that few rows are empty.
    if (!overflow) {
      std::sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::pair(rows_of(joints[a]), a) < std::pair(rows_of(joints[b]), b);
      });
    }
    add_batches(work.list, all, overflow ? 1 : kLanes, rows, batches);
  }
  batches.start.push_back(static_cast<std::uint32_t>(batches.joints.size()));
  batches.rows.resize(rows);
  batches.lane_of.resize(joints.size());
  for (std::uint32_t lane = 0; lane < batches.joint_at.size(); ++lane) {
    const std::int32_t joint = batches.joint_at[lane];
    if (joint >= 0) batches.lane_of[static_cast<std::size_t>(joint)] = lane;
  }
  batches.known_rows.resize(joints.size());
  std::ranges::transform(joints, batches.known_rows.begin(), rows_of);
  batches.known = true;
}

/// J u.
double measure_rate(const SoftJointRow& row, const BodyVelocity& a, const BodyVelocity& b) {
  double rate = 0;
  for (int axis = 0; axis < 3; ++axis) {
    rate += static_cast<double>(row.angular_a[axis]) * a.angular[axis] +
            static_cast<double>(row.angular_b[axis]) * b.angular[axis] +
            static_cast<double>(row.linear_a[axis]) * a.linear[axis] +
            static_cast<double>(row.linear_b[axis]) * b.linear[axis];
  }
  return rate;
}

/// I (s − w) after a step: what a rotor has yet to give.
double measure_owed(const SoftJointRow& rotor, const BodyVelocity& a, const BodyVelocity& b) {
  const double change = static_cast<double>(rotor.target) - measure_rate(rotor, a, b);
  return change / static_cast<double>(rotor.softness) - static_cast<double>(rotor.total);
}

/// Adds ½ λ J u.
void add_half_work(const SoftJointRow& row, const BodyVelocity& a, const BodyVelocity& b, double& work) {
  for (int axis = 0; axis < 3; ++axis) {
    work += 0.5 * static_cast<double>(row.total) *
            (static_cast<double>(row.angular_a[axis]) * a.angular[axis] +
             static_cast<double>(row.angular_b[axis]) * b.angular[axis] +
             static_cast<double>(row.linear_a[axis]) * a.linear[axis] +
             static_cast<double>(row.linear_b[axis]) * b.linear[axis]);
  }
}

}  // namespace

void list_joints(World& world, const SoftJointOptions& options, const BodyWorkspace& bodies,
                 const std::vector<std::int32_t>& slot_of, SoftJointWorkspace& joints) {
  joints.list.joints.clear();
  joints.list.rows.clear();
  JointWriter writer(world, options, bodies, slot_of, joints.list);
  for (std::uint32_t k = 0; k < world.joints.size(); ++k) writer.write(k);
  joints.edges.clear();
  for (const SoftJoint& joint : joints.list.joints) {
    joints.edges.push_back({world.joints[joint.joint].body_a, world.joints[joint.joint].body_b});
  }
  color_edges(joints.edges, bodies.movable, joints.coloring);
  lay_out(joints);
}

std::optional<RotorPlace> find_rotor(const SoftJointWorkspace& joints, std::uint32_t joint, std::size_t axis) {
  const std::vector<SoftJoint>& list = joints.list.joints;
  const auto found = std::ranges::lower_bound(list, joint, {}, &SoftJoint::joint);
  if (found == list.end() || found->joint != joint) return std::nullopt;
  for (std::uint32_t k = 0; k < found->rotors; ++k) {
    if (joints.list.rows[found->first + k].slot != slot_of_rotor(axis)) continue;
    const std::uint32_t lane = joints.batches.lane_of[static_cast<std::size_t>(found - list.begin())];
    return RotorPlace{place_of(*found, joints.batches.joints[lane / kLanes], k),
                      static_cast<std::uint32_t>(lane % kLanes)};
  }
  return std::nullopt;
}

void pack_joints(const SoftJoints& joints, BatchRange range, const SoftMass* masses, JointBatches& batches) {
  for (std::size_t index = range.first; index < range.last; ++index) {
    JointBatch& c = batches.joints[index];
    std::fill_n(batches.rows.begin() + c.first, c.count, JointRowBatch{});
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::int32_t joint = batches.joint_at[index * kLanes + lane];
      static const SoftJoint kNone;
      pack_joint(joints, joint < 0 ? kNone : joints.joints[static_cast<std::size_t>(joint)], masses, batches, c, lane);
    }
  }
}

void unpack_joints(const JointBatches& batches, BatchRange range, SoftJoints& joints) {
  for (std::size_t index = range.first; index < range.last; ++index) {
    const JointBatch& c = batches.joints[index];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::int32_t at = batches.joint_at[index * kLanes + lane];
      if (at < 0) continue;
      const SoftJoint& joint = joints.joints[static_cast<std::size_t>(at)];
      for (std::uint32_t k = 0; k < joint.count; ++k) {
        const JointRowBatch& row = batches.rows[place_of(joint, c, k)];
        SoftJointRow& to = joints.rows[joint.first + k];
        to.total = row.total[lane];
        load(row.angular_a, lane, to.angular_a);
        load(row.angular_b, lane, to.angular_b);
      }
    }
  }
}

double conclude_joints(World& world, double h, const std::vector<BodyVelocity>& velocity_before,
                       const SoftJoints& joints, std::vector<JointLoad>& loads) {
  follow_drive_targets(world, {world.time, h});
  refill(loads, world.joints.size(), JointLoad{});
  double work = 0;
  for (const SoftJoint& joint : joints.joints) {
    const WorldJoint& model = world.joints[joint.joint];
    JointState& state = world.joint_states[joint.joint];
    JointLoad& load = loads[joint.joint];
    state.impulses.fill(0);
    Vec3 about_center = Vec3::Zero();
    for (const SoftJointRow& row : std::span(joints.rows).subspan(joint.first, joint.count)) {
      const auto total = static_cast<double>(row.total);
      state.impulses[row.slot] = total;
      for (int axis = 0; axis < 3; ++axis) {
        load.force[axis] += total / h * static_cast<double>(row.linear_b[axis]);
        about_center[axis] += total / h * static_cast<double>(row.angular_b[axis]);
      }
      if (row.kind == Kind::kRotor) {
        const std::size_t axis = (row.slot - JointState::kStructural) / JointState::kPerAxis;
        state.impulses[slot_of_owed(axis)] =
            measure_owed(row, world.bodies.velocity[model.body_a], world.bodies.velocity[model.body_b]);
      }
      if (!row.is_motor) continue;
      load.drive[(row.slot - JointState::kStructural) / JointState::kPerAxis] += total / h;
      // The velocity changes while the motor acts: its work is that of the mean of the velocities before and after.
      add_half_work(row, velocity_before[model.body_a], velocity_before[model.body_b], work);
      add_half_work(row, world.bodies.velocity[model.body_a], world.bodies.velocity[model.body_b], work);
    }
    load.torque = about_center - Vec3(joint.arm_b[0], joint.arm_b[1], joint.arm_b[2]).cross(load.force);
  }
  return work;
}

}  // namespace achilles
