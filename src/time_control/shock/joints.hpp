// Joints of `shock-propagation`: rows that are swept together with the patches of their group.
#pragma once

#include "solver/patch/patch.hpp"
#include "time_control/shock/shock_workspace.hpp"
#include "time_control/step_workspace.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Rows of all joints, group after group, with the impulses of the last step where `warm_start` says so; marks the
/// bodies that joints tie. After group_contacts.
void build_joint_rows(World& world, double h, bool warm_start, StepWorkspace& scratch);

/// The joints of one group.
struct JointSweep {
  std::span<const JointBlock> blocks;
  std::span<const Row> rows;
  std::span<double> impulses;
};
[[nodiscard]] JointSweep joints_of(StepWorkspace& scratch, std::size_t group);

/// u += M⁻¹ Jᵀ λ with the impulses the rows have.
void apply_rows(const JointSweep& joints, std::span<BodyVelocity> u);

/// One sweep of projected Gauss-Seidel [Erleben04, fig. 6.10], the equalities of a joint solved together: the lever of
/// a pivot ties them so closely that one by one they would need many sweeps. Returns the largest violation that was
/// met [m/s].
double sweep_joints(const JointSweep& joints, std::span<BodyVelocity> u, SweepDirection direction);

/// Displacements that take the errors of all joints out of the present pose, by `sweeps` sweeps at most.
void correct_joints(World& world, int sweeps, StepWorkspace& scratch);

}  // namespace achilles
