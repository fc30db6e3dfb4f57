// Rows of contact points at one frozen instant: approach and slip, without gaps or steps.
#pragma once

#include "constraint/point_row.hpp"
#include "math/tangents.hpp"

#include <utility>
#include <vector>

namespace achilles {

/// Friction of a touching point: the directions of its two rows, of unit length unless friction depends on the
/// direction.
struct TouchFriction {
  double coefficient = 0;
  std::pair<Vec3, Vec3> tangents;
};

/// Appends the normal row of a touching point and, with friction, its two tangents. `island_start` is the index of the
/// first row that normal_row counts from. Returns the index of the normal row.
inline std::size_t append_touch_rows(const Arms& arms, const Vec3& normal, const TouchFriction& friction,
                                     const BodyArrays& bodies, std::span<const BodyInverseMass> inverse_mass,
                                     std::size_t island_start, std::vector<Row>& rows) {
  const std::size_t index = rows.size();
  Row row = make_point_row(normal, arms);
  row.lower = 0;
  place_row(row, arms, bodies, inverse_mass);
  rows.push_back(row);
  if (!(friction.coefficient > 0)) return index;
  for (const Vec3& tangent : {friction.tangents.first, friction.tangents.second}) {
    row = make_point_row(tangent, arms);
    row.normal_row = static_cast<std::int32_t>(index - island_start);
    row.friction = friction.coefficient;
    place_row(row, arms, bodies, inverse_mass);
    rows.push_back(row);
  }
  return index;
}

}  // namespace achilles
