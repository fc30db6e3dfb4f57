// Sweeps over one island of `shock-propagation`, phase by phase.
#pragma once

#include "methods/shock_propagation/island.hpp"
#include "solver/solve_report.hpp"

#include <algorithm>
#include <limits>

namespace achilles {

inline constexpr int kAllSweeps = std::numeric_limits<int>::max();  // that the limits allow

enum class SweepKind : std::uint8_t { kWithFriction, kNormals };

/// What sweeps solve, and when they end.
struct SweepLimits {
  int most = 0;
  double tolerance = 0;  // [m/s], or [m] of displacements
  SweepKind kind = SweepKind::kWithFriction;
};

/// Sweeps over the manifolds and joints of an island, up and down by turns, until a sweep changes next to nothing.
/// Going down is going up reversed, colour after colour. Joints come last in each: contacts may give, joints may not.
class Sweeps {
 public:
  Sweeps(const SweepLimits& limits, const ShockIsland& island, const ManifoldBodies& bodies, ShockWorkspace& work)
      : limits_(limits), island_(island), bodies_(bodies), change_(island.part_of(work.results.change)) {}

  /// Whether sweeps are left.
  [[nodiscard]] bool has_more() const { return !ended_ && report_.iterations < limits_.most; }

  /// Visits the phases of the next sweeps, at most `sweeps`.
  template <class Visit>
  void list(int sweeps, const Visit& visit) const {
    const int first = report_.iterations, last = ended_ ? first : first + std::min(sweeps, limits_.most - first);
    for (int sweep = first; sweep < last && !ended_; ++sweep) {
      const SweepDirection direction = direction_of(sweep);
      for (std::size_t k = 0; k < island_.colours(); ++k) {
        const std::size_t colour = direction == SweepDirection::kUp ? k : island_.colours() - 1 - k;
        visit(Phase{
            .work = Phase::Work::kSweep, .count = island_.blocks_of(colour), .index = colour, .direction = direction});
      }
      visit(Phase{.work = Phase::Work::kEndSweep, .direction = direction});
    }
  }

  /// One part of kSweep or kEndSweep; nothing once the sweeps have converged.
  void run(const Phase& phase, std::size_t k) {
    if (ended_) return;
    if (phase.work == Phase::Work::kEndSweep) {
      end_sweep(phase.direction);
      return;
    }
    const std::size_t block = island_.block_at(phase.index, k);
    const std::span<ContactManifold> manifolds = island_.manifolds_of(block);
    change_[block] = limits_.kind == SweepKind::kNormals ? sweep_normals(manifolds, bodies_, phase.direction)
                                                         : sweep_manifolds(manifolds, bodies_, phase.direction);
  }

  [[nodiscard]] bool has_ended() const { return ended_; }
  [[nodiscard]] const SolveReport& report() const { return report_; }

 private:
  void end_sweep(SweepDirection direction) {
    report_.residual = sweep_joints(island_.joints, bodies_.u, direction);
    for (const double change : change_) report_.residual = std::max(report_.residual, change);
    ++report_.iterations;
    ended_ = report_.residual < limits_.tolerance;
  }

  SweepLimits limits_;
  const ShockIsland& island_;
  ManifoldBodies bodies_;
  std::span<double> change_;
  SolveReport report_;
  bool ended_ = false;
};

/// At most `most` of the sweeps that are left.
inline void run_sweeps(Sweeps& sweeps, int most, const ShockIsland& island, ShockWorkspace& work) {
  if (!sweeps.has_more()) return;
  run_phases(
      island, work, [&](const auto& visit) { sweeps.list(most, visit); },
      [&](const Phase& phase, std::size_t k) { sweeps.run(phase, k); });
}

}  // namespace achilles
