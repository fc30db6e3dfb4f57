#include "time_control/soft_step/order_lanes.hpp"

#include "math/refill.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace achilles {
namespace {

/// Bodies of a cell: what they and their contacts take fits the second-level cache of a core, twice.
constexpr std::uint32_t kCellBodies = 1024;
/// Below, a core's cache holds all bodies anyway.
constexpr std::uint32_t kFewBodies = 8192;

/// Bits of x, apart by two zeros: for the curve that interleaves three of them.
std::uint32_t spread_bits(std::uint32_t x) {
  x = (x | (x << 16)) & 0x030000FFU;
  x = (x | (x << 8)) & 0x0300F00FU;
  x = (x | (x << 4)) & 0x030C30C3U;
  return (x | (x << 2)) & 0x09249249U;
}

/// Cubes of space, numbered along a Morton curve. They cover what lies within thrice the standard deviation of the
/// mean: what flew far away belongs to the outermost.
class Cubes {
 public:
  Cubes(const std::vector<Vec3>& positions, std::span<const std::uint32_t> bodies) {
    Vec3 mean = Vec3::Zero(), square = Vec3::Zero();
    for (const std::uint32_t body : bodies) mean += positions[body];
    mean /= static_cast<double>(bodies.size());
    for (const std::uint32_t body : bodies) square += (positions[body] - mean).cwiseAbs2();
    const Vec3 reach = 3 * (square / static_cast<double>(bodies.size())).cwiseSqrt();
    // About as many cubes as bodies.
    const int bits = (std::bit_width(bodies.size()) + 2) / 3;
    most_ = static_cast<double>((1U << bits) - 1);
    corner_ = mean - reach;
    const double edge = 2 * reach.maxCoeff() / (most_ + 1);
    scale_ = edge > 0 ? 1 / edge : 0;
    count_ = std::size_t{1} << (3 * bits);
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] std::uint32_t number_of(const Vec3& position) const {
    const auto part = [&](int axis) {
      return spread_bits(static_cast<std::uint32_t>(std::clamp(scale_ * (position[axis] - corner_[axis]), 0.0, most_)));
    };
    return part(0) | (part(1) << 1) | (part(2) << 2);
  }

 private:
  Vec3 corner_;
  double scale_ = 0, most_ = 0;
  std::size_t count_ = 0;
};

/// Sorts manifolds by cell, colour and kind, and makes lanes of them.
class LaneMaker {
 public:
  explicit LaneMaker(SoftWorkspace& soft)
      : soft_(soft), cells_(soft.movers < kFewBodies ? 0 : (soft.movers + kCellBodies - 1) / kCellBodies) {}

  void run() {
    sort();
    std::size_t count = 0;
    for (std::size_t shelf = 0; shelf < shelves(); ++shelf) count += lanes_of(shelf);
    soft_.lanes.contacts.resize(count);
    soft_.lanes.cold.resize(count);
    soft_.lane_of.resize(soft_.manifolds.size());
    refill(soft_.manifold_at, count * kLanes, std::int32_t{-1});
    soft_.cell_start.clear();
    soft_.start.clear();
    for (std::size_t shelf = 0; shelf < shelves(); ++shelf) fill(shelf);
    soft_.cell_start.push_back(soft_.start.front());
    soft_.start.push_back(next_);
    soft_.lanes.points.resize(points_);
    soft_.lanes.approach.resize(points_);
    soft_.lanes.patches.resize(static_cast<std::size_t>(patches_));
    soft_.lanes.masses.resize(static_cast<std::size_t>(masses_));
  }

 private:
  static constexpr std::size_t kColors = Coloring::kMostColors + 1;  // with the overflow
  static constexpr std::size_t kKinds = 2 * kPointsPerManifold;

  /// A shelf is a colour of a cell, or of what is shared.
  [[nodiscard]] std::size_t shelves() const { return (cells_ + 1) * kColors; }
  [[nodiscard]] std::size_t count_on(std::size_t shelf) const {
    return soft_.shelf_start[(shelf + 1) * kKinds] - soft_.shelf_start[shelf * kKinds];
  }
  [[nodiscard]] static bool is_overflow(std::size_t shelf) { return shelf % kColors == kColors - 1; }
  [[nodiscard]] std::size_t lanes_of(std::size_t shelf) const {
    return is_overflow(shelf) ? count_on(shelf) : (count_on(shelf) + kLanes - 1) / kLanes;
  }

  [[nodiscard]] std::size_t shelf_of(std::size_t m) const {
    const std::size_t color = soft_.coloring.color_of[m];
    if (cells_ > 0 && color + 1 < kColors) {
      const std::int32_t a = soft_.slot_of[soft_.edges[m].body_a], b = soft_.slot_of[soft_.edges[m].body_b];
      const auto cell_of = [](std::int32_t slot) { return static_cast<std::uint32_t>(slot - 1) / kCellBodies; };
      if (a > 0 && b > 0 && cell_of(a) == cell_of(b)) return cell_of(a) * kColors + color;
    }
    return cells_ * kColors + color;
  }

  void sort() {
    const std::size_t n = soft_.manifolds.size();
    refill(soft_.shelf_start, shelves() * kKinds + 1, std::uint32_t{0});
    soft_.place_of.resize(n);
    soft_.sorted.resize(n);
    for (std::size_t m = 0; m < n; ++m) {
      soft_.place_of[m] = static_cast<std::uint32_t>(shelf_of(m) * kKinds + (kKinds - 1 - soft_.manifolds[m].kind));
      ++soft_.shelf_start[soft_.place_of[m]];
    }
    std::uint32_t next = 0;
    for (std::uint32_t& start : soft_.shelf_start) next += std::exchange(start, next);
    for (std::size_t m = 0; m < n; ++m) {
      soft_.sorted[soft_.shelf_start[soft_.place_of[m]]++] = static_cast<std::uint32_t>(m);
    }
    // Each start moved to the next one's.
    std::copy_backward(soft_.shelf_start.begin(), soft_.shelf_start.end() - 1, soft_.shelf_start.end());
    soft_.shelf_start.front() = 0;
  }

  void fill(std::size_t shelf) {
    const bool shared = shelf >= cells_ * kColors, overflow = is_overflow(shelf);
    if (!shared && shelf % kColors == 0) soft_.cell_start.push_back(next_);
    const auto all = std::span(soft_.sorted).subspan(soft_.shelf_start[shelf * kKinds], count_on(shelf));
    if (shared && (!all.empty() || overflow)) soft_.start.push_back(next_);
    const std::size_t most = overflow ? 1 : kLanes;
    for (std::size_t k = 0; k < all.size(); k += most) make_lanes(all.subspan(k, std::min(most, all.size() - k)));
  }

  void make_lanes(std::span<const std::uint32_t> manifolds) {
    ContactLanes& c = soft_.lanes.contacts[next_];
    c.points = 1;
    c.masses = c.patch = -1;
    for (std::size_t lane = 0; lane < manifolds.size(); ++lane) {
      const std::uint32_t m = manifolds[lane];
      soft_.manifold_at[next_ * kLanes + lane] = static_cast<std::int32_t>(m);
      soft_.lane_of[m] = static_cast<std::uint32_t>(next_ * kLanes + lane);
      const std::uint32_t kind = soft_.manifolds[m].kind;
      c.points = std::max<std::uint32_t>(c.points, kind % kPointsPerManifold + 1);
      if (kind >= kPointsPerManifold) c.masses = masses_;
    }
    c.first_point = points_;
    points_ += c.points;
    if (c.points > 1) c.patch = patches_++;
    if (c.masses >= 0) ++masses_;
    ++next_;
  }

  SoftWorkspace& soft_;
  std::size_t cells_;
  std::uint32_t next_ = 0, points_ = 0;
  std::int32_t patches_ = 0, masses_ = 0;
};

}  // namespace

void order_slots(const World& world, SoftWorkspace& soft) {
  if (soft.movers < kFewBodies) return;
  const auto bodies = std::span(soft.body_of).last(soft.movers);
  const Cubes cubes(world.bodies.position, bodies);
  refill(soft.shelf_start, cubes.count() + 1, std::uint32_t{0});
  soft.place_of.resize(soft.movers);
  soft.sorted.resize(soft.movers);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    soft.place_of[k] = cubes.number_of(world.bodies.position[bodies[k]]);
    ++soft.shelf_start[soft.place_of[k]];
  }
  std::uint32_t next = 0;
  for (std::uint32_t& start : soft.shelf_start) next += std::exchange(start, next);
  for (std::size_t k = 0; k < bodies.size(); ++k) soft.sorted[soft.shelf_start[soft.place_of[k]]++] = bodies[k];
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    bodies[k] = soft.sorted[k];
    soft.slot_of[bodies[k]] = static_cast<std::int32_t>(k + 1);
  }
}

void assign_lanes(SoftWorkspace& soft) { LaneMaker(soft).run(); }

}  // namespace achilles
