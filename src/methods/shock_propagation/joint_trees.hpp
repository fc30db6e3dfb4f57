// Trees of joints of `shock-propagation`: the rows without bounds of all joints of a tree are solved at once, in time
// that is linear in the joints, [Baraff96].
//
// A node is a body c with the joint to its parent p, w + J_c δu_c + J_p δu_p + Σ δλ = 0, and K is what its own children
// add to its mass. From the leaves to the root
//
//   R = (M_c + K)⁻¹ = M⁻¹ (1 + K M⁻¹)⁻¹,  Y = R J_cᵀ,  C = (J_c Y + Σ)⁻¹,  B = C J_p,  K_p += J_pᵀ B
//   q = −C (w + Yᵀ f),  f_p += J_pᵀ q
//
// and from the root to the leaves
//
//   δλ = q − B δu_p,  δu_c = R f + Y δλ
//
// K stays below the mass of the subtree, whatever the rows. Joints that close loops are not in a tree; trees grow
// breadth first from bodies that no impulse moves, so that a bridge is cut in its middle.
#pragma once

#include "methods/shock_propagation/joints.hpp"
#include "methods/shock_propagation/shock_workspace.hpp"

#include <cstddef>
#include <span>

namespace achilles {

/// Lists the trees of all islands, marks the blocks in them, and computes the factors. After the blocks.
void build_joint_trees(std::size_t bodies, ShockWorkspace& work);

/// Solves the rows without bounds of all trees of an island. Returns the largest violation that was met [m/s].
double solve_trees(const JointSweep& joints, std::span<BodyVelocity> u);

}  // namespace achilles
