#include "geometry/mesh/bvh.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace achilles {
namespace {

constexpr int kBins = 16;
// Past this depth splits are made at the median. Below it at most 2³² items are halved 32 times: 40 + 32 < kMaxDepth.
constexpr std::size_t kSahDepth = 40;

double half_area(const Aabb& box) {
  const Vec3 e = box.extent();
  return e.x() * e.y() + e.y() * e.z() + e.z() * e.x();
}

struct Split {
  int axis = -1;
  int bin = 0;  // items of bins up to this one go left
  double cost = std::numeric_limits<double>::infinity();
};

class Builder {
 public:
  Builder(std::span<const Aabb> boxes, std::uint32_t leaf_size) : boxes_(boxes), leaf_size_(leaf_size) {
    tree_.items.resize(boxes.size());
    std::iota(tree_.items.begin(), tree_.items.end(), 0U);
  }

  Bvh build() {
    if (!boxes_.empty()) add_node(0, static_cast<std::uint32_t>(boxes_.size()), 0);
    return std::move(tree_);
  }

 private:
  void add_node(std::uint32_t first, std::uint32_t last, std::size_t depth) {
    Aabb bounds, centers;
    for (std::uint32_t i = first; i < last; ++i) {
      bounds.include(boxes_[tree_.items[i]]);
      centers.include(boxes_[tree_.items[i]].center());
    }
    const auto n = static_cast<std::uint32_t>(tree_.nodes.size());
    BvhNode node{};
    for (std::size_t k = 0; k < 3; ++k) {
      node.lower[k] = round_down(bounds.lower[static_cast<int>(k)]);
      node.upper[k] = round_up(bounds.upper[static_cast<int>(k)]);
    }
    node.index = first;
    node.count = last - first;
    tree_.nodes.push_back(node);
    if (last - first <= leaf_size_) return;
    const std::uint32_t middle = partition(first, last, centers, depth);
    add_node(first, middle, depth + 1);
    tree_.nodes[n].index = static_cast<std::uint32_t>(tree_.nodes.size());
    tree_.nodes[n].count = 0;
    add_node(middle, last, depth + 1);
  }

  // Orders items[first, last) in two parts, neither empty, and returns where the second begins.
  std::uint32_t partition(std::uint32_t first, std::uint32_t last, const Aabb& centers, std::size_t depth) {
    const auto begin = tree_.items.begin() + first, end = tree_.items.begin() + last;
    const Split split = depth < kSahDepth ? find_split(first, last, centers) : Split{};
    if (split.axis >= 0) {
      const auto middle = std::stable_partition(
          begin, end, [&](std::uint32_t item) { return bin_of(item, split.axis, centers) <= split.bin; });
      if (middle != begin && middle != end) return static_cast<std::uint32_t>(middle - tree_.items.begin());
    }
    int axis = 0;
    centers.extent().maxCoeff(&axis);
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end, [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(boxes_[a].center()[axis], a) < std::pair(boxes_[b].center()[axis], b);
    });
    return static_cast<std::uint32_t>(middle - tree_.items.begin());
  }

  [[nodiscard]] int bin_of(std::uint32_t item, int axis, const Aabb& centers) const {
    const double low = centers.lower[axis], extent = centers.upper[axis] - low;
    return std::min(kBins - 1, static_cast<int>(kBins * ((boxes_[item].center()[axis] - low) / extent)));
  }

  [[nodiscard]] Split find_split(std::uint32_t first, std::uint32_t last, const Aabb& centers) const {
    Split best;
    for (int axis = 0; axis < 3; ++axis) {
      if (!(centers.upper[axis] > centers.lower[axis])) continue;
      std::array<Aabb, kBins> boxes;
      std::array<std::uint32_t, kBins> counts{};
      for (std::uint32_t i = first; i < last; ++i) {
        const auto bin = static_cast<std::size_t>(bin_of(tree_.items[i], axis, centers));
        boxes[bin].include(boxes_[tree_.items[i]]);
        ++counts[bin];
      }
      const Split split = cheapest(axis, boxes, counts);
      if (split.cost < best.cost) best = split;
    }
    return best;
  }

  static Split cheapest(int axis, const std::array<Aabb, kBins>& boxes,
                        const std::array<std::uint32_t, kBins>& counts) {
    std::array<double, kBins> right_cost{};
    Aabb box;
    std::uint32_t count = 0;
    for (std::size_t bin = kBins - 1; bin > 0; --bin) {
      box.include(boxes[bin]);
      count += counts[bin];
      right_cost[bin] = count == 0 ? std::numeric_limits<double>::infinity() : count * half_area(box);
    }
    Split best{axis, 0, std::numeric_limits<double>::infinity()};
    box = Aabb{};
    count = 0;
    for (std::size_t bin = 0; bin + 1 < kBins; ++bin) {
      box.include(boxes[bin]);
      count += counts[bin];
      if (count == 0) continue;
      const double cost = count * half_area(box) + right_cost[bin + 1];
      if (cost < best.cost) best = {axis, static_cast<int>(bin), cost};
    }
    return best;
  }

  std::span<const Aabb> boxes_;
  std::uint32_t leaf_size_;
  Bvh tree_;
};

}  // namespace

Bvh build_bvh(std::span<const Aabb> boxes, std::uint32_t leaf_size) { return Builder(boxes, leaf_size).build(); }

float round_down(double x) {
  const auto y = static_cast<float>(x);
  return static_cast<double>(y) > x ? std::nextafter(y, -std::numeric_limits<float>::infinity()) : y;
}

float round_up(double x) {
  const auto y = static_cast<float>(x);
  return static_cast<double>(y) < x ? std::nextafter(y, std::numeric_limits<float>::infinity()) : y;
}

bool intersects(const BvhNode& node, const Ray& ray, double limit) {
  // Three rounding errors enter each quotient.
  constexpr double kSlack = 1 + 8 * std::numeric_limits<double>::epsilon();
  double near = 0, far = limit;
  for (int i = 0; i < 3; ++i) {
    const double lower = static_cast<double>(node.lower[static_cast<std::size_t>(i)]) - ray.origin[i];
    const double upper = static_cast<double>(node.upper[static_cast<std::size_t>(i)]) - ray.origin[i];
    if (ray.direction[i] == 0) {
      if (lower > 0 || upper < 0) return false;
      continue;
    }
    const double a = lower / ray.direction[i], b = upper / ray.direction[i];
    near = std::max(near, std::min(a, b));
    far = std::min(far, std::max(a, b) * kSlack);
  }
  return near <= far * kSlack;
}

}  // namespace achilles
