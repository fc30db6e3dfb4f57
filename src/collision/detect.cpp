#include "collision/detect.hpp"

#include "collision/contact/recycle.hpp"
#include "collision/contact/separating_axis.hpp"
#include "math/refill.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kBoundsBlock = 256;
constexpr std::size_t kPairBlock = 64;
constexpr std::size_t kGatherBlock = 8;  // blocks of pairs
constexpr std::uint32_t kNoManifold = ~std::uint32_t{0};

struct BlockContacts {
  ContactSet set;
  ManifoldMemory kept;
  std::size_t recycled = 0;
  MeasuredPenetration deepest;
};

/// Where the parts of a block begin in the whole.
struct BlockPlaces {
  std::size_t contact = 0, point = 0, manifold = 0, kept_point = 0;
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
  std::vector<ColliderPair> pairs;
  std::vector<SeparatingAxis> axes;  // of the pairs
  std::vector<ColliderPair> former_pairs;
  std::vector<SeparatingAxis> former_axes;
  std::vector<std::uint32_t> former_manifold;  // of the pairs, or kNoManifold
  std::vector<BlockContacts> blocks;
  std::vector<BlockPlaces> places;
  ManifoldMemory nothing_kept;
};

DetectWorkspace::DetectWorkspace() : impl(std::make_unique<Impl>()) {}
DetectWorkspace::~DetectWorkspace() = default;
DetectWorkspace::DetectWorkspace(DetectWorkspace&&) noexcept = default;
DetectWorkspace& DetectWorkspace::operator=(DetectWorkspace&&) noexcept = default;

std::size_t count_pairs(const DetectWorkspace& scratch) { return scratch.impl->pairs.size(); }

namespace {

void find_near_pairs(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored, double margin,
                     const BroadPhaseMethod& method, DetectWorkspace::Impl& scratch) {
  scratch.proxies.resize(colliders.size());
  scratch.runner.run(colliders.size(), kBoundsBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) scratch.proxies[i] = make_proxy(colliders[i], margin);
  });
  find_pairs(scratch.proxies, ignored, method, scratch.runner, scratch.broad_phase, scratch.pairs);
}

// Hands each pair the axis it had in the call before. An axis of other bodies, after colliders changed their numbers,
// proves nothing wrong: it is tried, not trusted.
void recall_axes(std::span<const Collider> colliders, DetectWorkspace::Impl& scratch) {
  scratch.axes.clear();
  if (std::none_of(colliders.begin(), colliders.end(),
                   [](const Collider& c) { return can_remember_axis(*c.geometry, *c.geometry); })) {
    return;
  }
  scratch.axes.resize(scratch.pairs.size());
  const auto before = [](const ColliderPair& p, const ColliderPair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; };
  std::size_t former = 0;
  for (std::size_t k = 0; k < scratch.pairs.size(); ++k) {
    while (former < scratch.former_pairs.size() && before(scratch.former_pairs[former], scratch.pairs[k])) ++former;
    if (former == scratch.former_pairs.size()) return;
    if (!before(scratch.pairs[k], scratch.former_pairs[former])) scratch.axes[k] = scratch.former_axes[former];
  }
}

void keep_axes(DetectWorkspace::Impl& scratch) {
  scratch.former_pairs.clear();
  if (!scratch.axes.empty()) scratch.former_pairs.assign(scratch.pairs.begin(), scratch.pairs.end());
  scratch.former_axes.swap(scratch.axes);
}

// Hands each pair the manifold that was kept of it; both are sorted.
void recall_manifolds(const ManifoldMemory& memory, DetectWorkspace::Impl& scratch) {
  refill(scratch.former_manifold, scratch.pairs.size(), kNoManifold);
  std::size_t at = 0;
  for (std::size_t k = 0; k < scratch.pairs.size() && at < memory.manifolds.size(); ++k) {
    const ColliderPair& pair = scratch.pairs[k];
    const auto key = [&] { return ColliderPair{memory.manifolds[at].collider_a, memory.manifolds[at].collider_b}; };
    while (at < memory.manifolds.size() && key() < pair) ++at;
    if (at < memory.manifolds.size() && key() == pair) scratch.former_manifold[k] = static_cast<std::uint32_t>(at);
  }
}

/// One narrow phase: finds the contacts of pairs one by one and appends them to where they belong.
class NarrowPhase {
 public:
  NarrowPhase(std::span<const Collider> colliders, const CollideOptions& options, const Recycling* recycling,
              DetectWorkspace::Impl& scratch)
      : colliders_(colliders), options_(options), recycling_(recycling), scratch_(scratch) {}

  /// Contacts of pair k; `kept` and `recycled` are used where contacts are recycled.
  void append(std::size_t k, ContactSet& set, ManifoldMemory& kept, std::size_t& recycled) const {
    const ColliderPair& pair = scratch_.pairs[k];
    const Collider &a = colliders_[pair.a], &b = colliders_[pair.b];
    Contact contact{pair.a, pair.b, a.body, b.body, static_cast<std::uint32_t>(set.points.size()), 0};
    const double slack = recycling_ != nullptr ? recycling_distance(a, b, recycling_->distance) : 0;
    const std::uint32_t former = slack > 0 ? scratch_.former_manifold[k] : kNoManifold;
    if (former != kNoManifold && still_holds(recycling_->former.manifolds[former], a, b, slack)) {
      const KeptManifold& manifold = recycling_->former.manifolds[former];
      const auto points = std::span(recycling_->former.points).subspan(manifold.first, manifold.count);
      append_kept(points, a, b, set.points);
      keep_on(manifold, points, kept);
      ++recycled;
    } else {
      find_points(k, a, b, slack, set.points);
    }
    contact.count = static_cast<std::uint32_t>(set.points.size()) - contact.first;
    if (contact.count == 0) return;
    set.contacts.push_back(contact);
    const bool fresh = kept.manifolds.empty() || kept.manifolds.back().collider_a != pair.a ||
                       kept.manifolds.back().collider_b != pair.b;
    if (slack > 0 && fresh) keep(contact, set.points_of(contact), a, b, kept);
  }

 private:
  void find_points(std::size_t k, const Collider& a, const Collider& b, double slack,
                   std::vector<ContactPoint>& points) const {
    SeparatingAxis* axis = scratch_.axes.empty() ? nullptr : &scratch_.axes[k];
    const CollideOptions options{options_.margin + a.reach + b.reach + slack, options_.all_points};
    if (axis != nullptr && is_separated_along(*axis, *a.geometry, a.X_WG, *b.geometry, b.X_WG, options.margin)) return;
    const std::size_t first = points.size();
    collide(*a.geometry, a.X_WG, *b.geometry, b.X_WG, options, points);
    if (axis == nullptr) return;
    const bool is_apart = points.size() == first && can_remember_axis(*a.geometry, *b.geometry);
    *axis =
        is_apart ? find_separating_axis(*a.geometry, a.X_WG, *b.geometry, b.X_WG, options.margin) : SeparatingAxis{};
  }

  std::span<const Collider> colliders_;
  const CollideOptions& options_;
  const Recycling* recycling_;
  DetectWorkspace::Impl& scratch_;
};

/// Copies one block's contacts to their place in the whole; their points go to `first_point`.
template <class Contacts, class Points>
void place_part(const Contacts& contacts, const Points& points, std::size_t first_contact, std::size_t first_point,
                Contacts& all_contacts, Points& all_points) {
  std::copy(points.begin(), points.end(), all_points.begin() + static_cast<std::ptrdiff_t>(first_point));
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    all_contacts[first_contact + k] = contacts[k];
    all_contacts[first_contact + k].first += static_cast<std::uint32_t>(first_point);
  }
}

/// The blocks' contacts and memories, one after the other.
void gather_blocks(std::size_t count, DetectWorkspace::Impl& impl, ContactSet& contacts, ManifoldMemory& kept,
                   std::size_t& recycled) {
  BlockPlaces at;
  impl.places.clear();
  for (std::size_t k = 0; k < count; ++k) {
    const BlockContacts& block = impl.blocks[k];
    impl.places.push_back(at);
    at.contact += block.set.contacts.size();
    at.point += block.set.points.size();
    at.manifold += block.kept.manifolds.size();
    at.kept_point += block.kept.points.size();
    recycled += block.recycled;
  }
  contacts.contacts.resize(at.contact);
  contacts.points.resize(at.point);
  kept.manifolds.resize(at.manifold);
  kept.points.resize(at.kept_point);
  impl.runner.run(count, kGatherBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      const BlockContacts& block = impl.blocks[k];
      const BlockPlaces& to = impl.places[k];
      place_part(block.set.contacts, block.set.points, to.contact, to.point, contacts.contacts, contacts.points);
      place_part(block.kept.manifolds, block.kept.points, to.manifold, to.kept_point, kept.manifolds, kept.points);
    }
  });
}

void find_contacts_of_pairs(const NarrowPhase& narrow, DetectWorkspace::Impl& impl, ContactSet& contacts,
                            ManifoldMemory& kept, std::size_t& recycled) {
  recycled = 0;
  if (impl.runner.threads() == 1) {
    contacts.clear();
    kept.clear();
    for (std::size_t k = 0; k < impl.pairs.size(); ++k) narrow.append(k, contacts, kept, recycled);
    return;
  }
  const std::size_t blocks = BlockRunner::count_blocks(impl.pairs.size(), kPairBlock);
  if (impl.blocks.size() < blocks) impl.blocks.resize(blocks);
  impl.runner.run(impl.pairs.size(), kPairBlock, [&](std::size_t index, std::size_t first, std::size_t last) {
    BlockContacts& block = impl.blocks[index];
    block.set.clear();
    block.kept.clear();
    block.recycled = 0;
    for (std::size_t k = first; k < last; ++k) narrow.append(k, block.set, block.kept, block.recycled);
  });
  gather_blocks(blocks, impl, contacts, kept, recycled);
}

void detect(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored, const DetectOptions& options,
            const Recycling* recycling, DetectWorkspace::Impl& impl, ContactSet& contacts) {
  impl.runner.set_threads(options.threads);
  // What is recycled was looked for that much farther, so its pairs must be found from as far.
  const double margin = options.collide.margin + (recycling != nullptr ? recycling->distance : 0);
  find_near_pairs(colliders, ignored, margin, options.broad_phase, impl);
  recall_axes(colliders, impl);
  if (recycling != nullptr) recall_manifolds(recycling->former, impl);
  const NarrowPhase narrow(colliders, options.collide, recycling, impl);
  std::size_t recycled = 0;
  find_contacts_of_pairs(narrow, impl, contacts, recycling != nullptr ? recycling->next : impl.nothing_kept, recycled);
  if (recycling != nullptr && recycling->recycled != nullptr) *recycling->recycled = recycled;
  keep_axes(impl);
}

}  // namespace

void detect_contacts(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                     const DetectOptions& options, DetectWorkspace& scratch, ContactSet& contacts) {
  detect(colliders, ignored, options, nullptr, *scratch.impl, contacts);
}

void detect_contacts(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                     const DetectOptions& options, const Recycling& recycling, DetectWorkspace& scratch,
                     ContactSet& contacts) {
  detect(colliders, ignored, options, &recycling, *scratch.impl, contacts);
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
      const double depth =
          -compute_signed_distance(*a.geometry, a.X_WG, *b.geometry, b.X_WG, impl.blocks[block].set.points).distance;
      keep_deepest({depth, a.body, b.body}, deepest);
    }
  });
  MeasuredPenetration deepest;
  for (std::size_t block = 0; block < blocks; ++block) keep_deepest(impl.blocks[block].deepest, deepest);
  return deepest;
}

}  // namespace achilles
