// The speed-ups of [Erleben04, sec. 5.6]: which leave the motion alone, and what the others do.
#include "support/scenes.hpp"

#include <achilles/profile.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::run_to;
using testing::velocity_of;

Scene make_two_heaps() {
  Scene scene = make_scene(0.01, 0, 0);
  scene.bodies = {make_ground()};
  for (int k = 0; k < 6; ++k) {
    const Vec3 at((k % 2 == 0 ? 0.0 : 5.0) + 0.05 * k, 0.03 * k, 0.6 + 0.6 * k);
    scene.bodies.push_back(make_body("ball" + std::to_string(k), {Sphere{0.25}}, at));
  }
  scene.method.solver = "newton";
  return scene;
}

// Two heaps that do not touch are the same problem whether they are solved together or each by itself.
TEST(SpeedUps, IslandsDoNotChangeTheMotion) {
  Scene scene = make_two_heaps();
  Simulation grouped(scene);
  scene.method.options["groups"] = false;
  Simulation brute(scene);
  bool had_two = false;
  for (int k = 0; k < 150; ++k) {
    const int islands = grouped.step().islands;
    had_two = had_two || islands > 1;
    EXPECT_LE(brute.step().islands, 1);
  }
  EXPECT_TRUE(had_two);
  for (std::size_t i = 0; i < grouped.world().bodies.size(); ++i) {
    EXPECT_LT((grouped.world().bodies.position[i] - brute.world().bodies.position[i]).norm(), 1e-6);
  }
}

// v' = −c v: after n steps of h the implicit rule leaves (1 + c h)^−n.
TEST(SpeedUps, DampingLetsVelocitiesDecay) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.gravity.setZero();
  scene.bodies = {make_body("ball", {Sphere{0.1}}, Vec3::Zero())};
  scene.bodies[0].velocity = Vec3(2, 0, 0);
  scene.bodies[0].spin = Vec3(0, 3, 0);
  scene.method.options["damping"] = 0.5;
  Simulation simulation(scene);
  (void)run_to(simulation, 1);
  const double left = std::pow(1 + 0.5 * 0.01, -100);
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.x(), 2 * left, 1e-9);
  EXPECT_NEAR(velocity_of(simulation, "ball").angular.y(), 3 * left, 1e-9);
}

// A box pressed into the ground keeps one point of four while it is deeper than the slop, and all once it is not.
TEST(SpeedUps, ReductionKeepsTheDeepestPointOfWhatPenetrates) {
  Scene scene = make_scene(0.01, 0.5, 0);
  scene.bodies = {make_ground(), make_body("box", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.49))};
  scene.method.options["reduction"] = true;
  Simulation simulation(scene);
  EXPECT_EQ(simulation.step().contacts, 1);
  Scene touching = scene;
  touching.bodies[1].pose.p.z() = 0.5;
  EXPECT_EQ(Simulation(touching).step().contacts, 4);
}

// [Erleben04, sec. 5.6]: a ball that falls on a slab at rest stays there with zeroing, and without it leaves with e
// times the speed it came with.
TEST(SpeedUps, ZeroingTakesTheReboundFromWhatHitsABodyAtRest) {
  for (const bool zeroing : {false, true}) {
    Scene scene = make_scene(0.001, 0.5, 0.8);
    scene.bodies = {make_ground(), make_body("slab", {Box{Vec3(4, 4, 0.5)}}, Vec3(0, 0, 0.25)),
                    make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 1.1))};
    scene.bodies[2].density = 1;  // against 1000: the slab hardly moves
    scene.method.options["sleeping"] = true;
    scene.method.options["zeroing"] = zeroing;
    Simulation simulation(scene);
    double fastest = 0;
    while (simulation.world().time < 0.5) {
      (void)simulation.step();
      fastest = std::max(fastest, velocity_of(simulation, "ball").linear.z());
    }
    const double speed = std::sqrt(2 * 9.81 * 0.5);
    EXPECT_NEAR(fastest, zeroing ? 0 : 0.8 * speed, 0.01 * speed) << zeroing;
  }
}

class Coherence : public ::testing::TestWithParam<const char*> {
 protected:
  /// How many pairs of a hundred steps kept their contacts without a narrow phase, per step.
  static double count_recycled(Simulation& simulation) {
    Profile profile;
    simulation.set_profile(&profile);
    for (int k = 0; k < 100; ++k) EXPECT_FALSE(simulation.step().stopped);
    simulation.set_profile(nullptr);
    double reused = 0;
    for (const Profile::Counter& counter : profile.counters()) {
      if (counter.name == "recycled contacts") reused = counter.sum / 100;
    }
    return reused;
  }
};

// [Erleben04, sec. 5.2.2]: what did not move against each other touches as it did. Four boxes on a slab at rest are
// four pairs; on a slope without friction the one between slab and box is looked at anew in every step, those above are
// not.
TEST_P(Coherence, UnchangedPlacementSkipsTheNarrowPhase) {
  for (const bool slides : {false, true}) {
    Scene scene = make_scene(0.01, slides ? 0 : 0.5, 0);
    scene.method = {GetParam(), "", "", {}};
    BodyDescription slab = make_body("slab", {Box{Vec3(100, 100, 1)}}, Vec3(0, 0, -0.5));
    slab.kind = BodyKind::kFixed;
    scene.bodies = {slab};
    for (int k = 0; k < 4; ++k) {
      scene.bodies.push_back(make_body("box" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5 + k)));
    }
    for (std::size_t k = 1; slides && k < 5; ++k) scene.bodies[k].velocity = Vec3(2, 0, 0);
    Simulation simulation(scene);
    (void)run_to(simulation, 0.5);
    const double reused = count_recycled(simulation);
    EXPECT_NEAR(reused, slides ? 3 : 4, 0.05) << slides;
    EXPECT_LT(simulation.penetration(), 1.01e-4);
    scene.method.options["reuse_distance"] = 0.0;
    Simulation fresh(scene);
    (void)run_to(fresh, simulation.world().time);
    EXPECT_LT((velocity_of(fresh, "box3").linear - velocity_of(simulation, "box3").linear).norm(), 1e-6);
    EXPECT_EQ(count_recycled(fresh), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Coherence,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "anitescu", "shock-propagation"));

}  // namespace
}  // namespace achilles
