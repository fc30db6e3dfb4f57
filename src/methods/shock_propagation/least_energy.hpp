// The share of all impulses of an island at which its objective is least.
#pragma once

#include "methods/shock_propagation/island.hpp"

#include <span>

namespace achilles {

/// Multiplies the impulses λ of an island, contacts and joints, by the share 0 ≤ s ≤ 1 at which
///
///   f(s λ) = ½ |u* + s M⁻¹ Jᵀ λ|²_M + ½ s² λᵀ Σ λ − s τᵀ λ
///
/// is least, u* the velocities without impulses, τ the targets; by 0 where f(λ) > f(0). Cones are kept, f does not
/// rise, and afterwards
///
///   λᵀ (w + Σ λ − τ) ≤ 0,  w = J u :
///
/// whatever sweeps leave wrong, the impulses together do no work beyond that of the targets. (With s > 1 friction would
/// take more than Coulomb's law allows: along λ it lowers f, too.) A step with s⁺ = s + h u⁺
/// then changes the energy of the island, in a field of constant forces, by at most τᵀλ − λᵀΣλ − ½ |u⁺ − u|²_M, which
/// is not positive where contacts close (τ ≤ 0).
class LeastEnergy {
 public:
  LeastEnergy(const ShockIsland& island, std::span<const BodyVelocity> free, const ManifoldBodies& bodies,
              ShockWorkspace& work);

  template <class Visit>
  void list(const Visit& visit) const {
    visit(Phase{.work = Phase::Work::kMeasure, .count = island_.blocks.size()});
    visit(Phase{.work = Phase::Work::kChooseShare});
    visit(Phase{.work = Phase::Work::kScale, .count = island_.blocks.size()});
  }
  void run(const Phase& phase, std::size_t k);

 private:
  void measure(std::size_t block) const;
  void choose_share();
  void scale(std::size_t block) const;

  const ShockIsland& island_;
  std::span<const BodyVelocity> free_;
  ManifoldBodies bodies_;
  const ShockPartition& partition_;
  std::span<double> slope_, curve_;  // [J] per block
  double share_ = 1;
};

inline void take_least_energy(LeastEnergy& least, const ShockIsland& island, ShockWorkspace& work) {
  run_phases(
      island, work, [&](const auto& visit) { least.list(visit); },
      [&](const Phase& phase, std::size_t k) { least.run(phase, k); });
}

}  // namespace achilles
