#include "stepping/implicit_positions.hpp"

#include "constraint/point_row.hpp"
#include "math/refill.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/joint_stiffness.hpp"

#include <algorithm>
#include <limits>

namespace achilles {
namespace {

/// Moves the bodies from s to s' = s + h u'.
void place_at_guess(World& world, double h, ImplicitWorkspace& local, StepWorkspace& scratch) {
  local.start.restore(world.bodies);
  std::swap(world.bodies.velocity, local.guess);
  integrate_positions(world, h, Integrator::kSemiImplicit, scratch.motion, scratch.constrained);
  std::swap(world.bodies.velocity, local.guess);
}

/// gap(s) as the linearization at s' has it: gap(s') − h J(s') u'.
void linearize_gaps_back(const BodyArrays& bodies, double h, std::span<const BodyVelocity> guess,
                         ContactSet& contacts) {
  for (const Contact& contact : contacts.contacts) {
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      ContactPoint& point = contacts.points[p];
      const Arms arms{contact.body_a, contact.body_b, point.position - bodies.position[contact.body_a],
                      point.position - bodies.position[contact.body_b]};
      point.gap -= h * point.normal.dot(arms.point_velocity(guess));
    }
  }
}

/// The same for the positions in the rows of joints: each φ(s') in a target becomes φ(s') − h J(s') u'.
void linearize_joints_back(const World& world, double h, std::span<const BodyVelocity> u, StepWorkspace& scratch) {
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    const std::span<Row> rows = std::span(scratch.rows).subspan(scratch.row_start[island]);
    for (std::uint32_t k = scratch.joint_rows_start[island]; k < scratch.joint_rows_start[island + 1]; ++k) {
      const JointRows& where = scratch.joint_rows[k];
      const WorldJoint& joint = world.joints[where.joint];
      stabilize_joint_rows(world, where, 1 / h, rows);
      for (std::uint32_t i = 0; i < where.count; ++i) {
        Row& row = rows[where.first + i];
        const double rate = row.linear_a.dot(u[joint.body_a].linear) + row.angular_a.dot(u[joint.body_a].angular) +
                            row.linear_b.dot(u[joint.body_b].linear) + row.angular_b.dot(u[joint.body_b].angular);
        row.target += joint_row_reads_position(joint, where.slot[i], row, h) * rate;
      }
    }
    for (std::uint32_t k = scratch.coupling_rows_start[island]; k < scratch.coupling_rows_start[island + 1]; ++k) {
      const CouplingRows& where = scratch.coupling_rows[k];
      stabilize_coupling_rows(world, where, 1 / h, rows);
      for (Row& part : rows.subspan(where.first, where.count)) part.target += row_velocity(part, u);
    }
  }
}

/// The impulses of this round are the start of the next one, and the loads of its joints.
void keep_joint_impulses(World& world, const StepWorkspace& scratch) {
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    const std::span<const double> impulses =
        std::span<const double>(scratch.impulses).subspan(scratch.row_start[island]);
    for (std::uint32_t k = scratch.joint_rows_start[island]; k < scratch.joint_rows_start[island + 1]; ++k) {
      const JointRows& where = scratch.joint_rows[k];
      JointState& state = world.joint_states[where.joint];
      state.impulses.fill(0);
      for (std::uint32_t i = 0; i < where.count; ++i) state.impulses[where.slot[i]] = impulses[where.first + i];
    }
  }
}

void drop_friction(std::span<Row> rows) {
  for (Row& row : rows) row.friction = 0;
}

/// Largest change of pose between u' and u.
double measure_change(std::span<const BodyVelocity> velocities, std::span<const BodyVelocity> guesses, double h,
                      std::span<const std::uint8_t> movable) {
  double change = 0;
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    if (movable[i] == 0) continue;
    const BodyVelocity &u = velocities[i], &guess = guesses[i];
    change = std::max({change, h * (u.linear - guess.linear).norm(), h * (u.angular - guess.angular).norm()});
  }
  return change;
}

}  // namespace

ImplicitReport solve_implicit_positions(World& world, const ImplicitOptions& options, double h,
                                        ImplicitWorkspace& local, StepWorkspace& scratch) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  local.start.take(world.bodies);
  copy_to(world.bodies.velocity, local.free);
  refill(local.guess, world.bodies.size(), BodyVelocity{});
  ImplicitReport report;
  for (report.rounds = 1;; ++report.rounds) {
    linearize_geometric_stiffness(world, h, local.start, local.guess, scratch);
    if (options.contacts) {
      find_contacts(world, options.speculative_distance, h, scratch);
    } else {
      scratch.contacts.clear();
      island_contacts(world, scratch);
    }
    linearize_gaps_back(world.bodies, h, local.guess, scratch.contacts);
    build_rows(world, world.time, {h, options.restitution_threshold, -kInfinity, options.speculative_distance},
               options.warm_start, scratch);
    linearize_joints_back(world, h, local.guess, scratch);
    if (!options.friction) drop_friction(scratch.rows);
    solve_islands(world, options.solve, scratch);
    report.change = measure_change(world.bodies.velocity, local.guess, h, scratch.movable);
    // The first round always counts as a change: its guess is no velocity at all.
    const bool done = report.rounds > 1 && report.change <= options.tolerance;
    if (done || report.rounds >= options.rounds) return report;
    keep_joint_impulses(world, scratch);
    copy_to(world.bodies.velocity, local.guess);
    copy_to(local.free, world.bodies.velocity);
    place_at_guess(world, h, local, scratch);
    scratch.mark("positions");
  }
}

}  // namespace achilles
