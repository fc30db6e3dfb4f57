#include "collision/narrow_phase/simplex.hpp"

#include <cmath>

namespace achilles {

namespace {

// Weights of the nearest point over up to four vertices of the original simplex; zero for those that drop out.
struct Nearest {
  std::array<double, 4> weights{};
  Vec3 point;
  double distance2 = std::numeric_limits<double>::infinity();

  void offer(const Nearest& other) {
    if (other.distance2 < distance2) {
      *this = other;
    }
  }
};

Nearest on_vertex(const Simplex& simplex, int i) {
  Nearest nearest;
  nearest.weights[i] = 1;
  nearest.point = simplex.vertices[i].w;
  nearest.distance2 = nearest.point.squaredNorm();
  return nearest;
}

Nearest on_edge(const Simplex& simplex, int i, int j) {
  const Vec3& p = simplex.vertices[i].w;
  const Vec3& q = simplex.vertices[j].w;
  const Vec3 d = q - p;
  const double length2 = d.squaredNorm();
  // Measured from the nearer end: the weight of the further one then carries a small relative error.
  const bool from_p = p.squaredNorm() <= q.squaredNorm();
  const double t = from_p ? -d.dot(p) : d.dot(q);
  if (t <= 0 || length2 <= 0) {
    return on_vertex(simplex, from_p ? i : j);
  }
  if (t >= length2) {
    return on_vertex(simplex, from_p ? j : i);
  }
  Nearest nearest;
  const double weight = t / length2;
  nearest.weights[from_p ? j : i] = weight;
  nearest.weights[from_p ? i : j] = 1 - weight;
  nearest.point = from_p ? Vec3(p + weight * d) : Vec3(q - weight * d);
  nearest.distance2 = nearest.point.squaredNorm();
  return nearest;
}

// The foot of the origin on the plane of the triangle; where it lies outside, or the triangle has no area, the nearest
// of the three edges. All edges are tried: region tests disagree with each other on slivers. Everything is measured
// from the corner between the two shorter edges: GJK on round shapes makes slivers whose short edge is a difference of
// nearly equal points, exact, and only from there the normal keeps its relative precision.
Nearest on_triangle(const Simplex& simplex, int i, int j, int k) {
  const auto w = [&](int m) -> const Vec3& { return simplex.vertices[m].w; };
  const double ij = (w(j) - w(i)).squaredNorm(), jk = (w(k) - w(j)).squaredNorm(), ki = (w(i) - w(k)).squaredNorm();
  const int base = ij >= jk && ij >= ki ? k : (jk >= ki ? i : j);
  const int second = base == i ? j : (base == j ? k : i);
  const int third = base == i ? k : (base == j ? i : j);
  const Vec3& o = w(base);
  const Vec3 u = w(second) - o, v = w(third) - o;
  const Vec3 n = u.cross(v);
  const double area2 = n.squaredNorm();
  if (area2 > 0) {
    const double s = -n.dot(o.cross(v)) / area2;
    const double t = -n.dot(u.cross(o)) / area2;
    if (s > 0 && t > 0 && s + t < 1) {
      Nearest nearest;
      nearest.weights[base] = 1 - s - t;
      nearest.weights[second] = s;
      nearest.weights[third] = t;
      nearest.point = n * (n.dot(o) / area2);
      nearest.distance2 = nearest.point.squaredNorm();
      return nearest;
    }
  }
  Nearest nearest = on_edge(simplex, i, j);
  nearest.offer(on_edge(simplex, j, k));
  nearest.offer(on_edge(simplex, k, i));
  return nearest;
}

bool is_inside(const Simplex& simplex, Nearest& nearest) {
  const Vec3& a = simplex.vertices[0].w;
  const Vec3& b = simplex.vertices[1].w;
  const Vec3& c = simplex.vertices[2].w;
  const Vec3& d = simplex.vertices[3].w;
  const std::array<double, 4> volumes{b.dot(c.cross(d)), -a.dot(c.cross(d)), a.dot(b.cross(d)), -a.dot(b.cross(c))};
  const double sum = (b - a).dot((c - a).cross(d - a));
  if (sum == 0) {
    return false;
  }
  for (int i = 0; i < 4; ++i) {
    nearest.weights[i] = volumes[i] / sum;
    if (!(nearest.weights[i] > 0)) {
      return false;
    }
  }
  nearest.point.setZero();
  nearest.distance2 = 0;
  return true;
}

Nearest on_tetrahedron(const Simplex& simplex) {
  Nearest nearest;
  if (is_inside(simplex, nearest)) {
    return nearest;
  }
  nearest = on_triangle(simplex, 0, 1, 2);
  nearest.offer(on_triangle(simplex, 0, 1, 3));
  nearest.offer(on_triangle(simplex, 0, 2, 3));
  nearest.offer(on_triangle(simplex, 1, 2, 3));
  return nearest;
}

Nearest find_nearest(const Simplex& simplex) {
  switch (simplex.count) {
    case 1:
      return on_vertex(simplex, 0);
    case 2:
      return on_edge(simplex, 0, 1);
    case 3:
      return on_triangle(simplex, 0, 1, 2);
    default:
      return on_tetrahedron(simplex);
  }
}

}  // namespace

Vec3 reduce_to_nearest(Simplex& simplex) {
  const Nearest nearest = find_nearest(simplex);
  int kept = 0;
  for (int i = 0; i < simplex.count; ++i) {
    if (nearest.weights[i] > 0) {
      simplex.vertices[kept] = simplex.vertices[i];
      simplex.weights[kept] = nearest.weights[i];
      ++kept;
    }
  }
  simplex.count = kept;
  return nearest.point;
}

}  // namespace achilles
