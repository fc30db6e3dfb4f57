#include "collision/detect.hpp"

#include "collision/contact/separating_axis.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kBoundsBlock = 256;
constexpr std::size_t kPairBlock = 32;

struct BlockContacts {
  ContactSet set;
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
  std::vector<ColliderPair> pairs;
  std::vector<SeparatingAxis> axes;  // of the pairs
  std::vector<ColliderPair> former_pairs;
  std::vector<SeparatingAxis> former_axes;
  std::vector<BlockContacts> blocks;
};

DetectWorkspace::DetectWorkspace() : impl(std::make_unique<Impl>()) {}
DetectWorkspace::~DetectWorkspace() = default;
DetectWorkspace::DetectWorkspace(DetectWorkspace&&) noexcept = default;
DetectWorkspace& DetectWorkspace::operator=(DetectWorkspace&&) noexcept = default;

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

void append_contact(std::span<const Collider> colliders, const ColliderPair& pair, const CollideOptions& options,
                    SeparatingAxis* axis, ContactSet& set) {
  const Collider& a = colliders[pair.a];
  const Collider& b = colliders[pair.b];
  const std::size_t first = set.points.size();
  const CollideOptions pair_options{options.margin + a.reach + b.reach, options.all_points};
  if (axis != nullptr && is_separated_along(*axis, *a.geometry, a.X_WG, *b.geometry, b.X_WG, pair_options.margin))
    return;
  collide(*a.geometry, a.X_WG, *b.geometry, b.X_WG, pair_options, set.points);
  const std::size_t count = set.points.size() - first;
  if (axis != nullptr) {
    const bool is_apart = count == 0 && can_remember_axis(*a.geometry, *b.geometry);
    *axis = is_apart ? find_separating_axis(*a.geometry, a.X_WG, *b.geometry, b.X_WG, pair_options.margin)
                     : SeparatingAxis{};
  }
  if (count == 0) return;
  set.contacts.push_back(
      {pair.a, pair.b, a.body, b.body, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)});
}

void append_set(const ContactSet& part, ContactSet& whole) {
  const auto shift = static_cast<std::uint32_t>(whole.points.size());
  whole.points.insert(whole.points.end(), part.points.begin(), part.points.end());
  for (Contact contact : part.contacts) {
    contact.first += shift;
    whole.contacts.push_back(contact);
  }
}

}  // namespace

void detect_contacts(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                     const DetectOptions& options, DetectWorkspace& scratch, ContactSet& contacts) {
  DetectWorkspace::Impl& impl = *scratch.impl;
  impl.runner.set_threads(options.threads);
  find_near_pairs(colliders, ignored, options.collide.margin, options.broad_phase, impl);
  recall_axes(colliders, impl);
  const auto axis_of = [&](std::size_t k) { return impl.axes.empty() ? nullptr : &impl.axes[k]; };
  contacts.clear();
  if (impl.runner.threads() == 1) {
    for (std::size_t k = 0; k < impl.pairs.size(); ++k) {
      append_contact(colliders, impl.pairs[k], options.collide, axis_of(k), contacts);
    }
    keep_axes(impl);
    return;
  }
  const std::size_t blocks = BlockRunner::count_blocks(impl.pairs.size(), kPairBlock);
  if (impl.blocks.size() < blocks) impl.blocks.resize(blocks);
  impl.runner.run(impl.pairs.size(), kPairBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    ContactSet& set = impl.blocks[block].set;
    set.clear();
    for (std::size_t k = first; k < last; ++k) {
      append_contact(colliders, impl.pairs[k], options.collide, axis_of(k), set);
    }
  });
  keep_axes(impl);
  for (std::size_t block = 0; block < blocks; ++block) append_set(impl.blocks[block].set, contacts);
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
