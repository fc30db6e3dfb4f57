#include "graph/partition.hpp"

#include "math/refill.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

namespace achilles {
namespace {

constexpr double kReach = 3;      // standard deviations: what flew far away must not make all cubes wide
constexpr double kSlender = 3;    // spacings: a part that is narrower has halves of about one column
constexpr double kUneven = 4;     // times as many nodes may be on one side of a cut as on the other
constexpr double kColumn = 0.05;  // spacings: nodes as near to each other across `up` are one column

/// Bits of x, two zeros between them: for the curve that interleaves three numbers.
std::uint32_t spread_bits(std::uint32_t x) {
  x = (x | (x << 16)) & 0x030000FFU;
  x = (x | (x << 8)) & 0x0300F00FU;
  x = (x | (x << 4)) & 0x030C30C3U;
  return (x | (x << 2)) & 0x09249249U;
}

struct Spread {
  double count;
  Vec3 mean = Vec3::Zero();
  Vec3 squares = Vec3::Zero();  // of the deviations from the mean, summed
};

Spread measure_spread(const std::vector<Vec3>& positions, std::span<const std::uint32_t> nodes) {
  Spread spread{static_cast<double>(nodes.size())};
  for (const std::uint32_t node : nodes) spread.mean += positions[node];
  spread.mean /= spread.count;
  for (const std::uint32_t node : nodes) spread.squares += (positions[node] - spread.mean).cwiseAbs2();
  return spread;
}

void begin_cut(NodeRange nodes, Partition& partition) {
  partition.start.clear();
  partition.block_of.resize(nodes.last);
  std::fill_n(partition.block_of.begin(), nodes.first, Partition::kNoBlock);
}

class Bisection {
 public:
  Bisection(const BisectionRule& rule, Partition& partition) : rule_(rule), partition_(partition) {}

  std::uint32_t run(std::span<BisectionPoint> points) {
    split(points, rule_.most_blocks);
    return blocks_;
  }

 private:
  void split(std::span<BisectionPoint> points, std::uint32_t blocks) {
    Vec3 lower = points.front().at, upper = lower;
    for (const BisectionPoint& point : points) {
      lower = lower.cwiseMin(point.at);
      upper = upper.cwiseMax(point.at);
    }
    Eigen::Index axis = 0;
    const double width = (upper - lower).maxCoeff(&axis);
    const bool is_wide = blocks > 1 && points.size() > 1 && width >= kSlender * rule_.spacing;
    const std::size_t half = is_wide ? find_cut(points, axis) : 0;
    if (half == 0) {
      for (const BisectionPoint& point : points) partition_.block_of[point.node] = blocks_;
      ++blocks_;
      return;
    }
    split(points.first(half), blocks / 2);
    split(points.subspan(half), blocks / 2);
  }

  /// Orders the points so that those before the returned one lie on one side of a cut near the middle, or returns 0.
  /// Columns within the cut's width go to its two sides so that these become most alike: along the cut, the first
  /// columns to one side and the rest to the other.
  [[nodiscard]] std::size_t find_cut(std::span<BisectionPoint> points, Eigen::Index axis) const {
    const auto middle = points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2);
    std::nth_element(points.begin(), middle, points.end(), [axis](const BisectionPoint& p, const BisectionPoint& q) {
      return std::tie(p.at[axis], p.node) < std::tie(q.at[axis], q.node);
    });
    const double at = middle->at[axis], width = kColumn * rule_.spacing;
    const auto is_below = [axis](double border) {
      return [axis, border](const BisectionPoint& point) { return point.at[axis] < border; };
    };
    const auto first = std::partition(points.begin(), points.end(), is_below(at - width));
    const auto last = std::partition(first, points.end(), is_below(at + width));
    const Vec3 along = rule_.up.cross(Vec3(Vec3::Unit(axis)));
    const auto way = [&](const BisectionPoint& point) { return along.dot(point.at); };
    std::sort(first, last, [&](const BisectionPoint& p, const BisectionPoint& q) { return way(p) < way(q); });
    std::size_t best = 0, smaller = 0;
    for (auto cut = first;; ++cut) {
      const auto half = static_cast<std::size_t>(cut - points.begin());
      const std::size_t side = std::min(half, points.size() - half);
      const bool is_between_columns = cut == first || cut == last || way(*cut) - way(*std::prev(cut)) > width;
      if (is_between_columns && side > smaller) std::tie(best, smaller) = std::pair(half, side);
      if (cut == last) break;
    }
    return kUneven * static_cast<double>(smaller) >= static_cast<double>(points.size() - smaller) ? best : 0;
  }

  const BisectionRule& rule_;
  Partition& partition_;
  std::uint32_t blocks_ = 0;
};

}  // namespace

void cut_evenly(NodeRange nodes, std::uint32_t blocks, Partition& partition) {
  begin_cut(nodes, partition);
  const std::uint32_t size = (nodes.size() + blocks - 1) / blocks;
  for (std::uint32_t node = nodes.first; node < nodes.last; ++node) {
    const std::uint32_t block = (node - nodes.first) / size;
    if (block == partition.start.size()) partition.start.push_back(node);
    partition.block_of[node] = block;
  }
  partition.start.push_back(nodes.last);
}

void cut_by_weight(NodeRange nodes, std::span<const std::uint32_t> weights, std::uint32_t blocks,
                   Partition& partition) {
  begin_cut(nodes, partition);
  std::uint64_t all = 0, before = 0;
  for (const std::uint32_t weight : weights) all += weight;
  for (std::uint32_t node = nodes.first; node < nodes.last; ++node) {
    const auto block = static_cast<std::uint32_t>(before * blocks / all);
    while (partition.start.size() <= block) partition.start.push_back(node);
    partition.block_of[node] = block;
    before += weights[node - nodes.first];
  }
  partition.start.push_back(nodes.last);
}

MortonOrder::MortonOrder(const std::vector<Vec3>& positions, std::span<const std::uint32_t> nodes) {
  const Spread spread = measure_spread(positions, nodes);
  const Vec3 reach = kReach * (spread.squares / spread.count).cwiseSqrt();
  // About as many cubes as nodes.
  const int bits = (static_cast<int>(std::bit_width(nodes.size())) + 2) / 3;
  most_ = static_cast<double>((1U << bits) - 1);
  const double edge = 2 * reach.maxCoeff() / (most_ + 1);
  // In a symmetric stack some nodes lie at the mean: in the middle of a cube, so that they stay in it.
  corner_ = spread.mean - reach - Vec3::Constant(0.5 * edge);
  scale_ = edge > 0 ? 1 / edge : 0;
  count_ = std::size_t{1} << (3 * bits);
}

std::uint32_t MortonOrder::key_of(const Vec3& position) const {
  const auto part = [&](int axis) {
    return spread_bits(static_cast<std::uint32_t>(std::clamp(scale_ * (position[axis] - corner_[axis]), 0.0, most_)));
  };
  return part(0) | (part(1) << 1) | (part(2) << 2);
}

AxisOrder::AxisOrder(const std::vector<Vec3>& positions, std::span<const std::uint32_t> nodes, std::size_t count)
    : count_(count) {
  const Spread spread = measure_spread(positions, nodes);
  reach_ = kReach * std::sqrt(spread.squares.maxCoeff(&axis_) / spread.count);
  mean_ = spread.mean[axis_];
  scale_ = reach_ > 0 ? static_cast<double>(count) / (2 * reach_) : 0;
}

std::uint32_t AxisOrder::key_of(const Vec3& position) const {
  // Half a slice on: nodes at the mean of a symmetric stack lie in the middle of a slice, so that they stay in it.
  const double along = scale_ * (position[axis_] - mean_ + reach_) + 0.5;
  return static_cast<std::uint32_t>(std::clamp(along, 0.0, static_cast<double>(count_ - 1)));
}

std::uint32_t bisect(std::span<BisectionPoint> points, const BisectionRule& rule, Partition& partition) {
  return points.empty() ? 0 : Bisection(rule, partition).run(points);
}

void schedule_pairs(std::uint32_t blocks, std::span<PairContacts> pairs, std::vector<std::uint64_t>& used) {
  std::sort(pairs.begin(), pairs.end(), [](const PairContacts& p, const PairContacts& q) {
    return std::tuple(~p.count, p.pair.first, p.pair.second) < std::tuple(~q.count, q.pair.first, q.pair.second);
  });
  refill(used, blocks, std::uint64_t{1});
  for (PairContacts& one : pairs) {
    one.phase = 0;
    if (one.pair.is_inside()) continue;
    std::uint64_t &first = used[one.pair.first], &second = used[one.pair.second];
    one.phase = static_cast<std::uint32_t>(std::countr_one(first | second));
    first |= std::uint64_t{1} << one.phase;
    second |= std::uint64_t{1} << one.phase;
  }
  std::sort(pairs.begin(), pairs.end(), [](const PairContacts& p, const PairContacts& q) {
    return std::tuple(p.phase, p.pair.first, p.pair.second) < std::tuple(q.phase, q.pair.first, q.pair.second);
  });
}

}  // namespace achilles
