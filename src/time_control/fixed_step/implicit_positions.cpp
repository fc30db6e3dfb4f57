#include "time_control/fixed_step/implicit_positions.hpp"

#include "constraint/point_row.hpp"
#include "math/refill.hpp"
#include "time_control/contact_stage.hpp"

#include <algorithm>
#include <limits>

namespace achilles {
namespace {

/// Moves the bodies from s to s' = s + h u'.
void place_at_guess(World& world, double h, StepWorkspace& scratch) {
  restore_poses(world, scratch);
  std::swap(world.bodies.velocity, scratch.fixed_step.guess);
  integrate_positions(world, h, Integrator::kSemiImplicit, scratch.motion, scratch.constrained);
  std::swap(world.bodies.velocity, scratch.fixed_step.guess);
}

/// gap(s) as the linearization at s' has it: gap(s') − h J(s') u'.
void linearize_gaps_back(const BodyArrays& bodies, double h, StepWorkspace& scratch) {
  for (const Contact& contact : scratch.contacts.contacts) {
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      ContactPoint& point = scratch.contacts.points[p];
      const Arms arms{contact.body_a, contact.body_b, point.position - bodies.position[contact.body_a],
                      point.position - bodies.position[contact.body_b]};
      point.gap -= h * point.normal.dot(arms.point_velocity(scratch.fixed_step.guess));
    }
  }
}

/// The same for the positions in the rows of joints: each φ(s') in a target becomes φ(s') − h J(s') u'.
void linearize_joints_back(const World& world, double h, StepWorkspace& scratch) {
  const std::span<const BodyVelocity> u = scratch.fixed_step.guess;
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    const std::span<Row> rows = std::span(scratch.rows).subspan(scratch.row_start[group]);
    for (std::uint32_t k = scratch.joint_rows_start[group]; k < scratch.joint_rows_start[group + 1]; ++k) {
      const JointRows& where = scratch.joint_rows[k];
      const WorldJoint& joint = world.joints[where.joint];
      stabilize_joint_rows(world, where, 1 / h, rows);
      for (std::uint32_t i = 0; i < where.count; ++i) {
        Row& row = rows[where.first + i];
        const double rate = row.linear_a.dot(u[joint.body_a].linear) + row.angular_a.dot(u[joint.body_a].angular) +
                            row.linear_b.dot(u[joint.body_b].linear) + row.angular_b.dot(u[joint.body_b].angular);
        row.target += joint_row_reads_position(joint, where.slot[i], h) * rate;
      }
    }
  }
}

void drop_friction(StepWorkspace& scratch) {
  for (Row& row : scratch.rows) row.friction = 0;
}

/// Largest change of pose between u' and u.
double measure_change(const World& world, double h, const StepWorkspace& scratch) {
  double change = 0;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    const BodyVelocity& u = world.bodies.velocity[i];
    const BodyVelocity& guess = scratch.fixed_step.guess[i];
    change = std::max({change, h * (u.linear - guess.linear).norm(), h * (u.angular - guess.angular).norm()});
  }
  return change;
}

}  // namespace

void restore_poses(World& world, const StepWorkspace& scratch) {
  copy_to(scratch.fixed_step.position, world.bodies.position);
  copy_to(scratch.fixed_step.orientation, world.bodies.orientation);
}

ImplicitReport solve_implicit_positions(World& world, const ImplicitOptions& options, double h,
                                        StepWorkspace& scratch) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  FixedStepWorkspace& local = scratch.fixed_step;
  copy_to(world.bodies.position, local.position);
  copy_to(world.bodies.orientation, local.orientation);
  copy_to(world.bodies.velocity, scratch.fixed_step.free);
  refill(local.guess, world.bodies.size(), BodyVelocity{});
  ImplicitReport report;
  for (report.rounds = 1;; ++report.rounds) {
    find_contacts(world, options.margin, h, scratch);
    linearize_gaps_back(world.bodies, h, scratch);
    build_rows(world, {h, options.restitution_threshold, -kInfinity, options.margin}, options.warm_start, scratch);
    linearize_joints_back(world, h, scratch);
    if (!options.friction) drop_friction(scratch);
    solve_groups(world, options.solve, scratch);
    report.change = measure_change(world, h, scratch);
    // The first round always counts as a change: its guess is no velocity at all.
    const bool done = report.rounds > 1 && report.change <= options.tolerance;
    if (done || report.rounds >= options.rounds) return report;
    copy_to(world.bodies.velocity, local.guess);
    copy_to(scratch.fixed_step.free, world.bodies.velocity);
    place_at_guess(world, h, scratch);
    scratch.mark("positions");
  }
}

}  // namespace achilles
