// Contacts of soft-step, eight side by side: what the inner loop reads and writes, in single precision.
//
// A manifold is up to four points with one normal n. Bodies move a little during the step: displacement d of the centre
// of mass and rotation q since its beginning. The gap of a point then is
//
//   s = φ + n·(d_b + (q_b − 1) r_b − d_a − (q_a − 1) r_a),   φ the gap and r the arms at the beginning.       [m]
//
// Normal impulses are soft: a contact that penetrates is a damped spring of a given frequency and damping ratio, which
// in impulses is a velocity bias, a scaled effective mass and a leak [Catto11, p. 43]. Friction is one two-dimensional
// impulse at the centre of the patch and one about the normal, bounded by µ times the sum of the normal impulses.
#pragma once

#include "math/huge_vector.hpp"

#include <cstddef>
#include <cstdint>

namespace achilles {

/// What the kernels need of a body. Slot 0 is everything that never moves; bodies that impulses move have slots above,
/// others that move (scripted ones) below, which are never written: many lanes may share them.
struct alignas(32) SoftVelocity {
  float linear[3];   // [m/s]
  float angular[3];  // [rad/s]
  // With the velocity of a sweep only, not of its changes. Of a round body: one that answers alike to pushes, and to
  // turns, in all directions. All zero for what impulses do not move.
  float inverse_mass;     // [1/kg]
  float inverse_inertia;  // [1/(kg m²)]
};
struct alignas(32) SoftDisplacement {
  float linear[3];    // [m] since the beginning of the step
  float rotation[4];  // x, y, z, w: since the beginning of the step
  float unused;
};
/// What a sweep reads and writes of a body: one line of the cache.
struct alignas(64) SoftMotion {
  SoftVelocity velocity;
  SoftDisplacement displacement;
};

/// How impulses move any body; all zero for what they do not.
struct alignas(64) SoftMass {
  float inverse_mass[3];     // [1/kg] per axis
  float inverse_inertia[6];  // [1/(kg m²)] xx, yy, zz, xy, xz, yz
  float unused[7];
};

inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kPointsPerManifold = 4;

using Lane = float[kLanes];

/// Eight manifolds. What only some have lies apart, so that those of one point between round bodies take a third of
/// the memory that any others may take.
struct alignas(64) ContactLanes {
  std::int32_t slot_a[kLanes];  // of the bodies; 0 in lanes without a contact
  std::int32_t slot_b[kLanes];
  Lane normal[3];   // from a to b
  Lane tangent[3];  // what the tangents have besides parts of the normal: x and y of the first, y of the second
  Lane across[3];   // [m] from the centre of b to that of a: what the arm of b is longer than that of a
  Lane friction;
  Lane tangent_mass[3];                       // inverse of the 2×2 effective mass: 11, 22, 12
  Lane tangent_impulse[2];                    // [N s] of a substep
  Lane tangent_total[2];                      // [N s] of the step
  std::uint32_t first_point = 0, points = 0;  // as many as the richest manifold has
  std::int32_t patch = -1;                    // or -1: all have one point, which resists no turning
  std::int32_t masses = -1;                   // or -1: all bodies are round
  std::uint32_t unused[4];
};

/// One point of each of eight manifolds.
struct alignas(32) PointLanes {
  Lane arm[3];       // [m] of a
  Lane gap;          // [m] at the beginning of the step; huge where there is no point
  Lane normal_mass;  // [kg] effective
  Lane impulse;      // [N s] of a substep
  Lane total;        // [N s] of the step
};

/// Friction of manifolds with several points: it acts at their centre, and about the normal.
struct alignas(32) PatchLanes {
  Lane center[3];  // [m] arm of a
  Lane twist_mass;
  Lane twist_reach;    // [m] times the normal impulse bounds the twist
  Lane twist_impulse;  // [N m s] of a substep
  Lane twist_total;    // [N m s] of the step
};

/// Of manifolds between any bodies.
struct alignas(32) MassLanes {
  Lane inverse_mass_a[3], inverse_mass_b[3];        // [1/kg] per axis
  Lane inverse_inertia_a[6], inverse_inertia_b[6];  // [1/(kg m²)] xx, yy, zz, xy, xz, yz
};

/// What substeps do not look at.
struct alignas(32) ColdLanes {
  Lane restitution;
  Lane warm_tangent[3];  // [N s] friction of the substep before, world axes
};

struct alignas(32) ApproachLanes {
  Lane speed;  // [m/s] along the normal at the beginning of the step
};

/// The lanes of a step.
struct SoftLanes {
  HugeVector<ContactLanes> contacts;
  HugeVector<PointLanes> points;
  HugeVector<PatchLanes> patches;
  HugeVector<MassLanes> masses;
  HugeVector<ColdLanes> cold;          // per element of contacts
  HugeVector<ApproachLanes> approach;  // per element of points
};

/// [m] gap of a point that is not there.
inline constexpr float kNoPoint = 1e10f;

/// What lanes are filled with, of one manifold: a line of the cache.
struct alignas(64) ManifoldDraft {
  float normal[3] = {}, across[3] = {}, friction = 0, restitution = 0;
  float warm_tangent[3] = {};                      // [N s]
  float arm[3] = {}, gap = kNoPoint, impulse = 0;  // of its first point
};

/// Of a point, where its manifold has several or resists turning.
struct alignas(32) PointDraft {
  float arm[3] = {}, gap = kNoPoint, impulse = 0;
  float twist = 0, torsion = 0;  // [N m s], [m] of the manifold, with its first point
  float unused = 0;
};

/// A manifold's place among the drafts.
struct DraftPlace {
  std::int32_t slot_a = 0, slot_b = 0;
  std::int32_t first_point = 0;  // of its drafts of points
  std::int32_t points = 0;       // how many of those there are
};

/// Drafts of all manifolds. At -1 each list has one of nothing: no manifold, no point.
struct Drafts {
  const std::int32_t* manifold_at = nullptr;  // per lane of the lanes: its manifold, or -1
  const ManifoldDraft* manifolds = nullptr;
  const DraftPlace* places = nullptr;
  const PointDraft* points = nullptr;
};

/// What a step leaves of a point.
struct PointImpulse {
  float normal = 0;    // [N s]
  float approach = 0;  // [m/s] normal velocity at the beginning of the step
};

/// What it leaves of a manifold.
struct alignas(32) SoftImpulse {
  PointImpulse first;  // point
  float tangent[3];    // [N s] world axes
  float twist;         // [N m s]
  float unused[2];
};

/// A contact or joint as a damped spring, in impulses over a substep.
struct Softness {
  float bias_rate = 0;      // [1/s] error to velocity
  float mass_scale = 0;     // of the effective mass
  float impulse_scale = 0;  // share of the impulse that leaks
};

/// The bodies as the kernels see them: pointers to slot 0.
struct SoftBodies {
  SoftMotion* motions = nullptr;
  const SoftMass* masses = nullptr;
};

struct SubstepOptions {
  float inverse_h = 0;   // [1/s] of the substep
  bool biased = true;    // push penetration out; false: only stop the approach, and add the impulses to the totals
  float push_speed = 0;  // [m/s] at most
  Softness between, grounded;  // of contacts between two that move, and with something that does not
};

/// Which of the contacts of the lanes.
struct LaneRange {
  std::size_t first = 0, last = 0;
  std::size_t fetch_last = 0;  // lanes and bodies before this come from far and are asked for in time
};

/// Fills lanes from the drafts and adds all that stays the same over the substeps: masses, tangents, the centre of the
/// patch.
void prepare_contacts(SoftLanes& lanes, LaneRange range, const Drafts& drafts, const SoftBodies& bodies);
/// Applies the impulses kept from the step before.
void warm_start_contacts(SoftLanes& lanes, LaneRange range, const SoftBodies& bodies);
/// One sweep: friction, then normals.
void solve_contacts(SoftLanes& lanes, LaneRange range, const SoftBodies& bodies, const SubstepOptions& options);
/// Points that met faster than the threshold [m/s] and were pressed leave with their restitution.
void restitute_contacts(SoftLanes& lanes, LaneRange range, const SoftBodies& bodies, float threshold);
/// Hands what the manifolds got back to them, but for points after the first. `manifold_at` as in Drafts.
void return_impulses(const SoftLanes& lanes, LaneRange range, const std::int32_t* manifold_at, SoftImpulse* impulses);

}  // namespace achilles
