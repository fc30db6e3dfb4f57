#include "geometry/mesh/triangle.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace achilles {
namespace {

using enum TriangleFeature;

TrianglePoint closest_on_edges(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const std::array<const Vec3*, 3> corners = {&a, &b, &c};
  TrianglePoint best;
  double best_distance = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 &tail = *corners[k], &head = *corners[(k + 1) % 3];
    const Vec3 edge = head - tail;
    const double along = edge.dot(x - tail), length = edge.squaredNorm();
    TrianglePoint candidate;
    if (!(along > 0)) {
      candidate = {tail, static_cast<TriangleFeature>(k)};
    } else if (!(along < length)) {
      candidate = {head, static_cast<TriangleFeature>((k + 1) % 3)};
    } else {
      candidate = {tail + edge * (along / length), static_cast<TriangleFeature>(3 + k)};
    }
    const double distance = (x - candidate.point).squaredNorm();
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace

// The Voronoi regions of the triangle, vertices first, [Ericson05, sec. 5.1.5]. Differs: a triangle whose area is lost
// in rounding goes through its edges.
TrianglePoint closest_point_on_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ax = x - a;
  const double d1 = ab.dot(ax), d2 = ac.dot(ax);
  if (d1 <= 0 && d2 <= 0) return {a, kVertex0};
  const Vec3 bx = x - b;
  const double d3 = ab.dot(bx), d4 = ac.dot(bx);
  if (d3 >= 0 && d4 <= d3) return {b, kVertex1};
  const Vec3 cx = x - c;
  const double d5 = ab.dot(cx), d6 = ac.dot(cx);
  if (d6 >= 0 && d5 <= d6) return {c, kVertex2};

  const Vec3 normal = ab.cross(ac);
  const double area = normal.squaredNorm();
  if (!(area > 1e-24 * ab.squaredNorm() * ac.squaredNorm())) return closest_on_edges(x, a, b, c);

  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return {a + ab * (d1 / (d1 - d3)), kEdge0};
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return {a + ac * (d2 / (d2 - d6)), kEdge2};
  const double va = d3 * d6 - d5 * d4;
  const double e1 = d4 - d3, e2 = d5 - d6;
  if (va <= 0 && e1 >= 0 && e2 >= 0) return {b + (c - b) * (e1 / (e1 + e2)), kEdge1};
  // Projecting along the normal is exact where the quotients va : vb : vc have lost digits to a far-away x.
  return {x - normal * (normal.dot(ax) / area), kFace};
}

// [Woop13]: the triangle is sheared so that the ray becomes the z axis; edge functions of shared edges then agree in
// sign bit for bit.
std::optional<double> intersect_ray(const Vec3& origin, const Vec3& direction, const Vec3& a, const Vec3& b,
                                    const Vec3& c) {
  int kz = 0;
  direction.cwiseAbs().maxCoeff(&kz);
  int kx = (kz + 1) % 3, ky = (kz + 2) % 3;
  if (direction[kz] < 0) std::swap(kx, ky);
  if (direction[kz] == 0) return std::nullopt;
  const double sx = direction[kx] / direction[kz], sy = direction[ky] / direction[kz], sz = 1 / direction[kz];
  const auto shear = [&](const Vec3& v) {
    const Vec3 d = v - origin;
    return Vec3(d[kx] - sx * d[kz], d[ky] - sy * d[kz], sz * d[kz]);
  };
  const Vec3 A = shear(a), B = shear(b), C = shear(c);
  const double u = C.x() * B.y() - C.y() * B.x();
  const double v = A.x() * C.y() - A.y() * C.x();
  const double w = B.x() * A.y() - B.y() * A.x();
  if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return std::nullopt;
  const double determinant = u + v + w;
  if (determinant == 0) return std::nullopt;
  const double t = (u * A.z() + v * B.z() + w * C.z()) / determinant;
  if (!(t >= 0)) return std::nullopt;
  return t;
}

double compute_solid_angle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 A = a - x, B = b - x, C = c - x;
  const double la = A.norm(), lb = B.norm(), lc = C.norm();
  const double volume = A.dot(B.cross(C));
  const double sum = la * lb * lc + A.dot(B) * lc + B.dot(C) * la + C.dot(A) * lb;
  return 2 * std::atan2(volume, sum);
}

}  // namespace achilles
