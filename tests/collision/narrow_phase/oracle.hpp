// What is known of convex shapes without any of the code under test: membership and extent from their definitions, and
// from these proofs of a distance and bounds of a depth.
#pragma once

#include "geometry/geometry.hpp"
#include "geometry/support.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace achilles::oracle {

struct Placed {
  const Geometry& geometry;
  Transform X;
};

struct OutsideMeasure {
  const Vec3& x;
  double rho;
  double operator()(const SphereGeometry& s) const { return x.norm() - s.radius; }
  double operator()(const BoxGeometry& b) const { return (x.cwiseAbs() - b.half).maxCoeff(); }
  double operator()(const CapsuleGeometry& c) const {
    return (x - Vec3(0, 0, std::clamp(x.z(), -c.half_length, c.half_length))).norm() - c.radius;
  }
  double operator()(const CylinderGeometry& c) const {
    return std::max(rho - c.radius, std::abs(x.z()) - c.half_height);
  }
  double operator()(const ConeGeometry& c) const {
    // The side: rho ≤ r (h - z) / 2h with h the half height.
    const double slant = std::hypot(c.radius, 2 * c.half_height);
    const double side = (2 * c.half_height * rho - c.radius * (c.half_height - x.z())) / slant;
    return std::max(side, -c.half_height - x.z());
  }
  double operator()(const PlaneGeometry& p) const { return p.normal.dot(x) - p.offset; }
  double operator()(const std::shared_ptr<const HullGeometry>& h) const {
    double most = -1e300;
    for (std::size_t f = 0; f < h->face_normals.size(); ++f) {
      most = std::max(most, h->face_normals[f].dot(x) - h->face_offsets[f]);
    }
    return most;
  }
  double operator()(const auto&) const { return 0; }
};

/// How far x [m, world] is outside, 0 inside; an upper bound that is 0 only inside.
inline double outside(const Placed& shape, const Vec3& x_W) {
  const Vec3 x = shape.X.to_local(x_W);
  const double rho = std::hypot(x.x(), x.y());
  return std::max(0.0, std::visit(OutsideMeasure{x, rho}, shape.geometry.kind));
}

/// Largest n·(x - origin) over the shape; infinite for a half-space but along its own normal.
inline double reach(const Placed& shape, const Vec3& n, const Vec3& origin) {
  if (const auto* plane = std::get_if<PlaneGeometry>(&shape.geometry.kind)) {
    const Vec3 m = shape.X.R * plane->normal;
    return (m - n).norm() < 1e-9 ? plane->offset + n.dot(shape.X.p - origin) : 1e300;
  }
  return n.dot(shape.X.p - origin) +
         (shape.X.R.transpose() * n).dot(support(shape.geometry, shape.X.R.transpose() * n));
}

/// The slab between the shapes along the unit n from a to b: positive, they are apart by that much along n and hence by
/// at least that much; negative, moving b along n by its size separates them.
inline double separation(const Placed& a, const Placed& b, const Vec3& n) {
  const Vec3& origin = std::isfinite(a.geometry.radius) ? a.X.p : b.X.p;
  return -reach(b, -n, origin) - reach(a, n, origin);
}

inline void add_axes(const Placed& shape, std::vector<Vec3>& faces, std::vector<Vec3>& edges) {
  const Mat3& R = shape.X.R;
  if (const auto* hull = std::get_if<std::shared_ptr<const HullGeometry>>(&shape.geometry.kind)) {
    for (const Vec3& n : (*hull)->face_normals) faces.push_back(R * n);
    for (const auto& edge : (*hull)->edges) {
      edges.push_back((R * ((*hull)->vertices[edge.head] - (*hull)->vertices[edge.tail])).normalized());
    }
    return;
  }
  for (int k = 0; k < 3; ++k) {
    faces.push_back(R.col(k));
    edges.push_back(R.col(k));
  }
  if (const auto* cone = std::get_if<ConeGeometry>(&shape.geometry.kind)) {
    for (int k = 0; k < 8; ++k) {
      const double angle = k * std::acos(-1.0) / 4;
      faces.push_back(
          R * Vec3(2 * cone->half_height * std::cos(angle), 2 * cone->half_height * std::sin(angle), cone->radius)
                  .normalized());
    }
  }
}

/// An upper bound of the depth of overlapping bounded shapes: over all face normals and products of edges, which is the
/// depth for polyhedra, and over what descent from many starts finds, which nearly always is it for the others.
inline double bound_depth(const Placed& a, const Placed& b, bool descend) {
  std::vector<Vec3> axes, edges_a, edges_b;
  add_axes(a, axes, edges_a);
  add_axes(b, axes, edges_b);
  for (const Vec3& u : edges_a) {
    for (const Vec3& v : edges_b) {
      const Vec3 n = u.cross(v);
      if (n.norm() > 1e-9) axes.push_back(n.normalized());
    }
  }
  const Vec3 between = b.X.p - a.X.p;
  if (between.norm() > 0) axes.push_back(between.normalized());
  struct Start {
    double depth;
    Vec3 n;
  };
  std::vector<Start> starts;
  for (const Vec3& n : axes) {
    starts.push_back({-separation(a, b, n), n});
    starts.push_back({-separation(a, b, -n), -n});
  }
  std::sort(starts.begin(), starts.end(), [](const Start& p, const Start& q) { return p.depth < q.depth; });
  double best = starts.front().depth;
  if (!descend) return best;
  for (std::size_t k = 0; k < std::min<std::size_t>(starts.size(), 6); ++k) {
    Start at = starts[k];
    const double least = 1e-13 * (a.geometry.radius + b.geometry.radius);
    int moves = 0;
    for (double step = 0.3; step > 1e-6 && moves < 300;) {
      const Vec3 u = at.n.unitOrthogonal(), v = at.n.cross(u);
      bool moved = false;
      for (int way = 0; way < 8 && !moved; ++way) {
        const double angle = way * std::acos(-1.0) / 4 + 17 * step;
        const Vec3 n = (at.n + step * (std::cos(angle) * u + std::sin(angle) * v)).normalized();
        const double depth = -separation(a, b, n);
        moved = depth < at.depth - least;
        if (moved) at = {depth, n};
      }
      moves += moved ? 1 : 0;
      if (!moved) step *= 0.5;
    }
    best = std::min(best, at.depth);
  }
  return best;
}

}  // namespace achilles::oracle
