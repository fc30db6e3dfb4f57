// Rotation of one rigid body under no contact: Euler's equations and the orientation that goes with them.
#pragma once

#include <achilles/math.hpp>
#include <achilles/scene.hpp>

namespace achilles {

/// A step of Euler's equations by the implicit midpoint rule in body axes:
///
///   I (ω₁ − ω₀) + h ω̄ × I ω̄ = h τ,   ω̄ = ½ (ω₀ + ω₁)
///
/// Kinetic energy and |Iω| are quadratic, so for τ = 0 the rule keeps both exactly; turning the body by the Cayley
/// rotation of h ω̄ keeps the angular momentum in world axes too, since (1 + ½[hω̄]) I ω₁ = (1 − ½[hω̄]) I ω₀. Second
/// order. This is also the gyroscopic term done stably: no step is too long for it to stay bounded. Where h|ω| is so
/// large that Newton's method finds no root, the step is cut into equal parts, each of which keeps the same quantities.
struct FreeRotation {
  Vec3 spin_end_B = Vec3::Zero();   // [rad/s] ω₁, body axes at the end of the step
  Vec3 spin_mean_B = Vec3::Zero();  // [rad/s] ω̄; in all cases the one whose Cayley rotation over h is the body's
};
[[nodiscard]] FreeRotation advance_free_rotation(const Mat3& inertia_B, const Vec3& spin_B, const Vec3& torque_B,
                                                 double h);

/// Rotation by the Cayley map of a rotation vector θ: axis θ, angle 2 atan(|θ|/2).
[[nodiscard]] Quat cayley_rotation(const Vec3& theta);

/// Rotation about θ by the angle |θ|, with the sine patched near zero, [Erleben04, eqs. 4.229-4.230].
[[nodiscard]] Quat finite_rotation(const Vec3& theta);

/// Orientation after a step h with spin w_W (world axes), [Erleben04, fig. 4.29]. The figure halves Δt before the
/// infinitesimal part and uses Q without its ½; here the ½ stands in the quaternion product and h stays whole.
[[nodiscard]] Quat update_orientation(const Quat& q_WB, const Vec3& w_W, double h, RotationUpdate rule,
                                      const Vec3& axis_B);

}  // namespace achilles
