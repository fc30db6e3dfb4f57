// Contact points of two boxes in the coordinates of their own faces: what the general regions give, without their
// generality.
#pragma once

#include "collision/contact/manifold.hpp"
#include "collision/narrow_phase/box_axes.hpp"

namespace achilles {

/// Two boxes, B placed in A's frame.
struct BoxPair {
  const Vec3& half_a;  // [m]
  const Vec3& half_b;  // [m]
  const Transform& X_AB;
};

/// Sets the manifold to the point where the two edges of `axis` come nearest. False when that is not all of the
/// contact: a face is square to the normal, the edges are parallel (either to within kFaceAngle), or an end is nearer.
[[nodiscard]] bool make_box_edge_manifold(const BoxPair& pair, const BoxAxis& axis, double margin, Manifold& manifold);

/// As make_face_manifold with the face of `axis` (of A or of B) as the reference and the other's facing face. `size`
/// [m] is the smaller box's.
double make_box_face_manifold(const BoxPair& pair, const BoxAxis& axis, bool of_a, double margin, double size,
                              Manifold& manifold);

}  // namespace achilles
