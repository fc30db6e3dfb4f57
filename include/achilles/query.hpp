// Queries of the World at one instant: what does this ray hit, what does this shape hit on its way, what does it
// overlap, what is nearest to this point.
#pragma once

#include <achilles/world.hpp>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace achilles {

/// Which bodies a query sees.
struct QueryFilter {
  bool dynamic = true;
  bool fixed = true;
  bool scripted = true;
  std::function<bool(BodyHandle)> accept;  // empty: every body of these kinds
};

/// First intersection of a moving ray or shape with a body.
struct QueryHit {
  BodyHandle body;
  std::uint32_t piece = 0;      // of World::pieces: which part of a compound
  double distance = 0;          // [m] travelled up to the hit
  Vec3 point = Vec3::Zero();    // [m] world, on the body's surface
  Vec3 normal = Vec3::UnitZ();  // unit, out of the body
};

/// The point of a body nearest to a given point x = point + distance · normal.
struct QueryPoint {
  BodyHandle body;
  std::uint32_t piece = 0;
  double distance = 0;          // [m] negative inside a solid
  Vec3 point = Vec3::Zero();    // [m] world, on the body's surface
  Vec3 normal = Vec3::UnitZ();  // unit, out of the body
};

/// Sees the world as it was when constructed or last updated. Const functions may be called from several threads at
/// once. Solids are closed sets. A mesh or height field is a surface to rays and to closest points: met from either
/// side, at a distance that is never negative. Where two answers are equally near, the one that comes first in
/// World::pieces is given. All arguments must be finite, lengths may be infinite where stated; otherwise
/// std::invalid_argument.
class WorldQuery {
 public:
  explicit WorldQuery(const World& world);
  ~WorldQuery();
  WorldQuery(WorldQuery&&) noexcept;
  WorldQuery& operator=(WorldQuery&&) noexcept;

  /// Updates from the world; O(n log n) in the number of pieces, no allocation once warm.
  void update(const World& world);

  /// The first body on the ray from `origin` along `direction` (any length but zero), within `max_distance` [m]. A ray
  /// that starts inside a solid hits it at distance 0, with the normal against the ray.
  [[nodiscard]] std::optional<QueryHit> cast_ray(const Vec3& origin, const Vec3& direction,
                                                 const QueryFilter& filter = {},
                                                 double max_distance = std::numeric_limits<double>::infinity()) const;

  /// The same for every piece on the ray, ordered by distance.
  [[nodiscard]] std::vector<QueryHit> cast_ray_through(
      const Vec3& origin, const Vec3& direction, const QueryFilter& filter = {},
      double max_distance = std::numeric_limits<double>::infinity()) const;

  /// The first body that the shape, placed at `start`, comes within `tolerance` [m] of when it moves by `path` [m]
  /// without turning. Never too late: before the reported distance every gap is at least half the tolerance. A body in
  /// contact at the start is hit at distance 0. The shape must be convex and bounded, or a compound of such.
  [[nodiscard]] std::optional<QueryHit> cast_shape(const Shape& shape, const Pose& start, const Vec3& path,
                                                   const QueryFilter& filter = {}, double tolerance = 1e-6) const;

  /// The bodies that have a point in common with the shape, in the order of their indices. The shape as above. What
  /// lies entirely inside a closed mesh, or below a height field, overlaps it.
  [[nodiscard]] std::vector<BodyHandle> find_overlaps(const Shape& shape, const Pose& pose,
                                                      const QueryFilter& filter = {}) const;

  /// The body nearest to x, if any is within `max_distance` [m]; inside several, the one that x is deepest in.
  [[nodiscard]] std::optional<QueryPoint> find_closest_point(
      const Vec3& x, const QueryFilter& filter = {},
      double max_distance = std::numeric_limits<double>::infinity()) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace achilles
