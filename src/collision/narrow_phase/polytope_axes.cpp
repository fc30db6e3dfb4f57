#include "collision/narrow_phase/polytope_axes.hpp"

#include <cmath>

namespace achilles {

namespace {

constexpr double kParallelSine = 1e-11;  // as for boxes: the width of the sliver that is ignored

struct Polytopes {
  const PolytopeView& a;
  const PolytopeView& b;
  const Transform& X_AB;

  // Overlap along a unit direction from A to B, exact whatever the direction.
  [[nodiscard]] double separation(const Vec3& n) const {
    const Vec3 n_B = X_AB.R.transpose() * n;
    const double reach_a = n.dot(a.vertices[support_vertex(a, n)]);
    const double reach_b = n_B.dot(b.vertices[support_vertex(b, -n_B)]) + n.dot(X_AB.p);
    return reach_b - reach_a;
  }
  void offer(const Vec3& n, PolytopeAxis& best) const {
    const double s = separation(n);
    if (s > best.separation) {
      best = {s, n};
    }
  }
};

// Whether the arcs (a, b) and (c, d) on the unit sphere cross, [Gregorius13]: both ends of each lie on different sides
// of the other's great circle, and on the same hemisphere. Ties count as crossing, since a superfluous axis does no
// harm.
bool arcs_cross(const Vec3& a, const Vec3& b, const Vec3& ba, const Vec3& c, const Vec3& d, const Vec3& dc) {
  constexpr double kTie = 1e-12;
  const double cba = c.dot(ba), dba = d.dot(ba), adc = a.dot(dc), bdc = b.dot(dc);
  return cba * dba <= kTie && adc * bdc <= kTie && cba * bdc >= -kTie;
}

struct EdgeArc {
  Vec3 direction;  // unit along the edge, in A's frame
  Vec3 left;       // face normals, of B's edges negated
  Vec3 right;
  bool has_faces;
};

EdgeArc arc_of(const PolytopeView& polytope, const HullGeometry::Edge& edge, const Mat3& R, double sign) {
  EdgeArc arc;
  arc.direction = (R * (polytope.vertices[edge.head] - polytope.vertices[edge.tail])).normalized();
  arc.has_faces = polytope.face_count() > 0;
  if (arc.has_faces) {
    arc.left = sign * (R * polytope.face_normals[edge.left]);
    arc.right = sign * (R * polytope.face_normals[edge.right]);
  }
  return arc;
}

void try_edges(const Polytopes& pair, PolytopeAxis& best) {
  for (const HullGeometry::Edge& edge_b : pair.b.edges) {
    const EdgeArc b = arc_of(pair.b, edge_b, pair.X_AB.R, -1);
    for (const HullGeometry::Edge& edge_a : pair.a.edges) {
      const EdgeArc a = arc_of(pair.a, edge_a, Mat3::Identity(), 1);
      if (a.has_faces && b.has_faces && !arcs_cross(a.left, a.right, a.direction, b.left, b.right, b.direction)) {
        continue;
      }
      Vec3 n = a.direction.cross(b.direction);
      const double sine = n.norm();
      if (sine < kParallelSine) {
        continue;
      }
      n /= sine;
      // Of nearly parallel edges the cross product is mostly rounding; made square to one of them it is still an axis
      // that both nearly support.
      n = (n - n.dot(a.direction) * a.direction).normalized();
      pair.offer(n, best);
      pair.offer(-n, best);
    }
  }
}

}  // namespace

PolytopeAxis find_polytope_axis(const PolytopeView& a, const PolytopeView& b, const Transform& X_AB) {
  const Polytopes pair{a, b, X_AB};
  PolytopeAxis best;
  for (const Vec3& n : a.face_normals) {
    pair.offer(n, best);
  }
  for (const Vec3& n : b.face_normals) {
    pair.offer(-(X_AB.R * n), best);
  }
  try_edges(pair, best);
  return best;
}

}  // namespace achilles
