#include "time_control/shock/domains.hpp"

#include "math/disjoint_sets.hpp"
#include "math/refill.hpp"
#include "time_control/shock/shock_workspace.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>
#include <utility>

namespace achilles {
namespace {

// Fewer are not worth the passing from stage to stage; and what lies between cells comes after all layers of them, so
// that errors across a cut are mended more slowly than those within.
constexpr std::uint32_t kContactsPerCell = 192;
constexpr std::uint32_t kContactsPerPiece = 24;
constexpr std::uint32_t kMostCells = 32;
constexpr std::uint32_t kSpacingStride = 8;  // contacts: every so manyth is asked how far its bodies are apart
constexpr double kSlender = 3;               // cells are at least half as many spacings of touching bodies wide
constexpr double kUneven = 4;                // times as many bodies may be on one side of a cut as on the other
constexpr double kColumn = 0.05;             // of a spacing: bodies as near to each other across gravity are one column
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

std::uint32_t count_of(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

/// One group while it is cut.
class GroupCut {
 public:
  GroupCut(const World& world, const StepWorkspace& scratch, std::uint32_t group, PatchDomains& domains)
      : world_(world), scratch_(scratch), group_(group), domains_(domains), up_(-world.gravity.normalized()) {}

  /// How many cells; their bodies know them then.
  [[nodiscard]] std::uint32_t find_cells() {
    const std::uint32_t most = std::min(count_contacts() / kContactsPerCell, kMostCells);
    if (most <= 1) return 1;
    collect_places();
    split(domains_.places, std::bit_floor(most));
    return cells_;
  }

  void make_blocks(std::uint32_t cells) {
    cells_ = cells;
    if (cells_ <= 1) {
      add_single_block();
      return;
    }
    order_pairs_of_cells();
    fill_blocks(count_contacts());
  }

 private:
  template <class Visit>
  void for_each_contact(const Visit& visit) const {
    for (const std::uint32_t edge : scratch_.groups.edges_of(group_)) {
      if (edge < scratch_.contacts.contacts.size()) visit(edge, scratch_.contacts.contacts[edge]);
    }
  }

  [[nodiscard]] std::uint32_t count_contacts() const {
    std::uint32_t count = 0;
    for_each_contact([&](std::uint32_t, const Contact&) { ++count; });
    return count;
  }

  [[nodiscard]] std::uint64_t key_of(std::uint32_t edge, const Contact& contact) const {
    const std::vector<std::uint32_t>& height = scratch_.shock->layers.height;
    const std::uint32_t layer = StackLayers::layer_of(height[contact.body_a], height[contact.body_b]);
    return std::uint64_t{layer} << 32U | edge;
  }

  void add_single_block() {
    PatchBlock block{group_, count_of(domains_.keys)};
    for_each_contact(
        [&](std::uint32_t edge, const Contact& contact) { domains_.keys.push_back(key_of(edge, contact)); });
    block.last_key = count_of(domains_.keys);
    domains_.stage_start.push_back(count_of(domains_.blocks));
    domains_.blocks.push_back(block);
  }

  void collect_places() {
    domains_.places.clear();
    const auto collect = [&](std::uint32_t body) {
      if (scratch_.movable[body] == 0 || domains_.cell_of[body] != kNone) return;
      domains_.cell_of[body] = 0;
      const Vec3& at = world_.bodies.position[body];
      domains_.places.push_back({at - up_.dot(at) * up_, body});
    };
    double sum = 0;
    std::uint32_t count = 0, seen = 0;
    for_each_contact([&](std::uint32_t, const Contact& contact) {
      collect(contact.body_a);
      collect(contact.body_b);
      if (seen++ % kSpacingStride != 0) return;
      if (scratch_.movable[contact.body_a] == 0 || scratch_.movable[contact.body_b] == 0) return;
      sum += (world_.bodies.position[contact.body_b] - world_.bodies.position[contact.body_a]).norm();
      ++count;
    });
    spacing_ = count > 0 ? sum / count : std::numeric_limits<double>::infinity();
  }

  void split(std::span<PatchDomains::Place> places, std::uint32_t cells) {
    Vec3 lower = places.front().at, upper = lower;
    for (const PatchDomains::Place& place : places) {
      lower = lower.cwiseMin(place.at);
      upper = upper.cwiseMax(place.at);
    }
    Eigen::Index axis = 0;
    const double width = (upper - lower).maxCoeff(&axis);
    if (cells <= 1 || places.size() < 2 || !(width >= kSlender * spacing_)) {
      make_cell(places);
      return;
    }
    const std::size_t half = find_cut(places, axis);
    if (half == 0) {
      make_cell(places);
      return;
    }
    split(places.first(half), cells / 2);
    split(places.subspan(half), cells / 2);
  }

  void make_cell(std::span<const PatchDomains::Place> places) {
    for (const PatchDomains::Place& place : places) domains_.cell_of[place.body] = cells_;
    ++cells_;
  }

  /// Orders the places so that those before the returned one lie on one side of a cut near the middle, or returns 0. A
  /// column is never cut: it would be swept in another order than its neighbours and settle otherwise, by 1e-11 m;
  /// which tilts the contacts between them by as much, and columns of balls are unstable: in half a minute such a tilt
  /// grows until they topple, where equal columns stand. Columns that the cut would pass through go to its two sides so
  /// that those become alike, the first of them along the cut to one, the rest to the other.
  [[nodiscard]] std::size_t find_cut(std::span<PatchDomains::Place> places, Eigen::Index axis) const {
    const auto middle = places.begin() + static_cast<std::ptrdiff_t>(places.size() / 2);
    std::nth_element(places.begin(), middle, places.end(),
                     [axis](const PatchDomains::Place& p, const PatchDomains::Place& q) {
                       return std::tie(p.at[axis], p.body) < std::tie(q.at[axis], q.body);
                     });
    const double at = middle->at[axis], width = kColumn * spacing_;
    const auto is_below = [axis](double border) {
      return [axis, border](const PatchDomains::Place& place) { return place.at[axis] < border; };
    };
    const auto first = std::partition(places.begin(), places.end(), is_below(at - width));
    const auto last = std::partition(first, places.end(), is_below(at + width));
    const Vec3 along = up_.cross(Vec3(Vec3::Unit(axis)));
    const auto way = [&](const PatchDomains::Place& place) { return along.dot(place.at); };
    std::sort(first, last, [&](const PatchDomains::Place& p, const PatchDomains::Place& q) { return way(p) < way(q); });
    std::size_t best = 0, smaller = 0;
    for (auto cut = first;; ++cut) {
      const auto half = static_cast<std::size_t>(cut - places.begin());
      const std::size_t side = std::min(half, places.size() - half);
      const bool is_between_columns = cut == first || cut == last || way(*cut) - way(*std::prev(cut)) > width;
      if (is_between_columns && side > smaller) std::tie(best, smaller) = std::pair(half, side);
      if (cut == last) break;
    }
    return kUneven * static_cast<double>(smaller) >= static_cast<double>(places.size() - smaller) ? best : 0;
  }

  /// Index in the matrix of cells; what lies inside a cell is on the diagonal.
  [[nodiscard]] std::uint32_t cells_of(const Contact& contact) const {
    const std::uint32_t a = domains_.cell_of[contact.body_a], b = domains_.cell_of[contact.body_b];
    if (scratch_.movable[contact.body_a] == 0) return b * cells_ + b;
    if (scratch_.movable[contact.body_b] == 0) return a * cells_ + a;
    return std::min(a, b) * cells_ + std::max(a, b);
  }

  /// Deals what lies between two cells to two blocks that share no body, where that can be: a single one would keep all
  /// threads but one waiting. The second has the place below the diagonal of the matrix.
  void part_border() {
    constexpr std::uint32_t kFirst = 1, kSecond = 2;
    std::vector<std::uint32_t>&parent = domains_.parent, &count = domains_.count, &place_of = domains_.place_of;
    for (std::vector<std::uint32_t>* list : {&parent, &count, &place_of}) list->resize(domains_.cell_of.size());
    domains_.border.clear();
    std::uint32_t at = 0;
    for_each_contact([&](std::uint32_t, const Contact& contact) {
      if (domains_.cells_of[at] == kFirst) domains_.border.push_back({at, contact.body_a, contact.body_b});
      ++at;
    });
    for (const PatchDomains::BorderContact& contact : domains_.border) {
      for (const std::uint32_t body : {contact.body_a, contact.body_b}) {
        parent[body] = body;
        count[body] = place_of[body] = 0;
      }
    }
    for (const PatchDomains::BorderContact& contact : domains_.border) {
      join_sets(parent, contact.body_a, contact.body_b);
    }
    for (const PatchDomains::BorderContact& contact : domains_.border) ++count[find_root(parent, contact.body_a)];
    std::uint32_t &first = domains_.block_of[kFirst] = 0, &second = domains_.block_of[kSecond] = 0;
    for (const PatchDomains::BorderContact& contact : domains_.border) {
      const std::uint32_t root = find_root(parent, contact.body_a);
      if (place_of[root] == 0) {
        place_of[root] = first <= second ? kFirst : kSecond;
        domains_.block_of[place_of[root]] += count[root];
      }
      domains_.cells_of[contact.at] = place_of[root];
    }
  }

  static bool comes_before(const PatchDomains::Between& p, const PatchDomains::Between& q) {
    return std::tuple(p.stage, p.cells) < std::tuple(q.stage, q.cells);
  }

  static bool is_larger(const PatchDomains::Between& p, const PatchDomains::Between& q) {
    return std::tuple(~p.count, p.cells) < std::tuple(~q.count, q.cells);
  }

  /// Pairs of cells that have contacts, stage after stage, and in each by their cells: neighbours are halves of one
  /// cell, so that a thread that takes the first half of every stage stays in one part of the group.
  void order_pairs_of_cells() {
    refill(domains_.block_of, std::size_t{cells_} * cells_, 0U);
    domains_.cells_of.clear();
    for_each_contact([&](std::uint32_t, const Contact& contact) {
      domains_.cells_of.push_back(cells_of(contact));
      ++domains_.block_of[domains_.cells_of.back()];
    });
    if (cells_ == 2) part_border();
    domains_.between.clear();
    for (std::uint32_t cells = 0; cells < count_of(domains_.block_of); ++cells) {
      if (domains_.block_of[cells] > 0) domains_.between.push_back({domains_.block_of[cells], cells, 0});
    }
    const auto is_inside = [&](const PatchDomains::Between& pair) {
      return pair.cells / cells_ == pair.cells % cells_;
    };
    std::sort(domains_.between.begin(), domains_.between.end(), is_larger);
    refill(domains_.used, cells_, std::uint64_t{1});
    for (PatchDomains::Between& pair : domains_.between) {
      if (is_inside(pair)) continue;
      std::uint64_t &one = domains_.used[pair.cells / cells_], &other = domains_.used[pair.cells % cells_];
      pair.stage = cells_ == 2 ? 1 : static_cast<std::uint32_t>(std::countr_one(one | other));
      one |= std::uint64_t{1} << pair.stage;
      other |= std::uint64_t{1} << pair.stage;
    }
    std::sort(domains_.between.begin(), domains_.between.end(), comes_before);
  }

  void fill_blocks(std::uint32_t contacts) {
    std::uint32_t next = count_of(domains_.keys), stage = kNone;
    domains_.keys.resize(next + contacts);
    for (const PatchDomains::Between& pair : domains_.between) {
      if (pair.stage != stage) domains_.stage_start.push_back(count_of(domains_.blocks));
      stage = pair.stage;
      domains_.block_of[pair.cells] = count_of(domains_.blocks);
      domains_.blocks.push_back({group_, next, next});
      next += pair.count;
    }
    std::size_t at = 0;
    for_each_contact([&](std::uint32_t edge, const Contact& contact) {
      PatchBlock& block = domains_.blocks[domains_.block_of[domains_.cells_of[at++]]];
      domains_.keys[block.last_key++] = key_of(edge, contact);
    });
  }

  const World& world_;
  const StepWorkspace& scratch_;
  std::uint32_t group_;
  PatchDomains& domains_;
  Vec3 up_;
  double spacing_ = 0;  // [m] mean distance of the centres of bodies that touch
  std::uint32_t cells_ = 0;
};

void cut_into_pieces(std::uint32_t block, PatchDomains& domains) {
  PatchBlock& whole = domains.blocks[block];
  whole.first_piece = count_of(domains.pieces);
  for (std::uint32_t key = whole.first_key; key < whole.last_key; key += kContactsPerPiece) {
    domains.pieces.push_back({block, key, std::min(key + kContactsPerPiece, whole.last_key)});
  }
  whole.last_piece = count_of(domains.pieces);
}

/// Every block has a place in its stage, from 0 to 1; pieces of a group by the places of their blocks.
void make_pieces(PatchDomains& domains) {
  constexpr std::uint64_t kWhole = std::uint64_t{1} << 20U;
  domains.pieces.clear();
  for (std::size_t group = 0; group + 1 < domains.group_start.size(); ++group) {
    domains.share_keys.clear();
    for (std::uint32_t stage = domains.group_start[group]; stage < domains.group_start[group + 1]; ++stage) {
      const std::uint32_t first = domains.stage_start[stage], last = domains.stage_start[stage + 1];
      for (std::uint32_t block = first; block < last; ++block) {
        domains.share_keys.push_back(kWhole * (block - first) / (last - first) << 32U | block);
      }
    }
    std::sort(domains.share_keys.begin(), domains.share_keys.end());
    for (const std::uint64_t key : domains.share_keys) cut_into_pieces(static_cast<std::uint32_t>(key), domains);
  }
}

bool is_known(const StepWorkspace& scratch, const PatchDomains& domains) {
  const PatchDomains::Known& known = domains.known;
  return known.cells == domains.cells && known.edges == scratch.edges && known.movable == scratch.movable &&
         known.height == scratch.shock->layers.height && known.cell_of == domains.cell_of;
}

void keep_known(const StepWorkspace& scratch, PatchDomains& domains) {
  PatchDomains::Known& known = domains.known;
  copy_to(domains.cells, known.cells);
  copy_to(scratch.edges, known.edges);
  copy_to(scratch.movable, known.movable);
  copy_to(scratch.shock->layers.height, known.height);
  copy_to(domains.cell_of, known.cell_of);
}

}  // namespace

void find_cells(const World& world, const StepWorkspace& scratch, PatchDomains& domains) {
  refill(domains.cell_of, world.bodies.size(), kNone);
  domains.cells.resize(scratch.groups.size());
  for (std::uint32_t group = 0; group < scratch.groups.size(); ++group) {
    domains.cells[group] = GroupCut(world, scratch, group, domains).find_cells();
  }
}

bool cut_domains(const World& world, const StepWorkspace& scratch, PatchDomains& domains) {
  if (is_known(scratch, domains)) return false;
  keep_known(scratch, domains);
  domains.keys.clear();
  domains.blocks.clear();
  domains.stage_start.clear();
  domains.group_start.clear();
  for (std::uint32_t group = 0; group < scratch.groups.size(); ++group) {
    domains.group_start.push_back(count_of(domains.stage_start));
    GroupCut(world, scratch, group, domains).make_blocks(domains.cells[group]);
  }
  domains.group_start.push_back(count_of(domains.stage_start));
  domains.stage_start.push_back(count_of(domains.blocks));
  make_pieces(domains);
  return true;
}

}  // namespace achilles
