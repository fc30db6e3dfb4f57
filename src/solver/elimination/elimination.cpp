#include "solver/elimination/elimination.hpp"

#include "math/disjoint_sets.hpp"
#include "math/refill.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace achilles {
namespace {

using Column = Eigen::SparseMatrix<double>::InnerIterator;

// Of the diagonal: where a joint is given twice A_EE is singular, and this picks the smallest impulses that do.
constexpr double kShift = 1e-10;
constexpr int kRefinements = 2;

Column column_of(const MatrixProblem& problem, std::size_t row) {
  return Column(problem.A, static_cast<Eigen::Index>(row));
}

bool has_no_bounds(const MatrixRow& row) {
  return row.normal_row < 0 && row.diagonal > 0 && row.lower == -std::numeric_limits<double>::infinity() &&
         row.upper == std::numeric_limits<double>::infinity();
}

}  // namespace

bool Elimination::start(const MatrixProblem& problem) {
  problem_ = &problem;
  list_rows();
  if (count_ == 0) return false;
  list_coupled_rows();
  for (std::size_t k = 0; k < count_; ++k) {
    order_blocks(mechanisms_[k]);
    if (!factor(mechanisms_[k])) return false;
    respond(mechanisms_[k]);
    if (!mechanisms_[k].taken.allFinite()) return false;
  }
  return true;
}

void Elimination::list_rows() {
  const std::size_t n = problem_->size();
  place_.resize(n);
  parent_.resize(n);
  std::iota(parent_.begin(), parent_.end(), 0U);
  rest_.clear();
  found_.clear();
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool is_one = has_no_bounds(problem_->rows[i]);
    place_[i] = is_one ? -1 : static_cast<std::int32_t>(rest_.size());
    (is_one ? found_ : rest_).push_back(i);
  }
  for (const std::uint32_t i : found_) {
    for (Column it = column_of(*problem_, i); it; ++it) {
      if (is_equality(static_cast<std::size_t>(it.row()))) join_sets(parent_, i, static_cast<std::uint32_t>(it.row()));
    }
  }
  list_mechanisms();
}

// Equalities sorted by mechanism; these in the order of their first rows.
void Elimination::list_mechanisms() {
  count_ = 0;
  mechanism_of_.resize(found_.size());
  for (std::size_t k = 0; k < found_.size(); ++k) {
    const std::uint32_t root = find_root(parent_, found_[k]);
    if (root == found_[k]) {
      if (mechanisms_.size() == count_) mechanisms_.emplace_back();
      mechanisms_[count_].count = 0;
      place_[root] = -1 - static_cast<std::int32_t>(count_++);  // until all are counted
    }
    mechanism_of_[k] = static_cast<std::uint32_t>(-1 - place_[root]);
    ++mechanisms_[mechanism_of_[k]].count;
  }
  std::uint32_t first = 0;
  for (std::size_t k = 0; k < count_; ++k) {
    mechanisms_[k].first = first;
    first += mechanisms_[k].count;
    mechanisms_[k].count = 0;
  }
  equalities_.resize(found_.size());
  for (std::size_t k = 0; k < found_.size(); ++k) {
    Mechanism& mechanism = mechanisms_[mechanism_of_[k]];
    const std::uint32_t place = mechanism.first + mechanism.count++;
    equalities_[place] = found_[k];
    place_[found_[k]] = -1 - static_cast<std::int32_t>(place);
  }
  for (std::size_t k = 0; k < count_; ++k) {
    std::fill_n(mechanism_of_.begin() + mechanisms_[k].first, mechanisms_[k].count, static_cast<std::uint32_t>(k));
  }
}

void Elimination::list_coupled_rows() {
  refill<std::uint8_t>(marked_, rest_.size(), 0);
  refill(coupled_start_, rest_.size() + 2, 0U);
  for (std::size_t k = 0; k < count_; ++k) {
    Mechanism& mechanism = mechanisms_[k];
    mechanism.coupled.clear();
    for (std::uint32_t e = mechanism.first; e < mechanism.first + mechanism.count; ++e) {
      for (Column it = column_of(*problem_, equalities_[e]); it; ++it) {
        const std::int32_t place = place_[static_cast<std::size_t>(it.row())];
        if (place < 0 || marked_[static_cast<std::size_t>(place)] != 0) continue;
        marked_[static_cast<std::size_t>(place)] = 1;
        mechanism.coupled.push_back(static_cast<std::uint32_t>(place));
      }
    }
    std::sort(mechanism.coupled.begin(), mechanism.coupled.end());
    for (const std::uint32_t place : mechanism.coupled) {
      marked_[place] = 0;
      ++coupled_start_[place + 2];
    }
  }
  for (std::size_t k = 2; k < coupled_start_.size(); ++k) coupled_start_[k] += coupled_start_[k - 1];
  coupled_.resize(coupled_start_.back());
  for (std::uint32_t k = 0; k < count_; ++k) {
    for (const std::uint32_t place : mechanisms_[k].coupled) coupled_[coupled_start_[place + 1]++] = k;
  }
}

// Neighbours that couple with the same rows, as those of one joint do, are a block.
void Elimination::order_blocks(Mechanism& mechanism) {
  const auto *const start = problem_->A.outerIndexPtr(), *const rows = problem_->A.innerIndexPtr();
  const auto couple_alike = [&](std::uint32_t i, std::uint32_t j) {
    return std::equal(rows + start[i], rows + start[i + 1], rows + start[j], rows + start[j + 1]);
  };
  blocks_.clear();
  block_of_.resize(mechanism.count);
  for (std::uint32_t e = 0; e < mechanism.count; ++e) {
    const std::uint32_t row = equalities_[mechanism.first + e];
    const bool joins =
        e > 0 && e - blocks_.back() < BlockLu::kLargest && couple_alike(equalities_[mechanism.first + e - 1], row);
    if (!joins) blocks_.push_back(e);
    block_of_[e] = static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  blocks_.push_back(mechanism.count);
  couplings_.clear();
  for (std::uint32_t e = 0; e < mechanism.count; ++e) {
    for (Column it = column_of(*problem_, equalities_[mechanism.first + e]); it; ++it) {
      const auto row = static_cast<std::size_t>(it.row());
      if (!is_equality(row)) continue;
      const std::pair one(block_of_[equality(row) - mechanism.first], block_of_[e]);
      if (one.first < one.second && (couplings_.empty() || couplings_.back() != one)) couplings_.push_back(one);
    }
  }
  // The order of elimination depends on the pattern alone, which a mechanism keeps from step to step.
  if (blocks_ == mechanism.blocks && couplings_ == mechanism.couplings) return;
  mechanism.blocks = blocks_;
  mechanism.couplings = couplings_;
  mechanism.lu.analyze(blocks_, couplings_);
}

bool Elimination::factor(Mechanism& mechanism) {
  mechanism.lu.clear();
  for (std::uint32_t e = 0; e < mechanism.count; ++e) {
    for (Column it = column_of(*problem_, equalities_[mechanism.first + e]); it; ++it) {
      const auto row = static_cast<std::size_t>(it.row());
      if (!is_equality(row)) continue;
      const std::uint32_t other = equality(row) - mechanism.first;
      mechanism.lu.at(other, e) = other == e ? (1 + kShift) * it.value() : it.value();
    }
  }
  return mechanism.lu.factor();
}

// What the mechanism gives way by to an impulse of each row of B, and what that takes from the others' velocities.
void Elimination::respond(Mechanism& mechanism) {
  const auto width = static_cast<Eigen::Index>(mechanism.coupled.size());
  mechanism.response.resize(mechanism.count, width);
  mechanism.taken.setZero(width, width);
  for (Eigen::Index k = 0; k < width; ++k) {
    refill(x_, mechanism.count, 0.0);
    for (Column it = column_of(*problem_, rest_[mechanism.coupled[static_cast<std::size_t>(k)]]); it; ++it) {
      const auto row = static_cast<std::size_t>(it.row());
      if (!is_equality(row)) continue;
      const std::uint32_t e = equality(row) - mechanism.first;
      if (e < mechanism.count) x_[e] = it.value();
    }
    mechanism.lu.solve(x_);
    for (std::uint32_t e = 0; e < mechanism.count; ++e) mechanism.response(e, k) = x_[e];
  }
  for (Eigen::Index k = 0; k < width; ++k) {
    for (Column it = column_of(*problem_, rest_[mechanism.coupled[static_cast<std::size_t>(k)]]); it; ++it) {
      const auto row = static_cast<std::size_t>(it.row());
      if (!is_equality(row)) continue;
      const std::uint32_t e = equality(row) - mechanism.first;
      if (e < mechanism.count) mechanism.taken.row(k) += it.value() * mechanism.response.row(e);
    }
  }
}

// A_EE x = rhs, over equalities_.
void Elimination::solve_equalities(std::span<const double> rhs, std::vector<double>& x) {
  copy_to(rhs, x);
  const auto solve_all = [&](std::vector<double>& y) {
    for (std::size_t k = 0; k < count_; ++k) {
      mechanisms_[k].lu.solve(std::span(y).subspan(mechanisms_[k].first, mechanisms_[k].count));
    }
  };
  solve_all(x);
  for (int k = 0; k < kRefinements; ++k) {
    copy_to(rhs, change_);
    for (std::size_t e = 0; e < x.size(); ++e) {
      for (Column it = column_of(*problem_, equalities_[e]); it; ++it) {
        const auto row = static_cast<std::size_t>(it.row());
        if (is_equality(row)) change_[equality(row)] -= it.value() * x[e];
      }
    }
    solve_all(change_);
    for (std::size_t e = 0; e < x.size(); ++e) x[e] += change_[e];
  }
}

void Elimination::reduce(MatrixProblem& reduced) {
  // A row that the mechanism takes all freedom from keeps this share of its mobility, far above rounding.
  constexpr double kLeast = 1e-9;
  const auto n = static_cast<Eigen::Index>(rest_.size());
  reduced.A.resize(n, n);
  reduced.b.resize(n);
  reduced.rows.resize(rest_.size());
  rhs_.resize(equalities_.size());
  for (std::size_t e = 0; e < equalities_.size(); ++e) rhs_[e] = problem_->b[equalities_[e]];
  solve_equalities(rhs_, x_);
  refill<std::uint8_t>(marked_, rest_.size(), 0);
  refill(column_, rest_.size(), 0.0);
  for (std::size_t j = 0; j < rest_.size(); ++j) {
    MatrixRow& row = reduced.rows[j] = problem_->rows[rest_[j]];
    if (row.normal_row >= 0) row.normal_row = place_[static_cast<std::size_t>(row.normal_row)];
    double b = problem_->b[rest_[j]];
    pattern_.clear();
    const auto add = [&](std::uint32_t i, double value) {
      if (marked_[i] == 0) pattern_.push_back(i);
      marked_[i] = 1;
      column_[i] += value;
    };
    for (Column it = column_of(*problem_, rest_[j]); it; ++it) {
      const auto other = static_cast<std::size_t>(it.row());
      if (is_equality(other)) {
        b -= it.value() * x_[equality(other)];
      } else {
        add(static_cast<std::uint32_t>(place_[other]), it.value());
      }
    }
    for (std::uint32_t k = coupled_start_[j]; k < coupled_start_[j + 1]; ++k) {
      const Mechanism& mechanism = mechanisms_[coupled_[k]];
      const auto found = std::lower_bound(mechanism.coupled.begin(), mechanism.coupled.end(), j);
      const auto at = static_cast<Eigen::Index>(found - mechanism.coupled.begin());
      for (std::size_t i = 0; i < mechanism.coupled.size(); ++i) {
        add(mechanism.coupled[i], -mechanism.taken(static_cast<Eigen::Index>(i), at));
      }
    }
    std::sort(pattern_.begin(), pattern_.end());
    column_[j] = std::max(column_[j], kLeast * row.diagonal);
    row.diagonal = column_[j];
    reduced.b[static_cast<Eigen::Index>(j)] = b;
    reduced.A.startVec(static_cast<Eigen::Index>(j));
    for (const std::uint32_t i : pattern_) {
      reduced.A.insertBack(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = column_[i];
      column_[i] = 0;
      marked_[i] = 0;
    }
  }
  reduced.A.finalize();
}

void Elimination::restrict_to_rest(std::span<const double> impulses, std::vector<double>& rest) const {
  rest.resize(rest_.size());
  for (std::size_t j = 0; j < rest_.size(); ++j) rest[j] = impulses[rest_[j]];
}

void Elimination::complete(std::span<const double> rest, std::span<double> impulses) {
  for (std::size_t e = 0; e < equalities_.size(); ++e) {
    double w = problem_->b[equalities_[e]];
    for (Column it = column_of(*problem_, equalities_[e]); it; ++it) {
      const auto row = static_cast<std::size_t>(it.row());
      if (!is_equality(row)) w += it.value() * rest[static_cast<std::size_t>(place_[row])];
    }
    rhs_[e] = -w;
  }
  solve_equalities(rhs_, x_);
  for (std::size_t e = 0; e < equalities_.size(); ++e) impulses[equalities_[e]] = x_[e];
  for (std::size_t j = 0; j < rest_.size(); ++j) impulses[rest_[j]] = rest[j];
}

}  // namespace achilles
