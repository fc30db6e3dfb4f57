#include "geometry/file/polygon.hpp"

namespace achilles {
namespace {

double cross(const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); }

// The corners in a plane across the polygon's vector area, so that they run counter-clockwise.
std::vector<Vec2> flatten(std::span<const Vec3> points, std::span<const int> corners) {
  const auto at = [&](std::size_t i) -> const Vec3& { return points[static_cast<std::size_t>(corners[i])]; };
  Vec3 area = Vec3::Zero();
  for (std::size_t i = 2; i < corners.size(); ++i) area += (at(i - 1) - at(0)).cross(at(i) - at(0));
  const Vec3 normal = area.norm() > 0 ? Vec3(area.normalized()) : Vec3::UnitZ();
  const Vec3 u = normal.unitOrthogonal();
  const Vec3 v = normal.cross(u);
  std::vector<Vec2> flat;
  for (std::size_t i = 0; i < corners.size(); ++i) flat.emplace_back(u.dot(at(i) - at(0)), v.dot(at(i) - at(0)));
  return flat;
}

// Whether the corner b between a and c sticks out and no other corner lies in the triangle.
bool is_ear(const std::vector<Vec2>& flat, const std::vector<std::size_t>& rest, std::size_t i) {
  const std::size_t n = rest.size();
  const Vec2 &a = flat[rest[(i + n - 1) % n]], &b = flat[rest[i]], &c = flat[rest[(i + 1) % n]];
  if (!(cross(b - a, c - b) > 0)) return false;
  for (std::size_t j = 2; j + 1 < n; ++j) {
    const Vec2& p = flat[rest[(i + j) % n]];
    if (cross(b - a, p - a) >= 0 && cross(c - b, p - b) >= 0 && cross(a - c, p - c) >= 0) return false;
  }
  return true;
}

}  // namespace

void append_triangulation(std::span<const Vec3> points, std::span<const int> corners,
                          std::vector<std::array<int, 3>>& triangles) {
  if (corners.size() == 3) {
    triangles.push_back({corners[0], corners[1], corners[2]});
    return;
  }
  const std::vector<Vec2> flat = flatten(points, corners);
  std::vector<std::size_t> rest(corners.size());
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = i;
  // Starting each search where the last ear was cut spreads the triangles instead of fanning them. Every round removes
  // a corner. Where no ear is left the rest is flat or crossed, and any triangles will do; a polygon of thousands of
  // corners is no drawing but a broken file, and is not worth the search.
  constexpr std::size_t kLargestSearched = 4096;
  bool has_ears = rest.size() <= kLargestSearched;
  for (std::size_t from = 0; rest.size() > 2;) {
    const std::size_t n = rest.size();
    std::size_t step = 0;
    while (has_ears && step < n && !is_ear(flat, rest, (from + step) % n)) ++step;
    has_ears = has_ears && step < n;
    const std::size_t ear = has_ears ? (from + step) % n : n - 1;
    triangles.push_back({corners[rest[(ear + n - 1) % n]], corners[rest[ear]], corners[rest[(ear + 1) % n]]});
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(ear));
    from = ear + 1;
  }
}

}  // namespace achilles
