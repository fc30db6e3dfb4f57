#include "time_control/soft_step/order_lanes.hpp"

#include "math/refill.hpp"
#include "time_control/soft_step/cell_lanes.hpp"
#include "time_control/soft_step/cells.hpp"
#include "time_control/soft_step/sort_slots.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace achilles {
namespace {

/// Below, slots stay as they are.
constexpr std::uint32_t kUnordered = 512;
constexpr std::size_t kParts = 8;  // of the manifolds, sorted on their own
constexpr std::size_t kFewestOfPart = 2048;
constexpr std::size_t kPlanBlock = 32;  // lanes

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
    const double edge = 2 * reach.maxCoeff() / (most_ + 1);
    // In a symmetric stack some lie at the mean: in the middle of a cube, so that they stay in it.
    corner_ = mean - reach - Vec3::Constant(0.5 * edge);
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

/// Sorts manifolds by cell, colour, segment of the bodies and kind, and makes lanes of them. A shelf is a colour of a
/// cell, or of what is shared; its racks hold one kind each.
class LaneMaker {
 public:
  LaneMaker(BlockRunner& runner, SoftWorkspace& soft)
      : runner_(runner),
        soft_(soft),
        cells_(soft.cells.size()),
        colors_(soft.coloring.colors() + 1),
        segments_(soft.movers < kUnordered ? 1 : 4),
        first_shared_(cells_ * colors_ * kKinds),
        racks_(first_shared_ + colors_ * segments_ * kKinds) {}

  void run() {
    sort();
    plan();
    const std::size_t count = soft_.lane_plans.size();
    soft_.lanes.contacts.resize(count);
    soft_.lanes.cold.resize(count);
    soft_.manifold_at.resize(count * kLanes);
    soft_.lanes.points.resize(points_);
    soft_.lanes.approach.resize(points_);
    soft_.lanes.patches.resize(static_cast<std::size_t>(patches_));
    soft_.lanes.masses.resize(static_cast<std::size_t>(masses_));
    runner_.run(count, kPlanBlock, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t index = first; index < last; ++index) make_lanes(index);
    });
  }

 private:
  static constexpr std::size_t kKinds = kLaneKinds;

  /// Kinds come in turns downward and upward, so that where two segments meet lanes have one kind.
  [[nodiscard]] static std::size_t turned(std::size_t segment, std::size_t kind) {
    return segment % 2 == 0 ? kKinds - 1 - kind : kind;
  }

  /// Place of the cell that has the manifold between these slots; cells_: it is shared.
  [[nodiscard]] std::size_t find_cell(std::int32_t a, std::int32_t b) const {
    if (cells_ == 0) return cells_;
    const auto cell_of = [&](std::int32_t slot) {
      return std::size_t{soft_.cells.cell_of[static_cast<std::size_t>(slot - 1)]};
    };
    // What is not moved belongs to every cell.
    if (a <= 0 || b <= 0) return soft_.cells.place_of(cell_of(std::max(a, b)));
    const std::size_t one = cell_of(std::min(a, b)), other = cell_of(std::max(a, b));
    return other <= one + (soft_.cells.is_chain ? 1 : 0) ? soft_.cells.place_of(one) : cells_;
  }

  [[nodiscard]] std::size_t find_rack(std::size_t m) const {
    const std::size_t color = soft_.coloring.rank[soft_.coloring.color_of[m]], kind = soft_.known_kinds[m];
    const std::int32_t a = soft_.slot_of[soft_.edges[m].body_a], b = soft_.slot_of[soft_.edges[m].body_b];
    if (const std::size_t cell = find_cell(a, b); cell < cells_ && color + 1 < colors_) {
      return (cell * colors_ + color) * kKinds + turned(0, kind);
    }
    const std::size_t segment = static_cast<std::size_t>(std::max(a, b) - 1) * segments_ / soft_.movers;
    return first_shared_ + (color * segments_ + segment) * kKinds + turned(segment, kind);
  }

  /// By counting, in parts of fixed borders.
  void sort() {
    const std::size_t n = soft_.manifolds.size();
    const std::size_t part = std::max((n + kParts - 1) / kParts, kFewestOfPart);
    soft_.rack_of.resize(n);
    soft_.known_kinds.resize(n);
    soft_.sorted.resize(n);
    soft_.rack_start.resize(racks_ + 1);
    soft_.rack_next.resize(kParts * racks_);
    runner_.run(n, part, [&](std::size_t p, std::size_t first, std::size_t last) {
      const auto counts = std::span(soft_.rack_next).subspan(p * racks_, racks_);
      std::fill(counts.begin(), counts.end(), 0U);
      for (std::size_t m = first; m < last; ++m) {
        soft_.known_kinds[m] = static_cast<std::uint8_t>(soft_.manifolds[m].kind);
      }
      for (std::size_t m = first; m < last; ++m) {
        soft_.rack_of[m] = static_cast<std::uint32_t>(find_rack(m));
        ++counts[soft_.rack_of[m]];
      }
    });
    const std::size_t parts = BlockRunner::count_blocks(n, part);
    std::uint32_t next = 0;
    for (std::size_t rack = 0; rack < racks_; ++rack) {
      soft_.rack_start[rack] = next;
      for (std::size_t p = 0; p < parts; ++p) next += std::exchange(soft_.rack_next[p * racks_ + rack], next);
    }
    soft_.rack_start[racks_] = next;
    runner_.run(n, part, [&](std::size_t p, std::size_t first, std::size_t last) {
      const auto places = std::span(soft_.rack_next).subspan(p * racks_, racks_);
      for (std::size_t m = first; m < last; ++m)
        soft_.sorted[places[soft_.rack_of[m]]++] = static_cast<std::uint32_t>(m);
    });
  }

  void plan() {
    soft_.lane_plans.clear();
    soft_.cells.lane_start.clear();
    soft_.start.clear();
    const auto here = [&] { return static_cast<std::uint32_t>(soft_.lane_plans.size()); };
    plan_cells();
    const std::size_t width = segments_ * kKinds;
    for (std::size_t color = 0; color < colors_; ++color) {
      const std::size_t rack = first_shared_ + color * width;
      const bool overflow = color + 1 == colors_;
      if (overflow || soft_.rack_start[rack] < soft_.rack_start[rack + width]) soft_.start.push_back(here());
      plan_shelf(rack, overflow ? 1 : kLanes);
    }
    soft_.start.push_back(here());
  }

  void plan_cells() {
    soft_.laid.resize(soft_.rack_start[first_shared_]);
    soft_.cell_plans.resize(soft_.rack_start[first_shared_]);
    soft_.cell_plan_counts.resize(cells_);
    for (std::vector<std::uint32_t>& masks : soft_.open_lanes) refill(masks, soft_.movers + std::size_t{1}, 0U);
    runner_.run(cells_, 1, [&](std::size_t cell, std::size_t, std::size_t) {
      const std::size_t first = cell * colors_ * kKinds, round = soft_.cells.round_of(cell);
      soft_.cell_plan_counts[cell] = plan_cell({first, first + (colors_ - 1) * kKinds, round}, soft_);
    });
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      soft_.cells.lane_start.push_back(static_cast<std::uint32_t>(soft_.lane_plans.size()));
      const LanePlan* plans = soft_.cell_plans.data() + soft_.rack_start[cell * colors_ * kKinds];
      for (std::size_t k = 0; k < soft_.cell_plan_counts[cell]; ++k) close(plans[k]);
    }
    soft_.cells.lane_start.push_back(static_cast<std::uint32_t>(soft_.lane_plans.size()));
  }

  /// Fills lanes, `most` manifolds in each, with what the racks of the shelf hold.
  void plan_shelf(std::size_t rack, std::size_t most) {
    LanePlan plan;
    plan.first = soft_.rack_start[rack];
    for (std::size_t k = 0; k < segments_ * kKinds; ++k) {
      const std::size_t kind = turned(k / kKinds, k % kKinds);
      for (std::uint32_t left = soft_.rack_start[rack + k + 1] - soft_.rack_start[rack + k]; left > 0;) {
        const auto taken = static_cast<std::uint32_t>(std::min<std::size_t>(left, most - plan.count));
        left -= taken;
        plan.count = static_cast<std::uint16_t>(plan.count + taken);
        plan.points = std::max(plan.points, static_cast<std::uint16_t>(kind % kPointsPerManifold + 1));
        if (kind >= kPointsPerManifold) plan.masses = 0;
        if (plan.count == most) plan = close(plan);
      }
    }
    if (plan.count > 0) close(plan);
  }

  /// Gives lanes their places and returns the next ones, empty.
  LanePlan close(LanePlan plan) {
    plan.first_point = points_;
    points_ += plan.points;
    if (plan.points > 1) plan.patch = patches_++;
    if (plan.masses >= 0) plan.masses = masses_++;
    soft_.lane_plans.push_back(plan);
    LanePlan next;
    next.first = plan.first + plan.count;
    return next;
  }

  void make_lanes(std::size_t index) {
    const LanePlan& plan = soft_.lane_plans[index];
    ContactLanes& c = soft_.lanes.contacts[index];
    c.points = plan.points;
    c.first_point = plan.first_point;
    c.patch = plan.patch;
    c.masses = plan.masses;
    const auto& list = index < soft_.cells.lane_start.back() ? soft_.laid : soft_.sorted;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t at = index * kLanes + lane;
      soft_.manifold_at[at] = -1;
      if (lane >= plan.count) continue;
      soft_.manifold_at[at] = static_cast<std::int32_t>(list[plan.first + lane]);
    }
  }

  BlockRunner& runner_;
  SoftWorkspace& soft_;
  std::size_t cells_, colors_, segments_, first_shared_, racks_;
  std::uint32_t points_ = 0;
  std::int32_t patches_ = 0, masses_ = 0;
};

/// Whether the lanes are those of these manifolds already.
bool is_laid_out(const SoftWorkspace& soft) {
  return soft.coloring.kept && soft.slot_of == soft.known_slots &&
         std::equal(soft.manifolds.begin(), soft.manifolds.end(), soft.known_kinds.begin(),
                    [](const SoftManifold& one, std::uint8_t kind) { return one.kind == kind; });
}

}  // namespace

void order_slots(const World& world, SoftWorkspace& soft) {
  if (soft.movers < kUnordered) return;
  if (has_slabs(soft.movers)) return order_in_slabs(world, soft);
  const auto bodies = std::span(soft.body_of).last(soft.movers);
  const Cubes cubes(world.bodies.position, bodies);
  sort_slots(
      cubes.count() + 1, [&](std::uint32_t body) { return cubes.number_of(world.bodies.position[body]); }, soft);
}

void assign_lanes(BlockRunner& runner, SoftWorkspace& soft) {
  soft.lanes_kept = std::exchange(soft.lanes_known, false) && is_laid_out(soft);
  if (!soft.lanes_kept) {
    LaneMaker(runner, soft).run();
    copy_to(soft.slot_of, soft.known_slots);
  }
  soft.lanes_known = true;
}

}  // namespace achilles
