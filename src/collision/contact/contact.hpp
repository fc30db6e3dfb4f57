// Contacts: what collision detection hands to the rest.
#pragma once

#include <achilles/math.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// One point where collider a and collider b touch or nearly do. The nearest points of the two surfaces along the
/// normal are position ∓ ½ gap · normal (a's minus, b's plus).
struct ContactPoint {
  Vec3 position = Vec3::Zero();  // [m] world, midway between the two surfaces
  Vec3 normal = Vec3::UnitZ();   // unit, from a to b
  double gap = 0;                // [m] positive apart, negative penetrating
  std::uint32_t feature = 0;     // same pair of features ⇒ same id in the next step; unique within its contact
};

/// All points between one pair of colliders: points[first .. first + count) of the set.
struct Contact {
  std::uint32_t collider_a = 0;  // collider_a < collider_b
  std::uint32_t collider_b = 0;
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Contacts of one instant, ordered by (collider_a, collider_b) whatever the broad phase and the number of threads.
struct ContactSet {
  std::vector<Contact> contacts;
  std::vector<ContactPoint> points;

  void clear() {
    contacts.clear();
    points.clear();
  }
  [[nodiscard]] std::span<const ContactPoint> points_of(const Contact& contact) const {
    return std::span(points).subspan(contact.first, contact.count);
  }
};

}  // namespace achilles
