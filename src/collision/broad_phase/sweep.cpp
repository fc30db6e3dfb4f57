#include "collision/broad_phase/broad_phase.hpp"

#include <algorithm>

namespace achilles {
namespace {

/// The axis along which the centres of the bounded boxes vary most.
Eigen::Index choose_axis(std::span<const BroadPhaseProxy> proxies, std::span<const std::uint32_t> order) {
  Vec3 sum = Vec3::Zero();
  Vec3 squares = Vec3::Zero();
  for (const std::uint32_t i : order) {
    const Vec3 center = proxies[i].box.center();
    sum += center;
    squares += center.cwiseAbs2();
  }
  const double count = std::max<double>(1, static_cast<double>(order.size()));
  Eigen::Index axis = 0;
  (squares - sum.cwiseAbs2() / count).maxCoeff(&axis);
  return axis;
}

/// Ends of the last call are nearly sorted in this one: insertion costs one move per exchange. When too many are out of
/// order (the axis changed, everything is new) a full sort takes over, so that the cost stays below n log n.
void repair_order(std::vector<std::uint32_t>& order, std::span<const double> lower) {
  const auto less = [&](std::uint32_t i, std::uint32_t j) {
    return lower[i] != lower[j] ? lower[i] < lower[j] : i < j;
  };
  std::size_t budget = 8 * order.size();
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::uint32_t current = order[k];
    std::size_t place = k;
    for (; place > 0 && less(current, order[place - 1]) && budget > 0; --place, --budget) {
      order[place] = order[place - 1];
    }
    order[place] = current;
    if (budget == 0) {
      std::sort(order.begin(), order.end(), less);
      return;
    }
  }
}

void collect(std::span<const BroadPhaseProxy> proxies, SweepWorkspace& scratch) {
  std::erase_if(scratch.order, [&](std::uint32_t i) { return i >= proxies.size() || !proxies[i].is_bounded(); });
  scratch.known.assign(proxies.size(), 0);
  for (const std::uint32_t i : scratch.order) scratch.known[i] = 1;
  scratch.unbounded.clear();
  for (std::uint32_t i = 0; i < proxies.size(); ++i) {
    if (!proxies[i].is_bounded()) {
      scratch.unbounded.push_back(i);
    } else if (scratch.known[i] == 0) {
      scratch.order.push_back(i);
    }
  }
}

}  // namespace

void find_pairs_sweep(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored,
                      SweepWorkspace& scratch, std::vector<ColliderPair>& pairs) {
  pairs.clear();
  collect(proxies, scratch);
  const Eigen::Index axis = choose_axis(proxies, scratch.order);
  scratch.lower.resize(proxies.size());
  for (std::uint32_t i = 0; i < proxies.size(); ++i) scratch.lower[i] = proxies[i].box.lower[axis];
  repair_order(scratch.order, scratch.lower);
  const auto test = [&](std::uint32_t i, std::uint32_t j) {
    if (boxes_intersect(proxies[i], proxies[j]) && may_collide(proxies[i], proxies[j], ignored)) {
      pairs.push_back({std::min(i, j), std::max(i, j)});
    }
  };
  for (std::size_t k = 0; k < scratch.order.size(); ++k) {
    const std::uint32_t i = scratch.order[k];
    const double end = proxies[i].box.upper[axis];
    for (std::size_t l = k + 1; l < scratch.order.size() && scratch.lower[scratch.order[l]] <= end; ++l) {
      test(i, scratch.order[l]);
    }
    for (const std::uint32_t j : scratch.unbounded) test(i, j);
  }
  for (std::size_t k = 0; k < scratch.unbounded.size(); ++k) {
    for (std::size_t l = k + 1; l < scratch.unbounded.size(); ++l) test(scratch.unbounded[k], scratch.unbounded[l]);
  }
  std::sort(pairs.begin(), pairs.end());
}

}  // namespace achilles
