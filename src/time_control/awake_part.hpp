// Copying bodies and what is remembered of their contacts between a world and a part of it.
#pragma once

#include <achilles/world.hpp>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace achilles {

constexpr std::uint32_t kNoCollider = std::numeric_limits<std::uint32_t>::max();

/// Makes place for n bodies; their contents mean nothing.
void resize_bodies(std::size_t n, World& part);

/// Names and shapes: what never changes.
void copy_description(const World& from, std::uint32_t i, World& to, std::uint32_t k);
/// Body i of one world to place k of another: model and state, but not who wakes with whom.
void copy_body(const World& from, std::uint32_t i, World& to, std::uint32_t k);
/// Only what a step changes.
void copy_state(const World& from, std::uint32_t i, World& to, std::uint32_t k);

/// Copies contacts with their points, renumbered by number(collider); those of colliders that become kNoCollider are
/// left out. Returns how many. `number` ascends, so that what was sorted stays sorted.
template <class Number>
std::size_t copy_contacts(const ContactCache& from, const Number& number, ContactCache& to) {
  to.contacts.clear();
  to.points.clear();
  for (const CachedContact& contact : from.contacts) {
    const std::uint32_t a = number(contact.collider_a), b = number(contact.collider_b);
    if (a == kNoCollider || b == kNoCollider) continue;
    to.contacts.push_back({a, b, static_cast<std::uint32_t>(to.points.size()), contact.count});
    const auto first = from.points.begin() + contact.first;
    to.points.insert(to.points.end(), first, first + contact.count);
  }
  return from.contacts.size() - to.contacts.size();
}

/// The same for recycled contacts.
template <class Number>
void copy_manifolds(const ManifoldMemory& from, const Number& number, ManifoldMemory& to) {
  to.clear();
  for (KeptManifold manifold : from.manifolds) {
    manifold.collider_a = number(manifold.collider_a);
    manifold.collider_b = number(manifold.collider_b);
    if (manifold.collider_a == kNoCollider || manifold.collider_b == kNoCollider) continue;
    const auto first = from.points.begin() + manifold.first;
    manifold.first = static_cast<std::uint32_t>(to.points.size());
    to.points.insert(to.points.end(), first, first + manifold.count);
    to.manifolds.push_back(manifold);
  }
}

}  // namespace achilles
