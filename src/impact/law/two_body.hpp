// What one collision between two bodies does, in the frame of the contact: x and y tangent, z along the normal.
//
//   u   relative velocity of the contact points, u_z < 0 while approaching            [m/s]
//   K   its change per impulse, u⁺ = u + K p, symmetric, positive semi-definite       [1/kg]     [Mirtich95, eq. 6]
//   p   impulse on the second body, p_z ≥ 0, ‖(p_x, p_y)‖ ≤ µ p_z                      [N s]
#pragma once

#include <achilles/math.hpp>
#include <vector>

#include "impact/impact_law.hpp"

namespace achilles {

struct TwoBodyCollision {
  Mat3 K = Mat3::Identity();
  Vec3 u = Vec3::Zero();
  double restitution = 0;
  double friction = 0;
};

/// p with K p = change. False if some of the change is out of reach because degrees of freedom are locked.
[[nodiscard]] bool solve_contact_impulse(const Mat3& K, const Vec3& change, Vec3& p);

[[nodiscard]] inline bool is_within_cone(const Vec3& p, double friction) {
  return p.z() > 0 && p.head<2>().norm() <= friction * p.z();
}

/// p with u_z⁺ = −e u_z. Sticks, u_x⁺ = u_y⁺ = 0, if the cone allows; else slides against the slip before,
/// [Guendelman03, sec. 7]. The energy p·(u + u⁺)/2 gained may be positive.
[[nodiscard]] Vec3 collide_newton(const TwoBodyCollision& collision);

/// Compression to u_z = 0 as above, then p_z of e times as much again with the friction that dissipates most.
[[nodiscard]] Vec3 collide_poisson(const TwoBodyCollision& collision);

struct MirtichSample {
  double p_z;
  Vec3 u;
};

/// How a collision went, [Mirtich95, fig. 7].
enum class SlidingPath {
  kSlides,        // A: throughout
  kSticks,        // C: stops and stays, or never slid
  kSticksSlides,  // B: stops, slides on in another direction
  kReverses       // B, in the plane: slides on backwards
};

struct MirtichOutcome {
  Vec3 p = Vec3::Zero();
  Vec3 u = Vec3::Zero();  // after
  SlidingPath path = SlidingPath::kSlides;
  double compression_impulse = 0;  // [N s], p_z when u_z vanished, of all compressions
  double compression_work = 0;     // [J], negative
  int compressions = 0;            // one, unless friction drove the bodies together again while they parted
  bool microcollision = false;     // answered by reversing u as a whole
  bool complete = true;            // false: the integration met its cap
};

/// Samples of u along the way are appended to `path` if given.
[[nodiscard]] MirtichOutcome collide_mirtich(const TwoBodyCollision& collision, const MirtichLaw& law,
                                             std::vector<MirtichSample>* path = nullptr);

}  // namespace achilles
