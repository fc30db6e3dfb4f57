#include "solver/elimination/merge_parts.hpp"

#include "math/refill.hpp"

#include <algorithm>

namespace achilles {

bool has_parts(std::span<const Row> rows) {
  return std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.continues != 0; });
}

void PartMerge::merge(std::span<const Row> rows, const MatrixProblem& parts, MatrixProblem& merged) {
  constraint_of_.resize(rows.size());
  first_.clear();
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    if (rows[i].continues == 0) first_.push_back(i);
    constraint_of_[i] = static_cast<std::uint32_t>(first_.size() - 1);
  }
  first_.push_back(static_cast<std::uint32_t>(rows.size()));
  const std::size_t n = first_.size() - 1;
  merged.A.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  merged.b.resize(static_cast<Eigen::Index>(n));
  merged.rows.resize(n);
  refill<std::uint8_t>(marked_, n, 0);
  refill(column_, n, 0.0);
  for (std::uint32_t c = 0; c < n; ++c) {
    pattern_.clear();
    double b = 0;
    for (std::uint32_t p = first_[c]; p < first_[c + 1]; ++p) {
      b += parts.b[p];
      for (Eigen::SparseMatrix<double>::InnerIterator it(parts.A, p); it; ++it) {
        const std::uint32_t other = constraint_of_[static_cast<std::size_t>(it.row())];
        if (marked_[other] == 0) pattern_.push_back(other);
        marked_[other] = 1;
        column_[other] += it.value();
      }
    }
    std::sort(pattern_.begin(), pattern_.end());
    MatrixRow& row = merged.rows[c] = parts.rows[first_[c]];
    if (row.normal_row >= 0)
      row.normal_row = static_cast<std::int32_t>(constraint_of_[static_cast<std::size_t>(row.normal_row)]);
    row.diagonal = column_[c];
    merged.b[c] = b;
    merged.A.startVec(c);
    for (const std::uint32_t other : pattern_) {
      merged.A.insertBack(other, c) = column_[other];
      column_[other] = 0;
      marked_[other] = 0;
    }
  }
  merged.A.finalize();
}

void PartMerge::gather(std::span<const double> impulses, std::vector<double>& merged) const {
  merged.resize(first_.size() - 1);
  for (std::size_t c = 0; c < merged.size(); ++c) merged[c] = impulses[first_[c]];
}

void PartMerge::scatter(std::span<const double> merged, std::span<double> impulses) const {
  for (std::size_t i = 0; i < impulses.size(); ++i) impulses[i] = merged[constraint_of_[i]];
}

}  // namespace achilles
