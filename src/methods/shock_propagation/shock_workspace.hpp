// Workspaces of `shock-propagation`, one per stage of the step.
#pragma once

#include "graph/layers.hpp"
#include "methods/shock_propagation/phases.hpp"
#include "methods/shock_propagation/shock_partition.hpp"
#include "solver/manifold/contact_manifold.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/joint.hpp>
#include <achilles/math.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace achilles {

/// A contact as the analysis of stacks sees it.
struct ContactSupport {
  SupportEdge edge;
  bool touches = false;  // or touched in the last step
};

/// find_layers.
struct LayerWorkspace {
  std::vector<ContactSupport> contact_support;  // per contact
  std::vector<SupportEdge> support;             // contacts that touch
  StackLayers layers;
};

/// What a body needs of its supports, as an upward impulse and two level torques: G λ = need.
struct Load {
  Vec3 need = Vec3::Zero();      // [N s], [N m s]
  Mat3 gram = Mat3::Zero();      // G Gᵀ
  Vec3 solution = Vec3::Zero();  // (G Gᵀ)⁻¹ need, once known
  double given = 0;              // [N s] upwards
  bool is_known = false;
  std::uint64_t step = 0;  // LoadWorkspace::step in which it was set
};

/// The additional impulses of a manifold that carry the loads above it.
struct LoadPush {
  Vec3 push = Vec3::Zero();               // on b, by normal impulse; zero where it carries nothing
  ContactManifold::PerPoint normal = {};  // [N s]
};

/// Top-down load propagation.
struct LoadWorkspace {
  std::vector<Load> bodies;                // per body
  std::vector<LoadPush> pushes;            // per manifold
  std::vector<std::uint32_t> order;        // per manifold: those of its island by layers
  std::vector<std::uint32_t> layer_start;  // per layer of an island of several blocks: its first entry of `order`
  std::uint64_t step = 0;                  // counts the steps
};

/// The rows of one joint: first those without bounds, which are held together, then the bounded ones. See joints.hpp.
struct JointBlock {
  std::uint32_t first = 0;  // counted from the first row of the island
  std::uint32_t held = 0, bounded = 0;
  std::array<std::uint8_t, JointState::kSlots> order{};  // counted from `first`
  bool is_in_tree = false;
  std::uint32_t first_factor = 0;   // in ShockWorkspace::joint_factors
  std::uint32_t first_reduced = 0;  // in ShockWorkspace::reduced_rows

  /// Counted from the first row of the island.
  [[nodiscard]] std::uint32_t row(std::uint32_t k) const { return first + order[k]; }
};

/// A body of a tree of joints, with the joint to its parent: see joint_trees.hpp for the symbols.
struct JointNode {
  static constexpr std::uint32_t kNone = ~0U;
  std::uint32_t body = 0;
  std::uint32_t parent = kNone;   // node of the island; none: a root, or joined to a body that no impulse moves
  std::uint32_t block = kNone;    // of the island
  std::uint32_t first = 0;        // of its Y, B, C and q in JointTrees::factors
  bool is_b = false;              // its body is the second one of the joint
  bool is_leaf = true;            // K = 0
  Eigen::Matrix<double, 6, 6> R;  // K until the factors are complete
  Eigen::Matrix<double, 6, 1> f;  // [N s], [N m s]
  Eigen::Matrix<double, 6, 1> v;  // R f, then δu
};

/// Trees of joints of all islands.
struct JointTrees {
  std::vector<JointNode> nodes;      // island after island, parents before children
  std::vector<std::uint32_t> start;  // per island its first node, and one past the last
  std::vector<double> factors;

  // Scratch of an island, the first two per body.
  std::vector<std::uint8_t> reached;
  std::vector<std::uint32_t> first_end;  // of its joints in `ends`
  std::vector<std::uint32_t> ends;       // blocks of the joints of each body
};

/// What the phases of the dynamics find of each block, summed or compared when all blocks are done.
struct BlockResults {
  std::vector<double> gain;    // [J] energy that the warm start gives to its bodies
  std::vector<double> change;  // [m/s], [m] largest that the last sweep made
  std::vector<double> slope;   // [J] of the objective along all impulses
  std::vector<double> curve;   // [J]

  void resize(std::size_t blocks) {
    for (std::vector<double>* list : {&gain, &change, &slope, &curve}) list->resize(blocks);
  }
};

/// Manifolds of one island by layers, and those of a layer by components: bodies of one height that touch each other.
/// With the bodies below held, components of a layer do not act on each other.
struct LayerComponents {
  std::vector<std::uint32_t> manifolds;        // indices, layer after layer, component after component
  std::vector<std::uint32_t> component_start;  // per component its first entry of `manifolds`, and one past the last
  std::vector<std::uint32_t> layer_start;      // per height its first component, and one past the last

  // Scratch.
  std::vector<std::uint32_t> parent, count;  // per body
  std::vector<std::uint32_t> roots, sorted;
};

/// How deep the contacts of a block are.
enum class Depth : std::uint8_t {
  kWithinSlop,
  kAboveSlop,
  kDeep  // beyond the slop by more than a body falls in a step
};

/// Position correction.
struct DisplacementWorkspace {
  std::vector<Depth> depth;                  // per block: the deepest
  std::vector<BodyVelocity> displacement;    // per body [m], [rad]
  std::vector<BodyInverseMass> translating;  // per body: the inverse mass of one that does not turn
  LayerComponents components;
};

/// Velocities and joint impulses that the rebound of an island starts from.
struct LandingWorkspace {
  std::vector<BodyVelocity> velocity;  // per body
  std::vector<double> joint_impulses;  // per joint row of the island
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

/// Records of the contacts, and what the World remembers of them.
struct RecordWorkspace {
  std::vector<ThreadMarks> marks;        // per thread
  std::vector<TouchedContacts> touched;  // per sixteen contacts
};

/// What a step of the method works in.
struct ShockWorkspace : StepWorkspace {
  LayerWorkspace stack;
  ShockPartition partition;
  std::vector<ContactManifold> manifolds;  // block after block, layer after layer
  std::vector<JointBlock> joint_blocks;    // in the order of StepWorkspace::joint_rows
  std::vector<double> joint_factors;       // per block: G of joints.hpp, and H of those that are in no tree
  std::vector<Row> reduced_rows;           // per bounded row of a block
  JointTrees joint_trees;
  LoadWorkspace loads;
  BlockResults results;
  PhaseList phases;
  DisplacementWorkspace positions;
  LandingWorkspace landing;
  RecordWorkspace recording;
};

}  // namespace achilles
