// The example of docs/architecture.md, built as a method: docs/examples/explicit_euler/spec.cpp.
#include "methods/advance.hpp"
#include "methods/capabilities.hpp"
#include "methods/method_spec.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {

std::vector<MethodSpec> explicit_euler_specs();

namespace {

const Vec3 kStart(0, 0, 0.5), kVelocity(1, -2, 3);

Scene make_falling_ball(double drag) {
  Scene scene;
  scene.materials = {{"default", {}}};
  BodyDescription ground, ball;
  ground.name = "ground";
  ground.kind = BodyKind::kFixed;
  ground.shape = {Plane{Vec3::UnitZ(), 0}};
  ball.name = "ball";
  ball.shape = {Sphere{0.2}};
  ball.pose.p = kStart;
  ball.velocity = kVelocity;
  scene.bodies = {ground, ball};
  scene.method.name = "explicit-euler";
  scene.method.options = {{"drag", drag}};
  return scene;
}

// u_{k+1} = u_k + h (g − c u_k) has the fixed point u∞ = g / c: u_k = u∞ + q^k (u_0 − u∞) with q = 1 − h c, and with
// the sum of the geometric series x_n = x_0 + h Σ u_k = x_0 + n h u∞ + (u_0 − u∞) (1 − q^n) / c. Neither knows of the
// ground.
TEST(ExampleMethod, FollowsTheClosedFormOfExplicitEulerThroughTheGround) {
  const double h = 0.01, drag = 0.5;
  const int steps = 100;
  const Scene scene = make_falling_ball(drag);
  const MethodSpec spec = explicit_euler_specs().front();
  ASSERT_TRUE(find_obstacles(spec, scene).empty());
  const std::unique_ptr<Method> method = spec.make({scene.method, {}, {}});
  World world(scene);
  for (int k = 0; k < steps; ++k) ASSERT_FALSE(advance(world, *method, h).stopped);
  const double q_n = std::pow(1 - h * drag, steps);
  const Vec3 final_velocity = world.gravity / drag;
  const Vec3 velocity = final_velocity + q_n * (kVelocity - final_velocity);
  const Vec3 place = kStart + steps * h * final_velocity + (kVelocity - final_velocity) * (1 - q_n) / drag;
  EXPECT_LT(place.z(), 0);
  EXPECT_LT((world.bodies.velocity[1].linear - velocity).norm(), 1e-12);
  EXPECT_LT((world.bodies.position[1] - place).norm(), 1e-12);
  EXPECT_EQ(world.step_index, steps);
}

TEST(ExampleMethod, RefusesWhatItsCapabilitiesLack) {
  Scene scene = make_falling_ball(0);
  JointDescription joint;
  joint.name = "pin";
  scene.joints = {joint};
  EXPECT_FALSE(find_obstacles(explicit_euler_specs().front(), scene).empty());
}

TEST(ExampleMethod, IsListedNowhereElse) { EXPECT_EQ(find_method("explicit-euler"), nullptr); }

}  // namespace
}  // namespace achilles
