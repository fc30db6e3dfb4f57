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
float dot(const float (&a)[3], const float (&b)[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
void add(float s, const float (&a)[3], float (&to)[3]) {
  for (int k = 0; k < 3; ++k) to[k] += s * a[k];
}
void cross(const float (&a)[3], const float (&b)[3], float (&to)[3]) {
  to[0] = a[1] * b[2] - a[2] * b[1];
  to[1] = a[2] * b[0] - a[0] * b[2];
  to[2] = a[0] * b[1] - a[1] * b[0];
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
    store(row.mass_linear_a, to.mass_linear_a);
    store(row.mass_angular_a, to.mass_angular_a);
    store(row.mass_linear_b, to.mass_linear_b);
    store(row.mass_angular_b, to.mass_angular_b);
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

/// J M⁻¹ Jᵀ between two rows of a joint.
float couple(const SoftJointRow& p, const SoftJointRow& q) {
  return dot(p.linear_a, q.mass_linear_a) + dot(p.angular_a, q.mass_angular_a) + dot(p.linear_b, q.mass_linear_b) +
         dot(p.angular_b, q.mass_angular_b);
}

/// Factors J M⁻¹ Jᵀ of the rigid rows, and weighs each other row with those held: what moves along a limit or a motor
/// is the mechanism, not the body alone. A row that those before it already fix, as when an axis is locked, gets no
/// impulse.
void factor_rows(SoftJoint& joint, std::span<SoftJointRow> rows) {
  float line[6];  // of L D
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float own = couple(rows[i], rows[i]);
    float pivot = own;
    for (std::size_t j = 0; j < std::min<std::size_t>(i, joint.rigid); ++j) {
      line[j] = couple(rows[i], rows[j]);
      for (std::size_t k = 0; k < j; ++k) line[j] -= line[k] * joint.factor[j][k];
      const float entry = line[j] * joint.factor[j][j];
      if (i < joint.rigid) joint.factor[i][j] = entry;
      pivot -= line[j] * entry;
    }
    const float soft = pivot > 1e-5f * own ? pivot + rows[i].softness : 0;
    rows[i].mass = soft > 0 ? 1 / soft : 0;
    if (i < joint.rigid) joint.factor[i][i] = rows[i].mass;
  }
}

/// x := (L D Lᵀ)⁻¹ x.
void solve_factored(const SoftJoint& joint, std::size_t count, float (&x)[6]) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < i; ++k) x[i] -= joint.factor[i][k] * x[k];
  }
  for (std::size_t i = 0; i < count; ++i) x[i] *= joint.factor[i][i];
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) x[i] -= joint.factor[k][i] * x[k];
  }
}

/// What an impulse does to the spins.
void spin(const SoftJointRow& row, float impulse, const SoftJoint& joint, SoftVelocity* velocities) {
  if (joint.slot_a > 0) add(impulse, row.mass_angular_a, velocities[joint.slot_a].angular);
  if (joint.slot_b > 0) add(impulse, row.mass_angular_b, velocities[joint.slot_b].angular);
}

void apply(const SoftJointRow& row, float impulse, const SoftJoint& joint, SoftVelocity* velocities) {
  if (joint.slot_a > 0) {
    add(impulse, row.mass_linear_a, velocities[joint.slot_a].linear);
    add(impulse, row.mass_angular_a, velocities[joint.slot_a].angular);
  }
  if (joint.slot_b > 0) {
    add(impulse, row.mass_linear_b, velocities[joint.slot_b].linear);
    add(impulse, row.mass_angular_b, velocities[joint.slot_b].angular);
  }
}

float rate_of(const SoftJointRow& row, const SoftVelocity& a, const SoftVelocity& b) {
  return dot(row.linear_a, a.linear) + dot(row.angular_a, a.angular) + dot(row.linear_b, b.linear) +
         dot(row.angular_b, b.angular);
}

/// How the arm of an anchor turned: (q − 1) r.
void turn_arm(const SoftDisplacement& body, const float (&arm)[3], float (&to)[3]) {
  const float q[3] = {body.rotation[0], body.rotation[1], body.rotation[2]};
  float once[3], twice[3];
  cross(q, arm, once);
  cross(q, once, twice);
  for (int k = 0; k < 3; ++k) to[k] = 2 * (body.rotation[3] * once[k] + twice[k]);
}

/// Where the anchor of a body went: d + (q − 1) r.
void move_anchor(const SoftDisplacement& body, const float (&arm)[3], float (&to)[3]) {
  turn_arm(body, arm, to);
  for (int k = 0; k < 3; ++k) to[k] += body.linear[k];
}

void multiply(const float (&symmetric)[6], const float (&x)[3], float (&to)[3]) {
  const float &xx = symmetric[0], &yy = symmetric[1], &zz = symmetric[2];
  const float &xy = symmetric[3], &xz = symmetric[4], &yz = symmetric[5];
  to[0] = xx * x[0] + xy * x[1] + xz * x[2];
  to[1] = xy * x[0] + yy * x[1] + yz * x[2];
  to[2] = xz * x[0] + yz * x[1] + zz * x[2];
}

/// Turns the arms of the rows that tie two points. A pull on an arm that turns is a spring, stiff where the pull is
/// strong; held for a whole step it would be integrated explicitly and feed the swing it should hold back.
void turn_rows(const SoftJoint& joint, std::span<SoftJointRow> rows, const SoftBodies& bodies) {
  float arm_a[3], arm_b[3];
  turn_arm(bodies.displacements[joint.slot_a], joint.arm_a, arm_a);
  turn_arm(bodies.displacements[joint.slot_b], joint.arm_b, arm_b);
  add(1, joint.arm_a, arm_a);
  add(1, joint.arm_b, arm_b);
  for (SoftJointRow& row : rows) {
    if (!row.is_point) continue;
    cross(arm_a, row.linear_a, row.angular_a);
    cross(arm_b, row.linear_b, row.angular_b);
    multiply(bodies.masses[joint.slot_a].inverse_inertia, row.angular_a, row.mass_angular_a);
    multiply(bodies.masses[joint.slot_b].inverse_inertia, row.angular_b, row.mass_angular_b);
  }
}

/// How far the displacements changed the error of a row.
float change_of(const SoftJointRow& row, const SoftJoint& joint, const SoftDisplacement& a, const SoftDisplacement& b) {
  if (row.is_point) {
    float moved_a[3], moved_b[3];
    move_anchor(a, joint.arm_a, moved_a);
    move_anchor(b, joint.arm_b, moved_b);
    return dot(row.linear_a, moved_a) + dot(row.linear_b, moved_b);
  }
  const float turn_a[3] = {2 * a.rotation[0], 2 * a.rotation[1], 2 * a.rotation[2]};
  const float turn_b[3] = {2 * b.rotation[0], 2 * b.rotation[1], 2 * b.rotation[2]};
  return dot(row.linear_a, a.linear) + dot(row.angular_a, turn_a) + dot(row.linear_b, b.linear) +
         dot(row.angular_b, turn_b);
}

/// Impulse that a row that is not rigid wants in place of the one it has.
float want(const SoftJointRow& row, float rate, float change, const SoftJointSweep& sweep) {
  if (row.kind == Kind::kPlain) {
    const float target = row.target - row.reads * change / sweep.h;
    return row.impulse + row.mass * (target - rate - row.softness * row.impulse);
  }
  const float error = row.error + change;
  if (row.kind == Kind::kLimit && error > 0) return row.impulse - row.mass * (rate + error / sweep.h);
  if (!sweep.biased) return row.impulse - row.mass * rate;
  return row.impulse - row.mass * sweep.softness.mass_scale * (rate + sweep.softness.bias_rate * error) -
         sweep.softness.impulse_scale * row.impulse;
}

/// Solves the rigid rows of a joint, all at once.
void hold(const SoftJoint& joint, std::span<SoftJointRow> rigid, const SoftBodies& bodies,
          const SoftJointSweep& sweep) {
  float x[6];
  for (std::size_t k = 0; k < rigid.size(); ++k) {
    const SoftJointRow& row = rigid[k];
    x[k] = -rate_of(row, bodies.velocities[joint.slot_a], bodies.velocities[joint.slot_b]);
    if (!sweep.biased) continue;
    const float change = change_of(row, joint, bodies.displacements[joint.slot_a], bodies.displacements[joint.slot_b]);
    x[k] -= sweep.softness.bias_rate * (row.error + change);
  }
  solve_factored(joint, rigid.size(), x);
  for (std::size_t k = 0; k < rigid.size(); ++k) {
    SoftJointRow& row = rigid[k];
    if (sweep.biased) x[k] = sweep.softness.mass_scale * x[k] - sweep.softness.impulse_scale * row.impulse;
    apply(row, x[k], joint, bodies.velocities);
    row.impulse += x[k];
  }
}

/// Applies an impulse of a row together with those of the rigid rows that keep the joint as it moves.
void push_held(const SoftJoint& joint, std::span<SoftJointRow> rigid, const SoftJointRow& row, float impulse,
               SoftVelocity* velocities) {
  if (impulse == 0) return;
  float x[6];
  for (std::size_t k = 0; k < rigid.size(); ++k) x[k] = -impulse * couple(rigid[k], row);
  solve_factored(joint, rigid.size(), x);
  apply(row, impulse, joint, velocities);
  for (std::size_t k = 0; k < rigid.size(); ++k) {
    apply(rigid[k], x[k], joint, velocities);
    rigid[k].impulse += x[k];
  }
}

}  // namespace

void list_joints(World& world, double h, int substeps, bool warm_start, StepWorkspace& scratch) {
  SoftJoints& joints = scratch.soft.joints;
  joints.joints.clear();
  joints.rows.clear();
  JointWriter writer(world, scratch, h, substeps, warm_start, joints);
  for (std::uint32_t k = 0; k < world.joints.size(); ++k) writer.write(k);
}

void warm_start_joint(SoftJoint& joint, SoftJoints& joints, const SoftBodies& bodies) {
  const std::span rows = std::span(joints.rows).subspan(joint.first, joint.count);
  factor_rows(joint, rows);
  for (const SoftJointRow& row : rows) apply(row, row.impulse, joint, bodies.velocities);
}

void turn_joint(SoftJoint& joint, SoftJoints& joints, const SoftBodies& bodies) {
  const std::span rows = std::span(joints.rows).subspan(joint.first, joint.count);
  for (const SoftJointRow& row : rows) {
    if (row.is_point) spin(row, -row.impulse, joint, bodies.velocities);
  }
  turn_rows(joint, rows, bodies);
  factor_rows(joint, rows);
  for (const SoftJointRow& row : rows) {
    if (row.is_point) spin(row, row.impulse, joint, bodies.velocities);
  }
}

void solve_joint(const SoftJoint& joint, SoftJoints& joints, const SoftBodies& bodies, const SoftJointSweep& sweep) {
  const std::span rows = std::span(joints.rows).subspan(joint.first, joint.count);
  const std::span rigid = rows.first(joint.rigid);
  hold(joint, rigid, bodies, sweep);
  for (SoftJointRow& row : rows.subspan(joint.rigid)) {
    const float rate = rate_of(row, bodies.velocities[joint.slot_a], bodies.velocities[joint.slot_b]);
    const float change = change_of(row, joint, bodies.displacements[joint.slot_a], bodies.displacements[joint.slot_b]);
    const float impulse = std::clamp(want(row, rate, change, sweep), row.lower, row.upper);
    push_held(joint, rigid, row, impulse - row.impulse, bodies.velocities);
    row.impulse = impulse;
  }
  if (sweep.biased) return;
  for (SoftJointRow& row : rows) row.total += row.impulse;
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
