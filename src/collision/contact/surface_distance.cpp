#include "collision/contact/surface_distance.hpp"

#include "collision/contact/surface.hpp"
#include "collision/narrow_phase/penetration.hpp"

#include <algorithm>

namespace achilles {

namespace {

template <typename Surface>
SignedDistance find_apart(const Surface& surface, const ConvexCore& core, const Transform& X_WC,
                          const Transform& X_WS) {
  const Transform X_CS = relative(X_WC, X_WS);
  const Vec3 origin_S = X_CS.inverse().p;
  SignedDistance best;
  best.distance = std::numeric_limits<double>::infinity();
  const double unlimited = std::numeric_limits<double>::infinity();
  visit_near_triangles(surface, origin_S, unlimited, [&](const SurfaceTriangle& triangle, double& squared_limit) {
    const TrianglePolytope polytope(triangle.corners, triangle.normal);
    const ConvexCore triangle_core = make_core(polytope.view());
    CoreDistanceOptions options;
    options.beyond = best.distance + core.radius;
    const CoreDistance found =
        compute_core_distance({core, triangle_core, {X_CS.R, X_CS * polytope.middle()}}, options);
    const double distance = found.distance - core.radius;
    if (found.beyond || distance >= best.distance) return;
    best.distance = distance;
    best.normal = X_WC.R * found.normal;
    best.point_a = X_WC * Vec3(found.point_a + core.radius * found.normal);
    best.point_b = X_WC * found.point_b;
    const double reach = std::max(0.0, distance) + core.size;
    squared_limit = reach * reach;
  });
  return best;
}

SignedDistance of_deepest(const std::vector<ContactPoint>& points) {
  const ContactPoint& deepest = *std::min_element(
      points.begin(), points.end(), [](const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; });
  const Vec3 half = 0.5 * deepest.gap * deepest.normal;
  return {deepest.gap, deepest.position - half, deepest.position + half, deepest.normal};
}

template <typename Surface>
SignedDistance find_distance(const Surface& surface, const Geometry& a, const Transform& X_WA, const Geometry& b,
                             const Transform& X_WB, std::vector<ContactPoint>& points) {
  points.clear();
  collide(a, X_WA, b, X_WB, {0, true}, points);
  if (!points.empty()) return of_deepest(points);
  SignedDistance apart = find_apart(surface, make_core(a), X_WA, X_WB);
  // What crosses triangles only from behind has no contact with them.
  apart.distance = std::max(0.0, apart.distance);
  return apart;
}

}  // namespace

SignedDistance compute_surface_distance(const Geometry& a, const Transform& X_WA, const Geometry& b,
                                        const Transform& X_WB, std::vector<ContactPoint>& scratch) {
  if (const auto* mesh = std::get_if<std::shared_ptr<const MeshGeometry>>(&b.kind)) {
    return find_distance(**mesh, a, X_WA, b, X_WB, scratch);
  }
  return find_distance(*std::get<std::shared_ptr<const HeightfieldGeometry>>(b.kind), a, X_WA, b, X_WB, scratch);
}

}  // namespace achilles
