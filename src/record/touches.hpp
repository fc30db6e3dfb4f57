// When bodies begin and cease to touch, from the contacts of each step.
#pragma once

#include "record/layout.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// A touch begins with the first step whose contacts push or overlap, and ends with the first that does not list the
/// pair at all: what rests and trembles about a gap of zero is one touch. A step does not list the contacts of what
/// sleeps: those go on, and are not looked at until a body wakes.
class Touches {
 public:
  /// Appends the events of the step that led to the state of `world`, from its contacts; pairs in rising order, begins
  /// before ends. Allocates only when there were never as many.
  void see(const World& world, std::span<const ContactRecord> contacts, std::vector<RecordedEvent>& events);
  /// An event of an earlier part of the run.
  void take(const RecordedEvent& event);

 private:
  using Pair = std::uint64_t;  // smaller body in the upper half, larger in the lower
  void bring_back_woken(const std::vector<std::uint8_t>& asleep);

  std::vector<Pair> touching_;        // sorted
  std::vector<Pair> resting_;         // sorted: also touching, of bodies of which none moves
  std::vector<std::uint8_t> asleep_;  // per body, when there were resting pairs last
  std::vector<Pair> listed_, next_;   // scratch
};

}  // namespace achilles
