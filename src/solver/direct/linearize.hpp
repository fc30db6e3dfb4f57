// A problem with friction discs written as a linear complementarity problem: discs become polygons, bounds become
// signs.
//
//   free rows    eliminated: λ_F = −A_FF⁻¹ (b_F + A_FS λ_S); those the others already imply get λ = 0
//   one bound    λ = bound ± s x,  x ≥ 0 ⟂ ± w ≥ 0
//   two bounds   x ≥ 0 ⟂ w + σ ≥ 0,  σ ≥ 0 ⟂ upper − λ ≥ 0
//   friction     λ_T = Σ_k β_k d_k with unit vectors d_k to the corners of a polygon; β ≥ 0 ⟂ d_kᵀ w_T + σ ≥ 0,
//                σ ≥ 0 ⟂ µ λ_n − Σ β ≥ 0: of all impulses in the polygon the one that brakes most, [Anitescu97]
//
// Unknowns are scaled to energies' square roots (s = 1/√A_ii), and all to a largest q of one.
#pragma once

#include "solver/direct/dictionary.hpp"
#include "solver/direct/lcp.hpp"
#include "solver/matrix_problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// Where a row of the problem went.
struct LinearizedRow {
  enum class Kind : std::uint8_t {
    kFixed,       // no unknown: λ = base
    kFree,        // both bounds infinite; after elimination only rows that the others imply, λ = 0
    kEliminated,  // free, and expressed by the rest
    kLower,
    kUpper,
    kBox,
    kPair,       // the first row of a friction pair
    kPairSecond  // its second row
  };
  Kind kind = Kind::kFixed;
  std::uint32_t first = 0;   // its first unknown in the lcp
  std::uint32_t facets = 0;  // of a pair
  double base = 0;           // λ where its unknowns are zero
  double scale = 1;          // s
};

/// What one unknown of the lcp does: λ_row += g · unknown, and λ_{row + 1} += g_next · unknown for a corner of a
/// polygon. Limits (σ) do nothing.
struct Generator {
  std::uint32_t row = 0;
  double g = 0, g_next = 0;
};

struct Linearized {
  std::vector<LinearizedRow> rows;
  std::vector<Generator> generators;
  Dictionary free;             // A with the free rows exchanged: rows S give w_S, rows F give λ_F
  std::vector<double> weight;  // per unknown of the lcp, what makes its natural map a velocity
  double unit = 1;             // what all unknowns were divided by
  DenseLcp lcp;
};

/// Dense A with free rows exchanged, largest share of its diagonal first, as long as they do not depend on one another.
/// The right-hand side is A base + b.
void eliminate_free_rows(const MatrixProblem& problem, std::vector<LinearizedRow>& rows, Dictionary& dictionary);

/// In place of the corners of a polygon: each friction row has its own interval ± µ λ_n, together a box.
inline constexpr int kBoxFriction = 0;

/// Fills `out` with `facets` corners per friction disc, the first on the first tangent; two where only one tangent can
/// move. `facets` = kBoxFriction gives boxes.
void linearize(const MatrixProblem& problem, int facets, Linearized& out);

/// Impulses of the problem from a solution of the lcp.
void recover_impulses(const MatrixProblem& problem, const Linearized& linearized, std::span<const double> z,
                      std::span<double> impulses);

/// Natural map of the linearized problem, [m/s]: of its lcp and of the rows that are not in it. `w` is A λ + b.
[[nodiscard]] double compute_linearized_residual(const MatrixProblem& problem, const Linearized& linearized,
                                                 std::span<const double> z, std::span<const double> impulses,
                                                 std::span<double> w);

}  // namespace achilles
