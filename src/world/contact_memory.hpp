// Finding in the World's memory what the last step knew of a contact of this one.
#pragma once

#include "collision/contact/contact.hpp"

#include <achilles/world.hpp>

#include <vector>

namespace achilles {

/// Index into cache.contacts for every contact of the set, or -1. Both are sorted by collider pair: one pass.
void match_contacts(const ContactSet& contacts, const ContactCache& cache, std::vector<std::int32_t>& matches);

/// The remembered point with the same feature, or nullptr.
[[nodiscard]] const CachedPoint* find_cached_point(const ContactCache& cache, std::int32_t match,
                                                   std::uint32_t feature);

}  // namespace achilles
