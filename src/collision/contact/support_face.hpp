// Support face: the flat part of a convex surface that faces a direction: what contact regions are cut from.
#pragma once

#include "collision/narrow_phase/convex_core.hpp"
#include "collision/narrow_phase/segment.hpp"
#include "collision/narrow_phase/small_vector.hpp"

#include <cstdint>

namespace achilles {

struct SupportFaceCorner {
  Vec3 x;                // [m] in the core's frame
  std::uint32_t vertex;  // number of the corner within its shape
  std::uint32_t side;    // number of the side that begins here
};

/// A polygon, counter-clockwise seen from outside; or a segment or a point, which have no area. The discs of cylinders
/// and cones are polygons on their rim: fixed corners, so that they keep their ids, and the one point that is furthest.
struct SupportFace {
  SmallVector<SupportFaceCorner, 32> corners;
  Vec3 normal;               // outward, unit, if it has area
  double offset = 0;         // [m] normal·x = offset
  std::uint32_t number = 0;  // of the face within its shape
  bool has_area = false;
};

/// Sets `face` to the part of the core's surface that faces along the unit `direction` and holds its furthest point.
void find_support_face(const ConvexCore& core, const Vec3& direction, SupportFace& face);

/// The straight edge (or line on a curved side) through the point furthest along the unit `direction` that is square to
/// it within `max_sine`.
struct FarthestEdge {
  bool found = false;
  Segment segment;  // in the core's frame
  std::uint32_t edge = 0;
};
[[nodiscard]] FarthestEdge find_edge(const ConvexCore& core, const Vec3& direction, double max_sine);

}  // namespace achilles
