#include "time_control/lcp_fixed.hpp"

#include "geometry/geometry.hpp"
#include "math/refill.hpp"
#include "motion/free_rotation.hpp"
#include "time_control/contact_stage.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

/// How far two surfaces may come towards each other in the step: contacts further apart need no row.
double compute_reach(const World& world, double h) {
  double fastest = 0;
  for (const WorldPiece& piece : world.pieces) {
    if (world.bodies.kind[piece.body] == BodyKind::kFixed) continue;
    const BodyVelocity& u = world.bodies.velocity[piece.body];
    // A spinning plane reaches any distance in no time; only its translation can be looked ahead of.
    const double radius = piece.geometry->radius;
    const double arm = std::isfinite(radius) ? piece.X_CG.p.norm() + radius : 0;
    fastest = std::max(fastest, u.linear.norm() + u.angular.norm() * arm);
  }
  return 2 * fastest * h;
}

void solve_group(World& world, const GaussSeidelOptions& options, StepWorkspace& scratch, std::size_t group) {
  const std::uint32_t first = scratch.row_start[group];
  const std::uint32_t count = scratch.row_start[group + 1] - first;
  const RowProblem problem{std::span<const Row>(scratch.rows).subspan(first, count), world.bodies.velocity};
  scratch.solves[group] = solve_gauss_seidel(problem, options, scratch.solving[BlockRunner::thread_index()],
                                             std::span(scratch.impulses).subspan(first, count));
}

/// Rows that push the penetrating points of a group apart in the first-order world, [Erleben04, sec. 4.16]: the same
/// Jacobians with a displacement in place of the velocity.
void build_correction_rows(const World& world, const LcpFixedOptions& options, double h, std::size_t group,
                           StepWorkspace& scratch) {
  scratch.correction_rows.clear();
  const std::uint32_t first = scratch.row_start[group];
  for (std::uint32_t k = scratch.point_rows_start[group]; k < scratch.point_rows_start[group + 1]; ++k) {
    const ContactPointRows& where = scratch.point_rows[k];
    const Row& normal = scratch.rows[first + static_cast<std::uint32_t>(where.normal)];
    if (normal.softness > 0) continue;  // compliant contact sinks in by design
    const double gap = scratch.contacts.points[where.point].gap;
    const double gap_after = gap + h * row_velocity(normal, world.bodies.velocity);
    Row row = normal;
    row.target = std::min(-gap_after, options.correction * (-gap_after - options.slop));
    scratch.correction_rows.push_back(row);
  }
}

/// Takes a share of the penetration that the step will leave out of the positions; velocities are not touched.
void correct_positions(World& world, const LcpFixedOptions& options, double h, StepWorkspace& scratch) {
  scratch.corrections.assign(world.bodies.size(), BodyVelocity{});
  bool any = false;
  for (std::size_t group = 0; group < scratch.groups.size(); ++group) {
    build_correction_rows(world, options, h, group, scratch);
    const auto penetrates = [](const Row& row) { return row.target > 0; };
    if (std::none_of(scratch.correction_rows.begin(), scratch.correction_rows.end(), penetrates)) continue;
    any = true;
    refill(scratch.correction_impulses, scratch.correction_rows.size(), 0.0);
    const GaussSeidelOptions sweeps{.iterations = options.correction_iterations, .tolerance = 0.01 * options.slop};
    // The residual says how much penetration is left for the next step; the run measures that from geometry.
    (void)solve_gauss_seidel({scratch.correction_rows, scratch.corrections}, sweeps, scratch.solving.front(),
                             scratch.correction_impulses);
  }
  if (!any) return;
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    if (scratch.movable[i] == 0) continue;
    world.bodies.position[i] += scratch.corrections[i].linear;
    world.bodies.orientation[i] =
        (finite_rotation(scratch.corrections[i].angular) * world.bodies.orientation[i]).normalized();
  }
}

}  // namespace

StepReport advance_lcp_fixed(World& world, const LcpFixedOptions& options, StepWorkspace& scratch, double h) {
  StepReport report;
  prepare_bodies(world, scratch);
  report.external_work = integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  find_contacts(world, options.margin + compute_reach(world, h), scratch);
  build_contact_rows(world, {h, options.restitution_threshold, options.slop, options.margin}, options.warm_start,
                     scratch);
  for_each_group(scratch, [&](std::size_t group) { solve_group(world, options.solver, scratch, group); });
  conclude_contacts(world, options.slop, scratch, report);
  correct_positions(world, options, h, scratch);
  integrate_positions(world, h, options.integrator, scratch.motion, scratch.constrained);
  world.time += h;
  ++world.step_index;
  return report;
}

}  // namespace achilles
