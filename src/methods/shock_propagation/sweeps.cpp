#include "methods/shock_propagation/sweeps.hpp"

#include "methods/shock_propagation/island.hpp"
#include "methods/shock_propagation/least_energy.hpp"
#include "methods/shock_propagation/loads.hpp"
#include "methods/shock_propagation/sweep_phases.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace achilles {
namespace {

constexpr double kRest = 0.1;       // of the tolerance: contacts that move slower, on average, are at rest
constexpr int kImpactSweeps = 300;  // that an island may take where something bounces
constexpr int kFewSweeps = 1;       // that an island at rest needs

/// The impulses of the last step, applied: what the sweeps start from, with those of the joints.
class WarmStart {
 public:
  WarmStart(const ShockIsland& island, const ManifoldBodies& bodies, ShockWorkspace& work)
      : island_(island), bodies_(bodies), gain_(island.part_of(work.results.gain)) {}

  template <class Visit>
  void list(const Visit& visit) const {
    for (std::size_t colour = 0; colour < island_.colours(); ++colour) {
      visit(Phase{.work = Phase::Work::kApplyWarmStart, .count = island_.blocks_of(colour), .index = colour});
    }
    visit(Phase{.work = Phase::Work::kSumWarmStart});
  }
  /// One part of kApplyWarmStart or kSumWarmStart.
  void run(const Phase& phase, std::size_t k) {
    if (phase.work == Phase::Work::kSumWarmStart) {
      sum_ = std::accumulate(gain_.begin(), gain_.end(), 0.0);
      return;
    }
    const std::size_t block = island_.block_at(phase.index, k);
    double gain = 0;
    for (const ContactManifold& manifold : island_.manifolds_of(block)) {
      gain += apply_manifold_impulses(manifold, bodies_);
    }
    gain_[block] = gain;
  }

  [[nodiscard]] bool adds_no_energy() const { return !(sum_ > 0); }

 private:
  const ShockIsland& island_;
  ManifoldBodies bodies_;
  std::span<double> gain_;
  double sum_ = 0;  // [J]
};

bool is_of_warm_start(const Phase& phase) {
  return phase.work == Phase::Work::kApplyWarmStart || phase.work == Phase::Work::kSumWarmStart;
}

/// The warm start and, where it adds no energy, up to `most` sweeps in the same run: an island at rest needs no more.
void start_sweeps(WarmStart& start, Sweeps& sweeps, int most, const ShockIsland& island, ShockWorkspace& work) {
  const auto list = [&](const auto& visit) {
    start.list(visit);
    sweeps.list(most, visit);
  };
  run_phases(island, work, list, [&](const Phase& phase, std::size_t k) {
    if (is_of_warm_start(phase)) {
      start.run(phase, k);
    } else if (start.adds_no_energy()) {
      sweeps.run(phase, k);
    }
  });
}

/// Fraction of its imbalance that an island propagates before the sweeps: 1 where most touching points are new, else
/// 1 − f; 0 where the contacts are at rest.
double choose_load_fraction(const World& world, const ShockPropagationOptions& options, const TouchingPoints& points) {
  if (!options.propagate || world.gravity.isZero(0)) return 0;
  if (points.are_mostly_new()) return 1;
  const double rest = kRest * options.tolerance;
  return points.squared_speed > points.count * rest * rest ? 1 - options.gravity_fraction : 0.0;
}

/// Velocities and impulses of one island.
void solve_shock_island(World& world, const ShockPropagationOptions& options, std::size_t index, ShockWorkspace& work) {
  const ManifoldBodies bodies{work.inverse_mass, world.bodies.velocity};
  const ShockIsland island(work, index);
  WarmStart start(island, bodies, work);
  LeastEnergy least(island, work.rebound.free, bodies, work);
  Sweeps sweeps({count_sweeps_at_most(options, island), options.tolerance}, island, bodies, work);
  apply_rows(island.joints, bodies.u);
  const double fraction = choose_load_fraction(world, options, sum_touching_points(island, work.partition));
  start_sweeps(start, sweeps, fraction > 0 ? 0 : kFewSweeps, island, work);
  if (!start.adds_no_energy()) {
    run_sweeps(sweeps, kFewSweeps, island, work);
    take_least_energy(least, island, work);
  }
  if (fraction > 0) propagate_loads(world, {options.slop, fraction}, island, work);
  run_sweeps(sweeps, kAllSweeps, island, work);
  if (!sweeps.has_ended()) take_least_energy(least, island, work);
  work.solves[index] = sweeps.report();
}

}  // namespace

int count_sweeps_at_most(const ShockPropagationOptions& options, const ShockIsland& island) {
  const auto bounces = [](const ManifoldBlock& block) { return block.bounces; };
  const bool is_impact = std::any_of(island.blocks.begin(), island.blocks.end(), bounces);
  return is_impact ? std::max(options.iterations, kImpactSweeps) : options.iterations;
}

void solve_shocks(World& world, const ShockPropagationOptions& options, ShockWorkspace& work) {
  work.loads.pushes.resize(work.manifolds.size());
  work.loads.bodies.resize(world.bodies.size());
  ++work.loads.step;
  for_each_shock_island(work, [&](std::size_t index) { solve_shock_island(world, options, index, work); });
}

}  // namespace achilles
