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

#include <cstddef>
#include <cstdint>
#include <span>

namespace achilles {

/// What the kernels need of a body: one cache line. Slot 0 is everything that never moves.
struct alignas(32) SoftVelocity {
  float linear[3];   // [m/s]
  float angular[3];  // [rad/s]
  float unused[2];
};
struct alignas(32) SoftDisplacement {
  float linear[3];    // [m] since the beginning of the step
  float rotation[4];  // x, y, z, w: since the beginning of the step
  float unused;
};

/// How impulses move a body; all zero for what they do not.
struct alignas(64) SoftMass {
  float inverse_mass[3];     // [1/kg] per axis
  float inverse_inertia[6];  // [1/(kg m²)] xx, yy, zz, xy, xz, yz
  float unused[7];
};

inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kPointsPerManifold = 4;

using Lane = float[kLanes];

struct alignas(32) ContactLanes {
  std::int32_t slot_a[kLanes];  // of the bodies; 0 in lanes without a contact
  std::int32_t slot_b[kLanes];
  std::int32_t writes_a[kLanes];  // the slot again where the body is moved by impulses, else 0
  std::int32_t writes_b[kLanes];
  Lane inverse_mass_a[3], inverse_mass_b[3];        // [1/kg] per axis
  Lane inverse_inertia_a[6], inverse_inertia_b[6];  // [1/(kg m²)] xx, yy, zz, xy, xz, yz
  Lane normal[3];                                   // from a to b
  Lane tangent[2][3];
  Lane friction;
  Lane restitution;
  Lane bias_rate;      // [1/s] penetration to velocity
  Lane mass_scale;     // of the effective mass
  Lane impulse_scale;  // share of the impulse that leaks

  struct Point {
    Lane arm_a[3], arm_b[3];  // [m]
    Lane gap;                 // [m] at the beginning of the step; huge where there is no point
    Lane normal_mass;         // [kg] effective
    Lane impulse;             // [N s] of a substep
  } points[kPointsPerManifold];

  Lane warm_tangent[3];           // [N s] friction of the substep before, world axes
  Lane center_a[3], center_b[3];  // [m] arms of the friction impulse
  Lane tangent_mass[3];           // inverse of the 2×2 effective mass: 11, 22, 12
  Lane tangent_impulse[2];        // [N s]
  Lane twist_mass;
  Lane twist_reach;    // [m] times the normal impulse bounds the twist
  Lane twist_impulse;  // [N m s]

  // What the step leaves, side by side.
  Lane total[kPointsPerManifold];     // [N s] of the step
  Lane approach[kPointsPerManifold];  // [m/s] normal velocity at the beginning of the step
  Lane tangent_total[3];              // [N s] world axes
  Lane twist_total;                   // [N m s]
};

/// A contact or joint as a damped spring, in impulses over a substep.
struct Softness {
  float bias_rate = 0;      // [1/s] error to velocity
  float mass_scale = 0;     // of the effective mass
  float impulse_scale = 0;  // share of the impulse that leaks
};

/// [m] gap of a point that is not there.
inline constexpr float kNoPoint = 1e10f;

/// The bodies as the kernels see them, by slot.
struct SoftBodies {
  SoftVelocity* velocities = nullptr;
  const SoftDisplacement* displacements = nullptr;
  const SoftMass* masses = nullptr;
};

struct SubstepOptions {
  float inverse_h = 0;   // [1/s] of the substep
  bool biased = true;    // push penetration out; false: only stop the approach, and add the impulses to the totals
  float push_speed = 0;  // [m/s] at most
};

/// From slots, normals, arms and gaps all the rest that stays the same over the substeps: masses, tangents, the centre
/// of the patch. `twist_reach` holds the torsional friction [m] and `warm_tangent` last step's friction before.
void prepare_contacts(std::span<ContactLanes> lanes, const SoftBodies& bodies);
/// Applies the impulses kept from the substep before.
void warm_start_contacts(std::span<ContactLanes> lanes, const SoftBodies& bodies);
/// One sweep: friction, then normals.
void solve_contacts(std::span<ContactLanes> lanes, const SoftBodies& bodies, const SubstepOptions& options);
/// Points that met faster than the threshold [m/s] and were pressed leave with their restitution.
void restitute_contacts(std::span<ContactLanes> lanes, const SoftBodies& bodies, float threshold);

}  // namespace achilles
