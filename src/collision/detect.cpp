#include "collision/detect.hpp"

#include "collision/contact/recycle.hpp"
#include "collision/contact/separating_axis.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kBoundsBlock = 64;
constexpr std::size_t kPairBlock = 64;
constexpr std::uint32_t kNoManifold = ~std::uint32_t{0};

/// Where contacts and what is kept of them come to lie, or how many there are.
struct Places {
  std::size_t contact = 0, point = 0, manifold = 0, kept_point = 0;
};

/// What a block of pairs leaves.
struct BlockContacts {
  ContactSet set;  // found anew
  ManifoldMemory kept;
  Places count;  // with those that are recycled
  std::size_t recycled = 0;
  MeasuredPenetration deepest;
};

/// Keeps the deeper of two; a depth that is not a number stays, so that nobody takes it for none.
void keep_deepest(const MeasuredPenetration& candidate, MeasuredPenetration& deepest) {
  if (!std::isnan(deepest.depth) && !(candidate.depth <= deepest.depth)) deepest = candidate;
}

}  // namespace

struct DetectWorkspace::Impl {
  BlockRunner runner;
  BroadPhaseWorkspace broad_phase;
  std::vector<BroadPhaseProxy> proxies;
  std::vector<std::uint8_t> block_has_axes;  // per block of colliders
  std::vector<ColliderPair> pairs;
  std::size_t pair_count = 0;
  std::vector<SeparatingAxis> axes;  // of the pairs; empty where no shape remembers any
  std::vector<ColliderPair> former_pairs;
  std::vector<SeparatingAxis> former_axes;
  std::vector<std::uint32_t> former_manifold;  // of the pairs: what holds still, or kNoManifold
  std::vector<BlockContacts> blocks;
  std::vector<Places> places;  // where each block begins
  ManifoldMemory nothing_kept;
};

DetectWorkspace::DetectWorkspace() : impl(std::make_unique<Impl>()) {}
DetectWorkspace::~DetectWorkspace() = default;
DetectWorkspace::DetectWorkspace(DetectWorkspace&&) noexcept = default;
DetectWorkspace& DetectWorkspace::operator=(DetectWorkspace&&) noexcept = default;

std::size_t count_pairs(const DetectWorkspace& scratch) { return scratch.impl->pair_count; }

namespace {

void find_near_pairs(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored, double margin,
                     const BroadPhaseMethod& method, DetectWorkspace::Impl& scratch) {
  scratch.proxies.resize(colliders.size());
  scratch.block_has_axes.resize(BlockRunner::count_blocks(colliders.size(), kBoundsBlock));
  scratch.runner.run(colliders.size(), kBoundsBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    bool has_axes = false;
    for (std::size_t i = first; i < last; ++i) {
      scratch.proxies[i] = make_proxy(colliders[i], margin);
      has_axes = has_axes || can_remember_axis(*colliders[i].geometry, *colliders[i].geometry);
    }
    scratch.block_has_axes[block] = has_axes ? 1 : 0;
  });
  find_pairs(scratch.proxies, ignored, method, scratch.runner, scratch.broad_phase, scratch.pairs);
  scratch.pair_count = scratch.pairs.size();
}

/// Calls found(k, at) for the pairs [first, last) that are among the sorted keys 0 .. count, and found(k, count) for
/// the others. Where to begin is searched for, so that blocks of pairs do not wait for each other.
template <class KeyOf, class Found>
void match_pairs(std::span<const ColliderPair> pairs, std::size_t first, std::size_t last, std::size_t count,
                 const KeyOf& key_of, const Found& found) {
  std::size_t at = 0;
  for (std::size_t end = count; first < last && at < end;) {
    const std::size_t middle = (at + end) / 2;
    key_of(middle) < pairs[first] ? at = middle + 1 : end = middle;
  }
  for (std::size_t k = first; k < last; ++k) {
    while (at < count && key_of(at) < pairs[k]) ++at;
    found(k, at < count && key_of(at) == pairs[k] ? at : count);
  }
}

// Hands each pair the axis it had in the call before. An axis of other bodies, after colliders changed their numbers,
// proves nothing wrong: it is tried, not trusted.
void recall_axes(std::size_t first, std::size_t last, DetectWorkspace::Impl& scratch) {
  if (scratch.axes.empty()) return;
  const std::size_t count = scratch.former_pairs.size();
  const auto key_of = [&](std::size_t at) { return scratch.former_pairs[at]; };
  match_pairs(scratch.pairs, first, last, count, key_of, [&](std::size_t k, std::size_t at) {
    scratch.axes[k] = at < count ? scratch.former_axes[at] : SeparatingAxis{};
  });
}

void keep_axes(DetectWorkspace::Impl& scratch) {
  scratch.former_pairs.clear();
  if (!scratch.axes.empty()) scratch.former_pairs.swap(scratch.pairs);
  scratch.former_axes.swap(scratch.axes);
}

/// One narrow phase: finds the contacts of pairs one by one and puts them where they belong.
class NarrowPhase {
 public:
  NarrowPhase(std::span<const Collider> colliders, const CollideOptions& options, const Recycling* recycling,
              DetectWorkspace::Impl& scratch)
      : colliders_(colliders), options_(options), recycling_(recycling), scratch_(scratch) {}

  /// What the call before knew of the pairs [first, last): axes, and manifolds that hold still.
  void recall(std::size_t first, std::size_t last) const {
    recall_axes(first, last, scratch_);
    if (recycling_ == nullptr) return;
    const std::vector<KeptManifold>& former = recycling_->former.manifolds;
    const auto key_of = [&](std::size_t at) { return ColliderPair{former[at].collider_a, former[at].collider_b}; };
    match_pairs(scratch_.pairs, first, last, former.size(), key_of, [&](std::size_t k, std::size_t at) {
      const bool holds =
          at < former.size() && former[at].count > 0 && slack(k) > 0 && still_holds(former[at], a(k), b(k), slack(k));
      scratch_.former_manifold[k] = holds ? static_cast<std::uint32_t>(at) : kNoManifold;
    });
  }

  [[nodiscard]] bool recycles(std::size_t k) const {
    return recycling_ != nullptr && scratch_.former_manifold[k] != kNoManifold;
  }
  [[nodiscard]] std::size_t count_kept(std::size_t k) const { return manifold(k).count; }
  /// Whether the memory of the call before stands as it is when so many pairs are recycled and nothing else is kept.
  [[nodiscard]] bool stands(std::size_t recycled) const {
    return recycling_ != nullptr && recycled > 0 && recycled == recycling_->former.manifolds.size();
  }

  /// Finds the contact of a pair anew and appends it.
  void find(std::size_t k, ContactSet& set, ManifoldMemory& kept) const {
    Contact contact = make_contact(k, set.points.size());
    find_points(k, set.points);
    contact.count = static_cast<std::uint32_t>(set.points.size()) - contact.first;
    if (contact.count == 0) return;
    set.contacts.push_back(contact);
    if (slack(k) > 0) keep(contact, set.points_of(contact), a(k), b(k), kept);
  }

  /// Writes a recycled contact to its place, which must be there, and moves that on.
  void place(std::size_t k, Places& at, ContactSet& set) const {
    const KeptManifold& former = manifold(k);
    Contact contact = make_contact(k, at.point);
    contact.count = former.count;
    set.contacts[at.contact++] = contact;
    place_kept(points_of(former), a(k), b(k), set.points.data() + at.point);
    at.point += former.count;
  }

  /// The same for what is kept of it.
  void keep_on(std::size_t k, Places& at, ManifoldMemory& kept) const {
    const auto points = points_of(manifold(k));
    kept.manifolds[at.manifold] = manifold(k);
    kept.manifolds[at.manifold++].first = static_cast<std::uint32_t>(at.kept_point);
    std::copy(points.begin(), points.end(), kept.points.begin() + static_cast<std::ptrdiff_t>(at.kept_point));
    at.kept_point += points.size();
  }

 private:
  [[nodiscard]] const Collider& a(std::size_t k) const { return colliders_[scratch_.pairs[k].a]; }
  [[nodiscard]] const Collider& b(std::size_t k) const { return colliders_[scratch_.pairs[k].b]; }
  [[nodiscard]] double slack(std::size_t k) const {
    return recycling_ != nullptr ? recycling_distance(a(k), b(k), recycling_->distance) : 0;
  }
  [[nodiscard]] const KeptManifold& manifold(std::size_t k) const {
    return recycling_->former.manifolds[scratch_.former_manifold[k]];
  }
  [[nodiscard]] std::span<const KeptPoint> points_of(const KeptManifold& manifold) const {
    return std::span(recycling_->former.points).subspan(manifold.first, manifold.count);
  }
  [[nodiscard]] Contact make_contact(std::size_t k, std::size_t first_point) const {
    const ColliderPair& pair = scratch_.pairs[k];
    return {pair.a, pair.b, a(k).body, b(k).body, static_cast<std::uint32_t>(first_point), 0};
  }

  void find_points(std::size_t k, std::vector<ContactPoint>& points) const {
    const Collider &one = a(k), &other = b(k);
    SeparatingAxis* axis = scratch_.axes.empty() ? nullptr : &scratch_.axes[k];
    const CollideOptions options{options_.margin + one.reach + other.reach + slack(k), options_.all_points};
    if (axis != nullptr &&
        is_separated_along(*axis, *one.geometry, one.X_WG, *other.geometry, other.X_WG, options.margin)) {
      return;
    }
    const std::size_t first = points.size();
    collide(*one.geometry, one.X_WG, *other.geometry, other.X_WG, options, points);
    if (axis == nullptr) return;
    const bool is_apart = points.size() == first && can_remember_axis(*one.geometry, *other.geometry);
    *axis = is_apart ? find_separating_axis(*one.geometry, one.X_WG, *other.geometry, other.X_WG, options.margin)
                     : SeparatingAxis{};
  }

  std::span<const Collider> colliders_;
  const CollideOptions& options_;
  const Recycling* recycling_;
  DetectWorkspace::Impl& scratch_;
};

/// Copies contacts that were found, one after the other, to their places in the whole.
class FoundContacts {
 public:
  explicit FoundContacts(const BlockContacts& block) : block_(block) {}

  /// The contact of this pair, if it is the next that was found.
  void place(const ColliderPair& pair, Places& at, ContactSet& set, ManifoldMemory& kept) {
    if (is_next(pair, block_.set.contacts, contact_)) {
      copy(block_.set.contacts[contact_++], block_.set.points, at.contact, at.point, set.contacts, set.points);
    }
    if (is_next(pair, block_.kept.manifolds, manifold_)) {
      copy(block_.kept.manifolds[manifold_++], block_.kept.points, at.manifold, at.kept_point, kept.manifolds,
           kept.points);
    }
  }

 private:
  template <class Contacts>
  static bool is_next(const ColliderPair& pair, const Contacts& contacts, std::size_t index) {
    return index < contacts.size() && contacts[index].collider_a == pair.a && contacts[index].collider_b == pair.b;
  }
  template <class One, class Points>
  static void copy(const One& one, const Points& points, std::size_t& to, std::size_t& to_point, std::vector<One>& all,
                   Points& all_points) {
    all[to] = one;
    all[to++].first = static_cast<std::uint32_t>(to_point);
    std::copy_n(points.begin() + one.first, one.count, all_points.begin() + static_cast<std::ptrdiff_t>(to_point));
    to_point += one.count;
  }

  const BlockContacts& block_;
  std::size_t contact_ = 0, manifold_ = 0;
};

/// Whoever works alone writes contacts where they belong at once. Without `keeps_on` nothing is kept of what is
/// recycled.
void find_in_order(const NarrowPhase& narrow, bool keeps_on, DetectWorkspace::Impl& impl, ContactSet& contacts,
                   ManifoldMemory& kept) {
  contacts.clear();
  kept.clear();
  for (std::size_t k = 0; k < impl.pairs.size(); ++k) {
    if (!narrow.recycles(k)) {
      narrow.find(k, contacts, kept);
      continue;
    }
    Places at{contacts.contacts.size(), contacts.points.size(), kept.manifolds.size(), kept.points.size()};
    const std::size_t points = narrow.count_kept(k);
    contacts.contacts.resize(at.contact + 1);
    contacts.points.resize(at.point + points);
    narrow.place(k, at, contacts);
    if (!keeps_on) continue;
    kept.manifolds.resize(at.manifold + 1);
    kept.points.resize(at.kept_point + points);
    narrow.keep_on(k, at, kept);
  }
}

/// Without helpers. Returns whether `kept` is to be the next memory.
bool find_alone(const NarrowPhase& narrow, DetectWorkspace::Impl& impl, ContactSet& contacts, ManifoldMemory& kept,
                std::size_t& recycled) {
  narrow.recall(0, impl.pairs.size());
  for (std::size_t k = 0; k < impl.pairs.size(); ++k) recycled += narrow.recycles(k) ? 1 : 0;
  if (narrow.stands(recycled)) {
    find_in_order(narrow, false, impl, contacts, kept);
    if (kept.manifolds.empty()) return false;
  }
  find_in_order(narrow, true, impl, contacts, kept);
  return true;
}

/// What a block will hold: what is not recycled is found, the rest only counted.
void find_block(const NarrowPhase& narrow, std::size_t first, std::size_t last, BlockContacts& block) {
  block.set.clear();
  block.kept.clear();
  block.recycled = 0;
  std::size_t points = 0;
  narrow.recall(first, last);
  for (std::size_t k = first; k < last; ++k) {
    if (narrow.recycles(k)) {
      ++block.recycled;
      points += narrow.count_kept(k);
    } else {
      narrow.find(k, block.set, block.kept);
    }
  }
  block.count = {block.set.contacts.size() + block.recycled, block.set.points.size() + points,
                 block.kept.manifolds.size() + block.recycled, block.kept.points.size() + points};
}

/// Where each block begins in the whole; returns the size of the whole.
Places place_blocks(std::size_t blocks, DetectWorkspace::Impl& impl, std::size_t& recycled) {
  Places at;
  impl.places.clear();
  for (std::size_t k = 0; k < blocks; ++k) {
    const BlockContacts& block = impl.blocks[k];
    impl.places.push_back(at);
    at.contact += block.count.contact;
    at.point += block.count.point;
    at.manifold += block.count.manifold;
    at.kept_point += block.count.kept_point;
    recycled += block.recycled;
  }
  return at;
}

/// Returns whether `kept` is to be the next memory.
bool find_contacts_of_pairs(const NarrowPhase& narrow, DetectWorkspace::Impl& impl, ContactSet& contacts,
                            ManifoldMemory& kept, std::size_t& recycled) {
  const std::size_t count = impl.pairs.size();
  recycled = 0;
  if (impl.runner.works_alone()) return find_alone(narrow, impl, contacts, kept, recycled);
  const std::size_t blocks = BlockRunner::count_blocks(count, kPairBlock);
  if (impl.blocks.size() < blocks) impl.blocks.resize(blocks);
  impl.runner.run(count, kPairBlock, [&](std::size_t index, std::size_t first, std::size_t last) {
    find_block(narrow, first, last, impl.blocks[index]);
  });
  const Places size = place_blocks(blocks, impl, recycled);
  const bool keeps_on = !narrow.stands(recycled) || size.manifold > recycled;
  contacts.contacts.resize(size.contact);
  contacts.points.resize(size.point);
  kept.manifolds.resize(keeps_on ? size.manifold : 0);
  kept.points.resize(keeps_on ? size.kept_point : 0);
  impl.runner.run(count, kPairBlock, [&](std::size_t index, std::size_t first, std::size_t last) {
    FoundContacts found(impl.blocks[index]);
    Places at = impl.places[index];
    for (std::size_t k = first; k < last; ++k) {
      if (narrow.recycles(k)) {
        narrow.place(k, at, contacts);
        if (keeps_on) narrow.keep_on(k, at, kept);
      } else {
        found.place(impl.pairs[k], at, contacts, kept);
      }
    }
  });
  return keeps_on;
}

bool detect(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored, const DetectOptions& options,
            const Recycling* recycling, DetectWorkspace::Impl& impl, ContactSet& contacts) {
  impl.runner.set_threads(options.threads);
  // What is recycled was looked for that much farther, so its pairs must be found from as far.
  const double margin = options.collide.margin + (recycling != nullptr ? recycling->distance : 0);
  find_near_pairs(colliders, ignored, margin, options.broad_phase, impl);
  const auto has_axes = [](std::uint8_t block) { return block != 0; };
  const bool axes = std::any_of(impl.block_has_axes.begin(), impl.block_has_axes.end(), has_axes);
  impl.axes.resize(axes ? impl.pairs.size() : 0);
  if (recycling != nullptr) impl.former_manifold.resize(impl.pairs.size());
  const NarrowPhase narrow(colliders, options.collide, recycling, impl);
  std::size_t recycled = 0;
  const bool keeps_on = find_contacts_of_pairs(narrow, impl, contacts,
                                               recycling != nullptr ? recycling->next : impl.nothing_kept, recycled);
  if (recycling != nullptr && recycling->recycled != nullptr) *recycling->recycled = recycled;
  keep_axes(impl);
  return keeps_on;
}

}  // namespace

void detect_contacts(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                     const DetectOptions& options, DetectWorkspace& scratch, ContactSet& contacts) {
  (void)detect(colliders, ignored, options, nullptr, *scratch.impl, contacts);
}

bool detect_contacts(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                     const DetectOptions& options, const Recycling& recycling, DetectWorkspace& scratch,
                     ContactSet& contacts) {
  return detect(colliders, ignored, options, &recycling, *scratch.impl, contacts);
}

MeasuredPenetration measure_penetration(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                                        int threads, DetectWorkspace& scratch) {
  DetectWorkspace::Impl& impl = *scratch.impl;
  impl.runner.set_threads(threads);
  find_near_pairs(colliders, ignored, 0, TreeOptions{}, impl);
  const std::size_t blocks = BlockRunner::count_blocks(impl.pairs.size(), kPairBlock);
  if (impl.blocks.size() < blocks) impl.blocks.resize(blocks);
  impl.runner.run(impl.pairs.size(), kPairBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    MeasuredPenetration& deepest = impl.blocks[block].deepest;
    deepest = {};
    for (std::size_t k = first; k < last; ++k) {
      const Collider& a = colliders[impl.pairs[k].a];
      const Collider& b = colliders[impl.pairs[k].b];
      const double depth = compute_depth(*a.geometry, a.X_WG, *b.geometry, b.X_WG, impl.blocks[block].set.points);
      keep_deepest({depth, a.body, b.body}, deepest);
    }
  });
  MeasuredPenetration deepest;
  for (std::size_t block = 0; block < blocks; ++block) keep_deepest(impl.blocks[block].deepest, deepest);
  return deepest;
}

}  // namespace achilles
