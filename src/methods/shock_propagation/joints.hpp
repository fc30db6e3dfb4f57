// Joints of `shock-propagation`: rows that are swept together with the manifolds of their island.
#pragma once

#include "methods/shock_propagation/shock_workspace.hpp"
#include "solver/manifold/contact_manifold.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Rows of all joints, island after island, with the impulses of the last step where `warm_start` is true; marks the
/// bodies that joints tie. After island_contacts.
void build_joint_rows(World& world, double h, bool warm_start, ShockWorkspace& work);

/// The joints of one island.
struct JointSweep {
  std::span<const JointBlock> blocks;
  std::span<const Row> rows;
  std::span<double> impulses;
};
[[nodiscard]] JointSweep joints_of(ShockWorkspace& work, std::size_t island);

/// u += M⁻¹ Jᵀ λ with the impulses the rows have.
void apply_rows(const JointSweep& joints, std::span<BodyVelocity> u);

/// One sweep of projected Gauss-Seidel [Erleben04, fig. 6.10], the equalities of a joint solved together: the lever of
/// a pivot ties them so closely that one by one they would need many sweeps. Returns the largest violation that was
/// met [m/s].
double sweep_joints(const JointSweep& joints, std::span<BodyVelocity> u, SweepDirection direction);

}  // namespace achilles
