#include "collision/broad_phase/broad_phase.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kQueryBlock = 64;
constexpr std::size_t kCullBlock = 1024;

std::uint64_t make_key(std::uint32_t i, std::uint32_t j) {
  return std::uint64_t{std::min(i, j)} << 32 | std::max(i, j);
}
std::uint32_t first_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
std::uint32_t second_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

bool holds(const Aabb& outer, const Aabb& inner) {
  return (outer.lower.array() <= inner.lower.array()).all() && (inner.upper.array() <= outer.upper.array()).all();
}

double mean_edge(const Aabb& box) { return box.extent().sum() / 3; }

/// How much a proxy is fattened. Unbounded ones borrow the mean edge of the others.
double compute_padding(const BroadPhaseProxy& proxy, double fatness, double typical_edge) {
  return fatness * (proxy.is_bounded() ? mean_edge(proxy.box) : typical_edge);
}

/// Whether the fat proxy still stands for the exact one: it holds it, and is not so loose that it would cost more than
/// a new place in the tree.
bool still_stands_for(const BroadPhaseProxy& fat, const BroadPhaseProxy& exact, double padding) {
  if (fat.body != exact.body || fat.movable != exact.movable || fat.half_space != exact.half_space) return false;
  if (exact.half_space) {
    return fat.normal == exact.normal && exact.offset <= fat.offset && fat.offset <= exact.offset + 4 * padding;
  }
  if (!holds(fat.box, exact.box)) return false;
  if (!exact.is_bounded()) return true;
  return (fat.box.extent() - exact.box.extent()).maxCoeff() <= 6 * padding;
}

BroadPhaseProxy fattened(const BroadPhaseProxy& exact, double padding) {
  BroadPhaseProxy fat = exact;
  fat.box = exact.box.grown(padding);
  fat.offset = exact.offset + padding;
  return fat;
}

double compute_typical_edge(std::span<const BroadPhaseProxy> proxies) {
  double sum = 0;
  std::size_t count = 0;
  for (const BroadPhaseProxy& proxy : proxies) {
    if (!proxy.is_bounded()) continue;
    sum += mean_edge(proxy.box);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

void forget_everything(TreeWorkspace& scratch) {
  scratch.movable.clear();
  scratch.fixed.clear();
  scratch.tracked.clear();
  scratch.unbounded.clear();
  scratch.candidates.clear();
}

void take_out(TreeWorkspace& scratch, std::uint32_t id) {
  if (scratch.movable.contains(id)) scratch.movable.remove(id);
  if (scratch.fixed.contains(id)) scratch.fixed.remove(id);
  const auto place = std::lower_bound(scratch.unbounded.begin(), scratch.unbounded.end(), id);
  if (place != scratch.unbounded.end() && *place == id) scratch.unbounded.erase(place);
}

void put_in(TreeWorkspace& scratch, std::uint32_t id, bool into_tree) {
  const BroadPhaseProxy& fat = scratch.tracked[id];
  if (!fat.is_bounded()) {
    scratch.unbounded.insert(std::lower_bound(scratch.unbounded.begin(), scratch.unbounded.end(), id), id);
  } else if (into_tree) {
    (fat.movable ? scratch.movable : scratch.fixed).insert(id, round_outward(fat.box));
  }
}

void rebuild(TreeWorkspace& scratch, bool movable) {
  scratch.build_ids.clear();
  scratch.build_boxes.clear();
  for (std::uint32_t id = 0; id < scratch.tracked.size(); ++id) {
    const BroadPhaseProxy& fat = scratch.tracked[id];
    if (fat.movable != movable || !fat.is_bounded()) continue;
    scratch.build_ids.push_back(id);
    scratch.build_boxes.push_back(round_outward(fat.box));
  }
  (movable ? scratch.movable : scratch.fixed).build(scratch.build_ids, scratch.build_boxes);
}

/// Brings trees and list up to date; leaves in scratch.moved who got a new fat box.
void follow(std::span<const BroadPhaseProxy> proxies, double fatness, TreeWorkspace& scratch) {
  const double typical_edge = compute_typical_edge(proxies);
  const std::size_t known = std::min(scratch.tracked.size(), proxies.size());
  for (std::size_t id = proxies.size(); id < scratch.tracked.size(); ++id) {
    take_out(scratch, static_cast<std::uint32_t>(id));
  }
  scratch.tracked.resize(proxies.size());
  scratch.is_moved.assign(proxies.size(), 0);
  scratch.moved.clear();
  for (std::uint32_t id = 0; id < proxies.size(); ++id) {
    const double padding = compute_padding(proxies[id], fatness, typical_edge);
    if (id < known && still_stands_for(scratch.tracked[id], proxies[id], padding)) continue;
    scratch.tracked[id] = fattened(proxies[id], padding);
    scratch.is_moved[id] = 1;
    scratch.moved.push_back(id);
  }
  // Building anew costs about as much per box as taking a leaf out and putting it back, and gives the better tree.
  const bool anew = scratch.moved.size() > 32 && 2 * scratch.moved.size() > proxies.size();
  for (const std::uint32_t id : scratch.moved) {
    if (id < known) take_out(scratch, id);
    put_in(scratch, id, !anew);
  }
  if (anew) {
    rebuild(scratch, true);
    rebuild(scratch, false);
  }
}

/// Pairs of fat boxes in which `id` got a new one. Of two that both did, the smaller id reports the pair.
void query_bounded(const TreeWorkspace& scratch, std::uint32_t id, std::vector<std::uint64_t>& keys) {
  const BroadPhaseProxy& self = scratch.tracked[id];
  const auto report = [&](std::uint32_t other) {
    if (other == id || (scratch.is_moved[other] != 0 && other < id)) return;
    if (may_collide(self, scratch.tracked[other], scratch.ignored)) keys.push_back(make_key(id, other));
  };
  const BoxF box = round_outward(self.box);
  scratch.movable.for_each_overlap(box, report);
  if (self.movable) scratch.fixed.for_each_overlap(box, report);
  for (const std::uint32_t other : scratch.unbounded) {
    const BroadPhaseProxy& unbounded = scratch.tracked[other];
    if (boxes_meet(self, unbounded) && may_collide(self, unbounded, scratch.ignored)) {
      keys.push_back(make_key(id, other));
    }
  }
}

/// Pairs of an unbounded proxy that changed with everything that will not report them itself.
void query_unbounded(const TreeWorkspace& scratch, std::uint32_t id, std::vector<std::uint64_t>& keys) {
  const BroadPhaseProxy& self = scratch.tracked[id];
  for (std::uint32_t other = 0; other < scratch.tracked.size(); ++other) {
    const BroadPhaseProxy& proxy = scratch.tracked[other];
    const bool other_reports = scratch.is_moved[other] != 0 && (proxy.is_bounded() || other < id);
    if (other == id || other_reports) continue;
    if (boxes_meet(self, proxy) && may_collide(self, proxy, scratch.ignored)) keys.push_back(make_key(id, other));
  }
}

/// Drops the candidate pairs of everything that moved or left and merges in the pairs it has now, in one pass.
void merge_candidates(TreeWorkspace& scratch) {
  const std::size_t count = scratch.tracked.size();
  scratch.merged.clear();
  auto fresh = scratch.fresh.begin();
  for (const std::uint64_t key : scratch.candidates) {
    const bool is_old =
        second_of(key) >= count || scratch.is_moved[first_of(key)] != 0 || scratch.is_moved[second_of(key)] != 0;
    if (is_old) continue;
    for (; fresh != scratch.fresh.end() && *fresh < key; ++fresh) scratch.merged.push_back(*fresh);
    scratch.merged.push_back(key);
  }
  scratch.merged.insert(scratch.merged.end(), fresh, scratch.fresh.end());
  scratch.candidates.swap(scratch.merged);
}

void update_candidates(BlockRunner& runner, TreeWorkspace& scratch) {
  const std::size_t last = scratch.tracked.size();
  const auto left = [&](std::uint64_t key) { return second_of(key) >= last; };
  if (scratch.moved.empty() && std::none_of(scratch.candidates.begin(), scratch.candidates.end(), left)) return;
  const std::size_t blocks = BlockRunner::count_blocks(scratch.moved.size(), kQueryBlock);
  if (scratch.block_keys.size() < blocks) scratch.block_keys.resize(blocks);
  runner.run(scratch.moved.size(), kQueryBlock, [&](std::size_t block, std::size_t first, std::size_t end) {
    std::vector<std::uint64_t>& keys = scratch.block_keys[block];
    keys.clear();
    for (std::size_t k = first; k < end; ++k) {
      const std::uint32_t id = scratch.moved[k];
      scratch.tracked[id].is_bounded() ? query_bounded(scratch, id, keys) : query_unbounded(scratch, id, keys);
    }
  });
  scratch.fresh.clear();
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::vector<std::uint64_t>& keys = scratch.block_keys[block];
    scratch.fresh.insert(scratch.fresh.end(), keys.begin(), keys.end());
  }
  std::sort(scratch.fresh.begin(), scratch.fresh.end());
  merge_candidates(scratch);
}

/// The candidates whose exact boxes meet: what the fat boxes were does not show.
void cull_candidates(std::span<const BroadPhaseProxy> proxies, BlockRunner& runner, TreeWorkspace& scratch,
                     std::vector<ColliderPair>& pairs) {
  const auto cull = [&](std::size_t first, std::size_t last, std::vector<ColliderPair>& kept) {
    for (std::size_t k = first; k < last; ++k) {
      const ColliderPair pair{first_of(scratch.candidates[k]), second_of(scratch.candidates[k])};
      if (boxes_meet(proxies[pair.a], proxies[pair.b])) kept.push_back(pair);
    }
  };
  pairs.clear();
  if (runner.threads() == 1) {
    cull(0, scratch.candidates.size(), pairs);
    return;
  }
  const std::size_t blocks = BlockRunner::count_blocks(scratch.candidates.size(), kCullBlock);
  if (scratch.block_pairs.size() < blocks) scratch.block_pairs.resize(blocks);
  runner.run(scratch.candidates.size(), kCullBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    scratch.block_pairs[block].clear();
    cull(first, last, scratch.block_pairs[block]);
  });
  for (std::size_t block = 0; block < blocks; ++block) {
    pairs.insert(pairs.end(), scratch.block_pairs[block].begin(), scratch.block_pairs[block].end());
  }
}

}  // namespace

void find_pairs_tree(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored,
                     const TreeOptions& options, BlockRunner& runner, TreeWorkspace& scratch,
                     std::vector<ColliderPair>& pairs) {
  if (scratch.fatness != options.fatness ||
      !std::equal(ignored.begin(), ignored.end(), scratch.ignored.begin(), scratch.ignored.end())) {
    forget_everything(scratch);
    scratch.fatness = options.fatness;
    scratch.ignored.assign(ignored.begin(), ignored.end());
  }
  follow(proxies, options.fatness, scratch);
  update_candidates(runner, scratch);
  cull_candidates(proxies, runner, scratch, pairs);
}

}  // namespace achilles
