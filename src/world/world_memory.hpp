// What the World remembers for its methods from step to step, behind World::memory().
#pragma once

#include "collision/manifold_memory.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <vector>

namespace achilles {

/// What the next step remembers of a contact point of this one.
struct CachedPoint {
  std::uint64_t feature = 0;
  double approach = 0;          // [m/s] speed at which the surfaces met, where an impulse acted
  Vec3 impulse = Vec3::Zero();  // [N s] on the second body, world axes
  Vec3 place = Vec3::Zero();    // [m] from the centre of mass, body axes, of the first movable one of the two bodies
};

struct CachedContact {
  std::uint32_t collider_a = 0, collider_b = 0;
  std::uint32_t first = 0, count = 0;  // points[first .. first + count)
};

/// Contacts that touched in the last step: impulses by pair and feature, sorted by (collider_a, collider_b): state,
/// because warm starts shape the next bits. Those of sleepers lie apart, where no step comes by.
struct ContactCache {
  std::vector<CachedContact> contacts;
  std::vector<CachedPoint> points;
};

/// What is known of the rest of bodies, [Erleben04, sec. 6.5].
struct SleepState {
  std::vector<std::uint32_t> calm_steps;  // per body: steps in a row that passed the tests
  std::vector<double> energy;             // [J/kg] per body: kinetic energy by mass when it became calm
  std::vector<std::uint32_t> island;      // per body: sleepers with the same number wake together
  std::vector<std::uint32_t> next;        // per body: a ring of those that lay down together; itself when awake
  std::vector<ContactCache> contacts;     // per body: of a sleeper, what the step after its waking remembers
  std::uint32_t islands = 0;              // numbers given out
  Vec3 gravity = Vec3::Zero();            // [m/s²] under which the sleepers lay down
};

/// The reader that follows which bodies sleep, and what it has yet to receive. Not part of the state: a copy has none.
struct SleepLog {
  const void* reader = nullptr;      // null: the next reader begins anew
  std::vector<std::uint32_t> woken;  // since the reader last looked

  SleepLog() = default;
  ~SleepLog() = default;
  SleepLog(const SleepLog&) noexcept : SleepLog() {}
  SleepLog(SleepLog&&) noexcept : SleepLog() {}
  SleepLog& operator=(const SleepLog& other) noexcept {
    if (this != &other) reader = nullptr;
    return *this;
  }
  SleepLog& operator=(SleepLog&& other) noexcept {
    if (this != &other) reader = nullptr;
    return *this;
  }
};

struct WorldMemory {
  ContactCache contact_cache;
  ManifoldMemory manifold_memory;  // of the methods that reuse contacts
  SleepState sleep;
  SleepLog sleep_log;
};

}  // namespace achilles
