#include "stepping/solve_stage.hpp"

#include "stepping/contact_stage.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

/// What a solve added to the impulse nearest to none: motors by force have no choice.
double find_chosen(const Row& row, double impulse) {
  return row.normal_row >= 0 ? impulse : impulse - std::clamp(0.0, row.lower, row.upper);
}

/// dᵀ A d = dᵀ J M⁻¹ Jᵀ d of the chosen impulses d, twice the energy of the velocities that they give [J].
double measure_given_energy(std::span<const Row> rows, std::span<const double> impulses,
                            std::vector<BodyVelocity>& given) {
  for (const Row& row : rows) {
    for (const std::uint32_t body : {row.body_a, row.body_b}) {
      if (body != kImmovable) given[body] = {};
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) apply_impulse(rows[i], find_chosen(rows[i], impulses[i]), given);
  double energy = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double chosen = find_chosen(rows[i], impulses[i]);
    energy += chosen * (row_velocity(rows[i], given) + rows[i].softness * chosen);
  }
  return energy;
}

/// Σ |d| (|J_a u_a| + |J_b u_b|): what the work of impulses is rounded as [J].
double measure_work_scale(std::span<const Row> rows, std::span<const double> impulses,
                          std::span<const BodyVelocity> velocities) {
  double scale = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Row of_a = rows[i], of_b = rows[i];
    of_a.body_b = of_b.body_a = kImmovable;
    scale += std::abs(find_chosen(rows[i], impulses[i])) *
             (std::abs(row_velocity(of_a, velocities)) + std::abs(row_velocity(of_b, velocities)));
  }
  return scale;
}

/// A solution lowers f(λ) = ½ λᵀAλ + λᵀ(J u* − t) below its value at the start of d = λ − λ₀, λ₀ being the impulses
/// nearest to none: dᵀ(J u⁺ + Σ λ − t) ≤ 0, constraints do no work beyond that of their targets, and friction takes
/// energy. Where a solve ended before that, at mass ratios of a million for example, light bodies fly off with energy
/// that there was not. Impulses that raise f are taken back along their line until they do not, to the share s = 2 (1 −
/// dᵀ(J u⁺ + Σ λ − t) / dᵀAd); cones and bounds are kept.
void take_back_raised_energy(std::span<const Row> rows, std::span<double> impulses, std::span<BodyVelocity> velocities,
                             std::vector<BodyVelocity>& given) {
  double work = 0;  // dᵀ(J u⁺ + Σ λ − t)
  for (std::size_t i = 0; i < rows.size(); ++i) {
    work += find_chosen(rows[i], impulses[i]) *
            (row_velocity(rows[i], velocities) + rows[i].softness * impulses[i] - rows[i].target);
  }
  if (!(work > 0)) return;
  const double energy = measure_given_energy(rows, impulses, given);
  if (work <= 0.5 * energy) return;
  // Impulses that are themselves a rounding of the speeds.
  constexpr double kRounding = 1e-12;
  if (energy <= kRounding * measure_work_scale(rows, impulses, velocities)) return;
  const double share = energy > 0 ? std::max(0.0, 2 * (1 - work / energy)) : 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double taken = (1 - share) * find_chosen(rows[i], impulses[i]);
    apply_impulse(rows[i], -taken, velocities);
    impulses[i] -= taken;
  }
}

}  // namespace

void solve_island(World& world, const IslandSolveOptions& options, StepWorkspace& scratch, std::size_t island) {
  const std::uint32_t first = scratch.row_start[island];
  const std::uint32_t count = scratch.row_start[island + 1] - first;
  const RowProblem problem{std::span<const Row>(scratch.rows).subspan(first, count), world.bodies.velocity,
                           scratch.inverse_mass};
  const std::span<double> impulses = std::span(scratch.impulses).subspan(first, count);
  SolverWorkspace& workspace = scratch.solving[BlockRunner::thread_index() % scratch.solving.size()];
  const bool has_joints = scratch.joint_rows_start[island] < scratch.joint_rows_start[island + 1];
  const bool has_couplings = scratch.coupling_rows_start[island] < scratch.coupling_rows_start[island + 1];
  scratch.solves[island] = has_couplings || (has_joints && options.eliminate_joints)
                               ? solve_eliminating(problem, options.solver, workspace, impulses)
                               : solve(problem, options.solver, workspace, impulses);
  take_back_raised_energy(problem.rows, impulses, world.bodies.velocity, scratch.given);
}

void solve_islands(World& world, const IslandSolveOptions& options, StepWorkspace& scratch) {
  scratch.mark("rows");
  scratch.given.resize(world.bodies.size());
  for_each_island(scratch, [&](std::size_t island) { solve_island(world, options, scratch, island); });
  scratch.mark("solving");
}

}  // namespace achilles
