// Contact points of particular pairs of shapes; `collide` picks among them.
#pragma once

#include "collision/contact/collide.hpp"
#include "collision/contact/manifold.hpp"
#include "collision/narrow_phase/gjk.hpp"

namespace achilles {

/// What every pair function has in common with `collide`: a is of the first kind in its name, b of the second.
using PairContacts = void(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                          const CollideOptions& options, std::vector<ContactPoint>& points);

PairContacts collide_sphere_sphere;
PairContacts collide_sphere_box;
PairContacts collide_sphere_capsule;
PairContacts collide_box_box;
PairContacts collide_capsule_capsule;
PairContacts collide_convex;        // any two bounded convex shapes
PairContacts collide_convex_plane;  // any bounded convex shape and a plane
PairContacts collide_nothing;       // two planes
PairContacts collide_convex_mesh;   // any bounded convex shape and a mesh
PairContacts collide_convex_heightfield;
PairContacts collide_distance_map;  // anything and a distance map

/// The contact region of two bounded convex shapes, in A's frame; empty when they are further apart than the margin.
void find_convex_manifold(const CorePair& pair, double margin, Manifold& manifold);

}  // namespace achilles
