#include "support/full_size.hpp"
#include "support/scenes.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

Scene load(const std::string& file) { return load_scene(source_folder() / "scenes" / file); }

// Poisson: compression stops the ball, decompression gives e times the impulse back. With friction that slides to the
// end, both phases brake by µ: Δv_T = −µ (1 + e) |v_n|.
TEST(LcpEvent, ObliqueBallLosesMuTimesTheWholeNormalImpulseWithEverySolver) {
  const double e = 0.6, friction = 0.2;
  for (const char* solver : {"lemke", "dantzig", "jacobi", "gauss-seidel", "sor", "nonsmooth-cg", "newton"}) {
    Scene scene = make_scene(0.01, friction, e);
    scene.gravity = Vec3::Zero();
    scene.method.name = "lcp-event";
    scene.method.solver = solver;
    BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 0.1 + 0.043));
    ball.velocity = Vec3(5, 0, -1);
    scene.bodies = {make_ground(), ball};
    Simulation simulation(scene);
    run_to(simulation, 0.1);
    EXPECT_NEAR(velocity_of(simulation, "ball").linear.z(), e, 1e-5) << solver;
    EXPECT_NEAR(velocity_of(simulation, "ball").linear.x(), 5 - friction * (1 + e), 1e-5) << solver;
  }
}

// Three equal balls in a row that touch, the first hit: compression leaves v/3... of a plastic impact of all; with e =
// 1 Poisson's rebound of both contacts keeps momentum and never gains energy.
TEST(LcpEvent, RowOfTouchingBallsKeepsMomentumAndGainsNoEnergy) {
  for (const char* method : {"lcp-event", "anitescu-potra"}) {
    Scene scene = make_scene(0.01, 0, 1);
    scene.gravity = Vec3::Zero();
    scene.method.name = method;
    for (int k = 0; k < 4; ++k) {
      BodyDescription ball =
          make_body("ball" + std::to_string(k), {Sphere{0.1}}, Vec3(k == 0 ? -0.3 : 0.2 * (k - 1), 0, 0));
      ball.mass = 1;
      if (k == 0) ball.velocity = Vec3(1, 0, 0);
      scene.bodies.push_back(ball);
    }
    Simulation simulation(scene);
    run_to(simulation, 1);
    EXPECT_NEAR(simulation.world().linear_momentum().x(), 1, 1e-9) << method;
    EXPECT_LE(simulation.world().kinetic_energy(), 0.5 + 1e-9) << method;
    for (int k = 0; k < 3; ++k) {
      EXPECT_LE(velocity_of(simulation, "ball" + std::to_string(k)).linear.x(),
                velocity_of(simulation, "ball" + std::to_string(k + 1)).linear.x() + 1e-9);
    }
  }
}

// [Drumwright10, sec. IV-B] with the comparator of table I.
TEST(AnitescuPotra, SlidingBoxesGoOnTogetherAtHalfTheSpeed) {
  Scene scene = load("drumwright/sliding_boxes.yaml");
  scene.method.name = "anitescu-potra";
  Simulation simulation(scene);
  run_to(simulation, is_full() ? 10 : 0.5);
  for (const char* name : {"left", "right"}) {
    EXPECT_NEAR(velocity_of(simulation, name).linear.x(), 5, 1e-6);
    EXPECT_NEAR(position_of(simulation, name).z(), 0.5, 1e-6);
  }
}

// [Drumwright10, sec. IV-A]: the comparator's problems failed after 1 s there.
TEST(AnitescuPotra, SpinningBoxesKeepTheirSpins) {
  Scene scene = load("drumwright/spinning_boxes.yaml");
  scene.method.name = "anitescu-potra";
  Simulation simulation(scene);
  const StepReport report = run_to(simulation, is_full() ? 5 : 0.5);
  EXPECT_FALSE(report.stopped);
  EXPECT_NEAR(velocity_of(simulation, "bottom").angular.z(), 10, 1e-6);
  EXPECT_NEAR(velocity_of(simulation, "top").angular.z(), 20, 1e-6);
}

// Table I: which is faster, and by how much. Printed, not judged: a shared machine measures itself.
TEST(AnitescuPotra, TableOfTimesBesideTheIntroducedMethod) {
  if (!is_full()) GTEST_SKIP() << "with ACHILLES_FULL";
  for (const char* file : {"drumwright/spinning_boxes.yaml", "drumwright/sliding_boxes.yaml"}) {
    double seconds[2];
    const char* methods[] = {"impulse-zeno-free", "anitescu-potra"};
    for (int k = 0; k < 2; ++k) {
      Scene scene = load(file);
      scene.method.name = methods[k];
      Simulation simulation(scene);
      const auto start = std::chrono::steady_clock::now();
      EXPECT_FALSE(run_to(simulation, scene.duration).stopped);
      seconds[k] = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    std::printf("%s: introduced %.3f s, Anitescu-Potra %.3f s, ratio %.2f\n", file, seconds[0], seconds[1],
                seconds[1] / seconds[0]);
  }
}

}  // namespace
}  // namespace achilles
