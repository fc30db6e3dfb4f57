#include "collision/detect.hpp"

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

void append_contact(std::span<const Collider> colliders, const ColliderPair& pair, const CollideOptions& options,
                    ContactSet& set) {
  const Collider& a = colliders[pair.a];
  const Collider& b = colliders[pair.b];
  const std::size_t first = set.points.size();
  const CollideOptions pair_options{options.margin + a.reach + b.reach, options.all_points};
  collide(*a.geometry, a.X_WG, *b.geometry, b.X_WG, pair_options, set.points);
  const std::size_t count = set.points.size() - first;
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
  contacts.clear();
  if (impl.runner.threads() == 1) {
    for (const ColliderPair& pair : impl.pairs) append_contact(colliders, pair, options.collide, contacts);
    return;
  }
  const std::size_t blocks = BlockRunner::count_blocks(impl.pairs.size(), kPairBlock);
  if (impl.blocks.size() < blocks) impl.blocks.resize(blocks);
  impl.runner.run(impl.pairs.size(), kPairBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    ContactSet& set = impl.blocks[block].set;
    set.clear();
    for (std::size_t k = first; k < last; ++k) append_contact(colliders, impl.pairs[k], options.collide, set);
  });
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
