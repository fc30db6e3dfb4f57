#include "stepping/correction.hpp"

#include "math/refill.hpp"
#include "motion/free_rotation.hpp"
#include "solver/solver.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

/// Rows that push the penetrating points of an island apart: the Jacobians of the step with a displacement in place of
/// the velocity.
void append_contact_corrections(const World& world, const CorrectionOptions& options, double h, std::size_t island,
                                StepWorkspace& scratch) {
  const std::uint32_t first = scratch.row_start[island];
  for (std::uint32_t k = scratch.point_rows_start[island]; k < scratch.point_rows_start[island + 1]; ++k) {
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

/// Largest error that a row takes out [m], [rad]; zero where none does.
double largest_error(std::span<const Row> rows) {
  double largest = 0;
  for (const Row& row : rows) largest = std::max(largest, row.lower < 0 ? std::abs(row.target) : row.target);
  return largest;
}

bool has_joints(const StepWorkspace& scratch, std::size_t island) {
  return scratch.joint_rows_start[island] < scratch.joint_rows_start[island + 1];
}

void append_joints(const World& world, std::size_t island, StepWorkspace& scratch) {
  for (std::uint32_t k = scratch.joint_rows_start[island]; k < scratch.joint_rows_start[island + 1]; ++k) {
    append_joint_corrections(world, scratch.joint_rows[k].joint, scratch.inverse_mass, scratch.correction_rows);
  }
  for (std::uint32_t k = scratch.coupling_rows_start[island]; k < scratch.coupling_rows_start[island + 1]; ++k) {
    append_coupling_correction(world, scratch.coupling_rows[k].coupling, scratch.inverse_mass, scratch.correction_rows);
  }
}

/// Adds the displacements of an island's correction rows to scratch.corrections. The residual is the error that is
/// left for the next step; the run measures that from geometry.
void solve_corrections(int sweeps_at_most, double tolerance, bool joints, StepWorkspace& scratch) {
  refill(scratch.correction_impulses, scratch.correction_rows.size(), 0.0);
  const SolverOptions sweeps =
      GaussSeidelOptions{.iterations = sweeps_at_most, .tolerance = tolerance, .order = SweepOrder::kSymmetric};
  const RowProblem problem{scratch.correction_rows, scratch.corrections};
  SolverWorkspace& workspace = scratch.solving.front();
  (void)(joints ? solve_eliminating(problem, sweeps, workspace, scratch.correction_impulses)
                : solve(problem, sweeps, workspace, scratch.correction_impulses));
}

}  // namespace

void correct_positions(World& world, const CorrectionOptions& options, double h, StepWorkspace& scratch) {
  refill(scratch.corrections, world.bodies.size(), BodyVelocity{});
  bool any = false;
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    scratch.correction_rows.clear();
    append_contact_corrections(world, options, h, island, scratch);
    append_joints(world, island, scratch);
    if (!(largest_error(scratch.correction_rows) > 0)) continue;
    any = true;
    solve_corrections(options.sweeps, 0.01 * options.slop, has_joints(scratch, island), scratch);
  }
  if (any) displace_bodies(world, scratch.corrections, scratch.movable);
  close_joints(world, 1e-3 * options.slop, scratch);
  scratch.mark("positions");
}

void close_joints(World& world, double tolerance, StepWorkspace& scratch) {
  constexpr int kRounds = 5;         // convergence is quadratic
  constexpr int kLimitSweeps = 100;  // of the few limits that are exceeded
  if (world.joints.empty()) return;
  for (int round = 0; round < kRounds; ++round) {
    refill(scratch.corrections, world.bodies.size(), BodyVelocity{});
    bool any = false;
    for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
      if (!has_joints(scratch, island)) continue;
      scratch.correction_rows.clear();
      append_joints(world, island, scratch);
      if (!(largest_error(scratch.correction_rows) > tolerance)) continue;
      any = true;
      solve_corrections(kLimitSweeps, 0.1 * tolerance, true, scratch);
    }
    if (!any) return;
    displace_bodies(world, scratch.corrections, scratch.movable);
  }
}

void displace_bodies(World& world, std::span<const BodyVelocity> displacement, std::span<const std::uint8_t> movable) {
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (movable[i] == 0 || (displacement[i].linear.isZero(0) && displacement[i].angular.isZero(0))) continue;
    world.bodies.position[i] += displacement[i].linear;
    world.bodies.orientation[i] = (finite_rotation(displacement[i].angular) * world.bodies.orientation[i]).normalized();
  }
}

}  // namespace achilles
