// Elementary questions about one triangle.
#pragma once

#include <achilles/math.hpp>

#include <cstdint>
#include <optional>

namespace achilles {

/// The part of a triangle (a, b, c) a point lies on. Edge ab is kEdge0, bc kEdge1, ca kEdge2.
enum class TriangleFeature : std::uint8_t { kVertex0, kVertex1, kVertex2, kEdge0, kEdge1, kEdge2, kFace };

[[nodiscard]] constexpr bool is_vertex(TriangleFeature f) { return f <= TriangleFeature::kVertex2; }
[[nodiscard]] constexpr bool is_edge(TriangleFeature f) {
  return f >= TriangleFeature::kEdge0 && f <= TriangleFeature::kEdge2;
}
/// Which of the three vertices or edges; 0 for the face.
[[nodiscard]] constexpr std::uint32_t feature_number(TriangleFeature f) { return static_cast<std::uint32_t>(f) % 3; }

struct TrianglePoint {
  Vec3 point = Vec3::Zero();  // [m]
  TriangleFeature feature = TriangleFeature::kFace;
};

/// The point of the triangle nearest to x. A triangle without area is treated as its three edges.
[[nodiscard]] TrianglePoint closest_point_on_triangle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);

/// t where origin + t direction meets the triangle from either side, t ≥ 0. Rays through a shared edge or vertex meet
/// at least one of the triangles there, [Woop13]. Nothing for a triangle without area or seen edge-on.
[[nodiscard]] std::optional<double> intersect_ray(const Vec3& origin, const Vec3& direction, const Vec3& a,
                                                  const Vec3& b, const Vec3& c);

/// Solid angle [sr] under which x sees the triangle, positive when it sees the side from which the corners run
/// clockwise (from inside a closed surface they all do), [vanOosterom83].
[[nodiscard]] double compute_solid_angle(const Vec3& x, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace achilles
