// One contact solved exactly for its three impulses, the others held.
#pragma once

#include <achilles/math.hpp>

namespace achilles {

/// What solving a contact needs of its matrix B, computed once: S is the Schur complement of B_nn in B.
struct ContactBlock {
  Mat3 B = Mat3::Zero();
  Vec2 sigma = Vec2::Zero();     // eigenvalues of S, 0 for a tangent that moves nothing
  Vec2 coupling = Vec2::Zero();  // B_Tn in the eigenbasis of S
  double cosine = 1, sine = 0;   // of the first eigenvector
  double slip = 0;               // s of the last time the contact slid: where the next search starts; 0: none yet
};

/// B is symmetric, positive semidefinite, B_nn > 0.
[[nodiscard]] ContactBlock make_contact_block(const Mat3& B);

/// Finds λ = (λ_n, λ_T) with w = B λ + c, 0 ≤ λ_n ⟂ w_n ≥ 0 and Coulomb's law ‖λ_T‖ ≤ µ λ_n, w_T against λ_T when
/// sliding.
///
///   open   c_n ≥ 0, λ = 0
///   stick  w = 0, if that λ lies in the cone
///   slide  w_n = 0, w_T = −s λ_T, ‖λ_T‖ = µ λ_n: one equation for s > 0, (S + s I) λ_T = −(c_T − B_Tn c_n / B_nn),
///          bracketed by construction, so a root always exists
///
/// Where several solutions exist the first of open, stick, slide is taken. Remembers s in the block.
[[nodiscard]] Vec3 solve_contact(ContactBlock& block, const Vec3& c, double friction);

}  // namespace achilles
