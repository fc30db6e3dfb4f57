// Continuous collision detection of a whole scene over an interval.
#pragma once

#include "collision/continuous/time_of_contact.hpp"

#include <memory>
#include <span>
#include <vector>

namespace achilles {

/// Scratch of the functions below. Only speed depends on its contents.
class ContinuousWorkspace {
 public:
  ContinuousWorkspace();
  ~ContinuousWorkspace();
  ContinuousWorkspace(ContinuousWorkspace&&) noexcept;
  ContinuousWorkspace& operator=(ContinuousWorkspace&&) noexcept;

  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// All times of contact over [0, h] of all pairs that may collide (different bodies, one of them movable, not in the
/// sorted `ignored`), ordered by (time, collider_a, collider_b). The result is a function of the colliders alone.
void detect_contact_times(std::span<const MovingCollider> colliders, std::span<const IgnoredPair> ignored, double h,
                          const ContactTimesOptions& options, ContinuousWorkspace& scratch, ContactTimeSet& contacts);

/// The first contact of one pair of colliders.
struct PairFirstContact {
  std::uint32_t collider_a = 0;  // collider_a < collider_b
  std::uint32_t collider_b = 0;
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
  FirstContact contact;
};

/// The first contact over [0, h] of every pair whose swept boxes meet, ordered by (collider_a, collider_b); pairs that
/// stay apart over the whole interval are left out. What a time-of-impact heap is filled from, [Mirtich95, sec. 3].
void detect_first_contacts(std::span<const MovingCollider> colliders, std::span<const IgnoredPair> ignored, double h,
                           const FirstContactOptions& options, ContinuousWorkspace& scratch,
                           std::vector<PairFirstContact>& contacts);

/// The same for the pairs of one collider alone, after an impact has changed its motion.
void detect_first_contacts_of(std::uint32_t collider, std::span<const MovingCollider> colliders,
                              std::span<const IgnoredPair> ignored, double h, const FirstContactOptions& options,
                              std::vector<PairFirstContact>& contacts);

}  // namespace achilles
