// Rows of contact points at one frozen instant: approach and slip, without gaps or steps.
#pragma once

#include "constraint/point_row.hpp"
#include "math/tangents.hpp"

#include <vector>

namespace achilles {

/// Appends the normal row of a touching point and, with friction, its two tangents. `group_start` is the index of the
/// first row that normal_row counts from. Returns the index of the normal row.
inline std::size_t append_touch_rows(const Arms& arms, const Vec3& normal, double friction, const BodyArrays& bodies,
                                     std::span<const BodyInverseMass> inverse_mass, std::size_t group_start,
                                     std::vector<Row>& rows) {
  const std::size_t index = rows.size();
  Row row = make_point_row(normal, arms);
  row.lower = 0;
  place_row(row, arms, bodies, inverse_mass);
  rows.push_back(row);
  if (!(friction > 0)) return index;
  const auto [t1, t2] = make_tangents(normal);
  for (const Vec3& tangent : {t1, t2}) {
    row = make_point_row(tangent, arms);
    row.normal_row = static_cast<std::int32_t>(index - group_start);
    row.friction = friction;
    place_row(row, arms, bodies, inverse_mass);
    rows.push_back(row);
  }
  return index;
}

}  // namespace achilles
