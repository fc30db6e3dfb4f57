// Velocities under external forces, and positions under velocities, for all bodies of the World.
#pragma once

#include "math/inverse_mass.hpp"

#include <achilles/world.hpp>

#include <span>
#include <vector>

namespace achilles {

enum class Integrator {
  kSemiImplicit,  // s⁺ = s + h u⁺ for every body, [Erleben04, eq. 6.76]
  kConserving     // free bodies: exact parabola, and the rotation that keeps energy and angular momentum
};

/// What the free part of a step leaves for its end.
struct FreeMotion {
  Vec3 mean_spin = Vec3::Zero();  // [rad/s] world axes, the spin that turns the free body over the step
  Vec3 velocity = Vec3::Zero();   // [m/s] before the step
  Vec3 end_spin = Vec3::Zero();   // [rad/s] the spin the free motion ends with
};

/// u* = u + h M⁻¹ f_ext for movable bodies that are awake, gyroscopic term included; locked degrees of freedom are held
/// at zero. `motion` (one entry per body) receives what integrate_positions needs.
void integrate_velocities(World& world, std::span<const BodyInverseMass> inverse_mass, double h,
                          std::span<FreeMotion> motion);
/// The same for one body.
void integrate_velocity(World& world, std::size_t body, std::span<const BodyInverseMass> inverse_mass, double h,
                        std::span<FreeMotion> motion);

/// Forces that were applied for one step end with it.
void clear_applied_forces(BodyArrays& bodies);

/// Moves every body that can move (dynamic and awake, or scripted) through the step. `constrained[i]` ≠ 0 means that an
/// impulse acted on body i: its position then follows the velocity after the impulse whatever the integrator, since
/// that velocity is what the constraints were solved for.
void integrate_positions(World& world, double h, Integrator integrator, std::span<const FreeMotion> motion,
                         std::span<const std::uint8_t> constrained);
/// The same for one body.
void integrate_position(World& world, std::size_t body, double h, bool free, std::span<const FreeMotion> motion);

}  // namespace achilles
