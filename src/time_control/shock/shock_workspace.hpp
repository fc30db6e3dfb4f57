// Scratch of `shock-propagation`.
#pragma once

#include "graph/layers.hpp"
#include "solver/patch/patch.hpp"
#include "time_control/shock/domains.hpp"

#include <achilles/math.hpp>

#include <bit>
#include <cstdint>
#include <vector>

namespace achilles {

/// What a body needs of its supports, as an upward impulse and two level torques: G λ = need.
struct Load {
  Vec3 need = Vec3::Zero();   // [N s], [N m s]
  Mat3 gram = Mat3::Zero();   // G Gᵀ
  Vec3 share = Vec3::Zero();  // (G Gᵀ)⁻¹ need, once known
  double given = 0;           // [N s] upwards
  bool is_known = false;
  std::uint64_t weighing = 0;  // which of the workspace it was weighed in
};

/// What the weights above ask of a patch.
struct PatchPush {
  Vec3 push = Vec3::Zero();  // on b, by normal impulse; zero where it carries nothing
  Patch::Lane normal = {};   // [N s] more than there is
};

/// The rows of one joint: equalities first, then limits, motors and springs.
struct JointBlock {
  std::uint32_t first = 0;  // counted from the first row of the group
  std::uint32_t equalities = 0, count = 0;
  Eigen::Matrix<double, 6, 6> inverse = Eigen::Matrix<double, 6, 6>::Zero();  // of J M⁻¹ Jᵀ + Σ of the equalities
};

/// Patches of one group by layers, and those of a layer by clusters: bodies of one height that touch each other. With
/// the bodies below held, clusters of a layer know nothing of each other.
struct LayerClusters {
  std::vector<std::uint32_t> patches;        // indices, layer after layer, cluster after cluster
  std::vector<std::uint32_t> cluster_start;  // per cluster its first entry of `patches`, and one past the last
  std::vector<std::uint32_t> layer_start;    // per height its first cluster, and one past the last

  // Scratch.
  std::vector<std::uint32_t> parent, count;  // per body
  std::vector<std::uint32_t> roots, sorted;
};

/// A contact as the analysis of stacks sees it.
struct ContactSupport {
  SupportEdge edge;
  bool touches = false;  // or touched in the last step
};

/// What one thread saw of a step's impulses.
struct alignas(64) ThreadMarks {
  std::vector<std::uint8_t> pushed;    // per body: an impulse acted on it
  std::vector<std::uint16_t> touched;  // per sixteen contacts, a bit each
  std::uint32_t kept = 0;              // contacts that touched and had touched before
};

/// Which of sixteen contacts in a row touched.
struct TouchedContacts {
  static constexpr std::uint32_t kCount = 16;
  std::uint16_t bits = 0;
  std::uint32_t before = 0;  // how many touched before the first of them

  [[nodiscard]] bool holds(std::uint32_t contact) const { return (bits >> contact % kCount & 1U) != 0; }
  /// Place of one that touched among all that did.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t contact) const {
    return before + static_cast<std::uint32_t>(std::popcount(bits & ((1U << contact % kCount) - 1)));
  }
};

struct ShockWorkspace {
  std::vector<ContactSupport> contact_support;  // per contact
  std::vector<SupportEdge> support;             // contacts that touch
  StackLayers layers;
  PatchDomains domains;
  std::vector<Patch> patches;              // block after block, layer after layer
  std::vector<double> block_value;         // per block: what a stage found of it
  std::vector<StageSize> stages;           // of what runs now
  std::vector<std::uint32_t> rising;       // per patch: those of its group by layers, where somebody asked
  std::vector<std::uint32_t> layer_start;  // per layer of a group that is cut: its first entry of `rising`
  LayerClusters clusters;
  std::vector<PatchPush> pushes;         // per patch, where weights are handed down
  std::vector<JointBlock> joint_blocks;  // in the order of StepWorkspace::joint_rows
  std::vector<JointBlock> correction_blocks;
  std::vector<ThreadMarks> marks;            // per thread
  std::vector<TouchedContacts> touched;      // per sixteen contacts
  std::vector<Load> loads;                   // per body
  std::uint64_t weighing = 0;                // counts the steps
  std::vector<BodyInverseMass> translating;  // per body: the inverse mass of one that does not turn
  std::vector<BodyVelocity> displacement;    // per body [m], [rad]
  std::vector<std::uint8_t> limited;         // per body: the displacement by its layer was shortened
};

}  // namespace achilles
