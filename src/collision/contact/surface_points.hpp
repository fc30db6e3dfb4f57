// Contact points gathered triangle by triangle, made into one contact.
#pragma once

#include "collision/contact/contact.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace achilles {

/// The id of a point at a triangle. A vertex of the shape keeps its id while it slides from triangle to triangle; other
/// points are told apart by the triangle.
[[nodiscard]] std::uint32_t surface_feature(std::uint32_t feature, std::uint32_t triangle);

/// Works on points[begin ..): makes points at one place with one normal one, keeps of each group of points with nearly
/// the same normal the four that span it (unless all are wanted), and tells equal ids apart. `size` [m] is the shape's.
void finish_surface_points(std::size_t begin, double size, bool all_points, std::vector<ContactPoint>& points);

}  // namespace achilles
