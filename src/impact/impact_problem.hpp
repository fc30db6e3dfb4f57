// An impact: what velocities become at one frozen instant, when bodies that touch approach each other.
//
//   q     generalized velocity, six numbers per body                      [m/s], [rad/s]
//   M     mass matrix; ‖q‖_M² = qᵀ M q is twice the kinetic energy
//   n_i   gradient of constraint i, the Jacobian row; ‖n_i‖² = n_iᵀ M⁻¹ n_i
//   w_i   = n_iᵀ q − target_i, negative while approaching                 [m/s]
//   λ_i   impulse of row i                                                [N s]
//
// Positions do not change, so gradients and masses are constants of the problem.                  [Vouga17, sec. 2]
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "constraint/row.hpp"

namespace achilles {

/// The rows of one instant. Which role a row plays follows from its bounds:
///   0 ≤ λ < ∞        unilateral: a contact's normal or a joint limit (−∞ < λ ≤ 0 is the same, mirrored);
///   −∞ < λ < ∞       bilateral: a joint;
///   normal_row ≥ 0   one of two consecutive friction rows;
///   anything else    a motor of bounded strength: its impulse over an instant is nil, the row is left out and counted.
/// Softness is a matter of steps, not of instants, and is not read. `finish_row` must have been called on every row.
struct ImpactProblem {
  std::span<const Row> rows;
  std::span<const BodyInverseMass> inverse_mass;
  /// One per row, read for unilateral rows, within [0, 1]; empty means 0 everywhere.
  std::span<const double> restitution;
};

enum class ImpactStatus {
  kResolved,        // no row approaches faster than the tolerance
  kOpposed,         // does not end: `opposing` rows push against each other
  kIterationLimit,  // the cap was reached; the last velocities are kept
  kSqueezed,        // no velocity satisfies all rows: something moved by a script crushes a body
  kTooLarge,        // a jointed part whose dense gradients would exceed the memory allowed
  kNotFinite        // the problem holds a NaN or an infinity; nothing was changed
};

[[nodiscard]] std::string_view to_string(ImpactStatus status);

struct ImpactReport {
  ImpactStatus status = ImpactStatus::kResolved;
  int parts = 0;                    // independent parts that needed work
  std::int64_t iterations = 0;      // applications of the operator, all parts
  std::int64_t iterations_max = 0;  // ... of the worst part
  double expected_iterations = 0;   // the estimate for that worst part, 0 when none was made
  int lineality_parts = 0;          // parts that held implicit equality constraints
  int lineality = 0;                // dimension of the velocity space they removed
  double margin = 1;                // smallest proven distance of a part from being opposed, after removal; unitless
  double energy_before = 0;         // [J] kinetic, of the parts worked on, relative to scripted motion
  double energy_after = 0;          // [J]
  double energy_removed = 0;        // [J] of the velocity along implicit and explicit equality constraints
  double violation = 0;             // largest −w_i / ‖n_i‖ ‖q‖_M left, unitless
  /// Largest ‖q⁺ − q⁻ − M⁻¹ Jᵀ λ‖_M / ‖q‖_M of a part, unitless. Rounding, unless contacts are opposed; contacts within
  /// 3e-7 of opposing each other would need impulses that many times larger than what they stop, which are left out.
  double impulse_residual = 0;
  int inelastic_parts = 0;       // parts treated as inelastic because scripted motions contradict each other
  int projected_parts = 0;       // parts a sequential law left approaching, ended by one inelastic projection
  int hastened_parts = 0;        // parts in which reflections one at a time took longer than the patience for them
  int ignored_rows = 0;          // rows without a meaning at an instant (bounded motors, rows nothing can move)
  bool friction_pointed = true;  // coupled friction: the condition for ending held in every part
  double friction_margin = 1;    // its smallest margin
  /// The rows that oppose each other, when status is kOpposed. A view into the workspace, valid until its next use.
  std::span<const std::uint32_t> opposing;
};

}  // namespace achilles
