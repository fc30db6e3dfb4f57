// Joints of `shock-propagation`: rows that are swept together with the manifolds of their island.
//
// With A = J M⁻¹ Jᵀ + Σ and w = J u + Σ λ − target, the rows h of a joint that have no bounds — rigid and compliant
// equalities, springs, drives of any strength, rotors — are held while a bounded row b is solved: a limit, motor,
// friction or drive of limited strength.
//
//   G = A_hh⁻¹ A_hb,  r = w_b − Gᵀ w_h,  S = A_bb − A_bh G
//   λ_b ← clamp(λ_b − r / S),  λ_h ← λ_h − G δ_b
//
// An impulse of a bounded row so comes with those that keep the joint together and its rotor at the rate of the links:
// the row alone would move light links away from both. r and S are those of the reduced row J_b − Gᵀ J_h. Then the rows
// without bounds follow, those of a tree of joints at once (joint_trees.hpp), those of a joint that closes a loop by
// H = A_hh⁻¹. All this is descent of the objective of the island along blocks, as sweeps over single rows are.
#pragma once

#include "methods/shock_propagation/shock_workspace.hpp"
#include "solver/manifold/contact_manifold.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

// Of the diagonal, and the least [1/kg]: what locked bodies leave singular stays solvable.
inline constexpr double kRegularization = 1e-10, kLeastDiagonal = 1e-12;

/// Rows of all joints, island after island, with the impulses of the last step where `warm_start` is true; marks the
/// bodies that joints tie. After island_contacts.
void build_joint_rows(World& world, double h, bool warm_start, ShockWorkspace& work);

/// The joints of one island.
struct JointSweep {
  std::span<const JointBlock> blocks;
  std::span<const Row> rows;
  std::span<double> impulses;
  std::span<const double> factors;  // ShockWorkspace::joint_factors
  std::span<const Row> reduced;     // ShockWorkspace::reduced_rows
  std::span<JointNode> nodes;       // of the trees
  std::span<double> tree_factors;   // JointTrees::factors
};
[[nodiscard]] JointSweep joints_of(ShockWorkspace& work, std::size_t island);

/// u += M⁻¹ Jᵀ λ with the impulses the rows have.
void apply_rows(const JointSweep& joints, std::span<BodyVelocity> u);

/// One sweep of projected Gauss-Seidel over the blocks of rows [Erleben04, fig. 6.10]. Returns the largest violation
/// that was met [m/s].
double sweep_joints(const JointSweep& joints, std::span<BodyVelocity> u, SweepDirection direction);

}  // namespace achilles
