#include "collision/overlaps.hpp"

#include "collision/detect_workspace.hpp"
#include "math/refill.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kOverlapBlock = 64;
constexpr std::size_t kFew = 16;  // one in so many: then a query of a tree finds the pairs of each

/// Keeps the deeper of two; a depth that is not a number stays, so that it is not taken for none.
void keep_deepest(const MeasuredPenetration& candidate, MeasuredPenetration& deepest) {
  if (!std::isnan(deepest.depth) && !(candidate.depth <= deepest.depth)) deepest = candidate;
}

bool is_bounded(const Collider& collider) { return std::isfinite(collider.geometry->radius); }

}  // namespace

MeasuredPenetration Overlaps::measure(std::span<const Collider> colliders, std::span<const std::uint32_t> moved,
                                      std::span<const IgnoredPair> ignored, int threads, DetectWorkspace& scratch) {
  const bool anew = !is_known_ || is_moved_.size() != colliders.size() || !std::ranges::equal(ignored, ignored_);
  if (!anew && moved.empty()) return deepest_;
  is_known_ = false;
  if (anew) {
    overlaps_.clear();
    copy_to(ignored, ignored_);
    tree_stands_ = false;
  }
  refill(is_moved_, colliders.size(), std::uint8_t{anew});
  for (const std::uint32_t id : moved) is_moved_[id] = 1;
  scratch.impl->runner.set_threads(threads);
  if (!anew && are_few(colliders, moved)) {
    find_pairs_of_few(colliders, moved);
  } else {
    find_pairs_of_many(colliders, anew, *scratch.impl);
  }
  measure_pairs(colliders, scratch.impl->runner);
  merge_overlaps();
  deepest_ = {};
  for (const auto& [pair, depth] : overlaps_) {
    keep_deepest({depth, colliders[pair.a].body, colliders[pair.b].body}, deepest_);
  }
  is_known_ = true;
  return deepest_;
}

bool Overlaps::are_few(std::span<const Collider> colliders, std::span<const std::uint32_t> moved) const {
  const auto has_place = [&](std::uint32_t id) {
    return is_bounded(colliders[id]) && (!tree_stands_ || tree_.contains(id));
  };
  return kFew * moved.size() <= colliders.size() && std::ranges::all_of(moved, has_place);
}

void Overlaps::update_tree(std::span<const Collider> colliders, std::span<const std::uint32_t> moved) {
  const auto box_of = [&](std::uint32_t id) { return round_outward(make_proxy(colliders[id], 0).box); };
  if (tree_stands_) {
    for (const std::uint32_t id : moved) tree_.remove(id);
    tree_stands_ = false;
    for (const std::uint32_t id : moved) tree_.insert(id, box_of(id));
  } else {
    build_ids_.clear();
    build_boxes_.clear();
    unbounded_.clear();
    for (std::uint32_t id = 0; id < colliders.size(); ++id) {
      (is_bounded(colliders[id]) ? build_ids_ : unbounded_).push_back(id);
    }
    for (const std::uint32_t id : build_ids_) build_boxes_.push_back(box_of(id));
    tree_.build(build_ids_, build_boxes_);
  }
  tree_stands_ = true;
}

/// The pairs of each, from a tree of all. Of two that moved, the smaller id reports the pair.
void Overlaps::find_pairs_of_few(std::span<const Collider> colliders, std::span<const std::uint32_t> moved) {
  update_tree(colliders, moved);
  pairs_.clear();
  for (const std::uint32_t id : moved) {
    const BroadPhaseProxy self = make_proxy(colliders[id], 0);
    const auto report = [&](std::uint32_t other) {
      if (other == id || (is_moved_[other] != 0 && other < id)) return;
      const ProxyOwner owner{colliders[other].body, colliders[other].movable, colliders[other].filter};
      if (!may_collide({self.body, self.movable, self.filter}, owner, ignored_)) return;
      if (boxes_intersect(self, make_proxy(colliders[other], 0)))
        pairs_.push_back({std::min(id, other), std::max(id, other)});
    };
    tree_.for_each_overlap(round_outward(self.box), report);
    std::ranges::for_each(unbounded_, report);
  }
  std::ranges::sort(pairs_);
}

/// Colliders that have not moved count as fixed, as sleepers do in a step: they stay in the same tree.
void Overlaps::find_pairs_of_many(std::span<const Collider> colliders, bool all, DetectWorkspace::Impl& scratch) {
  tree_stands_ = false;
  make_proxies(colliders, 0, scratch);
  for (std::size_t id = 0; !all && id < colliders.size(); ++id) scratch.proxies[id].movable = is_moved_[id] != 0;
  find_pairs(scratch.proxies, ignored_, TreeOptions{}, scratch.runner, scratch.broad_phase, scratch.pairs);
  pairs_.clear();
  for (const ColliderPair& pair : scratch.pairs) {
    if (colliders[pair.a].movable || colliders[pair.b].movable) pairs_.push_back(pair);
  }
}

void Overlaps::measure_pairs(std::span<const Collider> colliders, BlockRunner& runner) {
  depths_.resize(pairs_.size());
  points_.resize(static_cast<std::size_t>(runner.threads()));
  runner.run(pairs_.size(), kOverlapBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    std::vector<ContactPoint>& points = points_[BlockRunner::thread_index() % points_.size()];
    for (std::size_t k = first; k < last; ++k) {
      const Collider& a = colliders[pairs_[k].a];
      const Collider& b = colliders[pairs_[k].b];
      depths_[k] = compute_depth(*a.geometry, a.X_WG, *b.geometry, b.X_WG, points);
    }
  });
}

/// Drops what was known of those that moved and takes in what was measured, in one pass.
void Overlaps::merge_overlaps() {
  next_.clear();
  std::size_t at = 0;
  const auto take_before = [&](const Overlap* limit) {
    for (; at < pairs_.size() && (limit == nullptr || pairs_[at] < limit->pair); ++at) {
      if (depths_[at] != 0) next_.push_back({pairs_[at], depths_[at]});
    }
  };
  for (const Overlap& overlap : overlaps_) {
    if (is_moved_[overlap.pair.a] != 0 || is_moved_[overlap.pair.b] != 0) continue;
    take_before(&overlap);
    next_.push_back(overlap);
  }
  take_before(nullptr);
  overlaps_.swap(next_);
}

}  // namespace achilles
