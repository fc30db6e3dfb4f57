#include "collision/contact/manifold.hpp"
#include "collision/contact/pair_contacts.hpp"
#include "collision/narrow_phase/polytope.hpp"

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

void add_point(const LocalPlane& plane, const Vec3& x, std::uint32_t feature, double margin, Manifold& manifold) {
  const double gap = plane.gap(x);
  if (gap <= margin) {
    manifold.points.push_back({x - 0.5 * gap * plane.normal, gap, feature});
  }
}

// The vertices of the face that faces the plane: nearly all that can carry load, and the same ones from step to step.
void add_polytope(const PolytopeView& polytope, const LocalPlane& plane, const CollideOptions& options,
                  Manifold& manifold) {
  if (options.all_points) {
    for (std::uint32_t v = 0; v < polytope.vertices.size(); ++v) {
      add_point(plane, polytope.vertices[v], v, options.margin, manifold);
    }
    return;
  }
  for (const std::uint32_t v : polytope.loop(facing_face(polytope, -plane.normal))) {
    add_point(plane, polytope.vertices[v], v, options.margin, manifold);
  }
}

}  // namespace

void collide_nothing(const Geometry&, const Transform&, const Geometry&, const Transform&, const CollideOptions&,
                     std::vector<ContactPoint>&) {}

void collide_sphere_plane(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                          const CollideOptions& options, std::vector<ContactPoint>& points) {
  const LocalPlane plane(b, X_WB, X_WA);
  Manifold manifold;
  manifold.normal = -plane.normal;
  add_point(plane, -std::get<SphereGeometry>(a.kind).radius * plane.normal, 0, options.margin, manifold);
  append_manifold(manifold, X_WA, options, points);
}

void collide_box_plane(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                       const CollideOptions& options, std::vector<ContactPoint>& points) {
  const LocalPlane plane(b, X_WB, X_WA);
  const BoxPolytope box(std::get<BoxGeometry>(a.kind).half);
  Manifold manifold;
  manifold.normal = -plane.normal;
  add_polytope(box.view(), plane, options, manifold);
  append_manifold(manifold, X_WA, options, points);
}

void collide_capsule_plane(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                           const CollideOptions& options, std::vector<ContactPoint>& points) {
  const LocalPlane plane(b, X_WB, X_WA);
  const auto& capsule = std::get<CapsuleGeometry>(a.kind);
  Manifold manifold;
  manifold.normal = -plane.normal;
  std::uint32_t end = 0;
  for (const double z : {-capsule.half_length, capsule.half_length}) {
    add_point(plane, Vec3(0, 0, z) - capsule.radius * plane.normal, end++, options.margin, manifold);
  }
  append_manifold(manifold, X_WA, options, points);
}

}  // namespace achilles
