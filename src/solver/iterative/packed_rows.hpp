// Rows repacked for many sweeps over them.
//
// With M⁻¹ = L Lᵀ per body and J̃ = J L, bodies are described by ũ = Σ J̃ᵀ λ and a row needs J̃ alone:
//
//   u = u* + L ũ,   w = J̃ ũ + Σ λ + c,   c = J u* − target,   A = J̃ J̃ᵀ + Σ
//
// where J and M⁻¹ Jᵀ are two arrays of twelve numbers [Erleben04, fig. 6.10]: half the memory per row, and no body that
// does not move is ever touched.
#pragma once

#include "solver/matrix_problem.hpp"
#include "solver/row_problem.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

using Vec6 = Eigen::Matrix<double, 6, 1>;

/// What kernels read of one row; names as in Row.
struct PackedRow {
  Vec6 a, b;     // J̃
  double c = 0;  // [m/s]
  double softness = 0, lower = 0, upper = 0, diagonal = 0, friction = 0;
  std::int32_t normal_row = -1;
  std::uint32_t body_a = 0, body_b = 0;  // slots; kImmovable: none
};

class PackedRows {
 public:
  /// Packs rows whose problem has inverse masses; ũ = 0. O(rows + bodies of the rows), allocates only while growing.
  void pack(const RowProblem& problem);
  /// u* + L ũ into the velocities of the problem.
  void unpack(const RowProblem& problem) const;

  [[nodiscard]] std::span<const PackedRow> rows() const { return rows_; }
  [[nodiscard]] std::span<Vec6> bodies() { return bodies_; }

 private:
  // A factor L of one body's inverse mass: square roots of the linear part, lower triangle of the angular part.
  struct Factor {
    Vec3 linear = Vec3::Zero();
    Mat3 angular = Mat3::Zero();
  };
  [[nodiscard]] static Factor factor(const BodyInverseMass& inverse_mass);
  [[nodiscard]] std::uint32_t slot_of(std::uint32_t body, const RowProblem& problem);

  std::vector<PackedRow> rows_;
  std::vector<Vec6> bodies_;            // ũ of each slot
  std::vector<Factor> factors_;         // of each slot
  std::vector<std::uint32_t> body_of_;  // of each slot
  std::vector<std::uint32_t> slot_;     // of each body of the world, kImmovable between calls
};

/// Access (access.hpp) to packed rows.
class PackedAccess {
 public:
  explicit PackedAccess(PackedRows& packed) : rows_(packed.rows()), bodies_(packed.bodies()) {}

  [[nodiscard]] std::size_t size() const { return rows_.size(); }
  [[nodiscard]] const PackedRow& row(std::size_t i) const { return rows_[i]; }
  [[nodiscard]] double velocity(std::size_t i, double impulse) const {
    const PackedRow& row = rows_[i];
    double w = row.c + row.softness * impulse;
    if (row.body_a != kImmovable) w += row.a.dot(bodies_[row.body_a]);
    if (row.body_b != kImmovable) w += row.b.dot(bodies_[row.body_b]);
    return w;
  }
  void apply(std::size_t i, double delta) {
    const PackedRow& row = rows_[i];
    if (row.body_a != kImmovable) bodies_[row.body_a] += delta * row.a;
    if (row.body_b != kImmovable) bodies_[row.body_b] += delta * row.b;
  }
  [[nodiscard]] double coupling(std::size_t i, std::size_t j) const {
    const PackedRow &p = rows_[i], &q = rows_[j];
    double sum = 0;
    if (p.body_a != kImmovable && p.body_a == q.body_a) sum += p.a.dot(q.a);
    if (p.body_a != kImmovable && p.body_a == q.body_b) sum += p.a.dot(q.b);
    if (p.body_b != kImmovable && p.body_b == q.body_a) sum += p.b.dot(q.a);
    if (p.body_b != kImmovable && p.body_b == q.body_b) sum += p.b.dot(q.b);
    return sum;
  }

 private:
  std::span<const PackedRow> rows_;
  std::span<Vec6> bodies_;
};

}  // namespace achilles
