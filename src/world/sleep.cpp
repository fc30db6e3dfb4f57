// Sleeping and waking: sleepers wake as they fell asleep, together, and find the contacts they had. What either costs
// depends on the bodies that lie down or wake, not on how many sleep.
#include "geometry/geometry.hpp"
#include "world/world_memory.hpp"

#include <achilles/sleep.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace achilles {
namespace {

std::pair<std::uint32_t, std::uint32_t> key_of(const CachedContact& contact) {
  return {contact.collider_a, contact.collider_b};
}

/// What a sleeper remembers of a pair is what it last knew.
void forget(const CachedContact& contact, ContactCache& kept) {
  const auto same = [&](const CachedContact& old) { return key_of(old) == key_of(contact); };
  const auto found = std::find_if(kept.contacts.begin(), kept.contacts.end(), same);
  if (found == kept.contacts.end()) return;
  const auto first = kept.points.begin() + found->first;
  kept.points.erase(first, first + found->count);
  for (auto later = found + 1; later != kept.contacts.end(); ++later) later->first -= found->count;
  kept.contacts.erase(found);
}

void append(const CachedContact& contact, const std::vector<CachedPoint>& points, ContactCache& to) {
  to.contacts.push_back(
      {contact.collider_a, contact.collider_b, static_cast<std::uint32_t>(to.points.size()), contact.count});
  const auto first = points.begin() + contact.first;
  to.points.insert(to.points.end(), first, first + contact.count);
}

}  // namespace

bool has_calm_bodies(const World& world) {
  std::uint32_t calm = 0;  // without a way out of the loops they read many numbers at once
  for (const std::uint32_t steps : world.memory().sleep.calm_steps) calm |= steps;
  for (const auto asleep : world.bodies.asleep) calm |= asleep;
  return calm != 0;
}

void World::lie_down(std::uint32_t body, std::uint32_t with) {
  if (body >= bodies.size() || with >= bodies.size()) throw std::out_of_range("lie_down: there is no such body");
  if (bodies.asleep[body] != 0) return;
  bodies.asleep[body] = 1;
  bodies.velocity[body] = {};
  SleepState& sleep = memory().sleep;
  sleep.island[body] = sleep.islands;
  if (body != with) sleep.next[body] = std::exchange(sleep.next[with], body);
}

void World::lay_contacts_aside() {
  ContactCache& cache = memory().contact_cache;
  SleepState& sleep = memory().sleep;
  const auto awake = [&](std::uint32_t body) { return bodies.is_movable(body) && bodies.asleep[body] == 0; };
  ContactCache rest;
  for (const CachedContact& contact : cache.contacts) {
    const std::uint32_t a = pieces[contact.collider_a].body, b = pieces[contact.collider_b].body;
    const bool a_sleeps = bodies.asleep[a] != 0, b_sleeps = bodies.asleep[b] != 0;
    if (awake(a) || awake(b) || !(a_sleeps || b_sleeps)) {
      append(contact, cache.points, rest);
      continue;
    }
    // Bodies that wake together find their contact there.
    const bool together = a_sleeps && b_sleeps && sleep.island[a] == sleep.island[b];
    for (const auto& [body, keeps] : {std::pair(a, a_sleeps), std::pair(b, b_sleeps && !together)}) {
      if (!keeps) continue;
      forget(contact, sleep.contacts[body]);
      append(contact, cache.points, sleep.contacts[body]);
    }
  }
  cache = std::move(rest);
}

void World::return_contacts(std::uint32_t body) {
  ContactCache& kept = memory().sleep.contacts[body];
  for (const CachedContact& contact : kept.contacts) append(contact, kept.points, memory().contact_cache);
  kept = {};
}

/// Of a contact that two sleepers kept, or that came about while one of them was awake, the older entry counts.
void World::sort_contacts() {
  std::vector<CachedContact>& contacts = memory().contact_cache.contacts;
  const auto before = [](const CachedContact& p, const CachedContact& q) {
    return key_of(p) != key_of(q) ? key_of(p) < key_of(q) : p.first < q.first;
  };
  std::sort(contacts.begin(), contacts.end(), before);
  const auto same = [](const CachedContact& p, const CachedContact& q) { return key_of(p) == key_of(q); };
  contacts.erase(std::unique(contacts.begin(), contacts.end(), same), contacts.end());
}

void World::wake(std::uint32_t body) { wake(std::span(&body, 1)); }

void World::wake(std::span<const std::uint32_t> list) {
  WorldMemory& memory = *memory_;
  const std::size_t known = memory.contact_cache.contacts.size();
  for (const std::uint32_t body : list) {
    if (body >= bodies.size()) throw std::out_of_range("wake: there is no body " + std::to_string(body));
    memory.sleep.calm_steps[body] = 0;
    for (std::uint32_t at = body; bodies.asleep[at] != 0; at = std::exchange(memory.sleep.next[at], at)) {
      bodies.asleep[at] = 0;
      memory.sleep.calm_steps[at] = 0;
      return_contacts(at);
      if (memory.sleep_log.reader != nullptr) memory.sleep_log.woken.push_back(at);
    }
  }
  if (memory.contact_cache.contacts.size() > known) sort_contacts();
}

void World::wake_all() {
  WorldMemory& memory = *memory_;
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    bodies.asleep[i] = 0;
    memory.sleep.calm_steps[i] = 0;
    memory.sleep.next[i] = i;
    return_contacts(i);
  }
  sort_contacts();
  memory.sleep_log.reader = nullptr;
}

}  // namespace achilles
