#include "methods/shock_propagation/joints.hpp"

#include "math/refill.hpp"
#include "methods/shock_propagation/joint_trees.hpp"
#include "methods/shock_propagation/small_inverse.hpp"
#include "solver/row_problem.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

std::uint32_t size_of(const auto& list) { return static_cast<std::uint32_t>(list.size()); }

double violation(const JointSweep& joints, std::uint32_t row, std::span<const BodyVelocity> u) {
  return row_velocity(joints.rows[row], u) + joints.rows[row].softness * joints.impulses[row] - joints.rows[row].target;
}

double solve_bounded(const JointSweep& joints, const JointBlock& block, std::span<BodyVelocity> u) {
  double largest = 0;
  for (std::uint32_t i = 0; i < block.bounded; ++i) {
    const Row& reduced = joints.reduced[block.first_reduced + i];
    if (!(reduced.diagonal > 0)) continue;
    const double* G = joints.factors.data() + block.first_factor + i * block.held;
    double& impulse = joints.impulses[block.row(block.held + i)];
    double r = row_velocity(reduced, u) + reduced.softness * impulse - reduced.target;
    for (std::uint32_t k = 0; k < block.held; ++k) {
      r -= G[k] * joints.rows[block.row(k)].softness * joints.impulses[block.row(k)];
    }
    const double next = std::clamp(impulse - r / reduced.diagonal, reduced.lower, reduced.upper);
    const double change = next - impulse;
    if (change == 0) continue;
    impulse = next;
    apply_impulse(reduced, change, u);
    for (std::uint32_t k = 0; k < block.held; ++k) joints.impulses[block.row(k)] -= G[k] * change;
    largest = std::max(largest, reduced.diagonal * std::abs(change));
  }
  return largest;
}

double solve_held(const JointSweep& joints, const JointBlock& block, std::span<BodyVelocity> u) {
  const double* H = joints.factors.data() + block.first_factor + block.bounded * block.held;
  std::array<double, JointState::kSlots> w;
  double largest = 0;
  for (std::uint32_t i = 0; i < block.held; ++i) {
    w[i] = violation(joints, block.row(i), u);
    largest = std::max(largest, std::abs(w[i]));
  }
  for (std::uint32_t i = 0; i < block.held; ++i) {
    double change = 0;
    for (std::uint32_t k = 0; k < block.held; ++k) change -= H[i * block.held + k] * w[k];
    apply_impulse(joints.rows[block.row(i)], change, u);
    joints.impulses[block.row(i)] += change;
  }
  return largest;
}

bool is_unbounded(const Row& row) { return std::isinf(row.lower) && std::isinf(row.upper); }

/// `rows` are those of the island, the block's `count` from `first` on.
JointBlock make_block(std::span<const Row> rows, std::uint32_t first, std::uint32_t count) {
  JointBlock block{.first = first};
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_unbounded(rows[first + i])) block.order[block.held++] = static_cast<std::uint8_t>(i);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    if (is_unbounded(rows[first + i])) continue;
    block.order[block.held + block.bounded++] = static_cast<std::uint8_t>(i);
  }
  return block;
}

/// The bounded row i of a block with the held rows by its side.
Row reduce(std::span<const Row> rows, const JointBlock& block, std::uint32_t i, const double* G) {
  Row reduced = rows[block.row(block.held + i)];
  for (std::uint32_t k = 0; k < block.held; ++k) {
    const Row& row = rows[block.row(k)];
    reduced.linear_a -= G[k] * row.linear_a;
    reduced.angular_a -= G[k] * row.angular_a;
    reduced.linear_b -= G[k] * row.linear_b;
    reduced.angular_b -= G[k] * row.angular_b;
    reduced.mass_linear_a -= G[k] * row.mass_linear_a;
    reduced.mass_angular_a -= G[k] * row.mass_angular_a;
    reduced.mass_linear_b -= G[k] * row.mass_linear_b;
    reduced.mass_angular_b -= G[k] * row.mass_angular_b;
    reduced.target -= G[k] * row.target;
    reduced.diagonal -= G[k] * row_coupling(rows[block.row(block.held + i)], row);
  }
  reduced.diagonal = std::max(reduced.diagonal, kRegularization * rows[block.row(block.held + i)].diagonal);
  return reduced;
}

/// G of a block, and H unless its joint is in a tree.
void factor_block(std::span<const Row> rows, JointBlock& block, ShockWorkspace& work) {
  constexpr int kMost = JointState::kSlots;
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kMost, kMost>;
  block.first_factor = size_of(work.joint_factors);
  block.first_reduced = size_of(work.reduced_rows);
  const std::uint32_t held = block.held;
  Matrix A(held, held), rest(held, block.bounded);
  for (std::uint32_t i = 0; i < held; ++i) {
    const Row& row = rows[block.row(i)];
    for (std::uint32_t j = 0; j < i; ++j) A(i, j) = A(j, i) = row_coupling(row, rows[block.row(j)]);
    A(i, i) = std::max(row.diagonal * (1 + kRegularization), kLeastDiagonal);
    for (std::uint32_t j = 0; j < block.bounded; ++j) rest(i, j) = row_coupling(row, rows[block.row(held + j)]);
  }
  invert_positive(A);
  const auto store = [&](const Matrix& part) {
    work.joint_factors.insert(work.joint_factors.end(), part.data(), part.data() + part.size());
  };
  store(A.lazyProduct(rest));
  if (!block.is_in_tree) store(A);
  for (std::uint32_t i = 0; i < block.bounded; ++i) {
    work.reduced_rows.push_back(reduce(rows, block, i, work.joint_factors.data() + block.first_factor + i * held));
  }
}

/// After the trees.
void factor_blocks(ShockWorkspace& work) {
  if (work.joint_blocks.empty()) return;
  for (std::size_t island = 0; island < work.islands.size(); ++island) {
    const std::span<const Row> rows = joints_of(work, island).rows;
    for (std::uint32_t k = work.joint_rows_start[island]; k < work.joint_rows_start[island + 1]; ++k) {
      JointBlock& block = work.joint_blocks[k];
      if (block.bounded > 0 || !block.is_in_tree) factor_block(rows, block, work);
    }
  }
}

}  // namespace

void build_joint_rows(World& world, double h, bool warm_start, ShockWorkspace& work) {
  const std::uint32_t contacts = size_of(work.contacts.contacts);
  work.rows.clear();
  work.impulses.clear();
  work.joint_rows.clear();
  work.row_start.clear();
  work.joint_rows_start.clear();
  work.coupling_rows.clear();
  work.coupling_rows_start.assign(work.islands.size() + 1, 0);  // couplings are refused
  work.joint_blocks.clear();
  work.joint_factors.clear();
  work.reduced_rows.clear();
  for (std::size_t island = 0; island < work.islands.size(); ++island) {
    work.row_start.push_back(size_of(work.rows));
    work.joint_rows_start.push_back(size_of(work.joint_rows));
    const std::size_t island_start = work.rows.size();
    for (const std::uint32_t edge : work.islands.edges_of(island)) {
      if (edge < contacts) continue;
      work.joint_rows.push_back(append_joint_rows(
          world, edge - contacts, {work.inverse_mass, work.velocity_before, world.bodies.velocity, world.time, h},
          island_start, work.rows, work.impulses));
      const JointRows& where = work.joint_rows.back();
      const std::span<const Row> rows = std::span<const Row>(work.rows).subspan(island_start);
      work.joint_blocks.push_back(make_block(rows, where.first, where.count));
      const WorldJoint& joint = world.joints[edge - contacts];
      work.constrained[joint.body_a] = 1;
      work.constrained[joint.body_b] = 1;
    }
  }
  work.row_start.push_back(size_of(work.rows));
  work.joint_rows_start.push_back(size_of(work.joint_rows));
  build_joint_trees(world.bodies.size(), work);
  factor_blocks(work);
  if (!warm_start) std::fill(work.impulses.begin(), work.impulses.end(), 0.0);
}

JointSweep joints_of(ShockWorkspace& work, std::size_t island) {
  const std::uint32_t first = work.row_start[island];
  const std::uint32_t count = work.row_start[island + 1] - first;
  const std::uint32_t block = work.joint_rows_start[island];
  const std::span<const std::uint32_t> nodes(work.joint_trees.start);
  return {std::span<const JointBlock>(work.joint_blocks).subspan(block, work.joint_rows_start[island + 1] - block),
          std::span<const Row>(work.rows).subspan(first, count),
          std::span(work.impulses).subspan(first, count),
          work.joint_factors,
          work.reduced_rows,
          std::span(work.joint_trees.nodes).subspan(nodes[island], nodes[island + 1] - nodes[island]),
          work.joint_trees.factors};
}

void apply_rows(const JointSweep& joints, std::span<BodyVelocity> u) {
  for (std::size_t k = 0; k < joints.rows.size(); ++k) apply_impulse(joints.rows[k], joints.impulses[k], u);
}

double sweep_joints(const JointSweep& joints, std::span<BodyVelocity> u, SweepDirection direction) {
  double largest = 0;
  for (std::size_t k = 0; k < joints.blocks.size(); ++k) {
    const std::size_t at = direction == SweepDirection::kUp ? k : joints.blocks.size() - 1 - k;
    const JointBlock& block = joints.blocks[at];
    largest = std::max(largest, solve_bounded(joints, block, u));
    if (!block.is_in_tree) largest = std::max(largest, solve_held(joints, block, u));
  }
  return std::max(largest, solve_trees(joints, u));
}

}  // namespace achilles
