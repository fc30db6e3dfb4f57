// Taking a body out of the World: every dense index above it moves down by one.
#include "geometry/geometry.hpp"
#include "world/body_arrays.hpp"
#include "world/world_memory.hpp"

#include <algorithm>

namespace achilles {
namespace {

template <class Array>
void erase_at(Array& array, std::uint32_t index) {
  array.erase(array.begin() + index);
}

/// Drops the remembered contacts of colliders [first, last) and renumbers those above.
template <class Remembered>
void erase_colliders(std::vector<Remembered>& contacts, std::uint32_t first, std::uint32_t last) {
  const auto gone = [&](std::uint32_t collider) { return collider >= first && collider < last; };
  std::erase_if(contacts,
                [&](const Remembered& contact) { return gone(contact.collider_a) || gone(contact.collider_b); });
  for (Remembered& contact : contacts) {
    if (contact.collider_a >= last) contact.collider_a -= last - first;
    if (contact.collider_b >= last) contact.collider_b -= last - first;
  }
}

/// Forgets where the body was.
void erase_events(EventState& events, std::uint32_t body) {
  std::erase_if(events.near, [&](const Nearness& near) { return near.body_a == body || near.body_b == body; });
  for (Nearness& near : events.near) {
    if (near.body_a > body) --near.body_a;
    if (near.body_b > body) --near.body_b;
  }
  std::erase_if(events.inside, [&](const Presence& presence) { return presence.body == body; });
  for (Presence& presence : events.inside) {
    if (presence.body > body) --presence.body;
  }
}

}  // namespace

void World::remove_body(BodyHandle handle) {
  const std::uint32_t body = index_of(handle);
  bodies.is_movable(body) ? wake(body) : wake_all();  // what rested on it falls
  const auto before = [&](const WorldPiece& piece) { return piece.body < body; };
  const auto up_to = [&](const WorldPiece& piece) { return piece.body <= body; };
  const auto first = static_cast<std::uint32_t>(std::count_if(pieces.begin(), pieces.end(), before));
  const auto last = static_cast<std::uint32_t>(std::count_if(pieces.begin(), pieces.end(), up_to));

  SleepState& sleep = memory().sleep;
  erase_colliders(memory().contact_cache.contacts, first, last);
  for (ContactCache& kept : sleep.contacts) erase_colliders(kept.contacts, first, last);
  erase_colliders(memory().manifold_memory.manifolds, first, last);
  pieces.erase(pieces.begin() + first, pieces.begin() + last);
  for (std::size_t piece = first; piece < pieces.size(); ++piece) --pieces[piece].body;

  std::erase_if(ignored_pairs, [&](const auto& pair) { return pair.first == body || pair.second == body; });
  for (auto& pair : ignored_pairs) {
    if (pair.first > body) --pair.first;
    if (pair.second > body) --pair.second;
  }

  std::erase_if(scripts, [&](const WorldScript& script) { return script.body == body; });
  for (WorldScript& script : scripts) {
    if (script.body > body) --script.body;
  }
  for (std::uint32_t joint = static_cast<std::uint32_t>(joints.size()); joint-- > 0;) {
    WorldJoint& one = joints[joint];
    if (one.body_a == body || one.body_b == body) {
      erase_joint(joint);
      continue;
    }
    if (one.body_a > body) --one.body_a;
    if (one.body_b > body) --one.body_b;
  }

  erase_events(events, body);
  erase_at(sleep.calm_steps, body);
  erase_at(sleep.energy, body);
  erase_at(sleep.island, body);
  erase_at(sleep.next, body);  // itself: it was woken
  erase_at(sleep.contacts, body);
  for (std::uint32_t& next : sleep.next) {
    if (next > body) --next;
  }
  memory().sleep_log.reader = nullptr;
  const auto erase = [body](auto& array) { erase_at(array, body); };
  visit_model(erase, bodies);
  visit_state(erase, bodies);
  erase_at(names, body);
  erase_at(shapes, body);
  erase_at(body_material, body);
  erase_at(slot_of_, body);
  slots_[handle.slot].alive = 0;
  free_slots_.push_back(handle.slot);
  for (std::size_t other = body; other < slot_of_.size(); ++other) --slots_[slot_of_[other]].index;
}

}  // namespace achilles
