// Contact determination between two placed geometries.
#pragma once

#include "collision/contact/contact.hpp"
#include "geometry/geometry.hpp"

namespace achilles {

enum class BoxContacts : std::uint8_t { kRepaired, kOld };  // [Erleben04, sec. 6.3]; see old_box_contacts.hpp

struct CollideOptions {
  double margin = 0;        // [m] points with gap up to this are reported
  bool all_points = false;  // every point of the contact region instead of at most four for a convex pair
  BoxContacts boxes = BoxContacts::kRepaired;
};

/// Appends the contact points of one pair of geometries (normal from a to b) to `points`; nothing when they are further
/// apart than the margin. Depends on the poses alone, so that a resumed run finds the same bits. Any order of kinds.
void collide(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
             const CollideOptions& options, std::vector<ContactPoint>& points);

/// What `collide` does for two balls.
void collide_balls(const Vec3& center_a, double radius_a, const Vec3& center_b, double radius_b, double margin,
                   std::vector<ContactPoint>& points);

/// Signed distance between two placed geometries: positive apart, else minus the depth, the least translation that
/// separates them. This is the measure of penetration that reports and tests use; it shares no code with `collide`
/// beyond the elementary distances. A closed mesh bounds a solid, a height field all that is below it. An open mesh is
/// the skin of a solid of which the rest is unknown: solid behind its triangles as far as they reach, so that what has
/// passed through a floor is not taken for free of it. Planes, meshes and height fields have no distance to each other
/// (std::invalid_argument, but for two planes: infinite): bodies of these are fixed or scripted.
struct SignedDistance {
  double distance = 0;          // [m]
  Vec3 point_a = Vec3::Zero();  // [m] world, on a
  Vec3 point_b = Vec3::Zero();  // [m] world, on b
  Vec3 normal = Vec3::UnitZ();  // unit, from a to b
};
[[nodiscard]] SignedDistance compute_signed_distance(const Geometry& a, const Transform& X_WA, const Geometry& b,
                                                     const Transform& X_WB);

/// The same without allocating once `scratch`, whose contents are overwritten, is large enough.
[[nodiscard]] SignedDistance compute_signed_distance(const Geometry& a, const Transform& X_WA, const Geometry& b,
                                                     const Transform& X_WB, std::vector<ContactPoint>& scratch);

/// How deep two placed geometries overlap [m]: minus their signed distance, or 0 when they are apart, which costs less
/// to find out than how far. `scratch` is overwritten.
[[nodiscard]] double compute_depth(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                                   std::vector<ContactPoint>& scratch);

}  // namespace achilles
