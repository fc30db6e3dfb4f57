// Finding in the World's memory what the last step knew of a contact of this one.
#pragma once

#include "collision/contact/contact.hpp"
#include "world/world_memory.hpp"

#include <achilles/world.hpp>

#include <span>

namespace achilles {

/// Index into cache.contacts for the contacts [first, last), or -1. Both are sorted by collider pair: one pass, from
/// where a search finds that it begins. `matches` has a place for every contact.
void match_contacts(std::span<const Contact> contacts, const ContactCache& cache, std::size_t first, std::size_t last,
                    std::span<std::int32_t> matches);

/// Place of a contact point on the first movable body of its contact, as CachedPoint keeps it.
[[nodiscard]] Vec3 contact_place(const BodyArrays& bodies, const Contact& contact, const Vec3& position_W);

/// The remembered point with the same feature or, since a corner on an edge changes its feature back and forth without
/// moving, the nearest one within `tolerance` [m]; nullptr when there is none.
[[nodiscard]] const CachedPoint* find_cached_point(const ContactCache& cache, std::int32_t match, std::uint32_t feature,
                                                   const Vec3& place, double tolerance);

}  // namespace achilles
