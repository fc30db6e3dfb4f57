// Friction once the normal impulses are known.                                      [Vouga17, sec. 6.3], [Smith12]
//
//   minimize ½ ‖x + Σ_i M⁻¹ (T_i f_i + n_i α_i)‖_M²  subject to  ‖f_i‖ ≤ µ_i (λ_i + α_i'),  α_i ≥ 0
//
// Maximal dissipation within Coulomb's discs, whose radii hold all of the normal impulse: α' is the α of the solution
// before, until it is the same, or 0 where it never is. Whatever α' is, the outcome dissipates, since f = 0, α = 0 is
// allowed. The α_i are what keeps friction at one contact from driving another together: at the minimum α_i ⟂ n_iᵀ x ≥
// 0, so a contact that separates is left alone. The problem is convex and has a solution; each block of the descent
// lowers the kinetic energy, so that stopping anywhere is safe. A surface that moves along itself, a conveyor, shifts
// the slip by its own velocity; it is the one thing here that can add energy.
#pragma once

#include <span>
#include <vector>

#include "impact/part.hpp"

namespace achilles {

struct FrictionWorkspace {
  struct Block {
    int contact;
    Eigen::Matrix2d A;  // of the two tangents
    double radius;      // µ λ, [N s]
    Vec2 f;
    double alpha;
  };
  std::vector<Block> blocks;
};

struct FrictionReport {
  int sweeps = 0;
  double change = 0;  // of the last sweep, same unit as ‖x‖_M
};

/// Dissipates from x what friction can; `limits` are the normal impulses λ_i. Adds f to the tangent columns' and α to
/// the normal columns' impulses. A descent stops when a sweep changes no block by more than `tolerance` (in ‖·‖_M), or
/// after 1000.
FrictionReport apply_friction(const ImpactPart& part, std::span<const double> limits, double tolerance,
                              FrictionWorkspace& scratch, std::span<double> x, std::span<double> impulses);

/// The same for a few contacts and without α: friction of one application of an operator.
void apply_coupled_friction(const ImpactPart& part, std::span<const int> struck, std::span<const double> strikes,
                            FrictionWorkspace& scratch, std::span<double> x, std::span<double> impulses);

}  // namespace achilles
