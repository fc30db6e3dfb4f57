// Couplings of joints in soft-step: Σ c φ = offset as one soft constraint over all bodies of its joints, solved after
// the joints in every substep.
//
//   J v = Σ c w, λ ← λ − m (s (J v + β C) + l λ / m) with m = 1 / (J M⁻¹ Jᵀ) and the softness (β, s, l) of joints; the
//   relaxation takes β = 0, s = 1, l = 0. J is that of the pose before the step; C follows by C ← C + h J v.
//
// Rotors of the coupled axes, G v = s with inertias I, take part: an impulse λ comes with impulses −y λ of the rotors,
//
//   y = (G M⁻¹ Gᵀ + I⁻¹)⁻¹ G M⁻¹ Jᵀ,   J' = J − yᵀ G,   m = 1 / (J M⁻¹ J'ᵀ),
//
// and J' v + yᵀ s, the rate once the rotors have the speeds of their links, is in place of J v. Bodies and rotors then
// lose energy by every impulse of the relaxation, whatever the sweeps leave between them.
#pragma once

#include "math/inverse_mass.hpp"
#include "methods/soft_step/contact_batches.hpp"
#include "solver/row_problem.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

struct JointBatches;
struct SoftJointWorkspace;

/// Of the row of a rotor among the batches of joints.
struct RotorPlace {
  std::uint32_t row = 0, lane = 0;
};

/// What the velocity of a body counts in a coupling.
struct SoftCouplingPart {
  std::uint32_t body = 0;
  std::int32_t slot = 0;
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();                // J
  Vec3 linear_held = Vec3::Zero(), angular_held = Vec3::Zero();      // J'
  Vec3 linear_change = Vec3::Zero(), angular_change = Vec3::Zero();  // M⁻¹ J'ᵀ
};

/// A rotor of a coupled axis.
struct SoftCouplingRotor {
  Row row;  // G, softness 1/I
  RotorPlace place;
  double share = 0;  // y
};

struct SoftCoupling {
  std::uint32_t first = 0, count = 0;              // of its parts
  std::uint32_t first_rotor = 0, rotor_count = 0;  // of its rotors
  double mass = 0;                                 // 1 / (J M⁻¹ J'ᵀ); 0: nothing of it moves
  double error = 0;                                // C [rad] or [m]
  double impulse = 0;                              // λ, of the substeps so far
};

struct SoftCouplings {
  std::vector<SoftCoupling> couplings;
  std::vector<SoftCouplingPart> parts;
  std::vector<SoftCouplingRotor> rotors;
  std::vector<double> matrix, shares;  // of the rotors of one coupling: G M⁻¹ Gᵀ + I⁻¹ and y
};

/// Reads the couplings of a world in its present pose into `joints`, which have been listed.
void list_couplings(const World& world, std::span<const BodyInverseMass> inverse_mass,
                    std::span<const std::int32_t> slot_of, SoftJointWorkspace& joints);
/// One after the other.
void solve_couplings(SoftCouplings& couplings, JointBatches& joints, const SoftBodies& bodies,
                     const Softness& softness);
/// After a motion of h [s]: the errors follow the velocities, then these are corrected without softness.
void relax_couplings(SoftCouplings& couplings, JointBatches& joints, const SoftBodies& bodies, double h);

}  // namespace achilles
