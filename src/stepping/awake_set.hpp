// Few awake among many asleep: the bodies that a step concerns as a small world of their own.
//
// The part holds every body that is awake or scripted, every shape without bounds, and of what rests (sleepers and
// fixed bodies) what lies near those: a query of a tree of the resting ones finds them where an awake body may come,
// and is repeated only when the body leaves the box of its query. Bodies keep their order, so the step on the part
// gives the bits of the step on the whole, and what it costs does not depend on how many sleep. Sleepers are in the
// part with all that wakes with them.
#pragma once

#include "collision/broad_phase/aabb_tree.hpp"
#include "stepping/sleep_stage.hpp"
#include "world/world_memory.hpp"

#include <achilles/world.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace achilles {

/// Follows one World from step to step by its SleepLog: code that writes `asleep` between steps must reset it.
/// Costs about 60 bytes per body of the whole, and an index of all of them when it begins or when bodies, joints or
/// rules change.
class AwakeSet {
 public:
  AwakeSet() = default;
  AwakeSet(const AwakeSet&) = delete;
  AwakeSet& operator=(const AwakeSet&) = delete;

  /// Wakes what is disturbed and brings the part up to date. False when too much of the world is awake, or something
  /// without bounds moves: then nothing was done but, perhaps, waking.
  [[nodiscard]] bool gather(World& world, const Sleeping& sleeping, StepWorkspace& scratch);

  [[nodiscard]] World& part() { return part_; }

  /// After a step of the part: takes it over into the whole and renumbers what the step reports.
  void scatter(World& world, StepWorkspace& scratch, StepReport& report);

  /// After a step of the part that shall not count: the whole stays as it was before.
  static void abandon(World& world) { world.memory().sleep_log.reader = nullptr; }

  /// Per joint of the whole, after scatter.
  [[nodiscard]] std::span<const JointLoad> joint_loads() const { return loads_; }
  /// The body of the whole that a body of the part is.
  [[nodiscard]] std::uint32_t body_of(std::uint32_t local) const { return members_[local]; }

 private:
  enum class Role : std::uint8_t { kResting, kNear, kUnbounded, kActive };

  [[nodiscard]] bool begin(World& world);
  void index_all(World& world);
  [[nodiscard]] bool has_unbounded(const World& world) const;
  [[nodiscard]] std::span<const WorldPiece> pieces_of(const World& world, std::uint32_t body) const;
  void list_joints(const World& world);
  void take_in_woken(World& world);
  void find_neighbours(const World& world, const Sleeping& sleeping);
  void include(const World& world, std::uint32_t body);
  void forget_neighbours();
  [[nodiscard]] bool wake_neighbours(World& world, const Sleeping& sleeping, StepWorkspace& scratch);
  void rebuild(const World& world);
  void rebuild_joints(const World& world);
  void rebuild_rules(const World& world);
  void copy_couplings(const World& world);
  void copy_in(const World& world);
  void lie_down(World& world, std::uint32_t body);

  World part_;
  std::vector<std::uint32_t> members_;         // of the part, ascending: bodies of the whole
  std::vector<std::uint32_t> active_;          // awake or scripted
  std::vector<std::uint32_t> near_;            // resting, in the part
  std::vector<std::uint32_t> unbounded_;       // fixed, without bounds
  std::vector<std::uint32_t> joints_;          // of the part: joints of the whole
  std::vector<std::uint32_t> colliders_;       // of the part: colliders of the whole
  std::vector<std::uint32_t> first_collider_;  // per member
  std::size_t forgotten_ = 0;                  // contacts of last step with what is not in the part any more
  bool changed_ = true;                        // the members
  std::size_t near_limit_ = 0;                 // more resting bodies than that are too many to drag along

  // Per body of the whole.
  std::vector<Role> role_;
  std::vector<std::uint32_t> local_;        // index in the part, of members
  std::vector<BoxF> queried_;               // of active ones: the box of the last query of the tree
  std::vector<std::uint32_t> first_piece_;  // and one past the last
  std::vector<std::uint32_t> first_joint_;  // and one past the last: into joints_of_
  std::vector<std::uint32_t> joints_of_;
  AabbTree resting_;  // what is bounded and not active

  std::vector<JointLoad> loads_;
  std::vector<std::uint32_t> found_;
};

}  // namespace achilles
