#include "api/touch_details.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace achilles {
namespace {

bool is_touch(const ContactEvent& event) {
  return event.kind == EventKind::kNewTouch || event.kind == EventKind::kPersistentTouch;
}

std::pair<std::uint32_t, std::uint32_t> pair_of(const ContactEvent& event) { return {event.first, event.second}; }

/// The event of two bodies in a list sorted by pairs, null where there is none.
ContactEvent* find_touch(const std::vector<ContactEvent*>& touches, std::uint32_t a, std::uint32_t b) {
  const std::pair<std::uint32_t, std::uint32_t> pair = std::minmax(a, b);
  const auto found = std::lower_bound(touches.begin(), touches.end(), pair,
                                      [](const ContactEvent* event, const auto& key) { return pair_of(*event) < key; });
  return found != touches.end() && pair_of(**found) == pair ? *found : nullptr;
}

/// The deepest point of each pair.
void take_contacts(const ContactSet& contacts, const std::vector<ContactEvent*>& touches) {
  for (const Contact& contact : contacts.contacts) {
    ContactEvent* event = find_touch(touches, contact.body_a, contact.body_b);
    if (event == nullptr) continue;
    const double sign = contact.body_a == event->first ? 1 : -1;
    for (const ContactPoint& point : contacts.points_of(contact)) {
      // Until all are seen, `approach` holds the gap of the deepest point.
      if (!(point.gap < event->approach)) continue;
      event->approach = point.gap;
      event->point = point.position;
      event->normal = sign * point.normal;
    }
  }
}

/// The sum of impulses and the point of the largest one of each pair.
void take_records(std::span<const ContactRecord> records, const std::vector<ContactEvent*>& touches) {
  for (ContactEvent* event : touches) event->approach = 0;  // now: the square of the largest impulse
  for (const ContactRecord& record : records) {
    const double size = record.impulse.squaredNorm();
    if (!(size > 0)) continue;
    ContactEvent* event = find_touch(touches, record.body_a, record.body_b);
    if (event == nullptr) continue;
    const double sign = record.body_a == event->first ? 1 : -1;
    event->impulse += sign * record.impulse;
    if (!(size > event->approach)) continue;
    event->approach = size;
    event->point = record.position;
    event->normal = sign * record.normal;
  }
}

}  // namespace

void describe_touches(const TouchInput& input, std::vector<ContactEvent*>& touches, std::vector<ContactEvent>& events) {
  touches.clear();
  for (ContactEvent& event : events) {
    if (is_touch(event)) touches.push_back(&event);
  }
  if (touches.empty()) return;
  std::sort(touches.begin(), touches.end(),
            [](const ContactEvent* x, const ContactEvent* y) { return pair_of(*x) < pair_of(*y); });
  for (ContactEvent* event : touches) event->approach = std::numeric_limits<double>::infinity();
  take_contacts(*input.contacts, touches);
  take_records(input.records, touches);
  const auto velocity_at = [&](std::uint32_t body, const Vec3& point) -> Vec3 {
    const BodyVelocity& u = input.velocity_before[body];
    return u.linear + u.angular.cross(point - input.position_before[body]);
  };
  for (ContactEvent* event : touches) {
    event->approach =
        -event->normal.dot(velocity_at(event->second, event->point) - velocity_at(event->first, event->point));
  }
}

}  // namespace achilles
