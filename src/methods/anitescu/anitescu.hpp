// `anitescu`: one complementarity problem per fixed step with all near contacts, constraint stabilization and
// partially elastic collisions, [Anitescu04, eqs. 4.10-4.12].
#pragma once

#include "stepping/contact_stage.hpp"
#include "stepping/overlap_release.hpp"
#include "stepping/solve_stage.hpp"

#include <achilles/report.hpp>

namespace achilles {

struct AnitescuOptions {
  IslandSolveOptions solve{.solver = NewtonOptions{}};
  /// Which velocity a collision gives back: that before the step of the collision, sec. IV, or the one that the step
  /// left, sec. III-D, whose error does not vanish with h.
  bool restitution_before = true;
  bool warm_start = true;
  int attempts = 5;  // solves of a step at most, each with the contacts that the one before missed
  double speculative_distance =
      0.01;  // [m] ε of sec. III-A, to which each pair adds what its velocities close in a step
  double reuse_distance = kUnchanged;  // [m] see contact_stage.hpp
  double tolerance = 0.05;             // [m/s] TOL of eq. 4.10: slower approaches do not bounce
  double stabilization = 1;            // γ of sec. II-B: share of the errors that a step takes out
};

struct AnitescuWorkspace {
  std::vector<BodyVelocity> free;  // per body: u* = u + h M⁻¹ f_ext
  std::vector<Collider> ahead;     // looking as far as the velocities of a solve reach
  ContactSet found;                // with these colliders
  OverlapRelease release;
};

struct AnitescuScratch : StepWorkspace {
  AnitescuWorkspace anitescu;
};

/// One step of length h:
///
///   M (v⁺ − v) = h k + Σ n c_n + Σ D β + Σ ν c_ν
///   0 ≤ c_n ⟂ γΦ/h + ∇Φᵀv⁺ + Λ ≥ 0,   γΘ/h + ∇Θᵀv⁺ = 0,   q⁺ = q + h v⁺
///
/// for all contacts with Φ ≤ ε, of either sign; γ = 1 while Φ > 0. Which these are is predicted from the velocities
/// without contact; a blow that comes through others can bring a pair together that was not among them. Sec. V requires
/// a better prediction: pairs that v⁺ would make penetrate are added and the step is solved again. A contact that took
/// an impulse and approached faster than TOL collided: in the next step Λ = e ∇Φᵀv, with v of the step before the
/// collision. Sec. III requires a positive gap before and after the collision; the former would miss what lands where a
/// step ends, the complementarity excludes the latter; both are left out. ∇Φ in Λ is that of the collision, where
/// eq. 4.10 takes the one of the step after: both are within the O(h) of the model. So is what external forces do to
/// the approach between the start of the collision's step and the touch, and on the first step away; it is counted, so
/// that a ball comes back to e² of its height. Velocities that part bodies inside each other do not stay
/// (overlap_release.hpp). Bodies that no impulse acts on fly freely, with energy and angular momentum kept. Errors of
/// second order that the linearization leaves in joints are projected out at the end of the step: fed back as Θ/h they
/// would drive the links of a loaded chain. Energy may rise with restitution, sec. IV; without it velocities stay
/// bounded for every h.
[[nodiscard]] StepReport advance_anitescu(World& world, const AnitescuOptions& options, AnitescuScratch& scratch,
                                          double h);

}  // namespace achilles
