// Scratch of `shock-propagation`.
#pragma once

#include "graph/layers.hpp"
#include "solver/patch/patch.hpp"

#include <achilles/math.hpp>

#include <array>
#include <cstdint>
#include <vector>

namespace achilles {

/// What a body needs of its supports, as an upward impulse and two level torques: G λ = need.
struct Load {
  Vec3 need = Vec3::Zero();   // [N s], [N m s]
  Mat3 gram = Mat3::Zero();   // G Gᵀ
  Vec3 share = Vec3::Zero();  // (G Gᵀ)⁻¹ need, once known
  bool is_known = false;
};

/// The rows of one joint: equalities first, then limits, motors and springs.
struct JointBlock {
  std::uint32_t first = 0;  // counted from the first row of the group
  std::uint32_t equalities = 0, count = 0;
  Eigen::Matrix<double, 6, 6> inverse = Eigen::Matrix<double, 6, 6>::Zero();  // of J M⁻¹ Jᵀ + Σ of the equalities
};

struct ShockWorkspace {
  std::vector<SupportEdge> support;  // contacts that touch
  StackLayers layers;
  std::vector<std::uint64_t> keys;                               // of one group: layer and contact
  std::vector<Patch> patches;                                    // group after group, layer after layer
  std::vector<std::uint32_t> patch_start;                        // per group, and one past the last
  std::vector<std::array<double, Patch::kPoints>> loads_before;  // per patch, of the last step [N s]
  std::vector<JointBlock> joint_blocks;                          // in the order of StepWorkspace::joint_rows
  std::vector<JointBlock> correction_blocks;
  std::vector<Load> loads;                   // per body
  std::vector<BodyInverseMass> translating;  // per body: the inverse mass of one that does not turn
  std::vector<BodyVelocity> displacement;    // per body [m], [rad]
};

}  // namespace achilles
