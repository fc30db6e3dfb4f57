#include "world/contact_memory.hpp"

#include <utility>

namespace achilles {

void match_contacts(const ContactSet& contacts, const ContactCache& cache, std::vector<std::int32_t>& matches) {
  matches.assign(contacts.contacts.size(), -1);
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

const CachedPoint* find_cached_point(const ContactCache& cache, std::int32_t match, std::uint32_t feature) {
  if (match < 0) return nullptr;
  const CachedContact& contact = cache.contacts[static_cast<std::size_t>(match)];
  for (std::uint32_t i = contact.first; i < contact.first + contact.count; ++i) {
    if (cache.points[i].feature == feature) return &cache.points[i];
  }
  return nullptr;
}

}  // namespace achilles
