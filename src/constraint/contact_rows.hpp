// Rows of contact points: non-penetration, friction, rolling and torsional friction, [Erleben04, sec. 4.13].
//
// For a point with normal n (from a to b), arms r_a, r_b from the centres of mass and gap φ:
//
//   normal    n·(v_b + ω_b×r_b − v_a − ω_a×r_a) ≥ target,  λ ≥ 0
//   friction  two tangents, ‖(λ₁, λ₂)‖ ≤ µ λ_n
//             where friction depends on the direction: see friction_ellipse.hpp
//   rolling   two rows on ω_b − ω_a along the tangents, bounded by (rolling friction) λ_n
//   torsion   one row on ω_b − ω_a along n, bounded by (torsional friction) λ_n; its partner row is empty
//
// target is −φ/h while the surfaces are apart: the step may close the gap but not cross it. Compliant contact with
// stiffness k and damping d: λ/h = −k (φ + h w) − d w, so softness 1/(h (h k + d)) and target −k φ/(h k + d).
#pragma once

#include "collision/contact/contact.hpp"
#include "constraint/row.hpp"
#include "world/world_memory.hpp"

#include <achilles/world.hpp>

#include <span>
#include <vector>

namespace achilles {

struct ContactRowOptions {
  double h = 0;                      // [s]
  double restitution_threshold = 0;  // [m/s] slower approaches do not bounce
  double touching = 0;               // [m] gaps up to this count as touching
  double match_distance = 0;         // [m] a point this near to one of the last step is the same point
};

/// What is known of a contact point before its rows are written.
struct ContactPointInput {
  const Contact* contact = nullptr;
  const ContactPoint* point = nullptr;
  const ContactLaw* law = nullptr;
  const CachedPoint* cached = nullptr;               // what the last step remembered, or nullptr
  const DirectionalFriction* directional = nullptr;  // null: friction is the same in all directions
};

/// Where the rows of one contact point stand, counted from the first row of its island; -1: it has none of that kind.
struct ContactPointRows {
  std::uint32_t contact = 0;
  std::uint32_t point = 0;
  std::int32_t normal = -1;
  std::int32_t friction = -1;
  std::int32_t rolling = -1;
  std::int32_t torsion = -1;
  double approach = 0;       // [m/s] speed at which the surfaces meet in this step
  double free_approach = 0;  // [m/s] the same at the end of the step, if nothing were in the way
  double restitution = 0;
  bool bounces = false;  // meets fast enough for a rebound
};

/// Velocities a row builder reads: before and after the external forces of the step.
struct StepVelocities {
  std::span<const BodyVelocity> before;  // u
  std::span<const BodyVelocity> free;    // u* = u + h M⁻¹ f_ext
};

/// How many rows a point of this law has.
[[nodiscard]] std::size_t count_contact_rows(const ContactLaw& law);

/// Appends the rows of one point to `rows` and their warm-start impulses to `impulses`; `island_start` is the index of
/// the island's first row, from which normal_row counts.
///
/// The rows are plastic: a point that would cross its gap within the step lands, with target −φ/h. Rebounds are the
/// matter of stepping/rebound.hpp, for which the speed of approach is noted.
[[nodiscard]] ContactPointRows append_contact_rows(const ContactPointInput& input, const BodyArrays& bodies,
                                                   std::span<const BodyInverseMass> inverse_mass,
                                                   const StepVelocities& velocities, const ContactRowOptions& options,
                                                   std::size_t island_start, std::vector<Row>& rows,
                                                   std::vector<double>& impulses);

/// Impulse that acted on b at a point, world axes [N s].
[[nodiscard]] Vec3 contact_impulse(const ContactPointRows& where, std::span<const Row> island_rows,
                                   std::span<const double> island_impulses, const Vec3& normal);

}  // namespace achilles
