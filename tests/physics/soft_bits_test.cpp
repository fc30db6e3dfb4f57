// The throughput method gives the same bits whatever works on them: threads, lanes, instruction sets.
#include "support/joints.hpp"
#include "support/soft_scenes.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <achilles/profile.hpp>

namespace achilles {
namespace {

using namespace testing;

TEST(SoftStep, SameBitsWithOneAndTwoThreads) {
  const Scene scene = make_heap(300);
  EXPECT_EQ(hash_after(scene, 1, 60), hash_after(scene, 2, 60));
}

TEST(SoftStep, HeapInSlabsHasTheSameBitsOnTwoThreads) {
  const Scene scene = make_heap(1200);
  EXPECT_EQ(hash_after(scene, 1, 30), hash_after(scene, 2, 30));
}

// All slabs touch the table, which moves by itself: it has to have moved before any of them looks.
TEST(SoftStep, BedInSlabsOnATurningTableHasTheSameBitsOnTwoThreads) {
  Scene scene = make_bed(20, 5);
  BodyDescription& table = scene.bodies.front();
  table = make_body("table", {Box{Vec3(20, 20, 1)}}, Vec3(2, 2, -0.5));
  table.kind = BodyKind::kScripted;
  table.spin = Vec3(0.1, 0, 0.5);
  EXPECT_EQ(hash_after(scene, 1, 20), hash_after(scene, 2, 20));
}

/// Chains of links with joints of several kinds, some held by motors, springs or limits, that fall on each other.
Scene make_chains(int count) {
  Scene scene = make_soft_scene(0.01, 0.5, 0);
  const auto name = [](int chain, int link) {
    std::string text = "link";
    return text.append(std::to_string(chain)).append("-").append(std::to_string(link));
  };
  constexpr JointKind kKinds[] = {JointKind::kBall, JointKind::kHinge, JointKind::kSlider, JointKind::kFixed};
  for (int chain = 0; chain < count; ++chain) {
    for (int link = 0; link < 8; ++link) {
      const Vec3 at(link, 0.4 * (chain % 4) + 0.03 * link, 0.3 + 0.5 * (chain / 4));
      scene.bodies.push_back(make_body(name(chain, link), {Box{Vec3(0.8, 0.3, 0.3)}}, at));
      if (link == 0) continue;
      const JointKind kind = kKinds[(chain + link) % 4];
      const bool has_axis = kind == JointKind::kHinge || kind == JointKind::kSlider;
      JointDescription joint = make_joint(kind, name(chain, link - 1), name(chain, link), at - Vec3(0.5, 0, 0),
                                          std::vector<Vec3>(has_axis ? 1 : 0, Vec3::UnitY()));
      if (has_axis) joint.axes.front().limits = {-0.2, 0.2};
      if (kind == JointKind::kHinge) {
        joint.axes.front().motor_speed = 1;
        joint.axes.front().motor_max = 5;
      } else if (has_axis) {
        joint.axes.front().stiffness = 50;
      }
      scene.joints.push_back(joint);
    }
  }
  return scene;
}

void expect_same_bits_for_all_widths(const Scene& scene, int steps) {
  const std::uint64_t widest = hash_after(scene, 1, steps);
  for (const std::int64_t target : {std::int64_t{HWY_SSE4}, std::int64_t{HWY_SCALAR}}) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_EQ(hash_after(scene, 1, steps), widest) << target;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(SoftStep, SameBitsWhateverTheWidthOfTheLanes) { expect_same_bits_for_all_widths(make_heap(80), 60); }

TEST(SoftStep, SameBitsInSlabsWhateverTheWidthOfTheLanes) { expect_same_bits_for_all_widths(make_heap(1200), 10); }

TEST(SoftStep, SameBitsInCellsWhateverTheWidthOfTheLanes) { expect_same_bits_for_all_widths(make_bed(42, 5), 3); }

TEST(SoftStep, SameBitsOfJointsWhateverTheWidthOfTheLanes) { expect_same_bits_for_all_widths(make_chains(20), 40); }

TEST(SoftStep, SameBitsOfJointsInSlabsWhateverTheWidthOfTheLanes) {
  expect_same_bits_for_all_widths(make_chains(140), 4);
}

TEST(SoftStep, JointsInSlabsHaveTheSameBitsOnTwoThreads) {
  const Scene scene = make_chains(140);
  EXPECT_EQ(hash_after(scene, 1, 20), hash_after(scene, 2, 20));
}

/// Two layers of boxes side by side that all touch.
Scene make_blocks(int across) {
  Scene scene = make_soft_scene(0.01, 0.5, 0);
  for (int k = 0; k < 2 * across * across; ++k) {
    const Vec3 at(k % across, k / across % across, 0.5 + k / across / across);
    scene.bodies.push_back(make_body("block" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, at));
  }
  return scene;
}

double sum_of(const Profile& profile, std::string_view name) {
  for (const Profile::Counter& counter : profile.counters()) {
    if (counter.name == name) return counter.sum;
  }
  return 0;
}

/// Runs the scene in one go, and again with a new simulation for every step, which knows no colours and no lanes; a
/// body is pushed at step `pushed`. Returns what the first counted.
Profile expect_bits_of_fresh_starts(const Scene& scene, int steps, int pushed) {
  Profile kept, fresh;
  Simulation simulation(scene, 2);
  World world = simulation.world();
  simulation.set_profile(&kept);
  for (int k = 0; k < steps; ++k) {
    if (k == pushed) {
      simulation.world().bodies.velocity.back().linear.x() = 3;
      world.bodies.velocity.back().linear.x() = 3;
    }
    EXPECT_FALSE(simulation.step().stopped);
    Simulation other(scene, 1);
    other.set_profile(&fresh);
    other.restore(world);
    EXPECT_FALSE(other.step().stopped);
    world = other.world();
    EXPECT_EQ(simulation.world().state_hash(), world.state_hash()) << k;
  }
  EXPECT_EQ(sum_of(fresh, "colours kept"), 0);
  EXPECT_EQ(sum_of(fresh, "batches kept"), 0);
  return kept;
}

// What rests keeps its contacts, so that colours and lanes of the step before are taken as they are.
TEST(SoftStep, KeptColoursAndLanesGiveTheBitsOfAFreshStart) {
  constexpr int kSteps = 40;
  const Profile kept = expect_bits_of_fresh_starts(make_blocks(8), kSteps, 20);
  EXPECT_GT(sum_of(kept, "colours kept"), 0.5 * sum_of(kept, "manifolds"));
  EXPECT_LT(sum_of(kept, "colours kept"), sum_of(kept, "manifolds"));
  EXPECT_GT(sum_of(kept, "batches kept"), 0);
}

TEST(SoftStep, KeptColoursAndLanesInSlabsGiveTheBitsOfAFreshStart) {
  const Profile kept = expect_bits_of_fresh_starts(make_blocks(24), 16, 8);
  EXPECT_GT(sum_of(kept, "colours kept"), 0.5 * sum_of(kept, "manifolds"));
  EXPECT_GT(sum_of(kept, "batches kept"), 0);
}

TEST(SoftStep, KeptLanesOfJointsGiveTheBitsOfAFreshStart) { expect_bits_of_fresh_starts(make_chains(20), 30, 15); }

}  // namespace
}  // namespace achilles
