#include "collision/broad_phase/broad_phase.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

constexpr std::size_t kFollowBlock = 64;
constexpr std::size_t kQueryBlock = 16;
constexpr std::size_t kCandidateBlock = 64;  // proxies whose pairs lie together
constexpr double kAhead = 0.5;               // share of its padding by which a fat box goes ahead of its owner
constexpr double kWorn = 1.25;               // cost of a tree over that of the last build above which it is rebuilt

// Whether a proxy got a new fat box; those without bounds are judged when the mean edge of the others is known.
constexpr std::uint8_t kStays = 0, kMoved = 1, kUnjudged = 2;

std::uint64_t make_key(std::uint32_t i, std::uint32_t j) {
  return std::uint64_t{std::min(i, j)} << 32 | std::max(i, j);
}
std::uint32_t first_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
std::uint32_t second_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

bool holds(const Aabb& outer, const Aabb& inner) {
  return (outer.lower.array() <= inner.lower.array()).all() && (inner.upper.array() <= outer.upper.array()).all();
}

double mean_edge(const Aabb& box) { return box.extent().sum() / 3; }

/// Whether the fat proxy still stands for the exact one: it holds it, and is not so loose that it would cost more than
/// a new place in the tree.
bool still_stands_for(const BroadPhaseProxy& fat, const BroadPhaseProxy& exact, double padding) {
  const bool is_same = fat.body == exact.body && fat.movable == exact.movable && fat.half_space == exact.half_space &&
                       fat.filter == exact.filter;
  if (!is_same) return false;
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

/// Moves a new fat box on the way that its owner went since it got the one before: most go on, and stay in it longer.
void move_on(const Aabb& before, double padding, Aabb& box) {
  const double most = kAhead * padding;
  const Vec3 way = (kAhead * (box.center() - before.center())).cwiseMax(-most).cwiseMin(most);
  box.lower += way;
  box.upper += way;
}

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr Outline kUndecided{{-kInfinity, -kInfinity, -kInfinity, 0}, {kInfinity, kInfinity, kInfinity, 0}};

Outline draw_outline(const BroadPhaseProxy& exact) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  const Aabb& box = exact.box;
  if (exact.half_space || !(box.lower.minCoeff() >= -kLargest && box.upper.maxCoeff() <= kLargest)) return kUndecided;
  const auto round = [](double x) { return static_cast<float>(x); };
  return {{round(box.lower.x()), round(box.lower.y()), round(box.lower.z()), 0},
          {round(box.upper.x()), round(box.upper.y()), round(box.upper.z()), kInfinity}};
}

/// How much two overlap along the axis where they do least, negative where they are apart; 0: unknown. [m]
float overlap(const Outline& a, const Outline& b) {
  using Four = float __attribute__((vector_size(16)));
  const auto load = [](const float(&from)[4]) { return Four{from[0], from[1], from[2], from[3]}; };
  const Four one = load(a.upper) - load(b.lower), other = load(b.upper) - load(a.lower);
  const Four along = one < other ? one : other;
  return std::min(std::min(along[0], along[1]), std::min(along[2], along[3]));
}

void forget_everything(TreeWorkspace& scratch) {
  scratch.movable.clear();
  scratch.fixed.clear();
  scratch.tracked.clear();
  scratch.unbounded.clear();
  for (CandidateBlock& block : scratch.candidates) block.keys.clear();
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

/// Replaces the fat boxes that their proxies have left.
class Follower {
 public:
  Follower(std::span<const BroadPhaseProxy> proxies, double fatness, TreeWorkspace& scratch)
      : proxies_(proxies), fatness_(fatness), scratch_(scratch) {}

  void judge_bounded(std::size_t block, std::size_t first, std::size_t last) {
    TreeWorkspace::EdgeSum edges;
    for (std::size_t id = first; id < last; ++id) {
      scratch_.is_moved[id] = kUnjudged;
      scratch_.outlines[id] = draw_outline(proxies_[id]);
      if (!proxies_[id].is_bounded()) continue;
      const double edge = mean_edge(proxies_[id].box);
      edges.sum += edge;
      ++edges.count;
      judge(id, fatness_ * edge);
    }
    scratch_.edges[block] = edges;
  }

  /// The others; scratch.moved lists the proxies with a new fat box.
  void judge_rest() {
    TreeWorkspace::EdgeSum all;
    for (const TreeWorkspace::EdgeSum& edges : scratch_.edges) {
      all.sum += edges.sum;
      all.count += edges.count;
    }
    const double padding = all.count == 0 ? 0 : fatness_ * all.sum / static_cast<double>(all.count);
    scratch_.moved.clear();
    for (std::uint32_t id = 0; id < proxies_.size(); ++id) {
      if (scratch_.is_moved[id] == kUnjudged) judge(id, padding);
      if (scratch_.is_moved[id] == kMoved) scratch_.moved.push_back(id);
    }
  }

  std::size_t known = 0;  // proxies of the call before

 private:
  void judge(std::size_t id, double padding) {
    const bool stays = id < known && still_stands_for(scratch_.tracked[id], proxies_[id], padding);
    scratch_.is_moved[id] = stays ? kStays : kMoved;
    if (stays) return;
    BroadPhaseProxy fat = fattened(proxies_[id], padding);
    const BroadPhaseProxy& before = scratch_.tracked[id];
    if (id < known && before.is_bounded() && fat.is_bounded()) move_on(before.box, padding, fat.box);
    scratch_.tracked[id] = fat;
    scratch_.owners[id] = {proxies_[id].body, proxies_[id].movable, proxies_[id].filter};
  }

  std::span<const BroadPhaseProxy> proxies_;
  double fatness_;
  TreeWorkspace& scratch_;
};

bool is_in_its_tree(const TreeWorkspace& scratch, std::uint32_t id) {
  const BroadPhaseProxy& fat = scratch.tracked[id];
  return fat.is_bounded() && (fat.movable ? scratch.movable : scratch.fixed).contains(id);
}

/// Where many have moved, most by a little, boxes change where they are in the tree; it is built anew when that has
/// made it poor. Costs a fraction of taking leaves out and putting them back.
void move_many(TreeWorkspace& scratch) {
  for (const std::uint32_t id : scratch.moved) {
    const BroadPhaseProxy& fat = scratch.tracked[id];
    if (is_in_its_tree(scratch, id))
      (fat.movable ? scratch.movable : scratch.fixed).set_box(id, round_outward(fat.box));
  }
  if (scratch.movable.refit_all() > kWorn) rebuild(scratch, true);
  if (scratch.fixed.refit_all() > kWorn) rebuild(scratch, false);
}

/// Brings trees and list up to date.
void update_trees(TreeWorkspace& scratch) {
  const std::size_t all = scratch.tracked.size();
  const auto newcomers = static_cast<std::size_t>(std::count_if(
      scratch.moved.begin(), scratch.moved.end(), [&](std::uint32_t id) { return !is_in_its_tree(scratch, id); }));
  const bool anew = newcomers > 32 && 4 * newcomers > all;
  const bool many = !anew && scratch.moved.size() > 32 && 16 * scratch.moved.size() > all;
  for (const std::uint32_t id : scratch.moved) {
    if (many && is_in_its_tree(scratch, id)) continue;
    take_out(scratch, id);
    put_in(scratch, id, !anew && !many);
  }
  if (anew) {
    rebuild(scratch, true);
    rebuild(scratch, false);
  }
  if (!many) return;
  move_many(scratch);
  for (const std::uint32_t id : scratch.moved) {
    if (scratch.tracked[id].is_bounded() && !is_in_its_tree(scratch, id)) put_in(scratch, id, true);
  }
}

/// Everything that follows from where the proxies are now, but the pairs.
void follow(std::span<const BroadPhaseProxy> proxies, double fatness, BlockRunner& runner, TreeWorkspace& scratch) {
  Follower follower(proxies, fatness, scratch);
  follower.known = std::min(scratch.tracked.size(), proxies.size());
  for (std::size_t id = proxies.size(); id < scratch.tracked.size(); ++id) {
    take_out(scratch, static_cast<std::uint32_t>(id));
  }
  scratch.tracked.resize(proxies.size());
  scratch.owners.resize(proxies.size());
  scratch.outlines.resize(proxies.size());
  scratch.is_moved.resize(proxies.size());
  scratch.edges.resize(BlockRunner::count_blocks(proxies.size(), kFollowBlock));
  runner.run(proxies.size(), kFollowBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    follower.judge_bounded(block, first, last);
  });
  follower.judge_rest();
  update_trees(scratch);
}

/// Pairs of fat boxes in which `id` got a new one. Of two that both did, the smaller id reports the pair.
void query_bounded(const TreeWorkspace& scratch, std::uint32_t id, std::vector<std::uint64_t>& keys) {
  const BroadPhaseProxy& self = scratch.tracked[id];
  const ProxyOwner owner = scratch.owners[id];
  const auto report = [&](std::uint32_t other) {
    if (other == id || (scratch.is_moved[other] != 0 && other < id)) return;
    if (may_collide(owner, scratch.owners[other], scratch.ignored)) keys.push_back(make_key(id, other));
  };
  const BoxF box = round_outward(self.box);
  scratch.movable.for_each_overlap(box, report);
  if (self.movable) scratch.fixed.for_each_overlap(box, report);
  for (const std::uint32_t other : scratch.unbounded) {
    const BroadPhaseProxy& unbounded = scratch.tracked[other];
    if (boxes_intersect(self, unbounded) && may_collide(self, unbounded, scratch.ignored)) {
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
    if (boxes_intersect(self, proxy) && may_collide(self, proxy, scratch.ignored)) keys.push_back(make_key(id, other));
  }
}

/// Queries the trees for everything that moved and sorts the pairs into their blocks.
void find_fresh_pairs(BlockRunner& runner, TreeWorkspace& scratch) {
  const std::size_t blocks = BlockRunner::count_blocks(scratch.moved.size(), kQueryBlock);
  if (scratch.found.size() < blocks) scratch.found.resize(blocks);
  runner.run(scratch.moved.size(), kQueryBlock, [&](std::size_t block, std::size_t first, std::size_t end) {
    std::vector<std::uint64_t>& keys = scratch.found[block];
    keys.clear();
    for (std::size_t k = first; k < end; ++k) {
      const std::uint32_t id = scratch.moved[k];
      scratch.tracked[id].is_bounded() ? query_bounded(scratch, id, keys) : query_unbounded(scratch, id, keys);
    }
  });
  for (CandidateBlock& block : scratch.candidates) block.fresh.clear();
  for (std::size_t block = 0; block < blocks; ++block) {
    for (const std::uint64_t key : scratch.found[block]) {
      scratch.candidates[first_of(key) / kCandidateBlock].fresh.push_back(key);
    }
  }
}

/// Drops the candidate pairs of everything that moved or left and merges in the pairs it has now, in one pass.
void merge_candidates(const TreeWorkspace& scratch, CandidateBlock& block) {
  const std::size_t count = scratch.tracked.size();
  std::sort(block.fresh.begin(), block.fresh.end());
  block.merged.clear();
  auto fresh = block.fresh.begin();
  for (const std::uint64_t key : block.keys) {
    const bool is_old = second_of(key) >= count || scratch.is_moved[first_of(key)] != kStays ||
                        scratch.is_moved[second_of(key)] != kStays;
    if (is_old) continue;
    for (; fresh != block.fresh.end() && *fresh < key; ++fresh) block.merged.push_back(*fresh);
    block.merged.push_back(key);
  }
  block.merged.insert(block.merged.end(), fresh, block.fresh.end());
  block.keys.swap(block.merged);
}

/// The candidates whose exact boxes intersect; the fat boxes do not influence the result. Without a branch on which
/// they are: no branch predictor can foretell it.
void cull_candidates(std::span<const BroadPhaseProxy> proxies, const TreeWorkspace& scratch,
                     const CandidateBlock& block, std::vector<ColliderPair>& pairs) {
  std::size_t count = pairs.size();
  pairs.resize(count + block.keys.size());
  ColliderPair* const to = pairs.data();
  const Outline* const outlines = scratch.outlines.data();
  for (const std::uint64_t key : block.keys) {
    const ColliderPair pair{first_of(key), second_of(key)};
    const float common = overlap(outlines[pair.a], outlines[pair.b]);
    bool intersects = common > 0;
    if (common == 0) intersects = boxes_intersect(proxies[pair.a], proxies[pair.b]);
    to[count] = pair;
    count += intersects ? 1 : 0;
  }
  pairs.resize(count);
}

/// The pairs of all blocks, one after the other.
void gather_pairs(BlockRunner& runner, TreeWorkspace& scratch, std::vector<ColliderPair>& pairs) {
  std::size_t count = 0;
  for (CandidateBlock& block : scratch.candidates) {
    block.place = count;
    count += block.pairs.size();
  }
  pairs.resize(count);
  runner.run(scratch.candidates.size(), 8, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const CandidateBlock& block = scratch.candidates[k];
      std::copy(block.pairs.begin(), block.pairs.end(), pairs.begin() + static_cast<std::ptrdiff_t>(block.place));
    }
  });
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
  const bool some_left = proxies.size() < scratch.tracked.size();
  follow(proxies, options.fatness, runner, scratch);
  const bool changed = some_left || !scratch.moved.empty();
  scratch.candidates.resize(BlockRunner::count_blocks(proxies.size(), kCandidateBlock));
  if (changed) find_fresh_pairs(runner, scratch);
  pairs.clear();
  const bool alone = runner.works_alone();
  const auto update = [&](std::size_t k, std::size_t, std::size_t) {
    CandidateBlock& block = scratch.candidates[k];
    if (changed) merge_candidates(scratch, block);
    block.pairs.clear();
    cull_candidates(proxies, scratch, block, alone ? pairs : block.pairs);
  };
  if (alone) {
    for (std::size_t k = 0; k < scratch.candidates.size(); ++k) update(k, k, k + 1);
    return;
  }
  runner.run(scratch.candidates.size(), 1, update);
  gather_pairs(runner, scratch, pairs);
}

}  // namespace achilles
