// What a sweep visits when it does more than run down the rows: boxes, friction pairs and whole contacts, in any order.
#pragma once

#include "solver/iterative/contact_block.hpp"
#include "solver/iterative/packed_rows.hpp"
#include "solver/iterative/residual_history.hpp"
#include "solver/iterative/sweep.hpp"

#include <cstdint>
#include <vector>

namespace achilles {

enum class SweepOrder {
  kForward,      // rows in their order
  kSymmetric,    // forward, then backward, in turn
  kShuffled,     // a new random order every sweep, from the seed
  kLargestFirst  // by decreasing change in the last sweep [Erleben04, sec. 6.1.2]
};

/// A box row, a friction pair, or a contact: a unilateral normal row directly followed by its friction pair.
struct SweepUnit {
  enum class Kind : std::uint8_t { kBox, kPair, kContact };
  Kind kind = Kind::kBox;
  std::uint32_t row = 0;
  std::uint32_t block = 0;  // of a pair or contact, in the list of its kind
  double change = 0;        // [m/s] natural-map entry removed by the last update
};

struct IterativeWorkspace {
  std::vector<SweepUnit> units;
  std::vector<PairBlock> pairs;
  std::vector<ContactBlock> contacts;
  PackedRows packed;
  std::vector<double> w;       // velocities per row, for assembled problems
  std::vector<double> before;  // impulses before a sweep
  std::vector<double> best;    // impulses after the sweep that changed least
  std::vector<double> direction;
  std::vector<double> scale;  // per row, what Jacobi divides by
  std::vector<std::uint32_t> counts;
  ResidualHistory history;
};

/// Is row i the normal row of a contact that can be solved as one 3×3 block?
template <class Access>
[[nodiscard]] bool is_contact(const Access& problem, std::size_t i) {
  if (i + 2 >= problem.size()) return false;
  const auto& normal = problem.row(i);
  return normal.normal_row < 0 && normal.lower == 0 && normal.upper == std::numeric_limits<double>::infinity() &&
         normal.diagonal > 0 && problem.row(i + 1).normal_row == static_cast<std::int32_t>(i);
}

template <class Access>
[[nodiscard]] Mat3 contact_matrix(const Access& problem, std::size_t i) {
  const double n1 = problem.coupling(i, i + 1), n2 = problem.coupling(i, i + 2), t12 = problem.coupling(i + 1, i + 2);
  Mat3 B;
  B << problem.row(i).diagonal, n1, n2, n1, problem.row(i + 1).diagonal, t12, n2, t12, problem.row(i + 2).diagonal;
  return B;
}

template <class Access>
void list_units(const Access& problem, bool block_contacts, IterativeWorkspace& scratch) {
  scratch.units.clear();
  scratch.pairs.clear();
  scratch.contacts.clear();
  for (std::size_t i = 0; i < problem.size(); ++i) {
    SweepUnit unit;
    unit.row = static_cast<std::uint32_t>(i);
    if (problem.row(i).normal_row >= 0) {
      unit.kind = SweepUnit::Kind::kPair;
      unit.block = static_cast<std::uint32_t>(scratch.pairs.size());
      scratch.pairs.push_back(pair_block(problem, i));
      ++i;
    } else if (block_contacts && is_contact(problem, i)) {
      unit.kind = SweepUnit::Kind::kContact;
      unit.block = static_cast<std::uint32_t>(scratch.contacts.size());
      scratch.contacts.push_back(make_contact_block(contact_matrix(problem, i)));
      i += 2;
    }
    scratch.units.push_back(unit);
  }
}

template <class Access>
double update_contact(Access& problem, std::size_t i, ContactBlock& block, double relaxation,
                      std::span<double> impulses) {
  const Vec3 old(impulses[i], impulses[i + 1], impulses[i + 2]);
  const Vec3 w(problem.velocity(i, old[0]), problem.velocity(i + 1, old[1]), problem.velocity(i + 2, old[2]));
  const double friction = problem.row(i + 1).friction;
  Vec3 next = solve_contact(block, w - block.B * old, friction);
  if (relaxation != 1) {
    next = old + relaxation * (next - old);
    next[0] = std::max(next[0], 0.0);
    const double length = next.tail<2>().norm();
    if (length > friction * next[0]) next.tail<2>() *= friction * next[0] / length;
  }
  const Vec3 delta = next - old;
  for (int k = 0; k < 3; ++k) {
    impulses[i + static_cast<std::size_t>(k)] = next[k];
    if (delta[k] != 0) problem.apply(i + static_cast<std::size_t>(k), delta[k]);
  }
  return delta.norm() * block.B.diagonal().maxCoeff();
}

template <class Access>
double update_unit(Access& problem, SweepUnit& unit, IterativeWorkspace& scratch, double relaxation,
                   std::span<double> impulses) {
  switch (unit.kind) {
    case SweepUnit::Kind::kBox:
      unit.change = update_box(problem, unit.row, relaxation, impulses);
      break;
    case SweepUnit::Kind::kPair:
      unit.change = update_pair(problem, unit.row, scratch.pairs[unit.block], relaxation, impulses);
      break;
    case SweepUnit::Kind::kContact:
      unit.change = update_contact(problem, unit.row, scratch.contacts[unit.block], relaxation, impulses);
      break;
  }
  return unit.change;
}

/// Steele's splitmix64: the order of a shuffle must not depend on the standard library.
class SmallRandom {
 public:
  explicit SmallRandom(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::size_t below(std::size_t bound) {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return static_cast<std::size_t>((z ^ (z >> 31)) % bound);
  }

 private:
  std::uint64_t state_;
};

/// Puts the units in the order of the next sweep. Ties of kLargestFirst keep row order, so that runs repeat.
inline void order_units(SweepOrder order, SmallRandom& random, std::vector<SweepUnit>& units) {
  if (order == SweepOrder::kSymmetric) {
    std::reverse(units.begin(), units.end());
  } else if (order == SweepOrder::kShuffled) {
    for (std::size_t k = units.size(); k > 1; --k) std::swap(units[k - 1], units[random.below(k)]);
  } else if (order == SweepOrder::kLargestFirst) {
    std::sort(units.begin(), units.end(), [](const SweepUnit& a, const SweepUnit& b) {
      return a.change != b.change ? a.change > b.change : a.row < b.row;
    });
  }
}

template <class Access>
double sweep_units(Access& problem, double relaxation, IterativeWorkspace& scratch, std::span<double> impulses) {
  double largest = 0;
  for (SweepUnit& unit : scratch.units) {
    keep_largest(largest, update_unit(problem, unit, scratch, relaxation, impulses));
  }
  return largest;
}

}  // namespace achilles
