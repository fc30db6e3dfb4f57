// Collision detection of a whole instant: broad phase, narrow phase and contact determination in one call.
#pragma once

#include "collision/broad_phase/broad_phase.hpp"
#include "collision/collider.hpp"
#include "collision/contact/collide.hpp"
#include "collision/contact/contact.hpp"

#include "collision/manifold_memory.hpp"

#include <memory>
#include <span>

namespace achilles {

struct DetectOptions {
  CollideOptions collide;  // its margin is common to all pairs; each pair adds the reach of its two colliders
  int threads = 1;
  BroadPhaseMethod broad_phase = TreeOptions{};  // changes the speed, not the result
};

/// Scratch of detect_contacts: the tree that follows the colliders from call to call. Only speed depends on its
/// contents.
class DetectWorkspace {
 public:
  DetectWorkspace();
  ~DetectWorkspace();
  DetectWorkspace(DetectWorkspace&&) noexcept;
  DetectWorkspace& operator=(DetectWorkspace&&) noexcept;

  struct Impl;
  std::unique_ptr<Impl> impl;
};

/// All contacts between colliders of different bodies, at least one of them movable, the pair not in `ignored`
/// (sorted). The result is a function of the colliders and options alone, whatever the broad phase, the number of
/// threads and the history of the scratch. Allocates nothing once warm. Throws std::invalid_argument when a pose is not
/// finite.
void detect_contacts(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                     const DetectOptions& options, DetectWorkspace& scratch, ContactSet& contacts);

/// Pairs that the last call looked at closely.
[[nodiscard]] std::size_t count_pairs(const DetectWorkspace& scratch);

/// Contacts found once and kept while the pair hardly moves, see contact/reuse.hpp.
struct ManifoldReuse {
  double distance = 0;            // [m] how far points of a pair may move against each other
  const ManifoldMemory& former;   // of the call before
  ManifoldMemory& next;           // receives what the next call may keep
  std::size_t* reused = nullptr;  // number of reused pairs, if wanted
};

/// The same with contacts kept from call to call: a function of the colliders, options and the memory before. True
/// where `next` is to take the place of `former`; false where it would be the same, because all that was kept holds and
/// nothing came: nothing is copied then.
[[nodiscard]] bool detect_contacts(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                                   const DetectOptions& options, const ManifoldReuse& reuse, DetectWorkspace& scratch,
                                   ContactSet& contacts);

}  // namespace achilles
