// The gradients of one part of an impact problem, in local coordinates: six numbers per movable body of the part.
//
// A column c stands for one row of the problem: J_c gives velocities, D_c = M⁻¹ J_cᵀ gives what a unit impulse does. As
// built, a column touches two bodies. Once equality constraints have been removed, every column has lost its component
// along them, [Vouga17, alg. 2, line 6], and touches the bodies of the constraints that it met; both are kept sparse,
// body by body. Inner products are those of the mass metric: ⟨n_i, n_j⟩ = J_i D_j.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "constraint/row.hpp"
#include "impact/mass_matrix.hpp"

namespace achilles {

using Vec6 = Eigen::Matrix<double, 6, 1>;

class GradientSet {
 public:
  static constexpr std::uint32_t kNone = kImmovable;

  void reset();
  void add_body(const Vec3& mass, const Mat3& inertia);
  /// Adds a row, mirrored if sign is −1, with its bodies in local numbers (kNone for what does not move).
  int add(const Row& row, double sign, std::uint32_t local_a, std::uint32_t local_b);

  [[nodiscard]] int count() const { return static_cast<int>(columns_.size()); }
  [[nodiscard]] int dimension() const { return dimension_; }
  [[nodiscard]] const MassMatrix& mass() const { return mass_; }
  [[nodiscard]] std::uint32_t body_a(int c) const { return columns_[c].a; }
  [[nodiscard]] std::uint32_t body_b(int c) const { return columns_[c].b; }
  /// Calls visit(body) for every body that a unit impulse moves.
  template <class Visit>
  void for_each_body(int c, const Visit& visit) const {
    if (!has_projected_) {
      if (columns_[c].a != kNone) visit(columns_[c].a);
      if (columns_[c].b != kNone) visit(columns_[c].b);
      return;
    }
    for (const Block& block : blocks_of(c)) visit(block.body);
  }

  /// Points of one face: rows of the same bodies along the same direction, which differ in their arms alone.
  [[nodiscard]] bool share_face(int c, int d) const;

  /// n_cᵀ x.
  [[nodiscard]] double velocity(int c, const double* x) const;
  /// x += s M⁻¹ n_c.
  void apply(int c, double s, double* x) const;
  /// The same with the column as it was before any equality was removed.
  void apply_original(int c, double s, double* x) const;
  [[nodiscard]] double velocity_original(int c, const double* x) const;
  /// ⟨n_i, n_j⟩.
  [[nodiscard]] double gram(int i, int j) const;
  [[nodiscard]] double gram_original(int i, int j) const;
  [[nodiscard]] double squared_norm(int c) const { return squared_norm_[c]; }
  [[nodiscard]] double squared_norm_original(int c) const { return columns_[c].squared_norm; }

  // Equality constraints, an orthonormal basis E of them in the mass metric.
  [[nodiscard]] int equalities() const { return equalities_; }
  /// Adds the combination Σ weights_k n_(columns_k), of the columns as they are now, to E, made orthogonal and of unit
  /// length. False when less than `least` of its length is new.
  bool add_equality(std::span<const int> columns, std::span<const double> weights, double least);
  /// Removes from every column its component along E. Call after the last add_equality of a round.
  void project_columns();
  /// Removes from x its component along E; returns the squared norm of what was removed.
  double project(double* x) const;
  /// Bytes that project_columns needs at most.
  [[nodiscard]] double dense_bytes() const { return 17.0 * dimension_ * count(); }

 private:
  struct Column {
    std::uint32_t a, b;
    Vec6 Ja, Jb, Da, Db;
    double squared_norm;
  };
  /// What a sparse vector does to one body; blocks of a vector ascend by body.
  struct Block {
    std::uint32_t body;
    Vec6 J, D;
  };
  /// A vector while it is changed: dense, zero outside the bodies that it touches.
  struct Accumulator {
    std::vector<double> D;
    std::vector<char> touched;
    std::vector<std::uint32_t> bodies;
  };

  [[nodiscard]] std::span<const Block> blocks_of(int c) const {
    return std::span(blocks_).subspan(block_begin_[c], block_begin_[c + 1] - block_begin_[c]);
  }
  [[nodiscard]] std::span<const Block> equality(int e) const {
    return std::span(equality_blocks_).subspan(equality_begin_[e], equality_begin_[e + 1] - equality_begin_[e]);
  }
  void touch(std::uint32_t body);
  /// The accumulator += s · column c as it is now.
  void accumulate(int c, double s);
  [[nodiscard]] double accumulated_norm() const;
  /// Removes from the accumulator its component along E.
  void orthogonalize();
  /// Appends the accumulator, times s, and empties it.
  void flush(double s, std::vector<Block>& blocks);

  MassMatrix mass_;
  int dimension_ = 0;
  int equalities_ = 0;
  int projected_ = 0;  // how many equalities the columns have lost
  bool has_projected_ = false;
  std::vector<Column> columns_;
  std::vector<double> squared_norm_;
  std::vector<Block> blocks_, next_blocks_;            // of the columns that have lost equalities
  std::vector<std::size_t> block_begin_, next_begin_;  // per column, and one past the last
  std::vector<Block> equality_blocks_;                 // basis of E
  std::vector<std::size_t> equality_begin_;
  Accumulator accumulator_;
};

}  // namespace achilles
