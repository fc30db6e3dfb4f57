// `shock-propagation` with `propagation: thesis`: what [Erleben04, secs. 6.4.3-6.4.5] says of figures 6.56 and 6.60.
#include "support/scenes.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

void use_thesis(Scene& scene, double f) {
  scene.method = {"shock-propagation", "", "", {{"propagation", std::string("thesis")}, {"gravity_fraction", f}}};
}

Scene load_with_thesis(const char* name, double f) {
  Scene scene = load_scene((source_folder() / "scenes" / "erleben" / name).string());
  use_thesis(scene, f);
  return scene;
}

// Five boxes of 1 m, each 0.1 m deep in the one below. Contacts are not found again between the layers (p. 193): a step
// takes the depth out of a layer and leaves the next as deep as before, since it is lifted as far as those below. So
// after k steps k contacts from the ground up are right, and the others still are 0.1 m deep (fig. 6.54).
TEST(ThesisPropagation, PenetrationLeavesOneLayerPerStepFromTheGroundUp) {
  Scene scene = make_scene(0.01, 0.5, 0);
  use_thesis(scene, 0);
  scene.method.options["second_correction"] = false;  // fig. 6.56
  // Solved layer by layer: five sweeps would leave 1e-5 of the depth.
  scene.method.options["iterations"] = scene.method.options["correction_iterations"] = 1000.0;
  scene.bodies = {make_ground()};
  constexpr int kBoxes = 5;
  for (int k = 0; k < kBoxes; ++k) {
    scene.bodies.push_back(make_body("box" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.4 + 0.9 * k)));
  }
  Simulation simulation(scene);
  for (int step = 1; step <= kBoxes; ++step) {
    (void)simulation.step();
    double below = -0.5;  // top of the ground, as the centre of a box would be
    for (int k = 0; k < kBoxes; ++k) {
      const double height = position_of(simulation, "box" + std::to_string(k)).z();
      EXPECT_NEAR(height - below, k < step ? 1.0 : 0.9, 1e-9) << "step " << step << " box " << k;
      below = height;
    }
  }
}

// The second collision detection of fig. 6.60 corrects all layers at once: with it less is left after the first step.
TEST(ThesisPropagation, SecondCorrectionSpreadsWhatThePropagationLeaves) {
  double left[2];
  for (const bool second : {false, true}) {
    Scene scene = load_with_thesis("penetrating_balls.yaml", 0);
    scene.method.options["second_correction"] = second;
    Simulation simulation(scene);
    for (int step = 0; step < 2; ++step) (void)simulation.step();
    left[second ? 1 : 0] = simulation.penetration();
  }
  EXPECT_LT(left[1], 0.5 * left[0]);
}

// A see-saw at rest with unequal loads (fig. 6.33). Without weight feeling the plank is held while the boxes on it are
// solved: it never feels them. With f it does (sec. 6.4.4).
TEST(ThesisPropagation, SeeSawFeelsItsLoadsByTheWeightFeelingAlone) {
  for (const double f : {0.0, 0.05}) {
    Simulation simulation(load_with_thesis("see_saw.yaml", f));
    const double heavy = position_of(simulation, "heavy").z(), light = position_of(simulation, "light").z();
    (void)run_to(simulation, 1);
    const double tips = (position_of(simulation, "light").z() - light) - (position_of(simulation, "heavy").z() - heavy);
    if (f == 0) {
      EXPECT_LT(std::abs(tips), 0.02);
    } else {
      EXPECT_GT(tips, 0.1);
    }
  }
}

// One body above the ground is one layer: the scheme is one step of eq. (6.76) in two parts, and a block on an incline
// sticks below arctan µ and slides with g (sin α − µ cos α) above it.
TEST(ThesisPropagation, BlockOnAnInclineObeysCoulombForAnySplitOfTheStep) {
  for (const double f : {0.0, 0.3, 1.0}) {
    for (const double angle : {0.3, 0.6}) {
      Scene scene = make_scene(0.01, 0.5, 0);
      use_thesis(scene, f);
      scene.gravity = 9.81 * Vec3(std::sin(angle), 0, -std::cos(angle));
      scene.bodies = {make_ground(), make_body("block", {Box{Vec3(1, 1, 0.2)}}, Vec3(0, 0, 0.1))};
      Simulation simulation(scene);
      (void)run_to(simulation, 1);
      const double slope = 9.81 * (std::sin(angle) - 0.5 * std::cos(angle));
      EXPECT_NEAR(velocity_of(simulation, "block").linear.x(), std::max(0.0, slope), 1e-6) << angle << ' ' << f;
    }
  }
}

// Newton's law: a ball that meets the ground leaves with e times its speed.
TEST(ThesisPropagation, BallLeavesWithTheShareOfItsSpeedThatRestitutionSays) {
  Scene scene = make_scene(0.001, 0, 0.8);
  use_thesis(scene, 0);
  scene.gravity.setZero();
  scene.bodies = {make_ground(), make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 0.3))};
  scene.bodies[1].velocity = Vec3(0, 0, -2);
  Simulation simulation(scene);
  (void)run_to(simulation, 0.5);
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.z(), 1.6, 1e-9);
}

// A force that acts for one step acts over both parts of it.
TEST(ThesisPropagation, ForceOfOneStepActsOverAllOfIt) {
  Scene scene = make_scene(0.01, 0, 0);
  use_thesis(scene, 0.25);
  scene.gravity.setZero();
  scene.bodies = {make_body("ball", {Sphere{0.5}}, Vec3(0, 0, 2))};
  Simulation simulation(scene);
  const BodyHandle ball = simulation.world().find("ball");
  const double mass = simulation.world().bodies.mass[0];
  simulation.world().apply_force(ball, Vec3(3 * mass, 0, 0), Vec3(0, 0, 2));
  (void)simulation.step();
  EXPECT_NEAR(velocity_of(simulation, "ball").linear.x(), 0.03, 1e-12);
  EXPECT_NEAR(position_of(simulation, "ball").x(), 0.25 * 0.01 * 0.25 * 0.03 + 0.75 * 0.01 * 0.03, 1e-12);
}

// What the thesis' algorithm has not, scenes cannot ask of it.
TEST(ThesisPropagation, JointsAndOptionsOfTheOtherAlgorithmAreRefused) {
  Scene scene = make_scene(0.01, 0.5, 0);
  use_thesis(scene, 0);
  scene.bodies = {make_ground(), make_body("box", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5))};
  EXPECT_NO_THROW(Simulation{scene});
  Scene warm = scene;
  warm.method.options["warm_start"] = true;
  EXPECT_THROW(Simulation{warm}, std::runtime_error);
  JointDescription joint;
  joint.name = "hinge";
  joint.first = "ground";
  joint.second = "box";
  scene.joints.push_back(joint);
  EXPECT_THROW(Simulation{scene}, std::runtime_error);
}

}  // namespace
}  // namespace achilles
