#include "collision/narrow_phase/simplex.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

namespace {

constexpr double kSliver = 1e-6;  // of the cube of its size: the volume of a tetrahedron whose signs are not trusted

// Searches the parts of a simplex for the point nearest to the origin, keeping the best so far.
class Search {
 public:
  explicit Search(const Simplex& simplex) : simplex_(simplex), last_(simplex.count - 1) {}

  SimplexPoint run() {
    if (simplex_.count == 4 && is_inside()) {
      return best_;
    }
    offer_vertex(last_);
    for (int i = 0; i < last_; ++i) {
      offer_edge(i);
    }
    // All edges are tried: region tests disagree with each other on slivers.
    for (int i = 1; i < last_; ++i) {
      for (int j = 0; j < i; ++j) {
        if (!is_hidden_[static_cast<std::size_t>(3 - i - j)]) offer_triangle(j, i);
      }
    }
    return best_;
  }

 private:
  [[nodiscard]] const Vec3& w(int i) const { return simplex_.vertices[static_cast<std::size_t>(i)].w; }
  [[nodiscard]] double& weight(int i) { return best_.weights[static_cast<std::size_t>(i)]; }

  void offer_vertex(int i) {
    const double distance2 = w(i).squaredNorm();
    if (distance2 < best_.distance2) {
      best_ = {{}, w(i), distance2};
      weight(i) = 1;
    }
  }

  void offer_edge(int i) {
    const Vec3& p = w(i);
    const Vec3& q = w(last_);
    const Vec3 d = q - p;
    const double length2 = d.squaredNorm();
    // Measured from the nearer end: the weight of the further one then carries a small relative error.
    const bool from_p = p.squaredNorm() <= q.squaredNorm();
    const double t = from_p ? -d.dot(p) : d.dot(q);
    if (t <= 0 || length2 <= 0) return offer_vertex(from_p ? i : last_);
    if (t >= length2) return offer_vertex(from_p ? last_ : i);
    const double part = t / length2;
    const Vec3 point = from_p ? Vec3(p + part * d) : Vec3(q - part * d);
    const double distance2 = point.squaredNorm();
    if (distance2 < best_.distance2) {
      best_ = {{}, point, distance2};
      weight(from_p ? last_ : i) = part;
      weight(from_p ? i : last_) = 1 - part;
    }
  }

  // The foot of the origin on the plane of the triangle, if inside. Everything is measured from the corner between the
  // two shorter edges: GJK on round shapes makes slivers whose short edge is a difference of nearly equal points,
  // exact, and only from there the normal keeps its relative precision.
  void offer_triangle(int i, int j) {
    const int k = last_;
    const double ij = (w(j) - w(i)).squaredNorm(), jk = (w(k) - w(j)).squaredNorm(), ki = (w(i) - w(k)).squaredNorm();
    const int base = ij >= jk && ij >= ki ? k : (jk >= ki ? i : j);
    const int second = base == i ? j : (base == j ? k : i);
    const int third = base == i ? k : (base == j ? i : j);
    const Vec3& o = w(base);
    const Vec3 u = w(second) - o, v = w(third) - o;
    const Vec3 n = u.cross(v);
    const double area2 = n.squaredNorm();
    if (!(area2 > 0)) return;
    const double s = -n.dot(o.cross(v)) / area2;
    const double t = -n.dot(u.cross(o)) / area2;
    if (!(s > 0 && t > 0 && s + t < 1)) return;
    const Vec3 point = n * (n.dot(o) / area2);
    const double distance2 = point.squaredNorm();
    if (distance2 < best_.distance2) {
      best_ = {{}, point, distance2};
      weight(base) = 1 - s - t;
      weight(second) = s;
      weight(third) = t;
    }
  }

  // Barycentric coordinates of the origin. A face behind which the origin lies does not hold the nearest point.
  bool is_inside() {
    const Vec3 &a = w(0), &b = w(1), &c = w(2), &d = w(3);
    const Vec3 cd = c.cross(d), ab = a.cross(b);
    const std::array<double, 4> volumes{b.dot(cd), -a.dot(cd), d.dot(ab), -c.dot(ab)};
    const Vec3 u = b - a, v = c - a, t = d - a;
    const double sum = u.dot(v.cross(t));
    if (sum == 0) {
      return false;
    }
    const double size2 = std::max({u.squaredNorm(), v.squaredNorm(), t.squaredNorm()});
    const bool is_solid = sum * sum > kSliver * kSliver * size2 * size2 * size2;
    bool inside = true;
    for (std::size_t i = 0; i < 4; ++i) {
      best_.weights[i] = volumes[i] / sum;
      inside = inside && best_.weights[i] > 0;
      if (i < 3) is_hidden_[i] = is_solid && best_.weights[i] > kSliver;
    }
    if (inside) {
      best_.point.setZero();
      best_.distance2 = 0;
    }
    return inside;
  }

  const Simplex& simplex_;
  const int last_;
  SimplexPoint best_;
  std::array<bool, 3> is_hidden_{};  // faces of a tetrahedron, by the vertex they leave out
};

}  // namespace

SimplexPoint find_nearest(const Simplex& simplex) { return Search(simplex).run(); }

void reduce_to(const SimplexPoint& point, Simplex& simplex) {
  int kept = 0;
  for (int i = 0; i < simplex.count; ++i) {
    const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(kept);
    if (point.weights[from] > 0) {
      if (to != from) simplex.vertices[to] = simplex.vertices[from];
      simplex.weights[to] = point.weights[from];
      ++kept;
    }
  }
  simplex.count = kept;
}

}  // namespace achilles
