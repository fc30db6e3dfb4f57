#include "methods/shock_propagation/correction.hpp"

#include "math/refill.hpp"
#include "methods/shock_propagation/island.hpp"
#include "methods/shock_propagation/island_energy.hpp"
#include "methods/shock_propagation/layer_correction.hpp"
#include "methods/shock_propagation/manifolds.hpp"
#include "methods/shock_propagation/sweep_phases.hpp"
#include "stepping/correction.hpp"

#include <algorithm>
#include <atomic>
#include <span>

namespace achilles {
namespace {

constexpr double kSettled = 0.01;  // of the slop: sweeps that move less than this end

/// Displacements that take out what is beyond the slop.
void set_correction_target(ContactManifold& manifold, const ShockPropagationOptions& options) {
  for (int i = 0; i < manifold.count; ++i) {
    const double depth = -manifold.gap[i];
    manifold.target[i] =
        manifold.softness > 0 ? kInactive : std::min(depth, options.correction * (depth - options.slop));
  }
}

/// Σ f d over contacts that carry load f over the step [J]: what gravity did while they sank in.
double measure_depth_energy(const ShockIsland& island, double h) {
  double energy = 0;
  for (const ContactManifold& manifold : island.manifolds) {
    for (int i = 0; i < manifold.count; ++i) energy += manifold.normal[i] / h * std::max(0.0, manifold.target[i]);
  }
  return energy;
}

double fall_in_a_step(const World& world, double h) { return h * h * world.gravity.norm(); }

/// How far displacements are from their targets, at the worst point [m].
double measure_shortfall(const ShockIsland& island, std::span<const BodyVelocity> displacement) {
  double shortfall = 0;
  for (const ContactManifold& manifold : island.manifolds) {
    double moved[ContactManifold::kPoints];
    measure_normal_velocity(manifold, displacement, moved);
    for (int i = 0; i < manifold.count; ++i) shortfall = std::max(shortfall, manifold.target[i] - moved[i]);
  }
  return shortfall;
}

/// All bodies that move, and no impulse yet.
void release(const ShockIsland& island, const ShockWorkspace& work) {
  for (ContactManifold& manifold : island.manifolds) {
    manifold.moves_a = work.movable[manifold.body_a] != 0;
    manifold.moves_b = work.movable[manifold.body_b] != 0;
    compute_normal_responses(manifold, work.inverse_mass);
    std::fill(std::begin(manifold.normal), std::end(manifold.normal), 0.0);
  }
}

/// Shortens the displacements of an island to where they do no positive work on the whole: against the forces on the
/// bodies they may do as much work as the contacts took out in the step, and the energy of depth. What sank in is
/// lifted, and the energy of the island does not rise over the step.
void limit_work(const World& world, const ShockIsland& island, double h, double depth_energy, ShockWorkspace& work) {
  double lifting = 0;
  for_each_body(island, work, [&](std::uint32_t i) {
    lifting -= mean_force(world.bodies, i, h, work).dot(work.positions.displacement[i].linear);
  });
  const double allowed = std::max(0.0, measure_energy_lost(world, island, h, work)) + depth_energy;
  if (!(lifting > allowed)) return;
  const double scale = allowed / lifting;
  for_each_body(island, work, [&](std::uint32_t i) {
    work.positions.displacement[i].linear *= scale;
    work.positions.displacement[i].angular *= scale;
  });
}

Depth find_deepest(std::span<const Depth> of_blocks) {
  return of_blocks.empty() ? Depth::kWithinSlop : *std::max_element(of_blocks.begin(), of_blocks.end());
}

/// Displacements of one island.
void correct_island(const World& world, const ShockPropagationOptions& options, double h, std::size_t index,
                    ShockWorkspace& work) {
  ShockIsland island(work, index);
  const Depth deepest = find_deepest(island.part_of(work.positions.depth));
  if (deepest == Depth::kWithinSlop) return;
  island.joints = {};
  const SweepLimits limits{options.correction_iterations, kSettled * options.slop, SweepKind::kNormals};
  const bool has_known_loads = work.solves[index].residual * h < limits.tolerance;
  const double depth_energy = has_known_loads || sum_touching_points(island, work.partition).are_mostly_new()
                                  ? measure_depth_energy(island, h)
                                  : 0.0;
  const ManifoldBodies bodies{work.inverse_mass, work.positions.displacement};
  release(island, work);
  Sweeps sweeps(limits, island, bodies, work);
  run_sweeps(sweeps, kAllSweeps, island, work);
  const double deep = fall_in_a_step(world, h);
  if (options.propagate && deepest == Depth::kDeep && measure_shortfall(island, bodies.u) > deep) {
    for (const ContactManifold& manifold : island.manifolds) bodies.u[manifold.body_a] = bodies.u[manifold.body_b] = {};
    correct_layers({deep, limits.tolerance, options.correction_iterations}, island, work);
    release(island, work);
    Sweeps final(limits, island, bodies, work);
    run_sweeps(final, kAllSweeps, island, work);
  }
  limit_work(world, island, h, depth_energy, work);
}

}  // namespace

void set_correction_targets(const World& world, const ShockPropagationOptions& options, double h, const BlockPart& part,
                            ShockWorkspace& work) {
  double deepest = 0;
  for (ContactManifold& manifold : manifolds_of(part, work)) {
    double rate[ContactManifold::kPoints];
    measure_normal_velocity(manifold, world.bodies.velocity, rate);
    for (int i = 0; i < manifold.count; ++i) {
      manifold.gap[i] += h * rate[i];
      if (manifold.softness == 0) deepest = std::max(deepest, -manifold.gap[i]);
    }
    set_correction_target(manifold, options);
  }
  const std::atomic_ref depth(work.positions.depth[part.block]);
  Depth none = Depth::kWithinSlop;
  if (deepest > options.slop + fall_in_a_step(world, h)) {
    depth.store(Depth::kDeep, std::memory_order_relaxed);
  } else if (deepest > options.slop) {
    depth.compare_exchange_strong(none, Depth::kAboveSlop, std::memory_order_relaxed);
  }
}

void correct_shocks(World& world, const ShockPropagationOptions& options, double h, ShockWorkspace& work) {
  DisplacementWorkspace& positions = work.positions;
  const Depth deepest = find_deepest(positions.depth);
  if (deepest == Depth::kWithinSlop) return;
  refill(positions.displacement, world.bodies.size(), BodyVelocity{});
  if (deepest == Depth::kDeep) {
    copy_to(work.inverse_mass, positions.translating);
    for (BodyInverseMass& mass : positions.translating) mass.angular.setZero();
  }
  for_each_shock_island(work, [&](std::size_t index) { correct_island(world, options, h, index, work); });
  displace_bodies(world, positions.displacement, work.movable);
}

}  // namespace achilles
