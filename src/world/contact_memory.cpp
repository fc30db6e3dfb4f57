#include "world/contact_memory.hpp"

#include "math/refill.hpp"

#include <utility>

namespace achilles {

void match_contacts(const ContactSet& contacts, const ContactCache& cache, std::vector<std::int32_t>& matches) {
  refill(matches, contacts.contacts.size(), -1);
  std::size_t remembered = 0;
  for (std::size_t i = 0; i < contacts.contacts.size(); ++i) {
    const std::pair key(contacts.contacts[i].collider_a, contacts.contacts[i].collider_b);
    const auto key_of = [&](std::size_t k) {
      return std::pair(cache.contacts[k].collider_a, cache.contacts[k].collider_b);
    };
    while (remembered < cache.contacts.size() && key_of(remembered) < key) ++remembered;
    if (remembered < cache.contacts.size() && key_of(remembered) == key)
      matches[i] = static_cast<std::int32_t>(remembered);
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
