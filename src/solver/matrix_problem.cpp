#include "solver/matrix_problem.hpp"

#include "solver/access.hpp"

#include <algorithm>

namespace achilles {
namespace {

// Place of a body in scratch.bodies.
std::size_t place_of(std::uint32_t body, const AssembleWorkspace& scratch) {
  return static_cast<std::size_t>(std::lower_bound(scratch.bodies.begin(), scratch.bodies.end(), body) -
                                  scratch.bodies.begin());
}

// Rows of every movable body, in row order; a row whose two bodies are the same is listed once.
void list_rows_per_body(const RowProblem& problem, AssembleWorkspace& scratch) {
  scratch.bodies.clear();
  const auto for_each_body = [](const Row& row, auto&& use) {
    if (row.body_a != kImmovable) use(row.body_a);
    if (row.body_b != kImmovable && row.body_b != row.body_a) use(row.body_b);
  };
  for (const Row& row : problem.rows) {
    for_each_body(row, [&](std::uint32_t body) { scratch.bodies.push_back(body); });
  }
  std::sort(scratch.bodies.begin(), scratch.bodies.end());
  scratch.bodies.erase(std::unique(scratch.bodies.begin(), scratch.bodies.end()), scratch.bodies.end());
  scratch.body_start.assign(scratch.bodies.size() + 2, 0);
  for (const Row& row : problem.rows) {
    for_each_body(row, [&](std::uint32_t body) { ++scratch.body_start[place_of(body, scratch) + 2]; });
  }
  for (std::size_t k = 2; k < scratch.body_start.size(); ++k) scratch.body_start[k] += scratch.body_start[k - 1];
  scratch.body_rows.resize(scratch.body_start.back());
  for (std::size_t i = 0; i < problem.rows.size(); ++i) {
    for_each_body(problem.rows[i], [&](std::uint32_t body) {
      scratch.body_rows[scratch.body_start[place_of(body, scratch) + 1]++] = static_cast<std::uint32_t>(i);
    });
  }
}

// Rows that share a movable body with row i, and i itself, ascending.
void list_neighbours(const Row& row, std::uint32_t i, AssembleWorkspace& scratch) {
  std::vector<std::uint32_t>& out = scratch.neighbours;
  out.assign(1, i);
  for (const std::uint32_t body : {row.body_a, row.body_b}) {
    if (body == kImmovable) continue;
    const std::size_t place = place_of(body, scratch);
    out.insert(out.end(), scratch.body_rows.begin() + scratch.body_start[place],
               scratch.body_rows.begin() + scratch.body_start[place + 1]);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
}

}  // namespace

void assemble(const RowProblem& problem, AssembleWorkspace& scratch, MatrixProblem& matrix) {
  const std::size_t n = problem.rows.size();
  list_rows_per_body(problem, scratch);
  matrix.A.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  matrix.b.resize(static_cast<Eigen::Index>(n));
  matrix.rows.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Row& row = problem.rows[i];
    const auto column = static_cast<Eigen::Index>(i);
    matrix.rows[i] = {row.lower, row.upper, row.friction, row.diagonal, row.normal_row};
    matrix.b[column] = row_velocity(row, problem.velocities) - row.target;
    list_neighbours(row, i, scratch);
    matrix.A.startVec(column);
    for (const std::uint32_t j : scratch.neighbours) {
      const double entry = j == i ? row.diagonal : row_coupling(problem.rows[j], row);
      matrix.A.insertBack(static_cast<Eigen::Index>(j), column) = entry;
    }
  }
  matrix.A.finalize();
}

bool is_finite(const MatrixProblem& problem) {
  const double* const values = problem.A.valuePtr();
  return problem.b.allFinite() &&
         std::all_of(values, values + problem.A.nonZeros(), [](double value) { return std::isfinite(value); }) &&
         std::all_of(problem.rows.begin(), problem.rows.end(), [](const MatrixRow& row) {
           return row.lower <= row.upper && std::isfinite(row.friction) && std::isfinite(row.diagonal);
         });
}

double compute_residual(const MatrixProblem& problem, std::span<const double> impulses, std::span<double> w) {
  Eigen::Map<const Eigen::VectorXd> z(impulses.data(), static_cast<Eigen::Index>(impulses.size()));
  Eigen::Map<Eigen::VectorXd> velocities(w.data(), z.size());
  velocities = problem.b;
  velocities.noalias() += problem.A * z;
  return natural_map_residual(MatrixAccess(problem, w), impulses);
}

}  // namespace achilles
