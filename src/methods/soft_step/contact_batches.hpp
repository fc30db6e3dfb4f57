// Contact manifolds of soft-step in SIMD batches: eight manifolds side by side, one per SIMD lane, in single precision.
//
// A manifold is up to four points with one normal n. Bodies move a little during the step: displacement d of the centre
// of mass and rotation q since its beginning. The gap of a point then is
//
//   s = φ + n·(d_b + (q_b − 1) c_b − d_a − (q_a − 1) c_a),   φ the gap and c the arms at the beginning.       [m]
//
// An arm ends where the body carries its part of the contact along. For a corner that is the contact point itself. On
// a round surface the contact point stays below while the surface turns through it; what moves with the body is the
// centre of curvature, ρ behind the point along the normal: c_a = r_a − ρ_a n, c_b = r_b + ρ_b n. With r in place of c
// the gap of a rolling ball would open by ρ (ω t)²/2, faster than gravity closes it once ρ ω² > g. Levers about the
// normal are the same for r and c. Friction acts at r, of each body on its own surface: once it acts, the two touch.
//
// Normal impulses are soft: a contact that penetrates is a damped spring of a given frequency and damping ratio, which
// in impulses is a velocity bias, a scaled effective mass and a leak [Catto11, p. 43]. Friction of a manifold is one
// two-dimensional impulse at the mean of its points, weighted by their shares of the load, and one moment about the
// normal, bounded by µ times the sum of the normal impulses.
#pragma once

#include "math/huge_vector.hpp"

#include <cstddef>
#include <cstdint>

namespace achilles {

/// Velocity of a body and how impulses change it. Slot 0 stands for all that never moves; dynamic bodies have slots
/// above, scripted bodies below. Slots up to 0 are never written: SIMD lanes of any thread may share them.
struct alignas(32) SoftVelocity {
  float linear[3];   // [m/s]
  float angular[3];  // [rad/s]
  // In SoftMotion only, of a body whose inverse mass is alike in all directions (is_round); 0 for what impulses do not
  // move.
  float inverse_mass;     // [1/kg]
  float inverse_inertia;  // [1/(kg m²)]
};
struct alignas(32) SoftDisplacement {
  float linear[3];    // [m] since the beginning of the step
  float rotation[4];  // x, y, z, w: since the beginning of the step
  float unused;
};
/// What a sweep reads and writes of a body: one cache line.
struct alignas(64) SoftMotion {
  SoftVelocity velocity;
  SoftDisplacement displacement;
};

/// Inverse mass of any body; 0 for what impulses do not move.
struct alignas(64) SoftMass {
  float inverse_mass[3];     // [1/kg] per axis
  float inverse_inertia[6];  // [1/(kg m²)] xx, yy, zz, xy, xz, yz
  float unused[7];
};

inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kPointsPerManifold = 4;

/// One number of each SIMD lane.
using BatchFloats = float[kLanes];

/// Eight manifolds. What only some manifolds need lies in arrays of its own, so that those of one point between round
/// bodies take a third of the memory.
struct alignas(64) ContactBatch {
  std::int32_t slot_a[kLanes];  // of the bodies; 0 in lanes without a manifold
  std::int32_t slot_b[kLanes];
  BatchFloats normal[3];   // from a to b
  BatchFloats tangent[3];  // x and y of the first tangent, y of the second; the rest follows from the normal
  BatchFloats across[3];   // [m] arm of b minus arm of a: from the centre of b to that of a, radii and gap
  BatchFloats radius[2];   // [m] of curvature at the contact, of a and b
  BatchFloats friction;
  BatchFloats tangent_mass[3];                // inverse of the 2×2 effective mass: 11, 22, 12
  BatchFloats tangent_impulse[2];             // [N s] of a substep
  BatchFloats tangent_total[2];               // [N s] of the step
  std::uint32_t first_point = 0, points = 0;  // PointBatches: as many as the manifold with most points has
  std::int32_t twist = -1;                    // TwistBatch; -1: all manifolds have one point and resist no twist
  std::int32_t masses = -1;                   // MassBatch; -1: all bodies are round
  std::uint32_t unused[4];
};

/// One point of each of eight manifolds.
struct alignas(32) PointBatch {
  BatchFloats arm[3];       // [m] of a
  BatchFloats gap;          // [m] at the beginning of the step; kNoPoint where there is no point
  BatchFloats normal_mass;  // [kg] effective
  BatchFloats impulse;      // [N s] of a substep
  BatchFloats total;        // [N s] of the step
};

/// Friction about the normal, of manifolds with several points or torsional friction.
struct alignas(32) TwistBatch {
  BatchFloats center[3];  // [m] arm of a: the mean of the points, weighted by their shares
  BatchFloats twist_mass;
  BatchFloats twist_reach;    // [m] times the normal impulse bounds the twist
  BatchFloats twist_impulse;  // [N m s] of a substep
  BatchFloats twist_total;    // [N m s] of the step
};

/// Inverse masses of the two bodies of each manifold, where some are not round.
struct alignas(32) MassBatch {
  BatchFloats inverse_mass_a[3], inverse_mass_b[3];        // [1/kg] per axis
  BatchFloats inverse_inertia_a[6], inverse_inertia_b[6];  // [1/(kg m²)] xx, yy, zz, xy, xz, yz
  // min over the points of n·K n/|K n|, K the response of a point to impulses. Where axes are locked an impulse along
  // the normal n moves the bodies mostly across it, so that the speed along it is bounded by this share.
  BatchFloats along;
};

/// Read and written before the first substep and after the last only.
struct alignas(32) SetupBatch {
  BatchFloats restitution;
  BatchFloats warm_tangent[3];  // [N s] friction of the previous step, per substep, world axes
};

struct alignas(32) ApproachBatch {
  BatchFloats speed;  // [m/s] along the normal at the beginning of the step
  BatchFloats share;  // of the friction of the manifold; those of its points sum to 1
};

struct ContactBatches {
  HugeVector<ContactBatch> contacts;
  HugeVector<PointBatch> points;
  HugeVector<TwistBatch> twists;
  HugeVector<MassBatch> masses;
  HugeVector<SetupBatch> setup;        // per element of contacts
  HugeVector<ApproachBatch> approach;  // per element of points
};

/// [m] gap of a point that is not there.
inline constexpr float kNoPoint = 1e10f;

/// Staging record of a manifold and its first point: one cache line. World and contacts are gathered into staging
/// records in the order of the contacts; batches are filled from those in the order of the batches.
struct alignas(64) StagedManifold {
  float normal[3] = {}, across[3] = {}, friction = 0, restitution = 0;
  float warm_tangent[3] = {};                      // [N s]
  float arm[3] = {}, gap = kNoPoint, impulse = 0;  // of its first point
};

/// Staging record of a point, where its manifold resists twist.
struct alignas(32) StagedPoint {
  float arm[3] = {}, gap = kNoPoint, impulse = 0;
  float twist = 0;    // [N m s] of the manifold about the normal through its first point; with that point
  float torsion = 0;  // [m] with the first point
  float unused = 0;
};

/// Bodies and points of a manifold.
struct StagedPlace {
  std::int32_t slot_a = 0, slot_b = 0;
  std::int32_t first_point = 0;      // of its StagedPoints
  std::int32_t points = 0;           // how many of those there are
  float radius_a = 0, radius_b = 0;  // [m] of curvature
};

/// Staging records of all manifolds. Element −1 of each array stands for no manifold and no point.
struct StagedContacts {
  const std::int32_t* manifold_at = nullptr;  // per SIMD lane of the batches: its manifold, or -1
  const StagedManifold* manifolds = nullptr;
  const StagedPlace* places = nullptr;
  const StagedPoint* points = nullptr;
};

/// Result of a step at a point.
struct PointImpulse {
  float normal = 0;    // [N s]
  float approach = 0;  // [m/s] normal velocity at the beginning of the step
  float share = 0;     // of the friction of the manifold, if that resists twist
};

/// Result of a step for a manifold.
struct alignas(32) ManifoldImpulse {
  PointImpulse first;  // point
  float tangent[3];    // [N s] world axes
  float twist;         // [N m s]
  float unused;
};

/// A contact or joint as a damped spring, in impulses over a substep [Catto11, p. 43].
struct Softness {
  float bias_rate = 0;      // [1/s] error to velocity
  float mass_scale = 0;     // of the effective mass
  float impulse_scale = 0;  // share of the impulse that leaks
};

/// The bodies as the kernels see them: pointers to slot 0.
struct SoftBodies {
  SoftMotion* motions = nullptr;
  const SoftMass* masses = nullptr;
  const SoftVelocity* accelerations = nullptr;  // [1/s]
};

struct SubstepOptions {
  float inverse_h = 0;   // [1/s] of the substep
  bool biased = true;    // push penetration out; false: only stop the approach, and add the impulses to the totals
  float push_speed = 0;  // [m/s] at most
  Softness between, grounded;  // of contacts between two dynamic bodies, and with one that impulses do not move
};

/// Batches [first, last) of an array.
struct BatchRange {
  std::size_t first = 0, last = 0;
  std::size_t fetch_last =
      0;  // batches before this one, and their bodies, are prefetched: no cache of the core has them
};

/// Fills batches from the staging records and computes what is constant over the substeps: masses, tangents, the centre
/// of friction. `inverse_h` [1/s] is of the step.
void prepare_contacts(ContactBatches& batches, BatchRange range, const StagedContacts& staged, const SoftBodies& bodies,
                      float inverse_h);
/// Applies the impulses kept from the previous step.
void warm_start_contacts(ContactBatches& batches, BatchRange range, const SoftBodies& bodies);
/// One sweep. With bias friction comes before the normals, without it after them: the impulses of a substep are in the
/// friction cone.
void solve_contacts(ContactBatches& batches, BatchRange range, const SoftBodies& bodies, const SubstepOptions& options);
/// Points that approached faster than the threshold [m/s] and have an impulse leave with their restitution, and their
/// friction acts on by as much as the normal impulse grows. The approach is that at the beginning of the step and what
/// the forces add over the gap: w² = w₀² − 2 a φ, so that a bounce under gravity keeps its height.
void restitute_contacts(ContactBatches& batches, BatchRange range, const SoftBodies& bodies, float threshold);
/// Writes the impulses of manifolds, but for points after the first. `manifold_at` as in StagedContacts.
void return_impulses(const ContactBatches& batches, BatchRange range, const std::int32_t* manifold_at,
                     ManifoldImpulse* impulses);

}  // namespace achilles
