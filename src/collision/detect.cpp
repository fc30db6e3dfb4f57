#include "collision/detect.hpp"

#include "collision/contact/separating_axis.hpp"
#include "collision/detect_workspace.hpp"
#include "collision/narrow_phase_run.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kBoundsBlock = 64;
constexpr std::size_t kPairBlock = 64;

/// Keeps the deeper of two; a depth that is not a number stays, so that nobody takes it for none.
void keep_deepest(const MeasuredPenetration& candidate, MeasuredPenetration& deepest) {
  if (!std::isnan(deepest.depth) && !(candidate.depth <= deepest.depth)) deepest = candidate;
}

}  // namespace

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

void keep_axes(DetectWorkspace::Impl& scratch) {
  scratch.former_pairs.clear();
  if (!scratch.axes.empty()) scratch.former_pairs.swap(scratch.pairs);
  scratch.former_axes.swap(scratch.axes);
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
  std::size_t recycled = 0;
  ManifoldMemory& kept = recycling != nullptr ? recycling->next : impl.nothing_kept;
  const bool keeps_on = find_contacts_of_pairs(colliders, options, recycling, impl, contacts, kept, recycled);
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
