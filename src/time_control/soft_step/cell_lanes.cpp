#include "time_control/soft_step/cell_lanes.hpp"

#include <algorithm>
#include <bit>
#include <span>

namespace achilles {
namespace {

/// Racks of one colour that share lanes: several points or one, bodies that are not round or none.
struct Shelf {
  std::size_t rack = 0, racks = 0;
};
constexpr Shelf kShelves[] = {{0, 3}, {3, 1}, {4, 3}, {7, 1}};
static_assert(kLaneKinds == 8);

class CellPlanner {
 public:
  CellPlanner(const CellRacks& racks, SoftWorkspace& soft)
      : racks_(racks),
        soft_(soft),
        masks_(soft.open_lanes[racks.round]),
        begin_(soft.rack_start[racks.first]),
        next_(begin_) {}

  std::uint32_t run() {
    lay_remainders();
    for (std::size_t rack = racks_.first; rack < racks_.last; rack += kLaneKinds) {
      for (const Shelf& shelf : kShelves) lay_full(manifolds_of(rack, shelf));
    }
    return plans_;
  }

 private:
  using Manifolds = std::span<const std::uint32_t>;
  static constexpr int kMostOpen = 32;
  struct Open {
    std::uint32_t manifolds[kLanes];
    std::uint32_t count = 0;
  };

  [[nodiscard]] Manifolds manifolds_of(std::size_t rack, const Shelf& shelf) const {
    const std::uint32_t first = soft_.rack_start[rack + shelf.rack];
    return Manifolds(soft_.sorted).subspan(first, soft_.rack_start[rack + shelf.rack + shelf.racks] - first);
  }

  void lay_full(Manifolds manifolds) {
    for (; manifolds.size() >= kLanes; manifolds = manifolds.subspan(kLanes)) lay(manifolds.first(kLanes));
  }

  void lay_remainders() {
    visit_remainders([this](std::uint32_t m) {
      if (!put(m)) lay({&m, 1});
    });
    for (int k = 0; k < used_; ++k) lay({open_[k].manifolds, open_[k].count});
    visit_remainders([this](std::uint32_t m) {
      const auto [a, b] = slots_of(m);
      if (a > 0) masks_[a] = 0;
      if (b > 0) masks_[b] = 0;
    });
  }

  /// Those that lanes of one kind left over come together.
  template <class Visit>
  void visit_remainders(const Visit& visit) const {
    for (const Shelf& shelf : kShelves) {
      for (std::size_t rack = racks_.first; rack < racks_.last; rack += kLaneKinds) {
        const Manifolds manifolds = manifolds_of(rack, shelf);
        for (const std::uint32_t m : manifolds.last(manifolds.size() % kLanes)) visit(m);
      }
    }
  }

  /// Into the first open lanes that have room and none of its bodies; false: there are none.
  bool put(std::uint32_t m) {
    const auto [a, b] = slots_of(m);
    const int at = std::countr_one(full_ | masks_[a] | masks_[b]);
    if (at == kMostOpen) return false;
    if (at == used_) open_[used_++].count = 0;
    const std::uint32_t bit = std::uint32_t{1} << at;
    // Slot 0 stands for what impulses do not move: any number of lanes may have it.
    if (a > 0) masks_[a] |= bit;
    if (b > 0) masks_[b] |= bit;
    Open& lanes = open_[at];
    lanes.manifolds[lanes.count++] = m;
    if (lanes.count == kLanes) full_ |= bit;
    return true;
  }

  void lay(Manifolds manifolds) {
    LanePlan& plan = soft_.cell_plans[begin_ + plans_++] = {};
    plan.first = next_;
    plan.count = static_cast<std::uint16_t>(manifolds.size());
    for (const std::uint32_t m : manifolds) {
      soft_.laid[next_++] = m;
      const std::uint16_t kind = soft_.manifolds[m].kind;
      plan.points = std::max(plan.points, static_cast<std::uint16_t>(kind % kPointsPerManifold + 1));
      if (kind >= kPointsPerManifold) plan.masses = 0;
    }
  }

  [[nodiscard]] std::pair<std::size_t, std::size_t> slots_of(std::uint32_t m) const {
    const auto slot_of = [&](std::uint32_t body) {
      return static_cast<std::size_t>(std::max(soft_.slot_of[body], std::int32_t{0}));
    };
    return {slot_of(soft_.edges[m].body_a), slot_of(soft_.edges[m].body_b)};
  }

  const CellRacks racks_;
  SoftWorkspace& soft_;
  std::vector<std::uint32_t>& masks_;
  std::uint32_t begin_, next_, plans_ = 0;
  Open open_[kMostOpen];
  int used_ = 0;
  std::uint32_t full_ = 0;
};

}  // namespace

std::uint32_t plan_cell(const CellRacks& racks, SoftWorkspace& soft) { return CellPlanner(racks, soft).run(); }

}  // namespace achilles
