#include "collision/queries/collider_index.hpp"

#include "collision/broad_phase/broad_phase.hpp"
#include "collision/queries/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace achilles {
namespace {

bool accepts(const ColliderFilter& filter, const Collider& collider) { return !filter || filter(collider); }

/// Whether the ray meets the box for some t in [0, limit], with some slack for rounding.
bool intersects(const BoxF& box, const QueryRay& ray, double limit) {
  double enter = 0;
  double leave = limit;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    const double lower = box.lower[axis] - ray.origin[k];
    const double upper = box.upper[axis] - ray.origin[k];
    if (ray.direction[k] == 0) {
      if (lower > 0 || upper < 0) return false;
      continue;
    }
    const double a = lower / ray.direction[k];
    const double b = upper / ray.direction[k];
    enter = std::max(enter, std::min(a, b));
    leave = std::min(leave, std::max(a, b));
  }
  return enter * (1 - 1e-14) <= leave * (1 + 1e-14);
}

double squared_distance(const BoxF& box, const Vec3& x) {
  double sum = 0;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const auto axis = static_cast<std::size_t>(k);
    const double outside = std::max({0.0, box.lower[axis] - x[k], x[k] - box.upper[axis]});
    sum += outside * outside;
  }
  return sum;
}

bool comes_before(const ColliderHit& a, const ColliderHit& b) {
  return std::tie(a.distance, a.collider) < std::tie(b.distance, b.collider);
}

}  // namespace

void ColliderIndex::update(std::span<const Collider> colliders) {
  colliders_.assign(colliders.begin(), colliders.end());
  unbounded_.clear();
  build_ids_.clear();
  build_boxes_.clear();
  for (std::uint32_t i = 0; i < colliders_.size(); ++i) {
    colliders_[i].reach = 0;
    const BroadPhaseProxy proxy = make_proxy(colliders_[i], 0);
    if (proxy.is_bounded()) {
      build_ids_.push_back(i);
      build_boxes_.push_back(round_outward(proxy.box));
    } else {
      unbounded_.push_back(i);
    }
  }
  tree_.build(build_ids_, build_boxes_);
}

template <class Visit>
void ColliderIndex::visit_along(const QueryRay& ray, double& limit, const ColliderFilter& filter, Visit&& visit) const {
  const auto offer = [&](std::uint32_t id) {
    if (!accepts(filter, colliders_[id])) return;
    const Collider& collider = colliders_[id];
    const QueryRay rest{ray.origin, ray.direction, limit};
    const std::optional<RayContact> met = intersect_ray(*collider.geometry, collider.X_WG, rest);
    if (met) visit(ColliderHit{id, met->distance, ray.origin + met->distance * ray.direction, met->normal});
  };
  for (const std::uint32_t id : unbounded_) offer(id);
  tree_.traverse([&](const BoxF& box) { return intersects(box, ray, limit); }, offer);
}

std::optional<ColliderHit> ColliderIndex::cast_ray(const QueryRay& ray, const ColliderFilter& filter) const {
  std::optional<ColliderHit> first;
  double limit = ray.limit;
  visit_along(ray, limit, filter, [&](const ColliderHit& hit) {
    if (first && !comes_before(hit, *first)) return;
    first = hit;
    limit = hit.distance;
  });
  return first;
}

void ColliderIndex::cast_ray_through(const QueryRay& ray, const ColliderFilter& filter,
                                     std::vector<ColliderHit>& hits) const {
  hits.clear();
  double limit = ray.limit;
  visit_along(ray, limit, filter, [&](const ColliderHit& hit) { hits.push_back(hit); });
  std::sort(hits.begin(), hits.end(), comes_before);
}

template <class Visit>
void ColliderIndex::visit_overlaps(const Aabb& box, const ColliderFilter& filter, Visit&& visit) const {
  const auto offer = [&](std::uint32_t id) {
    if (accepts(filter, colliders_[id])) visit(id, colliders_[id]);
  };
  for (const std::uint32_t id : unbounded_) offer(id);
  tree_.for_each_overlap(round_outward(box), offer);
}

std::optional<ColliderHit> ColliderIndex::cast_solid(const QuerySolid& solid, const Vec3& path,
                                                     const FirstContactOptions& options,
                                                     const ColliderFilter& filter) const {
  BallisticMotion flight;
  flight.X_WG = solid.X_WG;
  flight.center = solid.X_WG.p;
  flight.velocity = path;
  const Motion motion = flight;
  const Aabb swept = compute_swept_bounds(*solid.geometry, motion, 1).grown(options.tolerance);
  std::optional<ColliderHit> first;
  visit_overlaps(swept, filter, [&](std::uint32_t id, const Collider& collider) {
    const MovingCollider resting = make_resting(collider);
    const MovingPair pair(*collider.geometry, resting.motion, *solid.geometry, motion);
    const FirstContact found = find_first_contact(pair, 1, options);
    if (found.status == ContactSearchStatus::kApart) return;
    const ColliderHit hit{id, found.time * path.norm(), found.gap.point_a, found.gap.normal};
    if (!first || comes_before(hit, *first)) first = hit;
  });
  return first;
}

void ColliderIndex::find_overlaps(const QuerySolid& solid, const ColliderFilter& filter,
                                  std::vector<std::uint32_t>& found) const {
  const std::size_t begin = found.size();
  const Aabb box = compute_bounds(*solid.geometry, solid.X_WG);
  visit_overlaps(box, filter, [&](std::uint32_t id, const Collider& collider) {
    if (do_overlap(*collider.geometry, collider.X_WG, *solid.geometry, solid.X_WG)) found.push_back(id);
  });
  std::sort(found.begin() + static_cast<std::ptrdiff_t>(begin), found.end());
}

std::optional<ColliderPoint> ColliderIndex::find_nearest(const Vec3& x, double limit,
                                                         const ColliderFilter& filter) const {
  std::optional<ColliderPoint> best;
  const auto offer = [&](std::uint32_t id) {
    const Collider& collider = colliders_[id];
    if (!accepts(filter, collider)) return;
    // A surface at exactly the distance of the best so far must still answer, for the smaller id to win.
    const double look = std::nextafter(std::max(limit, 0.0), std::numeric_limits<double>::infinity());
    const ClosestPoint nearest = find_closest_point(*collider.geometry, collider.X_WG, x, look);
    if (!(nearest.distance <= limit) || !std::isfinite(nearest.distance)) return;
    if (best && std::tie(best->nearest.distance, best->collider) < std::tie(nearest.distance, id)) return;
    best = ColliderPoint{id, nearest};
    limit = nearest.distance;
  };
  for (const std::uint32_t id : unbounded_) offer(id);
  // The depth in a solid is not bounded by the distance to its box: boxes around x are entered whatever the limit.
  const auto enter = [&](const BoxF& box) {
    const double d2 = squared_distance(box, x);
    return d2 == 0 || (limit >= 0 && d2 <= limit * limit);
  };
  tree_.traverse(enter, offer);
  return best;
}

}  // namespace achilles
