// Equalities eliminated: the problem that is left when joints hold exactly.
//
// With the rows ordered as equalities E (without bounds: joints, springs) and the others B (contacts, friction, limits,
// motors) the problem w = A λ + b, w_E = 0 becomes
//
//   S = A_BB − A_BE A_EE⁻¹ A_EB,   b_S = b_B − A_BE A_EE⁻¹ b_E,   λ_E = −A_EE⁻¹ (b_E + A_EB λ_B)
//
// with the bounds and cones of B unchanged. A contact of S feels the whole mechanism that it touches, not one link of
// it, so that few sweeps do where the rows of joints, nearly parallel, take thousands.
#pragma once

#include "solver/matrix_problem.hpp"
#include "solver/newton/block_lu.hpp"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace achilles {

/// The equalities of a problem, factored mechanism by mechanism: A_EE has one diagonal block per connected part of the
/// graph of joints, and each is sparse along its joints. Redundant equalities, as in closed loops, get impulses that
/// fulfil them all, by a small diagonal shift and refinement. Memory is kept from one problem to the next.
///
/// Cost: the factors, linear in the number of joints for chains and trees, and for a mechanism of e equalities that
/// couples with b other rows e b + b² operations times the few joints of a body.
class Elimination {
 public:
  /// Lists and factors the equalities of a problem, which must outlive the use of this object. False if it has none or
  /// their matrix is not finite.
  [[nodiscard]] bool start(const MatrixProblem& problem);
  /// S, b_S and the rows of B.
  void reduce(MatrixProblem& reduced);
  /// Of the impulses of all rows those of B.
  void restrict_to_rest(std::span<const double> impulses, std::vector<double>& rest) const;
  /// The impulses of all rows from those of B.
  void complete(std::span<const double> rest, std::span<double> impulses);

 private:
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  struct Mechanism {
    std::uint32_t first = 0, count = 0;  // in equalities_
    std::vector<std::uint32_t> coupled;  // rows of B that it couples with, places in rest_
    std::vector<std::uint32_t> blocks;   // first equality of each block, and one past the last
    std::vector<std::pair<std::uint32_t, std::uint32_t>> couplings;  // of blocks
    BlockLu lu;
    RowMatrix response;  // A_EE⁻¹ A_EB, one column per coupled row
    RowMatrix taken;     // A_BE A_EE⁻¹ A_EB
  };

  [[nodiscard]] bool is_equality(std::size_t row) const { return place_[row] < 0; }
  /// Place of an equality in equalities_.
  [[nodiscard]] std::uint32_t equality(std::size_t row) const { return static_cast<std::uint32_t>(-1 - place_[row]); }
  void list_rows();
  void list_mechanisms();
  void list_coupled_rows();
  void order_blocks(Mechanism& mechanism);
  [[nodiscard]] bool factor(Mechanism& mechanism);
  void respond(Mechanism& mechanism);
  void solve_equalities(std::span<const double> rhs, std::vector<double>& x);

  const MatrixProblem* problem_ = nullptr;
  std::vector<std::int32_t> place_;          // per row: place in rest_, or −1 − place in equalities_
  std::vector<std::uint32_t> equalities_;    // rows of E, mechanism after mechanism
  std::vector<std::uint32_t> mechanism_of_;  // per entry of equalities_
  std::vector<std::uint32_t> rest_;          // rows of B, in their order
  std::vector<std::uint32_t> parent_;        // disjoint sets of rows
  std::vector<Mechanism> mechanisms_;        // the first count_ are in use
  std::size_t count_ = 0;
  std::vector<std::uint32_t> coupled_start_, coupled_;  // mechanisms that each row of B couples with
  std::vector<std::uint32_t> found_, pattern_;
  std::vector<std::uint8_t> marked_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> couplings_;
  std::vector<std::uint32_t> blocks_, block_of_;
  std::vector<double> rhs_, x_, change_, column_;
};

}  // namespace achilles
