#include "world/contact_memory.hpp"

#include <algorithm>
#include <utility>

namespace achilles {

void match_contacts(std::span<const Contact> contacts, const ContactCache& cache, std::size_t first, std::size_t last,
                    std::span<std::int32_t> matches) {
  const auto key_of = [](const auto& contact) { return std::pair(contact.collider_a, contact.collider_b); };
  const auto end = cache.contacts.end();
  auto remembered = cache.contacts.begin();
  if (first > 0 && first < last) {
    remembered = std::lower_bound(remembered, end, key_of(contacts[first]),
                                  [&](const CachedContact& c, const auto& key) { return key_of(c) < key; });
  }
  for (std::size_t i = first; i < last; ++i) {
    const auto key = key_of(contacts[i]);
    while (remembered != end && key_of(*remembered) < key) ++remembered;
    const bool matches_it = remembered != end && key_of(*remembered) == key;
    matches[i] = matches_it ? static_cast<std::int32_t>(remembered - cache.contacts.begin()) : -1;
  }
}

Vec3 contact_place(const BodyArrays& bodies, const Contact& contact, const Vec3& position_W) {
  const std::uint32_t body = bodies.is_movable(contact.body_a) ? contact.body_a : contact.body_b;
  return bodies.orientation[body].conjugate() * (position_W - bodies.position[body]);
}

const CachedPoint* find_cached_point(const ContactCache& cache, std::int32_t match, std::uint32_t feature,
                                     const Vec3& place, double tolerance) {
  if (match < 0) return nullptr;
  const CachedContact& contact = cache.contacts[static_cast<std::size_t>(match)];
  const CachedPoint* nearest = nullptr;
  double nearest_squared = tolerance * tolerance;
  for (std::uint32_t i = contact.first; i < contact.first + contact.count; ++i) {
    const CachedPoint& point = cache.points[i];
    if (point.feature == feature) return &point;
    const double squared = (point.place - place).squaredNorm();
    if (squared < nearest_squared) {
      nearest_squared = squared;
      nearest = &point;
    }
  }
  return nearest;
}

}  // namespace achilles
