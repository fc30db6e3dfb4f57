#include "math/refill.hpp"
#include "methods/soft_step/stages.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

namespace achilles {
namespace {

// Sizes of the layout. They decide in which order contacts are swept, so that a change of one changes trajectories, but
// no property of the method: every order is a Gauss-Seidel sweep over the same rows with the same fixed points. A row
// takes 128 bytes, a contact of one point 116; a body has about three contacts.
constexpr std::uint32_t kFewestOrdered = 512;       // dynamic bodies: fewer are 64 kB, at hand in any order
constexpr std::uint32_t kFewestInChain = 1000;      // dynamic bodies: fewer take less time than threads need to meet
constexpr std::uint32_t kFewestInBlocks = 8192;     // dynamic bodies: more than the caches of two cores hold, 4 MB
constexpr std::uint32_t kMostInBlock = 1536;        // slots: 0.7 MB with their contacts, which a core's cache holds
constexpr std::uint32_t kBlockMultiple = 4;         // of blocks: as many for each of two or four threads
constexpr std::uint32_t kChainBlocks = 8;           // even: as many in both rounds
constexpr std::size_t kSlices = 64 * kChainBlocks;  // to cut a chain by: so wide that bodies at rest stay in theirs
constexpr std::size_t kSegments = 4;                // of the bodies, by which border contacts of one colour are sorted
constexpr std::size_t kParts = 8;                   // of the manifolds, sorted by one thread each

/// Contacts of some thousand bodies are too few to share colour by colour: each colour lasts microseconds, as long as
/// threads need to meet. A chain of blocks is swept in two rounds, however many colours there are.
bool makes_chain(std::uint32_t bodies) { return bodies >= kFewestInChain && bodies < kFewestInBlocks; }

/// Buckets of one colour that share batches: several points or one, bodies that are not round or none. Kinds of a
/// bucket run downward.
struct BucketRange {
  std::size_t first = 0, count = 0;
};
constexpr BucketRange kSharedBatches[] = {{0, 3}, {3, 1}, {4, 3}, {7, 1}};

void include_in(BatchPlan& plan, std::size_t kind) {
  plan.points = std::max(plan.points, static_cast<std::uint16_t>(kind % kPointsPerManifold + 1));
  if (kind >= kPointsPerManifold) plan.masses = 0;
}

/// What the plans of blocks need.
struct PlanInput {
  const SoftBodyWorkspace& bodies;
  const SoftManifoldWorkspace& manifolds;
  LayoutWorkspace& work;
};

/// Batches of one block of the partition. One thread sweeps a block, so that only manifolds of one batch must share no
/// dynamic body. Colours give most batches: consecutive ones then share no body either, and the core need not wait for
/// the results of the one before. The manifolds that fill no batch of their colour are packed together, whatever their
/// colours, and come first.
class BlockPlanner {
 public:
  /// The block has the buckets [first, last), kManifoldKinds for each colour; `round` of the partition.
  BlockPlanner(const PlanInput& input, std::size_t first, std::size_t last, std::size_t round)
      : bodies_(input.bodies),
        manifolds_(input.manifolds),
        work_(input.work),
        first_(first),
        last_(last),
        masks_(input.work.open_batches[round]),
        begin_(input.work.bucket_start[first]),
        next_(begin_) {}

  /// Writes LayoutWorkspace::packed and block_plans from the block's place in `sorted` on; returns the number of plans.
  /// Needs open_batches of the round to be zero and leaves it so.
  std::uint32_t run() {
    pack_remainders();
    for (std::size_t bucket = first_; bucket < last_; bucket += kManifoldKinds) {
      for (const BucketRange& range : kSharedBatches) {
        Manifolds manifolds = list_manifolds_of(bucket, range);
        for (; manifolds.size() >= kLanes; manifolds = manifolds.subspan(kLanes)) add_batch(manifolds.first(kLanes));
      }
    }
    return plans_;
  }

 private:
  using Manifolds = std::span<const std::uint32_t>;
  static constexpr int kMostOpen = 32;                            // bits of a mask
  static_assert(kManifoldKinds == 8 && kPointsPerManifold == 4);  // see kSharedBatches
  struct OpenBatch {
    std::uint32_t manifolds[kLanes];
    std::uint32_t count = 0;
  };

  [[nodiscard]] Manifolds list_manifolds_of(std::size_t bucket, const BucketRange& range) const {
    const std::uint32_t first = work_.bucket_start[bucket + range.first];
    return Manifolds(work_.sorted).subspan(first, work_.bucket_start[bucket + range.first + range.count] - first);
  }

  void pack_remainders() {
    for_each_remainder([this](std::uint32_t m) {
      if (!put(m)) add_batch({&m, 1});
    });
    for (int k = 0; k < used_; ++k) add_batch({open_[k].manifolds, open_[k].count});
    for_each_remainder([this](std::uint32_t m) {
      const auto [a, b] = slots_of(m);
      if (a > 0) masks_[a] = 0;
      if (b > 0) masks_[b] = 0;
    });
  }

  /// Remainders of one range of buckets follow each other, so that they share batches.
  template <class Visit>
  void for_each_remainder(const Visit& visit) const {
    for (const BucketRange& range : kSharedBatches) {
      for (std::size_t bucket = first_; bucket < last_; bucket += kManifoldKinds) {
        const Manifolds manifolds = list_manifolds_of(bucket, range);
        for (const std::uint32_t m : manifolds.last(manifolds.size() % kLanes)) visit(m);
      }
    }
  }

  /// Adds a manifold to the first open batch with room and none of its bodies; false where there is none.
  bool put(std::uint32_t m) {
    const auto [a, b] = slots_of(m);
    const int at = std::countr_one(full_ | masks_[a] | masks_[b]);
    if (at == kMostOpen) return false;
    if (at == used_) open_[used_++].count = 0;
    const std::uint32_t bit = std::uint32_t{1} << at;
    // Slot 0 stands for all that impulses do not move: any number of SIMD lanes may share it.
    if (a > 0) masks_[a] |= bit;
    if (b > 0) masks_[b] |= bit;
    OpenBatch& batch = open_[at];
    batch.manifolds[batch.count++] = m;
    if (batch.count == kLanes) full_ |= bit;
    return true;
  }

  void add_batch(Manifolds manifolds) {
    BatchPlan& plan = work_.block_plans[begin_ + plans_++] = {};
    plan.first = next_;
    plan.count = static_cast<std::uint16_t>(manifolds.size());
    for (const std::uint32_t m : manifolds) {
      work_.packed[next_++] = m;
      include_in(plan, manifolds_.manifolds[m].kind);
    }
  }

  [[nodiscard]] std::pair<std::size_t, std::size_t> slots_of(std::uint32_t m) const {
    const auto slot_of = [&](std::uint32_t body) {
      return static_cast<std::size_t>(std::max(bodies_.slot_of[body], std::int32_t{0}));
    };
    return {slot_of(manifolds_.edges[m].body_a), slot_of(manifolds_.edges[m].body_b)};
  }

  const SoftBodyWorkspace& bodies_;
  const SoftManifoldWorkspace& manifolds_;
  LayoutWorkspace& work_;
  std::size_t first_, last_;  // buckets
  std::vector<std::uint32_t>& masks_;
  std::uint32_t begin_, next_, plans_ = 0;
  OpenBatch open_[kMostOpen];
  int used_ = 0;
  std::uint32_t full_ = 0;
};

/// Sorts manifolds into buckets by block, colour, segment of the bodies and kind, and makes batches of them. Border
/// contacts have segments, those inside blocks have not.
class LayoutMaker {
 public:
  LayoutMaker(BlockRunner& runner, const SoftBodyWorkspace& bodies, const SoftManifoldWorkspace& manifolds,
              const Partition& partition, ContactLayout& layout, LayoutWorkspace& work)
      : runner_(runner),
        bodies_(bodies),
        manifolds_(manifolds),
        partition_(partition),
        layout_(layout),
        work_(work),
        blocks_(partition.size()),
        colors_(manifolds.coloring.colors() + 1),
        segments_(bodies.dynamic < kFewestOrdered ? 1 : kSegments),
        first_border_(blocks_ * colors_ * kManifoldKinds),
        buckets_(first_border_ + colors_ * segments_ * kManifoldKinds) {}

  void run() {
    sort();
    plan_blocks();
    plan_border();
    ContactBatches& batches = layout_.batches;
    const std::size_t count = work_.plans.size();
    batches.contacts.resize(count);
    batches.setup.resize(count);
    layout_.manifold_at.resize(count * kLanes);
    batches.points.resize(points_);
    batches.approach.resize(points_);
    batches.twists.resize(static_cast<std::size_t>(twists_));
    batches.masses.resize(static_cast<std::size_t>(masses_));
    runner_.run(count, kElementsPerBlock, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t batch = first; batch < last; ++batch) write_batch(batch);
    });
  }

 private:
  /// Kinds run downward and upward by turns, so that manifolds of one kind meet where two segments do.
  [[nodiscard]] static std::size_t turn_kind(std::size_t segment, std::size_t kind) {
    return segment % 2 == 0 ? kManifoldKinds - 1 - kind : kind;
  }

  /// Rank of the block that has the manifold between these slots; blocks_ for a border contact.
  [[nodiscard]] std::size_t find_block(std::int32_t a, std::int32_t b) const {
    if (blocks_ == 0) return blocks_;
    const auto node = [](std::int32_t slot) { return static_cast<std::uint32_t>(std::max(slot, 0)); };
    const std::uint32_t block = find_owner(partition_, find_blocks(partition_, node(a), node(b)));
    return block == Partition::kNoBlock ? blocks_ : partition_.rank_of(block);
  }

  [[nodiscard]] std::size_t find_bucket(std::size_t m) const {
    const std::size_t color = manifolds_.coloring.rank[manifolds_.coloring.color_of[m]], kind = work_.known_kinds[m];
    const std::int32_t a = bodies_.slot_of[manifolds_.edges[m].body_a], b = bodies_.slot_of[manifolds_.edges[m].body_b];
    if (const std::size_t block = find_block(a, b); block < blocks_ && color + 1 < colors_) {
      return (block * colors_ + color) * kManifoldKinds + turn_kind(0, kind);
    }
    const std::size_t segment = static_cast<std::size_t>(std::max(a, b) - 1) * segments_ / bodies_.dynamic;
    return first_border_ + (color * segments_ + segment) * kManifoldKinds + turn_kind(segment, kind);
  }

  /// Counting sort, in parts of fixed borders.
  void sort() {
    const std::size_t n = manifolds_.manifolds.size();
    const std::size_t part = std::max((n + kParts - 1) / kParts, 64 * kElementsPerBlock);
    work_.bucket_of.resize(n);
    work_.known_kinds.resize(n);
    work_.sorted.resize(n);
    work_.bucket_start.resize(buckets_ + 1);
    work_.bucket_next.resize(kParts * buckets_);
    runner_.run(n, part, [&](std::size_t p, std::size_t first, std::size_t last) {
      const auto counts = std::span(work_.bucket_next).subspan(p * buckets_, buckets_);
      std::fill(counts.begin(), counts.end(), 0U);
      for (std::size_t m = first; m < last; ++m) {
        work_.known_kinds[m] = static_cast<std::uint8_t>(manifolds_.manifolds[m].kind);
      }
      for (std::size_t m = first; m < last; ++m) {
        work_.bucket_of[m] = static_cast<std::uint32_t>(find_bucket(m));
        ++counts[work_.bucket_of[m]];
      }
    });
    const std::size_t parts = BlockRunner::count_blocks(n, part);
    std::uint32_t next = 0;
    for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
      work_.bucket_start[bucket] = next;
      for (std::size_t p = 0; p < parts; ++p) next += std::exchange(work_.bucket_next[p * buckets_ + bucket], next);
    }
    work_.bucket_start[buckets_] = next;
    runner_.run(n, part, [&](std::size_t p, std::size_t first, std::size_t last) {
      const auto places = std::span(work_.bucket_next).subspan(p * buckets_, buckets_);
      for (std::size_t m = first; m < last; ++m)
        work_.sorted[places[work_.bucket_of[m]]++] = static_cast<std::uint32_t>(m);
    });
  }

  [[nodiscard]] std::uint32_t next_batch() const { return static_cast<std::uint32_t>(work_.plans.size()); }

  void plan_blocks() {
    work_.plans.clear();
    layout_.block_start.clear();
    work_.packed.resize(work_.bucket_start[first_border_]);
    work_.block_plans.resize(work_.bucket_start[first_border_]);
    work_.block_plan_counts.resize(blocks_);
    for (std::vector<std::uint32_t>& masks : work_.open_batches) refill(masks, bodies_.dynamic + std::size_t{1}, 0U);
    runner_.run(blocks_, 1, [&](std::size_t block, std::size_t, std::size_t) {
      const std::size_t first = block * colors_ * kManifoldKinds, last = first + (colors_ - 1) * kManifoldKinds;
      const std::size_t round = partition_.round_of(static_cast<std::uint32_t>(block));
      work_.block_plan_counts[block] = BlockPlanner({bodies_, manifolds_, work_}, first, last, round).run();
    });
    for (std::size_t block = 0; block < blocks_; ++block) {
      layout_.block_start.push_back(next_batch());
      const BatchPlan* plans = work_.block_plans.data() + work_.bucket_start[block * colors_ * kManifoldKinds];
      for (std::size_t k = 0; k < work_.block_plan_counts[block]; ++k) add_plan(plans[k]);
    }
    layout_.block_start.push_back(next_batch());
  }

  /// Colours without border contacts are left out; the overflow comes last, one manifold to a batch.
  void plan_border() {
    layout_.color_start.clear();
    const std::size_t width = segments_ * kManifoldKinds;
    for (std::size_t color = 0; color < colors_; ++color) {
      const std::size_t bucket = first_border_ + color * width;
      const bool is_overflow = color + 1 == colors_;
      if (is_overflow || work_.bucket_start[bucket] < work_.bucket_start[bucket + width]) {
        layout_.color_start.push_back(next_batch());
      }
      plan_color(bucket, is_overflow ? 1 : kLanes);
    }
    layout_.color_start.push_back(next_batch());
  }

  /// Batches of `most` manifolds of a colour, whose buckets begin with `bucket`.
  void plan_color(std::size_t bucket, std::size_t most) {
    BatchPlan plan;
    plan.first = work_.bucket_start[bucket];
    for (std::size_t k = 0; k < segments_ * kManifoldKinds; ++k) {
      const std::size_t kind = turn_kind(k / kManifoldKinds, k % kManifoldKinds);
      for (std::uint32_t left = work_.bucket_start[bucket + k + 1] - work_.bucket_start[bucket + k]; left > 0;) {
        const auto taken = static_cast<std::uint32_t>(std::min<std::size_t>(left, most - plan.count));
        left -= taken;
        plan.count = static_cast<std::uint16_t>(plan.count + taken);
        include_in(plan, kind);
        if (plan.count == most) plan = add_plan(plan);
      }
    }
    if (plan.count > 0) add_plan(plan);
  }

  /// Gives a batch its places and returns the next one, empty.
  BatchPlan add_plan(BatchPlan plan) {
    plan.first_point = points_;
    points_ += plan.points;
    if (plan.points > 1) plan.twist = twists_++;
    if (plan.masses >= 0) plan.masses = masses_++;
    work_.plans.push_back(plan);
    BatchPlan next;
    next.first = plan.first + plan.count;
    return next;
  }

  void write_batch(std::size_t index) {
    const BatchPlan& plan = work_.plans[index];
    ContactBatch& batch = layout_.batches.contacts[index];
    batch.points = plan.points;
    batch.first_point = plan.first_point;
    batch.twist = plan.twist;
    batch.masses = plan.masses;
    const auto& list = index < layout_.block_start.back() ? work_.packed : work_.sorted;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const bool is_filled = lane < plan.count;
      layout_.manifold_at[index * kLanes + lane] =
          is_filled ? static_cast<std::int32_t>(list[plan.first + lane]) : std::int32_t{-1};
    }
  }

  BlockRunner& runner_;
  const SoftBodyWorkspace& bodies_;
  const SoftManifoldWorkspace& manifolds_;
  const Partition& partition_;
  ContactLayout& layout_;
  LayoutWorkspace& work_;
  std::size_t blocks_, colors_, segments_, first_border_, buckets_;
  std::uint32_t points_ = 0;
  std::int32_t twists_ = 0, masses_ = 0;
};

/// Whether the layout is that of these manifolds already.
bool is_layout_kept(const SoftBodyWorkspace& bodies, const SoftManifoldWorkspace& manifolds,
                    const LayoutWorkspace& work) {
  return manifolds.coloring.kept && bodies.slot_of == work.known_slots &&
         std::equal(manifolds.manifolds.begin(), manifolds.manifolds.end(), work.known_kinds.begin(),
                    [](const SoftManifold& one, std::uint8_t kind) { return one.kind == kind; });
}

/// Slots count from 1 up for dynamic bodies, from −1 down for scripted ones.
void claim_slot(const World& world, std::uint32_t body, bool is_movable, SoftBodyWorkspace& work) {
  std::int32_t& slot = work.slot_of[body] = 0;
  if (world.bodies.kind[body] == BodyKind::kFixed) return;
  if (is_movable) {
    work.body_of.push_back(body);
    slot = static_cast<std::int32_t>(work.body_of.size());
  } else {
    slot = -static_cast<std::int32_t>(work.scripted_bodies.size());
    work.scripted_bodies.push_back(body);
  }
}

/// Numbers the slots of dynamic bodies anew.
void order_slots(const std::vector<Vec3>& positions, SoftBodyWorkspace& work, KeySortWorkspace& sort) {
  const auto bodies = std::span(work.body_of).last(work.dynamic);
  const auto sort_along = [&](const auto& order) {
    sort_by_key(
        bodies, order.count(), [&](std::uint32_t body) { return order.key_of(positions[body]); }, sort);
  };
  if (makes_chain(work.dynamic)) {
    sort_along(AxisOrder(positions, bodies, kSlices));
  } else {
    sort_along(MortonOrder(positions, bodies));
  }
  for (std::size_t k = 0; k < bodies.size(); ++k) work.slot_of[bodies[k]] = static_cast<std::int32_t>(k + 1);
}

}  // namespace

void assign_slots(const World& world, const std::vector<std::uint8_t>& movable, SoftBodyWorkspace& bodies,
                  KeySortWorkspace& sort) {
  for (const WorldJoint& joint : world.joints) {
    if (movable[joint.body_a] == 0 && movable[joint.body_b] == 0) continue;
    bodies.slot_of[joint.body_a] = bodies.slot_of[joint.body_b] = 1;
  }
  bodies.body_of.clear();
  bodies.scripted_bodies.assign(1, 0);
  for (std::uint32_t body = 0; body < bodies.slot_of.size(); ++body) {
    if (bodies.slot_of[body] != 0) claim_slot(world, body, movable[body] != 0, bodies);
  }
  bodies.dynamic = static_cast<std::uint32_t>(bodies.body_of.size());
  bodies.scripted = static_cast<std::uint32_t>(bodies.scripted_bodies.size()) - 1;
  bodies.body_of.insert(bodies.body_of.begin(), bodies.scripted_bodies.rbegin(), bodies.scripted_bodies.rend());
  if (bodies.dynamic >= kFewestOrdered) order_slots(world.bodies.position, bodies, sort);
}

void cut_slots(const std::vector<GraphEdge>& edges, const SoftBodyWorkspace& bodies, SlotPartitionWorkspace& work) {
  const NodeRange slots{1, bodies.dynamic + 1};
  work.partition.start.clear();
  work.partition.is_chain = makes_chain(bodies.dynamic);
  if (work.partition.is_chain) {
    // The weight of a slot is its own work plus the contacts that its block has if it ends there.
    refill(work.weights, bodies.dynamic, std::uint32_t{1});
    for (const auto& [body_a, body_b] : edges) {
      const std::int32_t a = bodies.slot_of[body_a], b = bodies.slot_of[body_b];
      ++work.weights[static_cast<std::size_t>((std::min(a, b) > 0 ? std::min(a, b) : std::max(a, b)) - 1)];
    }
    cut_by_weight(slots, work.weights, kChainBlocks, work.partition);
  } else if (bodies.dynamic >= kFewestInBlocks) {
    const std::uint32_t wanted = (bodies.dynamic + kMostInBlock - 1) / kMostInBlock;
    cut_evenly(slots, (wanted + kBlockMultiple - 1) / kBlockMultiple * kBlockMultiple, work.partition);
  }
}

void lay_out_batches(BlockRunner& runner, const SoftBodyWorkspace& bodies, const SoftManifoldWorkspace& manifolds,
                     const Partition& partition, ContactLayout& layout, LayoutWorkspace& work) {
  layout.is_kept = std::exchange(work.is_known, false) && is_layout_kept(bodies, manifolds, work);
  if (!layout.is_kept) {
    LayoutMaker(runner, bodies, manifolds, partition, layout, work).run();
    copy_to(bodies.slot_of, work.known_slots);
  }
  work.is_known = true;
}

}  // namespace achilles
