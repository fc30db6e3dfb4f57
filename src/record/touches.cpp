#include "record/touches.hpp"

#include <algorithm>

namespace achilles {
namespace {

std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint64_t>(std::min(a, b)) << 32 | std::max(a, b);
}

/// Whether a step lists the contacts of a pair: one of the two moves by forces.
bool is_listed(const BodyArrays& bodies, std::uint64_t pair) {
  const auto moves = [&](std::uint64_t body) { return bodies.is_movable(body) && bodies.asleep[body] == 0; };
  return moves(pair >> 32) || moves(pair & 0xffffffff);
}

RecordedEvent event_of(double time, RecordedKind kind, std::uint64_t pair) {
  return {time, kind, static_cast<std::uint32_t>(pair >> 32), static_cast<std::uint32_t>(pair)};
}

void sort_after(std::vector<std::uint64_t>& list, std::size_t middle) {
  std::inplace_merge(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(middle), list.end());
}

}  // namespace

/// Which pairs they are does not matter: all come back, and those that rest on go again.
void Touches::bring_back_woken(const std::vector<std::uint8_t>& asleep) {
  if (resting_.empty() || asleep == asleep_) return;
  bool is_woken = asleep.size() != asleep_.size();
  for (std::size_t k = 0; !is_woken && k < asleep.size(); ++k) is_woken = asleep_[k] > asleep[k];
  if (!is_woken) return;
  const std::size_t middle = touching_.size();
  touching_.insert(touching_.end(), resting_.begin(), resting_.end());
  sort_after(touching_, middle);
  resting_.clear();
}

void Touches::see(const World& world, std::span<const ContactRecord> contacts, std::vector<RecordedEvent>& events) {
  bring_back_woken(world.bodies.asleep);
  // Points of a pair follow each other; pairs come in their order, or layer by layer.
  listed_.clear();
  next_.clear();
  for (const ContactRecord& contact : contacts) {
    const Pair pair = pair_of(contact.body_a, contact.body_b);
    if (listed_.empty() || listed_.back() != pair) listed_.push_back(pair);
    const bool pushes = contact.gap <= 0 || !contact.impulse.isZero(0);
    if (pushes && (next_.empty() || next_.back() != pair)) next_.push_back(pair);
  }
  for (std::vector<Pair>* list : {&listed_, &next_}) {
    if (!std::is_sorted(list->begin(), list->end())) std::sort(list->begin(), list->end());
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  const auto has = [](const std::vector<Pair>& list, Pair pair) {
    return std::binary_search(list.begin(), list.end(), pair);
  };
  for (const Pair pair : next_) {
    if (has(touching_, pair)) continue;
    const auto rested = std::lower_bound(resting_.begin(), resting_.end(), pair);
    if (rested != resting_.end() && *rested == pair) {
      resting_.erase(rested);
    } else {
      events.push_back(event_of(world.time, RecordedKind::kNewContact, pair));
    }
  }
  const std::size_t pushing = next_.size(), rested = resting_.size();
  for (const Pair pair : touching_) {
    if (std::binary_search(next_.begin(), next_.begin() + static_cast<std::ptrdiff_t>(pushing), pair)) continue;
    if (has(listed_, pair)) {
      next_.push_back(pair);  // still near
    } else if (is_listed(world.bodies, pair)) {
      events.push_back(event_of(world.time, RecordedKind::kLostContact, pair));
    } else {
      resting_.push_back(pair);
    }
  }
  sort_after(next_, pushing);
  sort_after(resting_, rested);
  std::swap(touching_, next_);
  if (!resting_.empty()) asleep_ = world.bodies.asleep;
}

void Touches::take(const RecordedEvent& event) {
  if (event.kind != RecordedKind::kNewContact && event.kind != RecordedKind::kLostContact) return;
  const Pair pair = pair_of(event.body_a, event.body_b);
  const auto at = std::lower_bound(touching_.begin(), touching_.end(), pair);
  const bool known = at != touching_.end() && *at == pair;
  if (event.kind == RecordedKind::kNewContact && !known) touching_.insert(at, pair);
  if (event.kind == RecordedKind::kLostContact && known) touching_.erase(at);
}

}  // namespace achilles
