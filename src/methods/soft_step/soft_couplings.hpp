// Couplings of joints in soft-step: Σ c φ = offset as one soft constraint over all bodies of its joints, solved after
// the joints in every substep.
//
//   J v = Σ c w, λ ← λ − m (s (J v + β C) + l λ / m) with m = 1 / (J M⁻¹ Jᵀ) and the softness (β, s, l) of joints; the
//   relaxation takes β = 0, s = 1, l = 0. J is that of the pose before the step; C follows by C ← C + h J v.
#pragma once

#include "math/inverse_mass.hpp"
#include "methods/soft_step/contact_batches.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// What the velocity of a body counts in a coupling.
struct SoftCouplingPart {
  std::uint32_t body = 0;
  std::int32_t slot = 0;
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();                // J
  Vec3 linear_change = Vec3::Zero(), angular_change = Vec3::Zero();  // M⁻¹ Jᵀ
};

struct SoftCoupling {
  std::uint32_t first = 0, count = 0;  // of its parts
  double mass = 0;                     // 1 / (J M⁻¹ Jᵀ); 0: nothing of it moves
  double error = 0;                    // C [rad] or [m]
  double impulse = 0;                  // λ, of the substeps so far
};

struct SoftCouplings {
  std::vector<SoftCoupling> couplings;
  std::vector<SoftCouplingPart> parts;
};

/// Reads the couplings of a world in its present pose.
void list_couplings(const World& world, std::span<const BodyInverseMass> inverse_mass,
                    std::span<const std::int32_t> slot_of, SoftCouplings& couplings);
/// One after the other.
void solve_couplings(SoftCouplings& couplings, const SoftBodies& bodies, const Softness& softness);
/// After a motion of h [s]: the errors follow the velocities, then these are corrected without softness.
void relax_couplings(SoftCouplings& couplings, const SoftBodies& bodies, double h);

}  // namespace achilles
