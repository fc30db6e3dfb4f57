// Contact reuse: the narrow phase is skipped for pairs that hardly moved against each other.
//
// A contact point found once is fixed to both geometries: x_A on the one, x_B on the other, the normal n on the
// reference, the larger of the two. At a later pose its gap is n·(x_B − x_A). The pose is always compared with the one
// at which the points were found, never with that of the step before, so errors do not add up: with ε the farthest that
// a point of the smaller geometry has moved in the frame of the larger, positions are off by at most ε, normals by
// ε / r, and gaps by second order of ε.
//
// No contact is missed: points are looked for up to ε_max beyond what the margin and the velocities require, and are
// looked for anew as soon as the motion since, or a look farther ahead than then, could have used that up.
#pragma once

#include "collision/collider.hpp"
#include "collision/contact/contact.hpp"

#include "collision/manifold_memory.hpp"

#include <span>

namespace achilles {

/// ε_max [m] of a pair: `distance`, but no more than a hundredth of the smaller geometry's radius; 0 where finding
/// points costs no more than keeping them: spheres and planes.
[[nodiscard]] double manifold_reuse_distance(const Collider& a, const Collider& b, double distance);

/// Whether the points still stand for the contact of the two colliders. `limit` is the pair's ε_max.
[[nodiscard]] bool still_holds(const KeptManifold& kept, const Collider& a, const Collider& b, double limit);

/// Writes the kept points at the present pose to the places from `to` on.
void place_kept(std::span<const KeptPoint> points, const Collider& a, const Collider& b, ContactPoint* to);

/// What is kept of points that were just found: they themselves in the places from `to` on, the first of which has this
/// number.
[[nodiscard]] KeptManifold keep(const Contact& contact, std::span<const ContactPoint> points, const Collider& a,
                                const Collider& b, std::size_t number, KeptPoint* to);

}  // namespace achilles
