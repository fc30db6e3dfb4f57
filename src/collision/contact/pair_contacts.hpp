// Contact points of particular pairs of shapes; `collide` picks among them.
#pragma once

#include "collision/contact/collide.hpp"

namespace achilles {

/// What every pair function has in common with `collide`: a is of the first kind in its name, b of the second.
using PairContacts = void(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                          const CollideOptions& options, std::vector<ContactPoint>& points);

PairContacts collide_sphere_sphere;
PairContacts collide_sphere_box;
PairContacts collide_sphere_capsule;
PairContacts collide_box_box;
PairContacts collide_box_capsule;
PairContacts collide_capsule_capsule;
PairContacts collide_sphere_plane;
PairContacts collide_box_plane;
PairContacts collide_capsule_plane;
PairContacts collide_nothing;  // two planes

}  // namespace achilles
