// Friction that depends on the direction: the cone of a contact has an ellipse for its cross section.
//
//   S    friction tensor of a surface, fixed to its body: µ_x x xᵀ + µ_y y yᵀ + µ z zᵀ
//   M    = Tᵀ S T, T the two tangents of the contact: the tensor in the plane of the contact; its eigenvalues are the
//        coefficients along the principal directions
//   two surfaces: the geometric mean of matrices M_a # M_b, which for isotropic surfaces is sqrt(µ_a µ_b) I, is
//   symmetric
//        in a and b and does not depend on the choice of tangents
//
// The cone is ‖M⁻¹ λ_t‖ ≤ λ_n, and friction dissipates as much as it can in it. With the principal directions as
// tangents and rows scaled by s_k = µ_k / µ, µ = max µ_k, it is the circular cone ‖λ'‖ ≤ µ λ_n in λ'_k = λ_k / s_k, and
// what slides has (J' u) parallel to −λ': every solver of circular cones solves it.
#pragma once

#include <achilles/math.hpp>
#include <achilles/world.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace achilles {

struct FrictionEllipse {
  std::array<Vec3, 2> axes;            // principal directions, with the normal a right-handed frame
  std::array<double, 2> coefficients;  // µ along them

  [[nodiscard]] double largest() const { return std::max(coefficients[0], coefficients[1]); }
  /// s_k; 0 along an axis without friction, 1 along both where there is none at all.
  [[nodiscard]] double scale(std::size_t k) const { return largest() > 0 ? coefficients[k] / largest() : 1.0; }

  /// ‖λ'‖ − µ λ_n of an impulse with the given normal part [N s]: positive outside of the cone.
  [[nodiscard]] double measure_excess(const Vec3& impulse, double normal_impulse) const {
    const auto scaled = [&](std::size_t k) {
      const double s = scale(k), along = axes[k].dot(impulse);
      return s > 0 ? along / s : along;
    };
    return std::hypot(scaled(0), scaled(1)) - largest() * normal_impulse;
  }
};

/// `normal` is a unit vector, the orientations are those of the bodies whose surfaces touch.
[[nodiscard]] FrictionEllipse compute_friction_ellipse(const DirectionalFriction& friction, const Quat& q_WA,
                                                       const Quat& q_WB, const Vec3& normal);

}  // namespace achilles
