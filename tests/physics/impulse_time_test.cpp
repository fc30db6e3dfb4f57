// Bodies with clocks of their own within a step, [Erleben04, sec. 5.5], and what a step with many events reports.
#include "support/allocations.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::velocity_of;

constexpr double kStep = 0.001;  // [s]

Scene make_zeno_free(double friction, double restitution) {
  Scene scene = make_scene(kStep, friction, restitution);
  scene.method.name = "impulse-zeno-free";
  return scene;
}

/// A ball that rattles between two walls, several times per step.
void add_rattle(Scene& scene) {
  for (const double side : {-1.0, 1.0}) {
    BodyDescription wall = make_body(side < 0 ? "left" : "right", {Box{Vec3(0.1, 1, 1)}}, Vec3(20 + 0.15 * side, 0, 5));
    wall.kind = BodyKind::kFixed;
    scene.bodies.push_back(wall);
  }
  BodyDescription ball = make_body("ball", {Sphere{0.09}}, Vec3(20, 0, 5));
  ball.velocity = Vec3(100, 0, 0);
  ball.mass = 1;
  scene.bodies.push_back(ball);
}

/// Boxes that fall on each other.
void add_boxes(Scene& scene) {
  scene.bodies.push_back(make_ground());
  for (int k = 0; k < 4; ++k) {
    BodyDescription box = make_body("box" + std::to_string(k), {Box{Vec3(0.5, 0.4, 0.3)}}, Vec3(0, 0, 0.25 + 0.4 * k));
    box.pose.q = Quat(Eigen::AngleAxisd(0.1 + 0.05 * k, Vec3(1, 0.3 * k, 0.2).normalized()));
    scene.bodies.push_back(box);
  }
}

struct Driven {
  Simulation simulation;
  EventCosts costs;

  Driven(const Scene& scene, int steps) : simulation(scene) {
    for (int k = 0; k < steps; ++k) {
      const StepReport report = simulation.step();
      EXPECT_FALSE(report.stopped);
      costs += report.costs;
    }
  }
};

void expect_same(const Driven& one, const Driven& other, const std::string& body, double tolerance) {
  const BodyVelocity u = velocity_of(one.simulation, body), w = velocity_of(other.simulation, body);
  EXPECT_LE((position_of(one.simulation, body) - position_of(other.simulation, body)).norm(), tolerance) << body;
  EXPECT_LE((u.linear - w.linear).norm(), 1000 * tolerance) << body;
  EXPECT_LE((u.angular - w.angular).norm(), 1000 * tolerance) << body;
}

TEST(IndependentTime, IslandDoesTheSameToTheLastBitWhateverElseThereIs) {
  Scene rattle = make_zeno_free(0.4, 1), boxes = make_zeno_free(0.4, 1), both = make_zeno_free(0.4, 1);
  rattle.gravity.setZero();
  add_rattle(rattle);
  add_boxes(boxes);
  add_rattle(both);
  add_boxes(both);
  // Gravity for the boxes alone.
  for (Scene* scene : {&boxes, &both}) {
    scene->gravity.setZero();
    for (BodyDescription& body : scene->bodies) {
      if (body.name.starts_with("box")) body.velocity = Vec3(0, 0, -1);
    }
  }
  const Driven alone_rattle(rattle, 300), alone_boxes(boxes, 300), together(both, 300);
  expect_same(together, alone_rattle, "ball", 0);
  for (int k = 0; k < 4; ++k) expect_same(together, alone_boxes, "box" + std::to_string(k), 0);
}

// Boxes that turn beside each other, corner to corner and never in touch, and a ball that rattles: when everything
// stops at each of its bounces, all pairs are searched anew. What comes out is the same but for rounding.
TEST(IndependentTime, SparesTheSearchesOfWhatAnEventDoesNotReach) {
  Scene scene = make_zeno_free(0, 1);
  scene.gravity.setZero();
  add_rattle(scene);
  for (int k = 0; k < 40; ++k) {
    BodyDescription box = make_body("box" + std::to_string(k), {Box{Vec3(0.3, 0.3, 0.3)}}, 0.35 * k * Vec3(1, 1, 0));
    box.pose.q = Quat(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitZ()));
    box.spin = Vec3(0, 0, 0.02 * k);
    scene.bodies.push_back(box);
  }
  scene.method.options["independent_time"] = true;
  const Driven independent(scene, 200);
  scene.method.options["independent_time"] = false;
  const Driven together(scene, 200);
  // 100 m/s over the 2 cm that the walls leave: five bounces per step.
  EXPECT_GT(independent.costs.events, 900);
  EXPECT_EQ(independent.costs.events, together.costs.events);
  EXPECT_LT(2 * independent.costs.distance_calls, together.costs.distance_calls);
  expect_same(independent, together, "ball", 1e-9);
  for (int k = 0; k < 40; ++k) expect_same(independent, together, "box" + std::to_string(k), 1e-9);
}

// Every bounce of a step is in what it reports: the ball changes its momentum by 2 m v each time.
TEST(ZenoFree, ImpulsesOfAllEventsOfAStepAreReported) {
  Scene scene = make_zeno_free(0, 1);
  scene.gravity.setZero();
  add_rattle(scene);
  Simulation simulation(scene);
  double delivered = 0;
  std::int64_t bounces = 0;
  for (int k = 0; k < 100; ++k) {
    bounces += simulation.step().costs.events;
    for (const ContactRecord& record : simulation.contacts()) delivered += record.impulse.norm();
  }
  EXPECT_GT(bounces, 450);
  EXPECT_NEAR(delivered, 2.0 * 100.0 * static_cast<double>(bounces), 1e-6 * delivered);
}

TEST(ZenoFree, WarmStepAllocatesNothing) {
  Scene scene = make_zeno_free(0.4, 1);
  add_rattle(scene);
  scene.bodies.push_back(make_ground());
  for (int k = 0; k < 4; ++k) {
    scene.bodies.push_back(make_body("box" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5 + k)));
  }
  Simulation simulation(scene);
  for (int k = 0; k < 200; ++k) (void)simulation.step();
  const std::int64_t before = testing::count_allocations();
  for (int k = 0; k < 50; ++k) (void)simulation.step();
  EXPECT_EQ(testing::count_allocations(), before);
}

}  // namespace
}  // namespace achilles
