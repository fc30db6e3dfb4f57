#include "methods/shock_propagation/joint_trees.hpp"

#include "math/refill.hpp"
#include "methods/shock_propagation/small_inverse.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
template <int Rows, int Columns>
using Small = Eigen::Matrix<double, Rows, Columns, Eigen::ColMajor, Rows == 6 ? 6 : JointState::kSlots,
                            Columns == 6 ? 6 : JointState::kSlots>;
using Columns6 = Small<6, Eigen::Dynamic>;
using Square = Small<Eigen::Dynamic, Eigen::Dynamic>;

/// The factors of a node with n rows.
struct NodeFactors {
  Eigen::Map<Columns6> Y;
  Eigen::Map<Columns6> B;  // Bᵀ
  Eigen::Map<Square> C;
  double* q;

  NodeFactors(std::span<double> factors, const JointNode& node, std::uint32_t n)
      : Y(factors.data() + node.first, 6, n),
        B(factors.data() + node.first + 6 * n, 6, n),
        C(factors.data() + node.first + 12 * n, n, n),
        q(factors.data() + node.first + 12 * n + n * n) {}
  static std::uint32_t size(std::uint32_t n) { return 13 * n + n * n; }
};

/// Grows the trees of one island.
class TreeBuilder {
 public:
  /// `rows` are those of the island.
  TreeBuilder(std::span<const Row> rows, std::span<JointBlock> blocks, JointTrees& trees)
      : rows_(rows), blocks_(blocks), trees_(trees), first_(trees.nodes.size()) {}

  void build() {
    list_ends();
    for (std::uint32_t k = 0; k < blocks_.size(); ++k) {
      if (is_usable(k) && has_one_end(k)) reach(other_end(k, kImmovable), JointNode::kNone, k);
    }
    grow();
    for (std::uint32_t k = 0; k < blocks_.size(); ++k) {
      if (!is_usable(k) || has_one_end(k)) continue;
      reach(first_row(k).body_a, JointNode::kNone, JointNode::kNone);
      grow();
    }
  }

 private:
  [[nodiscard]] const Row& first_row(std::uint32_t block) const { return rows_[blocks_[block].first]; }
  /// Rows without bounds that move something.
  [[nodiscard]] bool is_usable(std::uint32_t k) const {
    return blocks_[k].held > 0 && (first_row(k).body_a != kImmovable || first_row(k).body_b != kImmovable);
  }
  [[nodiscard]] bool has_one_end(std::uint32_t k) const {
    const Row& row = first_row(k);
    return row.body_a == kImmovable || row.body_b == kImmovable;
  }
  [[nodiscard]] std::uint32_t other_end(std::uint32_t k, std::uint32_t body) const {
    const Row& row = first_row(k);
    return row.body_a == body ? row.body_b : row.body_a;
  }

  /// The joints of each body.
  void list_ends() {
    const auto for_each_end = [&](const auto& visit) {
      for (std::uint32_t k = 0; k < blocks_.size(); ++k) {
        if (!is_usable(k) || has_one_end(k)) continue;
        visit(first_row(k).body_a, k);
        visit(first_row(k).body_b, k);
      }
    };
    std::vector<std::uint32_t>& first = trees_.first_end;
    for_each_end([&](std::uint32_t body, std::uint32_t) { ++first[body]; });
    std::uint32_t sum = 0;
    for_each_end([&](std::uint32_t body, std::uint32_t) {
      if (first[body] == 0 || trees_.reached[body] == 2) return;
      sum += first[body];
      first[body] = sum;
      trees_.reached[body] = 2;
    });
    trees_.ends.resize(sum);
    for_each_end([&](std::uint32_t body, std::uint32_t k) {
      trees_.reached[body] = 0;
      trees_.ends[--first[body]] = k;
    });
    count_of_ends_ = sum;
  }

  void reach(std::uint32_t body, std::uint32_t parent, std::uint32_t block) {
    if (trees_.reached[body] != 0) return;
    trees_.reached[body] = 1;
    JointNode& node = trees_.nodes.emplace_back();
    node.body = body;
    node.parent = parent;
    node.block = block;
    node.R.setZero();
    if (block == JointNode::kNone) return;
    blocks_[block].is_in_tree = true;
    node.is_b = first_row(block).body_b == body;
    node.first = static_cast<std::uint32_t>(trees_.factors.size());
    trees_.factors.resize(trees_.factors.size() + NodeFactors::size(blocks_[block].held));
    if (parent != JointNode::kNone) trees_.nodes[first_ + parent].is_leaf = false;
  }

  void grow() {
    for (; next_ < trees_.nodes.size() - first_; ++next_) {
      const std::uint32_t body = trees_.nodes[first_ + next_].body;
      // The joints of a body stand together.
      for (std::uint32_t e = trees_.first_end[body]; e < count_of_ends_; ++e) {
        const std::uint32_t k = trees_.ends[e];
        const Row& row = first_row(k);
        if (row.body_a != body && row.body_b != body) break;
        reach(other_end(k, body), next_, k);
      }
    }
  }

  std::span<const Row> rows_;
  std::span<JointBlock> blocks_;
  JointTrees& trees_;
  std::size_t first_;
  std::uint32_t next_ = 0, count_of_ends_ = 0;
};

Vector6 jacobian(const Row& row, bool of_b) {
  Vector6 J;
  if (of_b) {
    J << row.linear_b, row.angular_b;
  } else {
    J << row.linear_a, row.angular_a;
  }
  return J;
}

Matrix6 inverse_mass_of(const BodyInverseMass& m) {
  Matrix6 W = Matrix6::Zero();
  W.topLeftCorner<3, 3>() = m.linear.asDiagonal();
  W.bottomRightCorner<3, 3>() = m.angular;
  return W;
}

void factor(const JointSweep& joints, std::span<const BodyInverseMass> inverse_mass) {
  for (std::size_t i = joints.nodes.size(); i-- > 0;) {
    JointNode& node = joints.nodes[i];
    const Matrix6 W = inverse_mass_of(inverse_mass[node.body]);
    node.R = node.is_leaf ? W : Matrix6(W * (Matrix6::Identity() + node.R * W).inverse());
    if (node.block == JointNode::kNone) continue;
    const JointBlock& block = joints.blocks[node.block];
    NodeFactors factors(joints.tree_factors, node, block.held);
    Columns6 child(6, block.held), parent(6, block.held);  // Jᵀ
    for (std::uint32_t k = 0; k < block.held; ++k) {
      const Row& row = joints.rows[block.row(k)];
      child.col(k) = jacobian(row, node.is_b);
      parent.col(k) = jacobian(row, !node.is_b);
    }
    factors.Y = node.R.lazyProduct(child);
    factors.C = child.transpose().lazyProduct(factors.Y);
    for (std::uint32_t k = 0; k < block.held; ++k) {
      const double diagonal = factors.C(k, k) + joints.rows[block.row(k)].softness;
      factors.C(k, k) = std::max(diagonal * (1 + kRegularization), kLeastDiagonal);
    }
    invert_positive(factors.C);
    if (node.parent == JointNode::kNone) continue;
    factors.B = parent.lazyProduct(factors.C);
    joints.nodes[node.parent].R += parent.lazyProduct(factors.B.transpose());
  }
}

}  // namespace

void build_joint_trees(std::size_t bodies, ShockWorkspace& work) {
  JointTrees& trees = work.joint_trees;
  trees.nodes.clear();
  trees.start.clear();
  trees.factors.clear();
  if (work.joint_blocks.empty()) {
    trees.start.assign(work.islands.size() + 1, 0);
    return;
  }
  refill<std::uint8_t>(trees.reached, bodies, 0);
  refill(trees.first_end, bodies, 0U);
  for (std::size_t island = 0; island < work.islands.size(); ++island) {
    trees.start.push_back(static_cast<std::uint32_t>(trees.nodes.size()));
    const std::uint32_t first = work.joint_rows_start[island];
    const std::span<JointBlock> blocks =
        std::span(work.joint_blocks).subspan(first, work.joint_rows_start[island + 1] - first);
    if (blocks.empty()) continue;
    const std::uint32_t row = work.row_start[island];
    TreeBuilder(std::span<const Row>(work.rows).subspan(row), blocks, trees).build();
  }
  trees.start.push_back(static_cast<std::uint32_t>(trees.nodes.size()));
  for (std::size_t island = 0; island < work.islands.size(); ++island) {
    factor(joints_of(work, island), work.inverse_mass);
  }
}

double solve_trees(const JointSweep& joints, std::span<BodyVelocity> u) {
  double largest = 0;
  for (JointNode& node : joints.nodes) node.f.setZero();
  for (std::size_t i = joints.nodes.size(); i-- > 0;) {
    JointNode& node = joints.nodes[i];
    if (node.is_leaf) {
      node.v.setZero();
    } else {
      node.v.noalias() = node.R * node.f;
    }
    if (node.block == JointNode::kNone) continue;
    const JointBlock& block = joints.blocks[node.block];
    const std::uint32_t n = block.held;
    const NodeFactors factors(joints.tree_factors, node, n);
    std::array<double, JointState::kSlots> r;
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t at = block.row(k);
      const Row& row = joints.rows[at];
      const double w = row_velocity(row, u) + row.softness * joints.impulses[at] - row.target;
      largest = std::max(largest, std::abs(w));
      r[k] = node.is_leaf ? -w : -w - factors.Y.col(k).dot(node.f);
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      factors.q[k] = 0;
      for (std::uint32_t j = 0; j < n; ++j) factors.q[k] += factors.C(j, k) * r[j];
    }
    if (node.parent == JointNode::kNone) continue;
    Vector6& f = joints.nodes[node.parent].f;
    for (std::uint32_t k = 0; k < n; ++k) {
      const Row& row = joints.rows[block.row(k)];
      f.head<3>() += factors.q[k] * (node.is_b ? row.linear_a : row.linear_b);
      f.tail<3>() += factors.q[k] * (node.is_b ? row.angular_a : row.angular_b);
    }
  }
  for (JointNode& node : joints.nodes) {
    if (node.block != JointNode::kNone) {
      const JointBlock& block = joints.blocks[node.block];
      const NodeFactors factors(joints.tree_factors, node, block.held);
      for (std::uint32_t k = 0; k < block.held; ++k) {
        double change = factors.q[k];
        if (node.parent != JointNode::kNone) change -= factors.B.col(k).dot(joints.nodes[node.parent].v);
        joints.impulses[block.row(k)] += change;
        node.v += change * factors.Y.col(k);
      }
    }
    u[node.body].linear += node.v.head<3>();
    u[node.body].angular += node.v.tail<3>();
  }
  return largest;
}

}  // namespace achilles
