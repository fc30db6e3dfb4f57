// The "old box-box method" of [Erleben04, sec. 6.3], which the thesis shows to fail and repairs. Only for comparison:
// collide_box_box is the repaired one.
#pragma once

#include "collision/contact/contact.hpp"

namespace achilles {

/// Contact points of two boxes (half edges [m]) with normals from a to b. The separating axis of least overlap decides,
/// so that boxes tilted by rounding meet edge against edge: one point, between the lines that the two edges lie on.
/// On a face axis the nearest face of the other box is projected onto the face of the axis; the crossings of the two
/// outlines and the corners strictly inside the other outline are reported. Corners that lie on the other outline are
/// missing unless sides cross there. Chosen where the thesis is silent: boxes apart by up to `margin` [m] are treated
/// alike, and a tie goes to the face of a.
void append_old_box_contacts(const Vec3& half_a, const Transform& X_WA, const Vec3& half_b, const Transform& X_WB,
                             double margin, std::vector<ContactPoint>& points);

}  // namespace achilles
