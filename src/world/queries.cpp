#include <achilles/query.hpp>

#include "collision/queries/collider_index.hpp"
#include "math/finite.hpp"
#include "world/colliders.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {

struct WorldQuery::Impl {
  ColliderIndex index;
  std::vector<Collider> colliders;  // scratch of update
  std::vector<BodyKind> kinds;      // per body
  std::vector<BodyHandle> handles;  // per body
  // The colliders point to these: bodies may be removed from the world while the query looks at it as it was.
  std::vector<std::shared_ptr<const Geometry>> geometry;

  [[nodiscard]] ColliderFilter make_filter(const QueryFilter& filter) const {
    if (filter.dynamic && filter.fixed && filter.scripted && !filter.accept) return {};
    return [this, &filter](const Collider& collider) {
      const BodyKind kind = kinds[collider.body];
      const bool wanted = (kind == BodyKind::kDynamic && filter.dynamic) ||
                          (kind == BodyKind::kFixed && filter.fixed) ||
                          (kind == BodyKind::kScripted && filter.scripted);
      return wanted && (!filter.accept || filter.accept(handles[collider.body]));
    };
  }
  [[nodiscard]] QueryHit make_hit(const ColliderHit& hit) const {
    return {handles[index.colliders()[hit.collider].body], hit.collider, hit.distance, hit.point, hit.normal};
  }
};

namespace {

QueryRay make_ray(const Vec3& origin, const Vec3& direction, double max_distance) {
  const double length = direction.norm();
  if (!origin.allFinite() || !std::isfinite(length) || length == 0 || !(max_distance >= 0)) {
    throw std::invalid_argument(
        "ray cast: origin and direction must be finite, the direction not zero and the distance not negative");
  }
  return {origin, direction / length, max_distance};
}

struct PlacedPieces {
  std::vector<GeometryPiece> pieces;
  std::vector<QuerySolid> solids;
};

PlacedPieces place(const Shape& shape, const Pose& pose) {
  if (!is_finite(pose)) throw std::invalid_argument("query: the pose must be finite");
  PlacedPieces placed;
  placed.pieces = make_geometry(shape);
  const Transform X_WS = to_transform({pose.p, pose.q.normalized()});
  for (const GeometryPiece& piece : placed.pieces) {
    if (!is_convex(*piece.geometry) || !std::isfinite(piece.geometry->radius)) {
      throw std::invalid_argument("query: the shape must be bounded and convex, or a compound of such shapes");
    }
    placed.solids.push_back({piece.geometry.get(), X_WS * to_transform(piece.pose)});
  }
  return placed;
}

}  // namespace

WorldQuery::WorldQuery(const World& world) : impl_(std::make_unique<Impl>()) { update(world); }
WorldQuery::~WorldQuery() = default;
WorldQuery::WorldQuery(WorldQuery&&) noexcept = default;
WorldQuery& WorldQuery::operator=(WorldQuery&&) noexcept = default;

void WorldQuery::update(const World& world) {
  impl_->geometry.clear();
  for (const WorldPiece& piece : world.pieces) impl_->geometry.push_back(piece.geometry);
  place_colliders(world, 0, impl_->colliders);
  impl_->index.update(impl_->colliders);
  impl_->kinds = world.bodies.kind;
  impl_->handles.resize(world.bodies.size());
  for (std::uint32_t body = 0; body < world.bodies.size(); ++body) impl_->handles[body] = world.handle_of(body);
}

std::optional<QueryHit> WorldQuery::cast_ray(const Vec3& origin, const Vec3& direction, const QueryFilter& filter,
                                             double max_distance) const {
  const auto hit = impl_->index.cast_ray(make_ray(origin, direction, max_distance), impl_->make_filter(filter));
  if (!hit) return std::nullopt;
  return impl_->make_hit(*hit);
}

std::vector<QueryHit> WorldQuery::cast_ray_through(const Vec3& origin, const Vec3& direction, const QueryFilter& filter,
                                                   double max_distance) const {
  std::vector<ColliderHit> hits;
  impl_->index.cast_ray_through(make_ray(origin, direction, max_distance), impl_->make_filter(filter), hits);
  std::vector<QueryHit> result;
  for (const ColliderHit& hit : hits) result.push_back(impl_->make_hit(hit));
  return result;
}

std::optional<QueryHit> WorldQuery::cast_shape(const Shape& shape, const Pose& start, const Vec3& path,
                                               const QueryFilter& filter, double tolerance) const {
  if (!path.allFinite() || !(tolerance > 0) || !std::isfinite(tolerance)) {
    throw std::invalid_argument("shape cast: the path must be finite and the tolerance positive");
  }
  const PlacedPieces placed = place(shape, start);
  const FirstContactOptions options{.tolerance = tolerance};
  std::optional<ColliderHit> first;
  for (const QuerySolid& solid : placed.solids) {
    const auto hit = impl_->index.cast_solid(solid, path, options, impl_->make_filter(filter));
    if (hit && (!first || hit->distance < first->distance)) first = hit;
  }
  if (!first) return std::nullopt;
  return impl_->make_hit(*first);
}

std::vector<BodyHandle> WorldQuery::find_overlaps(const Shape& shape, const Pose& pose,
                                                  const QueryFilter& filter) const {
  const PlacedPieces placed = place(shape, pose);
  std::vector<std::uint32_t> found;
  for (const QuerySolid& solid : placed.solids) impl_->index.find_overlaps(solid, impl_->make_filter(filter), found);
  for (std::uint32_t& id : found) id = impl_->index.colliders()[id].body;
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<BodyHandle> bodies;
  for (const std::uint32_t body : found) bodies.push_back(impl_->handles[body]);
  return bodies;
}

std::optional<QueryPoint> WorldQuery::find_closest_point(const Vec3& x, const QueryFilter& filter,
                                                         double max_distance) const {
  if (!x.allFinite() || !(max_distance >= 0)) {
    throw std::invalid_argument("closest point: the point must be finite and the distance not negative");
  }
  const auto found = impl_->index.find_nearest(x, max_distance, impl_->make_filter(filter));
  if (!found) return std::nullopt;
  const ClosestPoint& nearest = found->nearest;
  return QueryPoint{impl_->handles[impl_->index.colliders()[found->collider].body], found->collider, nearest.distance,
                    nearest.point, nearest.normal};
}

}  // namespace achilles
