// Copying bodies and what is remembered of their contacts between a world and a part of it.
#pragma once

#include "math/refill.hpp"
#include "world/world_memory.hpp"

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
/// Body i of one world to place k of another: model and state, but not which bodies wake together.
void copy_body(const World& from, std::uint32_t i, World& to, std::uint32_t k);
/// Only what a step changes.
void copy_state(const World& from, std::uint32_t i, World& to, std::uint32_t k);

/// Copies remembered contacts, renumbered by number(collider); those of colliders that become kNoCollider are left out,
/// their points stay behind unused. Returns how many. `number` ascends, so that what was sorted stays sorted.
template <class Contact, class Point, class Number>
std::size_t copy_contacts(const std::vector<Contact>& contacts, const std::vector<Point>& points, const Number& number,
                          std::vector<Contact>& to_contacts, std::vector<Point>& to_points) {
  copy_to(points, to_points);
  to_contacts.resize(contacts.size());
  std::size_t count = 0;
  for (const Contact& contact : contacts) {
    const std::uint32_t a = number(contact.collider_a), b = number(contact.collider_b);
    if (a == kNoCollider || b == kNoCollider) continue;
    to_contacts[count] = contact;
    to_contacts[count].collider_a = a;
    to_contacts[count++].collider_b = b;
  }
  to_contacts.resize(count);
  return contacts.size() - count;
}

template <class Number>
std::size_t copy_contacts(const ContactCache& from, const Number& number, ContactCache& to) {
  return copy_contacts(from.contacts, from.points, number, to.contacts, to.points);
}

template <class Number>
std::size_t copy_manifolds(const ManifoldMemory& from, const Number& number, ManifoldMemory& to) {
  return copy_contacts(from.manifolds, from.points, number, to.manifolds, to.points);
}

}  // namespace achilles
