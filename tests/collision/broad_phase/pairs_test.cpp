// The tree and the sweep find exactly what testing every box against every other finds, whatever happened before.
#include "collision/broad_phase/broad_phase.hpp"

#include "collision/broad_phase/scenes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using namespace broad_phase_test;

class Methods {
 public:
  /// Every method on the same proxies, each with its own history, must give the brute-force answer; returns its size.
  std::size_t expect_agreement(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored = {}) {
    find_pairs_brute_force(proxies, ignored, expected_);
    check(proxies, ignored, TreeOptions{}, serial_, tree_, "tree");
    check(proxies, ignored, TreeOptions{}, parallel_, parallel_tree_, "tree on three threads");
    check(proxies, ignored, TreeOptions{.fatness = 0}, serial_, thin_tree_, "tree without fat");
    check(proxies, ignored, SweepOptions{}, serial_, sweep_, "sweep and prune");
    return expected_.size();
  }
  const BroadPhaseWorkspace& tree() const { return tree_; }

 private:
  void check(std::span<const BroadPhaseProxy> proxies, std::span<const IgnoredPair> ignored,
             const BroadPhaseMethod& method, BlockRunner& runner, BroadPhaseWorkspace& scratch, const char* name) {
    find_pairs(proxies, ignored, method, runner, scratch, found_);
    ASSERT_TRUE(found_ == expected_) << name << " finds " << found_.size() << " pairs of " << expected_.size();
    ASSERT_TRUE(scratch.tree.movable.is_consistent() && scratch.tree.fixed.is_consistent()) << name;
  }

  BlockRunner serial_;
  BlockRunner parallel_{3};
  BroadPhaseWorkspace tree_, parallel_tree_, thin_tree_, sweep_;
  std::vector<ColliderPair> expected_, found_;
};

TEST(BroadPhase, AllMethodsFindTheSamePairsAmongScatteredBoxes) {
  std::mt19937_64 random(1);
  std::size_t pairs = 0;
  for (const double width : {0.5, 3.0, 20.0}) {
    Methods methods;
    pairs += methods.expect_agreement(make_population(random, 400, width));
  }
  EXPECT_GT(pairs, 1000U);  // a scene without pairs would prove nothing
}

// Cubes in a row a kilometre out, each as far from the next as single precision, there 6e-5 m, cannot tell: some meet.
TEST(BroadPhase, AllMethodsFindTheSamePairsAmongBoxesThatMeetByLessThanSinglePrecisionTells) {
  for (const double scale : {1e-3, 1e-5, 1e-7, 1e-9}) {
    std::mt19937_64 random(8);
    Methods methods;
    std::vector<BroadPhaseProxy> proxies;
    Vec3 center = Vec3::Constant(1000);
    for (std::uint32_t i = 0; i < 200; ++i) {
      proxies.push_back(make_box(center, Vec3::Constant(0.5), i, true));
      center.x() += 1 + draw_vector(random, -scale, scale).x();
    }
    const std::size_t pairs = methods.expect_agreement(proxies);
    EXPECT_GT(pairs, 50U);   // about half of them meet,
    EXPECT_LT(pairs, 150U);  // and half do not
  }
}

TEST(BroadPhase, AllMethodsFindTheSamePairsWhileEverythingMoves) {
  std::mt19937_64 random(2);
  // From creeping inside the fat box to jumping across the scene in one step; the pull keeps the scene together.
  for (const auto& [speed, pull] : {std::pair(1e-3, 0.01), std::pair(0.05, 0.02), std::pair(5.0, 0.6)}) {
    Methods methods;
    auto proxies = make_population(random, 300, 4);
    std::size_t pairs = 0;
    for (int step = 0; step < 40; ++step) {
      for (BroadPhaseProxy& proxy : proxies) {
        move(proxy, draw_vector(random, -speed, speed) - pull * proxy.box.center());
      }
      pairs += methods.expect_agreement(proxies);
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
    EXPECT_GT(pairs, 100U) << "at speed " << speed;  // a scene without pairs would prove nothing
  }
}

TEST(BroadPhase, AllMethodsFindTheSamePairsInClustersThatCollapseAndBurst) {
  std::mt19937_64 random(3);
  Methods methods;
  auto proxies = make_population(random, 150, 10);
  for (int step = 0; step < 30; ++step) {
    const double factor = step < 15 ? 0.7 : 1.5;
    for (BroadPhaseProxy& proxy : proxies) {
      const Vec3 attractor(proxy.body % 3, proxy.body % 2, 0);
      move(proxy, (factor - 1) * (proxy.box.center() - attractor));
    }
    methods.expect_agreement(proxies);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

TEST(BroadPhase, AllMethodsFindTheSamePairsWhenCollidersComeGoAndChange) {
  std::mt19937_64 random(4);
  Methods methods;
  auto proxies = make_population(random, 100, 3);
  for (int step = 0; step < 60; ++step) {
    const std::size_t chosen = random() % proxies.size();
    switch (step % 5) {
      case 0:
        proxies.erase(proxies.begin() + static_cast<std::ptrdiff_t>(chosen));
        break;
      case 1:
        proxies.push_back(make_box(draw_vector(random, -1, 1), draw_vector(random, 0.1, 1), 7, true));
        break;
      case 2:
        proxies[chosen].movable = !proxies[chosen].movable;
        break;
      case 3:
        proxies[chosen].body = static_cast<std::uint32_t>(random() % 50);
        break;
      default:
        proxies.resize(proxies.size() - 3);
    }
    methods.expect_agreement(proxies);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

TEST(BroadPhase, AllMethodsFindTheSamePairsWithPlanesThatTiltAndRise) {
  std::mt19937_64 random(5);
  Methods methods;
  auto proxies = make_population(random, 100, 4);
  proxies.insert(proxies.begin() + 3, make_half_space({0, 0, 1}, -1, 1000));
  proxies.push_back(make_half_space({1, 1, 1}, -2, 1001));
  for (int step = 0; step < 40; ++step) {
    proxies[3].offset += 0.03;
    proxies.back().normal = Vec3(1, 1, 0.1 * step).normalized();
    for (BroadPhaseProxy& proxy : proxies) {
      if (proxy.movable) move(proxy, draw_vector(random, -0.02, 0.02));
    }
    ASSERT_GT(methods.expect_agreement(proxies), 0U);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

TEST(BroadPhase, IgnoredPairsAreLeftOutFromTheCallThatIgnoresThem) {
  Methods methods;
  std::vector<BroadPhaseProxy> proxies;
  for (std::uint32_t body = 0; body < 4; ++body) proxies.push_back(make_box(Vec3::Zero(), Vec3::Ones(), body, true));
  // Four coinciding boxes make 4 · 3 / 2 pairs.
  EXPECT_EQ(methods.expect_agreement(proxies), 6U);
  const std::vector<IgnoredPair> ignored{{0, 1}, {2, 3}};
  EXPECT_EQ(methods.expect_agreement(proxies, ignored), 4U);
  EXPECT_EQ(methods.expect_agreement(proxies), 6U);
}

TEST(BroadPhase, BoxesThatShareOnlyAFaceOverlap) {
  Methods methods;
  const std::vector<BroadPhaseProxy> proxies{make_box({0, 0, 0}, {1, 1, 1}, 0, true),
                                             make_box({2, 0, 0}, {1, 1, 1}, 1, true),
                                             make_box({4.0 + 1e-15 * 4, 0, 0}, {1, 1, 1}, 2, true)};
  EXPECT_EQ(methods.expect_agreement(proxies), 1U);  // 0-1 share x = 1; between 1 and 2 there is a gap of 4 ulp
}

TEST(BroadPhase, FixedBoxesAndPiecesOfOneBodyMakeNoPairs) {
  Methods methods;
  const std::vector<BroadPhaseProxy> proxies{
      make_box(Vec3::Zero(), Vec3::Ones(), 0, false), make_box(Vec3::Zero(), Vec3::Ones(), 1, false),
      make_box(Vec3::Zero(), Vec3::Ones(), 2, true), make_box(Vec3::Zero(), Vec3::Ones(), 2, true)};
  EXPECT_EQ(methods.expect_agreement(proxies), 4U);  // each piece of body 2 with bodies 0 and 1
}

TEST(BroadPhase, NothingAndOneBoxMakeNoPairs) {
  Methods methods;
  EXPECT_EQ(methods.expect_agreement({}), 0U);
  const std::vector<BroadPhaseProxy> one{make_box(Vec3::Zero(), Vec3::Ones(), 0, true)};
  EXPECT_EQ(methods.expect_agreement(one), 0U);
  EXPECT_EQ(methods.expect_agreement({}), 0U);
}

TEST(BroadPhase, BoxesInsideTheirFatBoxesAskTheTreeNothing) {
  Methods methods;
  std::mt19937_64 random(6);
  auto proxies = make_population(random, 100, 4);
  methods.expect_agreement(proxies);
  EXPECT_EQ(methods.tree().tree.moved.size(), 100U);
  // 1e-4 is below 0.08 of the smallest mean edge, 0.01 · 2 · 0.1.
  for (BroadPhaseProxy& proxy : proxies) move(proxy, draw_vector(random, -1e-4, 1e-4));
  methods.expect_agreement(proxies);
  EXPECT_EQ(methods.tree().tree.moved.size(), 0U);
}

TEST(BroadPhase, BoxThatGoesOnItsWayAsksTheTreeOncePerOneAndAHalfPaddings) {
  Methods methods;
  std::vector<BroadPhaseProxy> proxies{make_box(Vec3::Zero(), Vec3::Constant(0.5), 0, true)};
  std::size_t asked = 0;
  for (int k = 0; k < 1000; ++k) {
    methods.expect_agreement(proxies);
    asked += methods.tree().tree.moved.size();
    move(proxies[0], Vec3(0, 7e-3, 0));
  }
  // The padding is 0.08 of an edge of 1 m. The first box, which knows no way yet, holds for 80 mm, so that the 12th
  // step of 7 mm leaves it; every other for 120: the 18th step.
  EXPECT_EQ(asked, 2U + (999 - 12) / 18);
}

RC_GTEST_PROP(BroadPhase, AllMethodsAgreeOnBoxesOnAGrid, ()) {
  // Corners on a coarse grid make coinciding, touching, flat and nested boxes common.
  const auto count = *rc::gen::inRange(0, 40);
  Methods methods;
  for (int call = 0; call < 3; ++call) {
    std::vector<BroadPhaseProxy> proxies;
    for (int i = 0; i < count; ++i) {
      const auto corner = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(-3, 3));
      const auto size = *rc::gen::container<std::vector<int>>(3, rc::gen::inRange(0, 3));
      BroadPhaseProxy proxy =
          make_box({0, 0, 0}, {0, 0, 0}, static_cast<std::uint32_t>(i), *rc::gen::arbitrary<bool>());
      proxy.box.lower = Vec3(corner[0], corner[1], corner[2]);
      proxy.box.upper = proxy.box.lower + Vec3(size[0], size[1], size[2]);
      proxies.push_back(proxy);
    }
    methods.expect_agreement(proxies);
    RC_ASSERT(!testing::Test::HasFatalFailure());
  }
}

}  // namespace
}  // namespace achilles
