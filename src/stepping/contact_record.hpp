// What a step leaves of a contact point: the record for the readers of the step, and what the next step remembers.
// Every method writes them by these functions.
#pragma once

#include "collision/contact/contact.hpp"
#include "constraint/row.hpp"
#include "world/world_memory.hpp"

#include <achilles/report.hpp>

#include <algorithm>
#include <cstdint>
#include <span>

namespace achilles {

/// `impulse` [N s] acted on the second body in the step.
[[nodiscard]] inline ContactRecord make_contact_record(std::uint32_t body_a, std::uint32_t body_b,
                                                       const ContactPoint& point, const Vec3& impulse) {
  return {body_a, body_b, point.position, point.normal, point.gap, impulse};
}

/// Impulse [N s] on the second body of a point whose normal row is `row`: that row and the friction rows that follow.
[[nodiscard]] inline Vec3 sum_impulse_of_point(std::span<const Row> rows, std::span<const double> impulses,
                                               std::size_t row, const Vec3& normal) {
  Vec3 impulse = impulses[row] * normal;
  for (std::size_t k = row + 1; k < std::min(row + 3, rows.size()); ++k) {
    if (rows[k].normal_row < 0) break;
    impulse += impulses[k] * rows[k].linear_b;
  }
  return impulse;
}

/// Its points are cache.points[first .. first + contact.count).
[[nodiscard]] inline CachedContact make_cached_contact(const Contact& contact, std::uint32_t first) {
  return {contact.collider_a, contact.collider_b, first, contact.count};
}

/// `approach` [m/s] counts where an impulse acted; `place` is that of contact_place.
[[nodiscard]] inline CachedPoint make_cached_point(const ContactPoint& point, double approach, const Vec3& impulse,
                                                   const Vec3& place) {
  return {point.feature, impulse.isZero(0) ? 0 : approach, impulse, place};
}

}  // namespace achilles
