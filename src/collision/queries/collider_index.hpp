// Questions about many colliders at one instant: rays, moving shapes, overlaps, nearest points.
#pragma once

#include "collision/broad_phase/aabb_tree.hpp"
#include "collision/collider.hpp"
#include "collision/continuous/time_of_contact.hpp"
#include "collision/queries/closest_point.hpp"
#include "collision/queries/ray.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace achilles {

/// Which colliders a question is about; empty: all.
using ColliderFilter = std::function<bool(const Collider&)>;

struct ColliderHit {
  std::uint32_t collider = 0;
  double distance = 0;          // [m] travelled up to the hit
  Vec3 point = Vec3::Zero();    // [m] world, on the collider's surface
  Vec3 normal = Vec3::UnitZ();  // unit, out of the collider
};

struct ColliderPoint {
  std::uint32_t collider = 0;
  ClosestPoint nearest;
};

/// A bounded convex solid that is the subject of a query.
struct QuerySolid {
  const Geometry* geometry = nullptr;
  Transform X_WG;
};

/// A copy of the colliders as they stood at the last update, and a tree over their boxes. Queries change nothing and
/// may run on several threads. Where two answers are equally near, the smaller collider is given.
class ColliderIndex {
 public:
  /// O(n log n), no allocation once warm. Throws std::invalid_argument when a pose is not finite.
  void update(std::span<const Collider> colliders);
  [[nodiscard]] std::span<const Collider> colliders() const { return colliders_; }

  /// The first collider on the ray, [ray.hpp].
  [[nodiscard]] std::optional<ColliderHit> cast_ray(const QueryRay& ray, const ColliderFilter& filter) const;
  /// Where the ray first meets each collider on its way, sorted by distance.
  void cast_ray_through(const QueryRay& ray, const ColliderFilter& filter, std::vector<ColliderHit>& hits) const;

  /// The first collider that the solid comes within the tolerance of on its way along `path`, without turning. The
  /// distance is never late; one that is in contact at the start is hit at distance 0. Where the search is capped
  /// (grazing for a long way), a hit is reported at the place up to which the way is certainly free.
  [[nodiscard]] std::optional<ColliderHit> cast_solid(const QuerySolid& solid, const Vec3& path,
                                                      const FirstContactOptions& options,
                                                      const ColliderFilter& filter) const;

  /// Appends the colliders that have a point in common with the solid, in order, [overlap.hpp].
  void find_overlaps(const QuerySolid& solid, const ColliderFilter& filter, std::vector<std::uint32_t>& found) const;

  /// The collider nearest to x, if it is nearer than `limit` [m]; inside several, the one x is deepest in.
  [[nodiscard]] std::optional<ColliderPoint> find_nearest(const Vec3& x, double limit,
                                                          const ColliderFilter& filter) const;

 private:
  template <class Visit>
  void visit_along(const QueryRay& ray, double& limit, const ColliderFilter& filter, Visit&& visit) const;
  template <class Visit>
  void visit_overlaps(const Aabb& box, const ColliderFilter& filter, Visit&& visit) const;

  std::vector<Collider> colliders_;
  std::vector<std::uint32_t> unbounded_;
  AabbTree tree_;
  std::vector<std::uint32_t> build_ids_;
  std::vector<BoxF> build_boxes_;
};

}  // namespace achilles
