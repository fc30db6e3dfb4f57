#include "methods/reflections/flight.hpp"

#include "constraint/joint_pose.hpp"
#include "math/refill.hpp"
#include "motion/free_rotation.hpp"
#include "motion/integrate.hpp"
#include "solver/solver.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kApproach = 1e-12;    // [m/s] slower approaches bear nothing
constexpr double kJointsHold = 1e-12;  // [m], [rad] errors of joints at the end of a step that are left alone
constexpr int kJointRounds = 4;        // of Newton's method on the errors of joints; convergence is fast
const SolverOptions kFlightSolver = NonsmoothCgOptions{.iterations = 1000, .tolerance = 1e-11, .patience = 200};

/// Spin of a body over the step after a kick at its beginning, forces included.
void fly_spin(World& world, std::size_t i, const BodyVelocity& from, double h, ReflectionsScratch& scratch) {
  BodyArrays& bodies = world.bodies;
  bodies.velocity[i] = from;
  bodies.applied_force[i] = scratch.reflections.force[i];
  bodies.applied_torque[i] = scratch.reflections.torque[i];
  integrate_velocity(world, i, scratch.inverse_mass, h, scratch.motion);
}

void move_body(World& world, std::size_t i, double h, const ReflectionsWorkspace& local) {
  BodyArrays& bodies = world.bodies;
  const BodyFlight& flight = local.flight[i];
  const Quat& q = local.start.orientation[i];
  bodies.position[i] = local.start.position[i] + h * flight.drift.linear;
  bodies.orientation[i] =
      bodies.rotation[i] == RotationUpdate::kFinite
          ? (cayley_rotation(h * flight.drift.angular) * q).normalized()
          : update_orientation(q, flight.drift.angular, h, bodies.rotation[i], bodies.rotation_axis_B[i]);
}

class IslandFlight {
 public:
  IslandFlight(World& world, double h, ReflectionsScratch& scratch, std::size_t island, StepReport& report)
      : world_(world), h_(h), scratch_(scratch), local_(scratch.reflections), island_(island), report_(report) {
    first_ = scratch.row_start[island];
    count_ = scratch.row_start[island + 1] - first_;
    joints_ = scratch.joint_rows_start[island];
    joints_end_ = scratch.joint_rows_start[island + 1];
    contact_rows_ = has_joints() ? scratch.joint_rows[joints_].first : count_;
    list_bodies();
  }

  void run() {
    set_velocities(0.5);
    if (has_joints()) solve(contact_rows_, count_ - contact_rows_, 0.5);
    if (!approaches()) return;
    solve(0, count_, 1);
  }

 private:
  [[nodiscard]] bool has_joints() const { return joints_ < joints_end_; }

  void list_bodies() {
    local_.bodies.clear();
    for (const std::uint32_t edge : scratch_.islands.edges_of(island_)) {
      for (const std::uint32_t body : {scratch_.edges[edge].body_a, scratch_.edges[edge].body_b}) {
        if (scratch_.movable[body] == 0 || local_.listed[body] != 0) continue;
        local_.listed[body] = 1;
        local_.bodies.push_back(body);
      }
    }
  }

  /// Free velocities that lead through the step, with this share of what forces add.
  void set_velocities(double share) {
    for (const std::uint32_t i : local_.bodies) {
      const BodyFlight& flight = local_.flight[i];
      world_.bodies.velocity[i] = {flight.after.linear + share * h_ * flight.acceleration, flight.free_mean_spin};
    }
  }

  [[nodiscard]] bool approaches() const {
    for (std::uint32_t r = first_; r < first_ + contact_rows_; ++r) {
      const Row& row = scratch_.rows[r];
      if (row.normal_row < 0 && row.target - row_velocity(row, world_.bodies.velocity) > kApproach) return true;
    }
    return false;
  }

  void solve(std::uint32_t begin, std::uint32_t count, double share) {
    for (int round = 1;; ++round) {
      set_velocities(share);
      const RowProblem problem{std::span<const Row>(scratch_.rows).subspan(first_ + begin, count),
                               world_.bodies.velocity, scratch_.inverse_mass};
      const std::span<double> impulses = std::span(scratch_.impulses).subspan(first_ + begin, count);
      SolverWorkspace& workspace = scratch_.solving.front();
      const SolveReport solved = has_joints() ? solve_eliminating(problem, kFlightSolver, workspace, impulses)
                                              : achilles::solve(problem, kFlightSolver, workspace, impulses);
      report_.iterations = std::max(report_.iterations, solved.iterations);
      take_velocities(share);
      if (has_joints() && !joints_hold() && round < kJointRounds) continue;
      report_.residual = std::max(report_.residual, solved.residual);
      break;
    }
    // What was solved for leads through the step.
    for (const std::uint32_t i : local_.bodies) world_.bodies.velocity[i] = local_.flight[i].drift;
  }

  /// From the velocities of the World, which lead through the step, to those at its end.
  void take_velocities(double share) {
    for (const std::uint32_t i : local_.bodies) {
      BodyFlight& flight = local_.flight[i];
      const BodyVelocity solved = world_.bodies.velocity[i];
      const Vec3 kick = solved.angular - flight.free_mean_spin;
      flight.drift = {solved.linear, flight.free_mean_spin};
      flight.end = {solved.linear + (1 - share) * h_ * flight.acceleration, flight.free_end_spin};
      if (kick.isZero(0)) continue;
      fly_spin(world_, i, {flight.after.linear, flight.after.angular + kick}, h_, scratch_);
      flight.drift.angular = scratch_.motion[i].mean_spin;
      flight.end.angular = world_.bodies.velocity[i].angular;
    }
  }

  /// Do the joints hold where the step leads? If not, their rows aim at what is missing from now on.
  [[nodiscard]] bool joints_hold() {
    for (const std::uint32_t i : local_.bodies) move_body(world_, i, h_, local_);
    double largest = 0;
    std::array<JointEquality, JointState::kStructural> equalities;
    for (std::uint32_t k = joints_; k < joints_end_; ++k) {
      const JointRows& where = scratch_.joint_rows[k];
      const WorldJoint& joint = world_.joints[where.joint];
      const JointPose pose = place_joint(joint, world_.bodies, world_.joint_states[where.joint].position);
      (void)list_equalities(joint, world_.bodies, pose, equalities);
      for (std::uint32_t r = 0; r < where.count && where.slot[r] < JointState::kStructural; ++r) {
        Row& row = scratch_.rows[first_ + where.first + r];
        const double error = equalities[where.slot[r]].error;
        if (row.softness > 0 || !std::isfinite(error)) continue;
        row.target -= error / h_;
        largest = std::max(largest, std::abs(error));
      }
    }
    for (const std::uint32_t i : local_.bodies) {
      world_.bodies.position[i] = local_.start.position[i];
      world_.bodies.orientation[i] = local_.start.orientation[i];
    }
    return largest <= kJointsHold;
  }

  World& world_;
  double h_;
  ReflectionsScratch& scratch_;
  ReflectionsWorkspace& local_;
  std::size_t island_;
  StepReport& report_;
  std::uint32_t first_ = 0, count_ = 0, contact_rows_ = 0;  // contacts come first
  std::uint32_t joints_ = 0, joints_end_ = 0;               // in scratch.joint_rows
};

/// Free motion of every body from the velocities after the impact.
void fly_freely(World& world, double h, ReflectionsScratch& scratch) {
  ReflectionsWorkspace& local = scratch.reflections;
  local.flight.resize(world.bodies.size());
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    BodyFlight& flight = local.flight[i];
    flight.after = world.bodies.velocity[i];
    fly_spin(world, i, flight.after, h, scratch);
    const BodyVelocity& u = world.bodies.velocity[i];
    flight.after.linear = scratch.motion[i].velocity;
    flight.acceleration = (u.linear - flight.after.linear) / h;
    flight.free_mean_spin = scratch.motion[i].mean_spin;
    flight.free_end_spin = u.angular;
    flight.end = u;
    flight.drift = {0.5 * (flight.after.linear + u.linear), flight.free_mean_spin};
  }
}

/// Contacts that are still apart may close their gap within the step, which leads exactly to touch.
void allow_gaps_to_close(double h, ReflectionsScratch& scratch) {
  for (std::size_t p = 0; p < scratch.rows_of_point.size(); ++p) {
    scratch.rows[scratch.rows_of_point[p]].target -= std::max(0.0, scratch.contacts.points[p].gap) / h;
  }
}

}  // namespace

void fly_step(World& world, double h, ReflectionsScratch& scratch, StepReport& report) {
  ReflectionsWorkspace& local = scratch.reflections;
  BodyArrays& bodies = world.bodies;
  fly_freely(world, h, scratch);
  allow_gaps_to_close(h, scratch);
  refill(local.listed, bodies.size(), std::uint8_t{0});
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    IslandFlight(world, h, scratch, island, report).run();
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (scratch.movable[i] == 0) {
      integrate_position(world, i, h, false, scratch.motion);
      continue;
    }
    bodies.velocity[i] = local.flight[i].end;
    move_body(world, i, h, local);
  }
}

void project_on_joints(World& world, ReflectionsScratch& scratch) {
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    std::vector<Row>& rows = scratch.correction_rows;
    std::vector<double>& impulses = scratch.correction_impulses;
    rows.clear();
    const auto for_each_equality = [&](const auto& visit) {
      for (std::uint32_t k = scratch.joint_rows_start[island]; k < scratch.joint_rows_start[island + 1]; ++k) {
        const JointRows& where = scratch.joint_rows[k];
        for (std::uint32_t r = 0; r < where.count && where.slot[r] < JointState::kStructural; ++r) {
          const std::uint32_t index = scratch.row_start[island] + where.first + r;
          if (scratch.rows[index].softness == 0) visit(index);
        }
      }
    };
    for_each_equality([&](std::uint32_t index) { rows.push_back(scratch.rows[index]); });
    if (rows.empty()) continue;
    refill(impulses, rows.size(), 0.0);
    const RowProblem problem{rows, world.bodies.velocity, scratch.inverse_mass};
    (void)solve_eliminating(problem, kFlightSolver, scratch.solving.front(), impulses);
    std::size_t k = 0;
    for_each_equality([&](std::uint32_t index) { scratch.reflections.of_impact[index] += impulses[k++]; });
  }
}

}  // namespace achilles
