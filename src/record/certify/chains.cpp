#include "record/certify/chains.hpp"

#include <algorithm>
#include <limits>

namespace achilles {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

}  // namespace

void ContactChains::spread(const World& world, std::vector<std::uint32_t>& links) {
  for (std::size_t at = 0; at < queue_.size(); ++at) {
    const std::uint32_t body = queue_[at];
    for (std::uint32_t k = first_[body]; k < first_[body + 1]; ++k) {
      const std::uint32_t next = neighbors_[k];
      if (!world.bodies.is_movable(next) || links[next] != kUnreached) continue;
      links[next] = links[body] + 1;
      queue_.push_back(next);
    }
  }
}

void ContactChains::find(const World& world, std::span<const std::pair<std::uint32_t, std::uint32_t>> pairs) {
  const std::size_t count = world.bodies.size();
  first_.assign(count + 1, 0);
  for (const auto& [a, b] : pairs) {
    ++first_[a + 1];
    ++first_[b + 1];
  }
  for (std::size_t k = 0; k < count; ++k) first_[k + 1] += first_[k];
  neighbors_.resize(2 * pairs.size());
  scratch_.assign(first_.begin(), first_.end() - 1);
  for (const auto& [a, b] : pairs) {
    neighbors_[scratch_[a]++] = b;
    neighbors_[scratch_[b]++] = a;
  }

  layers_.assign(count, kUnreached);
  queue_.clear();
  for (std::uint32_t k = 0; k < count; ++k) {
    if (world.bodies.is_movable(k)) continue;
    layers_[k] = 0;
    queue_.push_back(k);
  }
  spread(world, layers_);
  for (std::uint32_t& layer : layers_) {
    if (layer == kUnreached || layer == 0) layer = 1;
  }

  // The farthest from any body is one end of a chain that is at least half as long as the longest one.
  spans_.assign(count, kUnreached);
  for (std::uint32_t k = 0; k < count; ++k) {
    if (!world.bodies.is_movable(k) || spans_[k] != kUnreached) continue;
    queue_.assign(1, k);
    spans_[k] = 0;
    spread(world, spans_);
    const std::uint32_t span = spans_[queue_.back()];
    for (const std::uint32_t body : queue_) spans_[body] = span;
  }
}

std::uint32_t ContactChains::reach(std::uint32_t body) const {
  const std::uint32_t span = spans_[body] == kUnreached ? 0 : spans_[body];
  return std::max({1U, layers_[body], span});
}

}  // namespace achilles
