// Contact points gathered triangle by triangle, made into one contact.
#pragma once

#include "collision/contact/contact.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace achilles {

/// The id of a point at a triangle. A vertex of the shape keeps its id while it slides from triangle to triangle; other
/// points are distinguished by the triangle.
[[nodiscard]] std::uint32_t surface_feature(std::uint32_t feature, std::uint32_t triangle);

/// How points are thinned out: of each group of points with nearly the same normal the four that span it are kept, or
/// those that carry it when it tilts.
struct Thinning {
  bool all_points = false;    // none is dropped
  double same_group = 0.995;  // cosine: normals within a tenth of a radian carry load as one face does
  bool one_normal = false;    // the points of a group take the normal of its deepest
  double slope = 0;           // [rad] of that tilt; 0: the four
};

/// Works on points[begin ..): makes points at one place with one normal one, thins them out and separates equal ids.
/// `size` [m] is the shape's.
void finish_surface_points(std::size_t begin, double size, const Thinning& thinning, std::vector<ContactPoint>& points);

}  // namespace achilles
