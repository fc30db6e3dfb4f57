#include "collision/continuous/detect_times.hpp"

#include <algorithm>
#include <tuple>

namespace achilles {
namespace {

constexpr std::size_t kBoundsBlock = 256;
constexpr std::size_t kPairBlock = 8;

struct Block {
  ContactTimeSet times;
  std::vector<PairFirstContact> first;
};

}  // namespace

struct ContinuousWorkspace::Impl {
  BlockRunner runner;
  BroadPhaseWorkspace broad_phase;
  std::vector<BroadPhaseProxy> proxies;
  std::vector<ColliderPair> pairs;
  std::vector<Block> blocks;
};

ContinuousWorkspace::ContinuousWorkspace() : impl(std::make_unique<Impl>()) {}
ContinuousWorkspace::~ContinuousWorkspace() = default;
ContinuousWorkspace::ContinuousWorkspace(ContinuousWorkspace&&) noexcept = default;
ContinuousWorkspace& ContinuousWorkspace::operator=(ContinuousWorkspace&&) noexcept = default;

namespace {

MovingPair make_pair(std::span<const MovingCollider> colliders, const ColliderPair& pair) {
  const MovingCollider& a = colliders[pair.a];
  const MovingCollider& b = colliders[pair.b];
  return {*a.geometry, a.motion, *b.geometry, b.motion};
}

/// Finds the near pairs and runs work(pair, block) over them in blocks; returns how many blocks there were.
template <class Work>
std::size_t run_over_near_pairs(std::span<const MovingCollider> colliders, std::span<const IgnoredPair> ignored,
                                double h, double margin, ContinuousWorkspace::Impl& scratch, const Work& work) {
  scratch.proxies.resize(colliders.size());
  scratch.runner.run(colliders.size(), kBoundsBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) scratch.proxies[i] = make_swept_proxy(colliders[i], h, margin);
  });
  find_pairs(scratch.proxies, ignored, TreeOptions{}, scratch.runner, scratch.broad_phase, scratch.pairs);
  const std::size_t blocks = BlockRunner::count_blocks(scratch.pairs.size(), kPairBlock);
  if (scratch.blocks.size() < blocks) scratch.blocks.resize(blocks);
  scratch.runner.run(scratch.pairs.size(), kPairBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    scratch.blocks[block].times.clear();
    scratch.blocks[block].first.clear();
    for (std::size_t k = first; k < last; ++k) work(scratch.pairs[k], scratch.blocks[block]);
  });
  return blocks;
}

void append_first_contact(std::span<const MovingCollider> colliders, const ColliderPair& pair, double h,
                          const FirstContactOptions& options, std::vector<PairFirstContact>& contacts) {
  const FirstContact contact = find_first_contact(make_pair(colliders, pair), h, options);
  if (contact.status == ContactSearchStatus::kApart) return;
  contacts.push_back({pair.a, pair.b, colliders[pair.a].body, colliders[pair.b].body, contact});
}

}  // namespace

void detect_contact_times(std::span<const MovingCollider> colliders, std::span<const IgnoredPair> ignored, double h,
                          const ContactTimesOptions& options, ContinuousWorkspace& scratch, ContactTimeSet& contacts) {
  ContinuousWorkspace::Impl& impl = *scratch.impl;
  impl.runner.set_threads(options.threads);
  const auto work = [&](const ColliderPair& pair, Block& block) {
    const std::size_t first = block.times.times.size();
    append_contact_times(make_pair(colliders, pair), h, options, block.times);
    for (std::size_t k = first; k < block.times.times.size(); ++k) {
      ContactTime& contact = block.times.times[k];
      contact.collider_a = pair.a;
      contact.collider_b = pair.b;
      contact.body_a = colliders[pair.a].body;
      contact.body_b = colliders[pair.b].body;
    }
  };
  const std::size_t blocks = run_over_near_pairs(colliders, ignored, h, options.tolerance, impl, work);
  contacts.clear();
  for (std::size_t block = 0; block < blocks; ++block) {
    const ContactTimeSet& part = impl.blocks[block].times;
    contacts.searches += part.searches;
    contacts.distance_calls += part.distance_calls;
    const auto shift = static_cast<std::uint32_t>(contacts.points.size());
    contacts.points.insert(contacts.points.end(), part.points.begin(), part.points.end());
    for (ContactTime contact : part.times) {
      contact.first += shift;
      contacts.times.push_back(contact);
    }
  }
  std::sort(contacts.times.begin(), contacts.times.end(), [](const ContactTime& a, const ContactTime& b) {
    return std::tie(a.time, a.collider_a, a.collider_b, a.first) <
           std::tie(b.time, b.collider_a, b.collider_b, b.first);
  });
}

void detect_first_contacts(std::span<const MovingCollider> colliders, std::span<const IgnoredPair> ignored, double h,
                           const FirstContactOptions& options, ContinuousWorkspace& scratch,
                           std::vector<PairFirstContact>& contacts) {
  ContinuousWorkspace::Impl& impl = *scratch.impl;
  impl.runner.set_threads(options.threads);
  const auto work = [&](const ColliderPair& pair, Block& block) {
    append_first_contact(colliders, pair, h, options, block.first);
  };
  const std::size_t blocks = run_over_near_pairs(colliders, ignored, h, options.tolerance, impl, work);
  contacts.clear();
  for (std::size_t block = 0; block < blocks; ++block) {
    contacts.insert(contacts.end(), impl.blocks[block].first.begin(), impl.blocks[block].first.end());
  }
}

void detect_first_contacts_of(std::uint32_t collider, std::span<const MovingCollider> colliders,
                              std::span<const IgnoredPair> ignored, double h, const FirstContactOptions& options,
                              std::vector<PairFirstContact>& contacts) {
  contacts.clear();
  const BroadPhaseProxy self = make_swept_proxy(colliders[collider], h, options.tolerance);
  for (std::uint32_t other = 0; other < colliders.size(); ++other) {
    if (other == collider) continue;
    const BroadPhaseProxy proxy = make_swept_proxy(colliders[other], h, options.tolerance);
    if (!boxes_meet(self, proxy) || !may_collide(self, proxy, ignored)) continue;
    append_first_contact(colliders, {std::min(collider, other), std::max(collider, other)}, h, options, contacts);
  }
}

}  // namespace achilles
