#include "collision/contact/manifold.hpp"
#include "collision/contact/pair_contacts.hpp"
#include "collision/contact/support_face.hpp"

namespace achilles {

namespace {

// The plane seen from the frame of the shape on it.
struct LocalPlane {
  Vec3 normal;
  double offset;  // [m]

  LocalPlane(const Geometry& plane, const Transform& X_WP, const Transform& X_WS) {
    const auto& geometry = std::get<PlaneGeometry>(plane.kind);
    const Vec3 normal_W = X_WP.R * geometry.normal;
    normal = X_WS.R.transpose() * normal_W;
    offset = geometry.offset + normal_W.dot(X_WP.p - X_WS.p);
  }
  [[nodiscard]] double gap(const Vec3& x) const { return normal.dot(x) - offset; }
};

struct PlaneManifold {
  const LocalPlane& plane;
  double radius;  // [m] rounding of the core
  double margin;
  Manifold& manifold;

  void add(const Vec3& x, std::uint32_t feature) const {
    const double gap = plane.gap(x) - radius;
    if (gap <= margin) {
      manifold.points.push_back({x - (radius + 0.5 * gap) * plane.normal, gap, feature});
    }
  }
};

}  // namespace

void collide_nothing(const Geometry&, const Transform&, const Geometry&, const Transform&, const CollideOptions&,
                     std::vector<ContactPoint>&) {}

// The corners of the support face towards the plane: nearly all that can carry load, and the same ones from step to
// step. When all points are wanted, every vertex near the plane is one.
void collide_convex_plane(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                          const CollideOptions& options, std::vector<ContactPoint>& points) {
  const LocalPlane plane(b, X_WB, X_WA);
  const ConvexCore core = make_core(a);
  Manifold manifold;
  manifold.normal = -plane.normal;
  const PlaneManifold found{plane, core.radius, options.margin, manifold};
  if (options.all_points && (core.kind == ConvexCore::Kind::kBox || core.kind == ConvexCore::Kind::kPolytope)) {
    const bool is_box = core.kind == ConvexCore::Kind::kBox;
    const auto count = static_cast<std::uint32_t>(is_box ? 8 : core.polytope.vertices.size());
    for (std::uint32_t v = 0; v < count; ++v) {
      found.add(is_box ? box_vertex(core.half, v) : core.polytope.vertices[v], v);
    }
  } else {
    SupportFace face;
    find_support_face(core, -plane.normal, face);
    for (const SupportFaceCorner& corner : face.corners) {
      found.add(corner.x, corner.vertex);
    }
  }
  append_manifold(manifold, X_WA, options, points);
}

}  // namespace achilles
