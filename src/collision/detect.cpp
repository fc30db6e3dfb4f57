#include "collision/detect.hpp"

#include "collision/contact/separating_axis.hpp"
#include "collision/detect_workspace.hpp"
#include "collision/narrow_phase_run.hpp"

#include <algorithm>

namespace achilles {
namespace {

constexpr std::size_t kBoundsBlock = 64;

}  // namespace

DetectWorkspace::DetectWorkspace() : impl(std::make_unique<Impl>()) {}
DetectWorkspace::~DetectWorkspace() = default;
DetectWorkspace::DetectWorkspace(DetectWorkspace&&) noexcept = default;
DetectWorkspace& DetectWorkspace::operator=(DetectWorkspace&&) noexcept = default;

std::size_t count_pairs(const DetectWorkspace& scratch) { return scratch.impl->pair_count; }

namespace {

Ball make_ball(const Collider& collider) {
  const auto* sphere = std::get_if<SphereGeometry>(&collider.geometry->kind);
  return {collider.X_WG.p, sphere != nullptr ? sphere->radius : -1, collider.reach, collider.body};
}

}  // namespace

void make_proxies(std::span<const Collider> colliders, double margin, DetectWorkspace::Impl& scratch) {
  scratch.proxies.resize(colliders.size());
  scratch.balls.resize(colliders.size());
  scratch.block_has_axes.resize(BlockRunner::count_blocks(colliders.size(), kBoundsBlock));
  scratch.runner.run(colliders.size(), kBoundsBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    bool has_axes = false;
    for (std::size_t i = first; i < last; ++i) {
      scratch.proxies[i] = make_proxy(colliders[i], margin);
      scratch.balls[i] = make_ball(colliders[i]);
      has_axes = has_axes || can_remember_axis(*colliders[i].geometry, *colliders[i].geometry);
    }
    scratch.block_has_axes[block] = has_axes ? 1 : 0;
  });
}

namespace {

void keep_axes(DetectWorkspace::Impl& scratch) {
  scratch.former_pairs.clear();
  if (!scratch.axes.empty()) scratch.former_pairs.swap(scratch.pairs);
  scratch.former_axes.swap(scratch.axes);
}

bool detect(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored, const DetectOptions& options,
            const ManifoldReuse* reuse, DetectWorkspace::Impl& impl, ContactSet& contacts) {
  impl.runner.set_threads(options.threads);
  // What is reused was looked for that much farther, so its pairs must be found from as far.
  const double margin = options.collide.margin + (reuse != nullptr ? reuse->distance : 0);
  make_proxies(colliders, margin, impl);
  find_pairs(impl.proxies, ignored, options.broad_phase, impl.runner, impl.broad_phase, impl.pairs);
  impl.pair_count = impl.pairs.size();
  const auto has_axes = [](std::uint8_t block) { return block != 0; };
  const bool axes = std::any_of(impl.block_has_axes.begin(), impl.block_has_axes.end(), has_axes);
  impl.axes.resize(axes ? impl.pairs.size() : 0);
  if (reuse != nullptr) impl.former_manifold.resize(impl.pairs.size());
  std::size_t reused = 0;
  ManifoldMemory& kept = reuse != nullptr ? reuse->next : impl.nothing_kept;
  const bool keeps_on = find_contacts_of_pairs(colliders, options, reuse, impl, contacts, kept, reused);
  if (reuse != nullptr && reuse->reused != nullptr) *reuse->reused = reused;
  keep_axes(impl);
  return keeps_on;
}

}  // namespace

void detect_contacts(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                     const DetectOptions& options, DetectWorkspace& scratch, ContactSet& contacts) {
  (void)detect(colliders, ignored, options, nullptr, *scratch.impl, contacts);
}

bool detect_contacts(std::span<const Collider> colliders, std::span<const IgnoredPair> ignored,
                     const DetectOptions& options, const ManifoldReuse& reuse, DetectWorkspace& scratch,
                     ContactSet& contacts) {
  return detect(colliders, ignored, options, &reuse, *scratch.impl, contacts);
}

}  // namespace achilles
