#include "stepping/rebound.hpp"

#include "constraint/joint_pose.hpp"
#include "constraint/touch_rows.hpp"
#include "math/refill.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/energy_allowance.hpp"
#include "world/inverse_mass.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

class IslandRebound {
 public:
  IslandRebound(World& world, double touching, double h, StepWorkspace& scratch, std::size_t island, StepReport& report)
      : world_(world),
        bodies_(world.bodies),
        touching_(touching),
        h_(h),
        scratch_(scratch),
        local_(scratch.rebound),
        island_(island),
        report_(report) {}

  [[nodiscard]] int count_bounces() const {
    int bounces = 0;
    for (std::uint32_t k = points_begin(); k < points_end(); ++k) {
      const ContactPointRows& where = scratch_.point_rows[k];
      if (where.bounces && impulse_of(where) > 0) ++bounces;
    }
    return bounces;
  }

  void resolve(const SolverOptions& solver) {
    list_bodies();
    const double allowed = find_allowed_energy();
    build_rows();
    refill(local_.impulses, local_.rows.size(), 0.0);
    solve_rows(solver);
    record();
    retarget_rotors();
    for (std::size_t k = 0; k < local_.points.size(); ++k) {
      const Point& point = local_.points[k];
      Row& normal = local_.rows[point.row];
      // Compression began with the landing; e is meant of the speed at the touch.
      normal.lower = point.restitution * (impulse_of(*point.where) + local_.impulses[point.row]);
    }
    refill(local_.impulses, local_.rows.size(), 0.0);
    for (const Point& point : local_.points) local_.impulses[point.row] = local_.rows[point.row].lower;
    solve_rows(solver);
    limit_energy(allowed + std::max(0.0, recorded_script_work() + script_work(local_.impulses)));
    record();
  }

 private:
  using Point = ReboundWorkspace::Point;

  [[nodiscard]] std::uint32_t points_begin() const { return scratch_.point_rows_start[island_]; }
  [[nodiscard]] std::uint32_t points_end() const { return scratch_.point_rows_start[island_ + 1]; }
  [[nodiscard]] const Row& row_at(std::int32_t index) const {
    return scratch_.rows[scratch_.row_start[island_] + static_cast<std::uint32_t>(index)];
  }
  [[nodiscard]] double impulse_of(const ContactPointRows& where) const {
    return scratch_.impulses[scratch_.row_start[island_] + static_cast<std::uint32_t>(where.normal)];
  }

  /// Points that touch at the end of the step, with the friction they have, and the joints.
  void build_rows() {
    local_.rows.clear();
    local_.points.clear();
    for (std::uint32_t k = points_begin(); k < points_end(); ++k) {
      const ContactPointRows& where = scratch_.point_rows[k];
      const Row& normal = row_at(where.normal);
      if (normal.softness > 0) continue;
      const Contact& contact = scratch_.contacts.contacts[where.contact];
      const ContactPoint& point = scratch_.contacts.points[where.point];
      const Arms arms = present_arms(contact, point);
      const double rate = point.normal.dot(arms.point_velocity(bodies_.velocity));
      if (impulse_of(where) <= 0 && point.gap + h_ * rate > touching_) continue;
      TouchFriction friction;
      if (where.friction >= 0) {
        const Row &first = row_at(where.friction), &second = row_at(where.friction + 1);
        friction = {first.friction, {first.linear_b, second.linear_b}};
      }
      Point one;
      one.where = &where;
      one.row = append_touch_rows(arms, point.normal, friction, bodies_, scratch_.inverse_mass, 0, local_.rows);
      one.has_friction = friction.coefficient > 0;
      if (where.bounces) {
        const double share = where.free_approach > 0 ? where.approach / where.free_approach : 1;
        one.restitution = std::clamp(share * where.restitution, 0.0, 1.0);
      }
      local_.points.push_back(one);
    }
    for (std::uint32_t k = scratch_.joint_rows_start[island_]; k < scratch_.joint_rows_start[island_ + 1]; ++k) {
      add_joint(scratch_.joint_rows[k].joint);
    }
    for (std::uint32_t k = scratch_.coupling_rows_start[island_]; k < scratch_.coupling_rows_start[island_ + 1]; ++k) {
      (void)append_coupling_rows(world_, scratch_.coupling_rows[k].coupling, scratch_.inverse_mass, 0, local_.rows,
                                 local_.impulses);
    }
  }

  /// One point for both bodies, carried along by the motion of the step.
  [[nodiscard]] Arms present_arms(const Contact& contact, const ContactPoint& point) const {
    const auto moved = [&](std::uint32_t body) { return Vec3(bodies_.position[body] - local_.start.position[body]); };
    const bool both = bodies_.is_movable(contact.body_a) && bodies_.is_movable(contact.body_b);
    const std::uint32_t movable = bodies_.is_movable(contact.body_a) ? contact.body_a : contact.body_b;
    const Vec3 shift = both ? Vec3(0.5 * (moved(contact.body_a) + moved(contact.body_b))) : moved(movable);
    const Vec3 at = point.position + shift;
    return {contact.body_a, contact.body_b, at - bodies_.position[contact.body_a],
            at - bodies_.position[contact.body_b]};
  }

  void add_joint(std::uint32_t index) {
    const WorldJoint& joint = world_.joints[index];
    const JointPose pose = place_joint(joint, bodies_, world_.joint_states[index].position);
    std::array<JointEquality, JointState::kStructural> equalities;
    const std::size_t count = list_equalities(joint, bodies_, pose, equalities);
    for (std::size_t k = 0; k < count; ++k) {
      if (equalities[k].soft && joint.compliance > 0) continue;
      place_row(equalities[k].row, {joint.body_a, joint.body_b, {}, {}}, bodies_, scratch_.inverse_mass);
      local_.rows.push_back(equalities[k].row);
    }
    for (std::size_t axis = 0; axis < joint.axis_count; ++axis) {
      if (!(joint.drives[axis].armature > 0)) continue;
      local_.rows.push_back(make_armature_row(joint, bodies_, pose, axis, scratch_.inverse_mass, bodies_.velocity));
    }
  }

  /// Rotors, the only soft rows here, have taken part in what happened so far.
  void retarget_rotors() {
    for (Row& row : local_.rows) {
      if (row.softness > 0) row.target = row_velocity(row, bodies_.velocity);
    }
  }

  void solve_rows(const SolverOptions& solver) {
    const bool has_joints = scratch_.joint_rows_start[island_] < scratch_.joint_rows_start[island_ + 1];
    const RowProblem problem{local_.rows, bodies_.velocity};
    SolverWorkspace& workspace = scratch_.solving.front();
    (void)(has_joints ? solve_eliminating(problem, solver, workspace, local_.impulses)
                      : solve(problem, solver, workspace, local_.impulses));
  }

  void list_bodies() {
    local_.bodies.clear();
    for (std::uint32_t i = scratch_.row_start[island_]; i < scratch_.row_start[island_ + 1]; ++i) {
      for (const std::uint32_t body : {scratch_.rows[i].body_a, scratch_.rows[i].body_b}) {
        if (body != kImmovable) local_.bodies.push_back(body);
      }
    }
    std::sort(local_.bodies.begin(), local_.bodies.end());
    local_.bodies.erase(std::unique(local_.bodies.begin(), local_.bodies.end()), local_.bodies.end());
  }

  /// Kinetic energy that the island may end the step with [J]: that of its beginning, with the work of the external
  /// forces along the way that was gone and of motors and springs; that of scripts is not included.
  [[nodiscard]] double find_allowed_energy() const {
    double energy = 0;
    for (const std::uint32_t body : local_.bodies) {
      const Quat& q = local_.start.orientation[body];
      const BodyVelocity& before = scratch_.velocity_before[body];
      const Vec3 gain = local_.free[body].linear - before.linear;
      const Vec3 way = bodies_.position[body] - local_.start.position[body];
      energy += kinetic_energy(bodies_, body, q, before) + bodies_.mass[body] / h_ * gain.dot(way);
      energy += measure_torque_work(bodies_, body, h_, scratch_);
    }
    return energy + std::max(0.0, measure_drive_work(world_, island_, scratch_));
  }

  /// Work of scripts through landing and compression.
  [[nodiscard]] double recorded_script_work() const {
    double work = 0;
    for (std::uint32_t k = points_begin(); k < points_end(); ++k) {
      const ContactRecord& contact = scratch_.records[scratch_.point_rows[k].point];
      work += measure_script_work(bodies_, contact, contact.impulse);
    }
    return work;
  }

  [[nodiscard]] Vec3 impulse_at(const Point& point, std::span<const double> impulses) const {
    Vec3 impulse = Vec3::Zero();
    for (std::size_t i = point.row; i < point.row + (point.has_friction ? 3U : 1U); ++i) {
      impulse += impulses[i] * local_.rows[i].linear_b;
    }
    return impulse;
  }

  [[nodiscard]] double script_work(std::span<const double> impulses) const {
    double work = 0;
    for (const Point& point : local_.points) {
      work += measure_script_work(bodies_, scratch_.records[point.where->point], impulse_at(point, impulses));
    }
    return work;
  }

  /// Takes back the share s of the impulses of decompression λ that brings more energy than is allowed. With
  /// d = M⁻¹Jᵀλ and velocities u − s d the energy is E(u) − s λ·Ju + ½ s² λ·Jd.
  void limit_energy(double allowed) {
    double energy = 0;
    for (const std::uint32_t body : local_.bodies) {
      energy += kinetic_energy(bodies_, body, bodies_.orientation[body], bodies_.velocity[body]);
    }
    const double excess = energy - allowed;
    if (!(excess > 0)) return;
    const double after = power();
    apply_share(-1);
    const double before = power();
    const double curve = after - before;  // λ·Jd
    const double root = after * after - 2 * curve * excess;
    const double back = after > 0 && root >= 0 ? std::min(1.0, 2 * excess / (after + std::sqrt(root))) : 1.0;
    for (double& impulse : local_.impulses) impulse *= 1 - back;
    apply_share(1);
  }

  /// λ·Ju of the present impulses and velocities.
  [[nodiscard]] double power() const {
    double sum = 0;
    for (std::size_t i = 0; i < local_.rows.size(); ++i) {
      sum += local_.impulses[i] * row_velocity(local_.rows[i], bodies_.velocity);
    }
    return sum;
  }

  void apply_share(double share) {
    for (std::size_t i = 0; i < local_.rows.size(); ++i) {
      apply_impulse(local_.rows[i], share * local_.impulses[i], bodies_.velocity);
    }
  }

  /// Adds what acted to the records of the points.
  void record() {
    for (const Point& point : local_.points) {
      const Vec3 impulse = impulse_at(point, local_.impulses);
      ContactRecord& contact = scratch_.records[point.where->point];
      contact.impulse += impulse;
      report_.external_work += measure_script_work(bodies_, contact, impulse);
    }
  }

  World& world_;
  BodyArrays& bodies_;
  double touching_;
  double h_;
  StepWorkspace& scratch_;
  ReboundWorkspace& local_;
  std::size_t island_;
  StepReport& report_;
};

}  // namespace

void remember_free_motion(const World& world, StepWorkspace& scratch) {
  scratch.rebound.start.take(world.bodies);
  copy_to(world.bodies.velocity, scratch.rebound.free);
}

void rebound(World& world, const SolverOptions& solver, double touching, double h, StepWorkspace& scratch,
             StepReport& report) {
  bool turned = false;
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    IslandRebound one(world, touching, h, scratch, island, report);
    const int bounces = one.count_bounces();
    if (bounces == 0) continue;
    if (!turned) {
      for (std::size_t i = 0; i < world.bodies.size(); ++i) {
        if (scratch.movable[i] != 0) scratch.inverse_mass[i] = compute_inverse_mass(world.bodies, i);
      }
      turned = true;
    }
    one.resolve(solver);
    report.impacts += bounces;
  }
  scratch.mark("rebound");
}

}  // namespace achilles
