// One contact solved exactly for its three impulses, the others held.
#pragma once

#include <achilles/math.hpp>

namespace achilles {

/// Finds λ = (λ_n, λ_T) with w = B λ + c, 0 ≤ λ_n ⟂ w_n ≥ 0 and Coulomb's law ‖λ_T‖ ≤ µ λ_n, w_T against λ_T when
/// sliding.
///
///   open   c_n ≥ 0, λ = 0
///   stick  w = 0, if that λ lies in the cone
///   slide  w_n = 0, w_T = −s λ_T, ‖λ_T‖ = µ λ_n: with S the Schur complement of B_nn in B this is one equation for s >
///   0,
///          (S + s I) λ_T = −(c_T − B_Tn c_n / B_nn), bracketed by construction, so a root always exists
///
/// B is symmetric, positive semidefinite, B_nn > 0. Where several solutions exist the first of open, stick, slide is
/// taken.
[[nodiscard]] Vec3 solve_contact(const Mat3& B, const Vec3& c, double friction);

}  // namespace achilles
