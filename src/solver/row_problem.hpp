// The complementarity problem as rows: what the matrix-free solvers work on, and the residual all solvers report.
//
//   u      = u* + M⁻¹ Jᵀ λ
//   w      = J u + Σ λ − target                                             [m/s]
//   box row       lower ≤ λ ≤ upper,  w = 0 inside, w ≥ 0 at lower, w ≤ 0 at upper
//   friction pair ‖λ_T‖ ≤ µ λ_n,  w_T = 0 inside, w_T = −s λ_T with s ≥ 0 on the rim (Coulomb's law)
//
// The residual is the largest entry of the natural map, scaled by a diagonal entry d of A so that it is a velocity:
//
//   box row       d (λ − clamp(λ − w / d, lower, upper)) = w clamped to [d (λ − upper), d (λ − lower)]
//   friction pair ‖ d (λ_T − P(λ_T − w_T / d)) ‖,  P the projection on the disc of radius µ max(λ_n, 0),
//                 d the larger of the two diagonal entries
//
// It is zero exactly at a solution. For a row that moves nothing (d = 0) d = 1 is taken. A row that has its full
// impulse and still misses its velocity by ε shows ε, as does one whose impulse exceeds its bound by the velocity
// change ε.
#pragma once

#include "constraint/row.hpp"

#include <span>

namespace achilles {

/// Rows over bodies. Before a solve `velocities` is u*, without any part of λ; after it u* + M⁻¹ Jᵀ λ.
/// Rows that are not friction need lower ≤ upper; the two rows of a friction pair act on the same bodies.
/// With `inverse_mass`, one entry per velocity and the same that completed the rows, Gauss-Seidel, SOR and nonsmooth-cg
/// repack the rows (packed_rows.hpp), which pays from a few sweeps on; without, they work on the rows as they are.
struct RowProblem {
  std::span<const Row> rows;
  std::span<BodyVelocity> velocities;
  std::span<const BodyInverseMass> inverse_mass = {};
};

/// Natural-map residual, as above, of a solved problem: `velocities` must already hold the effect of `impulses`.
/// [m/s]; NaN where anything that enters is not finite. O(rows).
[[nodiscard]] double compute_residual(const RowProblem& problem, std::span<const double> impulses);

/// A_ij = J_i M⁻¹ J_jᵀ of two rows, softness not included.
[[nodiscard]] double row_coupling(const Row& i, const Row& j);

}  // namespace achilles
