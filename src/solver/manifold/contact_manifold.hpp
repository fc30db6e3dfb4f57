// Contact manifolds: up to four points of one contact that share a normal, solved as one block.
//
// Points of a manifold push the same two bodies, so their velocities are loaded once, the four normal impulses are
// found on the manifold's own matrix, and friction follows point by point:
//
//   w_i   = n·(v_b − v_a) + (r_b×n)_i·ω_b − (r_a×n)_i·ω_a + σ λ_i − target_i
//   A_ij  = response of point i to a normal impulse at point j, through both bodies, σ on the diagonal
//   normal    0 ≤ λ_i ⟂ w_i ≥ 0: a few rounds of projected Gauss-Seidel on A
//   friction  λ_t ← disc(λ_t − w_t / k, µ λ_i), k the larger eigenvalue of the 2×2 response to tangential impulses: at
//   the
//             fixed point w_t opposes λ_t (Coulomb)
//
//   couples   rolling and torsional friction: on ω_b − ω_a, bounded by their lengths times Σ λ_i, along the tangents
//             and about the normal
//
// One sweep over manifolds is a sweep of projected Gauss-Seidel over rows [Erleben04, fig. 6.10] in a fourth of the
// memory: Jacobians and M⁻¹ Jᵀ are not stored but follow from the arms.
#pragma once

#include "math/inverse_mass.hpp"

#include <achilles/math.hpp>

#include <cstdint>
#include <span>

namespace achilles {

struct ContactManifold {
  static constexpr int kPoints = 4;
  using PerPoint = double[kPoints];  // one number per point

  std::uint32_t body_a = 0, body_b = 0;
  std::uint32_t first = 0;    // index of its first point among those of the contact set
  std::uint32_t contact = 0;  // index of its contact
  std::uint32_t layer = 0;
  std::uint32_t record = 0;  // index of the record of its first point
  std::uint8_t count = 0;
  bool moves_a = false, moves_b = false;  // whether impulses move the body
  double friction = 0;                    // µ
  double softness = 0;                    // σ [m/(N s²) · s]
  Vec3 n = Vec3::UnitZ(), t1 = Vec3::UnitX(), t2 = Vec3::UnitY();
  PerPoint arm_a[3] = {}, arm_b[3] = {};         // [m] r_a, r_b: coordinate after coordinate
  PerPoint turn_a[3] = {}, turn_b[3] = {};       // [m] r_a × n, r_b × n
  double A[kPoints][kPoints] = {};               // [1/kg]
  PerPoint step = {};                            // 1 / A_ii
  PerPoint slip_step = {};                       // 1 / k
  PerPoint target = {};                          // [m/s]
  PerPoint normal = {}, slip1 = {}, slip2 = {};  // [N s] impulses
  PerPoint rebound = {};                         // [m/s] speed of departure by restitution
  PerPoint gap = {};                             // [m]
  bool remembered[kPoints] = {};                 // whether the impulses come from the last step
  // Couples between the two bodies are the same whichever point passes them: those of a manifold are one.
  double rolling = 0, torsional = 0;       // [m] largest couple by normal impulse
  double roll_step = 0, torsion_step = 0;  // [kg m²] what stops turning along a tangent, about the normal
  Vec3 couple = Vec3::Zero();              // [N m s] on b
};

/// What the sweeps work on.
struct ManifoldBodies {
  std::span<const BodyInverseMass> inverse_mass;
  std::span<BodyVelocity> u;  // velocities, or displacements where positions are corrected
};

/// Fills A and the steps from the arms for bodies that move as the manifold states.
void compute_responses(ContactManifold& manifold, std::span<const BodyInverseMass> inverse_mass);

/// The same without what friction needs.
void compute_normal_responses(ContactManifold& manifold, std::span<const BodyInverseMass> inverse_mass);

/// u += M⁻¹ Jᵀ λ with the impulses the manifold has. Returns the work they do [J]: half of Σ λ·w before and after,
/// tangents and couple included.
double apply_manifold_impulses(const ContactManifold& manifold, const ManifoldBodies& bodies);

/// Impulses at several points as one on b, and its moments about the two bodies.
struct Wrench {
  Vec3 impulse = Vec3::Zero(), turn_a = Vec3::Zero(), turn_b = Vec3::Zero();
};

/// How fast a share of it would change the energy of bodies that move so [J].
[[nodiscard]] double power_of(const Wrench& wrench, const BodyVelocity& a, const BodyVelocity& b);

/// Σ λ·w, tangents and couple included [J]: how fast the energy would grow if more of the impulses the manifold has
/// were applied.
[[nodiscard]] double measure_power(const ContactManifold& manifold, std::span<const BodyVelocity> u);

/// Normal velocity at each point, without target and softness [m/s].
void measure_normal_velocity(const ContactManifold& manifold, std::span<const BodyVelocity> u,
                             double (&out)[ContactManifold::kPoints]);

enum class SweepDirection : std::uint8_t { kUp, kDown };

/// One sweep over the manifolds in their order (kUp) or against it. Returns the largest change that a row made to its
/// own velocity, which is the residual of the natural map at its turn [m/s].
double sweep_manifolds(std::span<ContactManifold> manifolds, const ManifoldBodies& bodies, SweepDirection direction);

/// The same without friction.
double sweep_normals(std::span<ContactManifold> manifolds, const ManifoldBodies& bodies, SweepDirection direction);

/// The same for those of the manifolds that are listed, in the order of the list.
double sweep_normals(std::span<ContactManifold> manifolds, std::span<const std::uint32_t> list,
                     const ManifoldBodies& bodies, SweepDirection direction);

}  // namespace achilles
