#include "time_control/correction.hpp"

#include "math/refill.hpp"
#include "motion/free_rotation.hpp"
#include "solver/solver.hpp"

#include <algorithm>

namespace achilles {
namespace {

/// Rows that push the penetrating points of a group apart: the Jacobians of the step with a displacement in place of
/// the velocity.
void append_contact_corrections(const World& world, const CorrectionOptions& options, double h, std::size_t group,
                                StepWorkspace& scratch) {
  const std::uint32_t first = scratch.row_start[group];
  for (std::uint32_t k = scratch.point_rows_start[group]; k < scratch.point_rows_start[group + 1]; ++k) {
    const ContactPointRows& where = scratch.point_rows[k];
    const Row& normal = scratch.rows[first + static_cast<std::uint32_t>(where.normal)];
    if (normal.softness > 0) continue;  // compliant contact sinks in by design
    const double gap = scratch.contacts.points[where.point].gap;
    const double gap_after = gap + h * row_velocity(normal, world.bodies.velocity);
    Row row = normal;
    row.target = std::min(-gap_after, options.share * (-gap_after - options.slop));
    scratch.correction_rows.push_back(row);
  }
}

bool has_errors(std::span<const Row> rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const Row& row) { return row.lower < 0 ? row.target != 0 : row.target > 0; });
}

SolverOptions choose_solver(const CorrectionOptions& options, bool has_joints, std::size_t rows) {
  if (has_joints && rows <= static_cast<std::size_t>(options.exact_rows)) return NewtonOptions{.tolerance = 1e-12};
  return GaussSeidelOptions{.iterations = (has_joints ? 10 : 1) * options.sweeps,
                            .tolerance = has_joints ? 1e-9 : 0.01 * options.slop,
                            .order = SweepOrder::kSymmetric};
}

}  // namespace

void correct_positions(World& world, const CorrectionOptions& options, double h, StepWorkspace& scratch) {
  refill(scratch.corrections, world.bodies.size(), BodyVelocity{});
  bool any = false;
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    scratch.correction_rows.clear();
    append_contact_corrections(world, options, h, group, scratch);
    const bool has_joints = scratch.joint_rows_start[group] < scratch.joint_rows_start[group + 1];
    for (std::uint32_t k = scratch.joint_rows_start[group]; k < scratch.joint_rows_start[group + 1]; ++k) {
      append_joint_corrections(world, scratch.joint_rows[k].joint, scratch.inverse_mass, scratch.correction_rows);
    }
    if (!has_errors(scratch.correction_rows)) continue;
    any = true;
    refill(scratch.correction_impulses, scratch.correction_rows.size(), 0.0);
    // The residual says how much error is left for the next step; the run measures that from geometry.
    (void)solve({scratch.correction_rows, scratch.corrections},
                choose_solver(options, has_joints, scratch.correction_rows.size()), scratch.solving.front(),
                scratch.correction_impulses);
  }
  if (any) displace_bodies(world, scratch.corrections, scratch.movable);
  scratch.mark("positions");
}

void displace_bodies(World& world, std::span<const BodyVelocity> displacement, std::span<const std::uint8_t> movable) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (movable[i] == 0 || (displacement[i].linear.isZero(0) && displacement[i].angular.isZero(0))) continue;
    world.bodies.position[i] += displacement[i].linear;
    world.bodies.orientation[i] = (finite_rotation(displacement[i].angular) * world.bodies.orientation[i]).normalized();
  }
}

}  // namespace achilles
