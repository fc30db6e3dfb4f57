// Scratch of `hybrid`.
#pragma once

#include "collision/broad_phase/broad_phase.hpp"
#include "collision/continuous/motion.hpp"
#include "collision/detect.hpp"
#include "methods/impulse_conservative/conservative_workspace.hpp"
#include "world/world_memory.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <vector>

namespace achilles {

struct HybridWorkspace {
  BroadPhaseWorkspace broad_phase;
  std::vector<BroadPhaseProxy> proxies;  // per collider: what it can reach in the step
  std::vector<ColliderPair> pairs;
  std::vector<MovingCollider> moving;  // per collider: its way over a part of the step that is tried
  DetectWorkspace detection;
  ContactSet touching;
  std::vector<std::uint32_t> parent;     // per body: union-find of those that can meet in the step
  std::vector<std::uint8_t> rests;       // per root: the island has a joint or a contact that rests
  std::vector<std::uint8_t> constraint;  // per body: goes to the constraint method
  std::vector<std::uint8_t> asleep;      // per body, as the user sees it
  // The state before a part of the step is tried.
  std::vector<Vec3> position;
  std::vector<Quat> orientation;
  std::vector<BodyVelocity> velocity;
  std::vector<Pose> scripted_start;  // per body, at the beginning of the step
  std::vector<Vec3> applied_force, applied_torque;
  ContactCache cache;
  std::vector<JointState> joints;
  std::vector<ContactRecord> records;  // of the constraint method
};

/// What a step of the method works in: the stages of `lcp-fixed`, and `impulse-conservative`.
struct HybridScratch : ConservativeScratch {
  HybridWorkspace hybrid;
};

}  // namespace achilles
