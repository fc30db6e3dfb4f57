// Broad phase: which pairs of colliders are near enough to be worth a closer look.
#pragma once

#include "collision/broad_phase/aabb_tree.hpp"
#include "collision/collider.hpp"
#include "parallel/blocks.hpp"

#include <limits>
#include <span>
#include <variant>
#include <vector>

namespace achilles {

/// Whose a proxy is.
struct ProxyOwner {
  std::uint32_t body = 0;
  bool movable = true;
  CollisionFilter filter = {};
};

/// What the broad phase sees of a collider: a box that holds it, over the instant or over an interval of motion.
struct BroadPhaseProxy {
  Aabb box;  // [m] may be infinite
  std::uint32_t body = 0;
  bool movable = true;
  bool half_space = false;      // solid where normal·x < offset: culled by that instead of by its infinite box
  Vec3 normal = Vec3::UnitZ();  // unit
  double offset = 0;            // [m]
  CollisionFilter filter = {};

  [[nodiscard]] bool is_bounded() const { return box.lower.allFinite() && box.upper.allFinite(); }
};

/// The proxy of a collider at its present pose, grown by half the margin, by its own reach and by the rounding of the
/// bounds, so that the boxes of two colliders intersect whenever their gap is at most the margin plus the reach of
/// both. Throws std::invalid_argument when the pose or the reach is not finite: such a box would overlap nothing and
/// hide the defect.
[[nodiscard]] BroadPhaseProxy make_proxy(const Collider& collider, double margin);

struct ColliderPair {
  std::uint32_t a = 0;  // a < b
  std::uint32_t b = 0;
  auto operator<=>(const ColliderPair&) const = default;
};

/// Two trees of fattened boxes, one of what moves and one of what does not; pairs of fat boxes are kept from call to
/// call and only what left its fat box queries the trees again. The cost of a call is that of its changes plus one test
/// per kept pair.
struct TreeOptions {
  double fatness = 0.08;  // share of its mean edge by which a box is fattened on every side
};
/// Boxes sorted along the axis on which their centres vary most; the order is kept and repaired by insertion.
struct SweepOptions {};
/// Every box against every other: the oracle.
struct BruteForceOptions {};
using BroadPhaseMethod = std::variant<TreeOptions, SweepOptions, BruteForceOptions>;

/// The pairs whose first proxy belongs to one block of proxies.
struct CandidateBlock {
  std::vector<std::uint64_t> keys;   // sorted, of pairs whose fat boxes overlap
  std::vector<std::uint64_t> fresh;  // those that a call finds
  std::vector<std::uint64_t> merged;
  std::vector<ColliderPair> pairs;  // whose exact boxes intersect
  std::size_t place = 0;            // of those among all pairs
};

/// A box rounded to single precision: half a line of the cache that decides about most pairs. Rounding keeps the order
/// of numbers or makes them equal; where two are equal the exact boxes decide.
struct alignas(32) Outline {
  float lower[4], upper[4];  // [m] 0 and infinity at the end; 0 and 0 where only the exact box may decide
};

/// Scratch of find_pairs_tree. Only speed depends on its contents.
struct TreeWorkspace {
  struct EdgeSum {
    double sum = 0;  // [m]
    std::size_t count = 0;
  };
  AabbTree movable;
  AabbTree fixed;
  std::vector<BroadPhaseProxy> tracked;  // fattened, as of the last call in which they moved
  std::vector<ProxyOwner> owners;        // of those: all that a query reads besides its own
  std::vector<Outline> outlines;         // of the proxies as they are
  std::vector<std::uint32_t> unbounded;  // sorted
  std::vector<IgnoredPair> ignored;
  std::vector<CandidateBlock> candidates;
  std::vector<std::uint32_t> moved;
  std::vector<std::uint8_t> is_moved;
  std::vector<EdgeSum> edges;  // per block of proxies
  std::vector<std::uint32_t> build_ids;
  std::vector<BoxF> build_boxes;
  std::vector<std::vector<std::uint64_t>> found;  // per block of those that moved
  double fatness = 0;
};

/// Scratch of find_pairs_sweep.
struct SweepWorkspace {
  std::vector<std::uint32_t> order;
  std::vector<double> lower;  // [m] of every proxy along the axis
  std::vector<std::uint8_t> known;
  std::vector<std::uint32_t> unbounded;
};

struct BroadPhaseWorkspace {
  TreeWorkspace tree;
  SweepWorkspace sweep;
};

/// All pairs of proxies of different bodies, at least one of them movable, not ignored (`ignored` sorted), whose boxes
/// overlap (for a half-space: whose box reaches into it). Sorted. The result is a function of the proxies alone,
/// whatever the method, the contents of the workspace and the number of threads.
void find_pairs(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored,
                const BroadPhaseMethod& method, BlockRunner& runner, BroadPhaseWorkspace& scratch,
                std::vector<ColliderPair>& pairs);

void find_pairs_tree(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored,
                     const TreeOptions& options, BlockRunner& runner, TreeWorkspace& scratch,
                     std::vector<ColliderPair>& pairs);
void find_pairs_sweep(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored,
                      SweepWorkspace& scratch, std::vector<ColliderPair>& pairs);
void find_pairs_brute_force(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored,
                            std::vector<ColliderPair>& pairs);

[[nodiscard]] bool is_ignored(std::uint32_t body_a, std::uint32_t body_b, std::span<const IgnoredPair> ignored);

/// Whether two proxies may collide at all: different bodies, one of them movable, filters that match, not ignored.
[[nodiscard]] inline bool may_collide(const ProxyOwner& a, const ProxyOwner& b, std::span<const IgnoredPair> ignored) {
  if (a.body == b.body || !(a.movable || b.movable) || !may_meet(a.filter, b.filter)) return false;
  return ignored.empty() || !is_ignored(a.body, b.body, ignored);
}
[[nodiscard]] inline bool may_collide(const BroadPhaseProxy& a, const BroadPhaseProxy& b,
                                      std::span<const IgnoredPair> ignored) {
  return may_collide(ProxyOwner{a.body, a.movable, a.filter}, ProxyOwner{b.body, b.movable, b.filter}, ignored);
}

/// Whether the boxes of two proxies intersect, or the box of one reaches into the half-space of the other; for
/// half_spaces_meet one must be a half-space.
[[nodiscard]] bool half_spaces_meet(const BroadPhaseProxy& a, const BroadPhaseProxy& b);
[[nodiscard]] inline bool boxes_intersect(const BroadPhaseProxy& a, const BroadPhaseProxy& b) {
  return a.half_space || b.half_space ? half_spaces_meet(a, b) : a.box.overlaps(b.box);
}

}  // namespace achilles
