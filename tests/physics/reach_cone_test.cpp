// Ball joints with a reach cone: a limb swings and twists as far as it may, under every method that has limits.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_joint;
using testing::make_scene;
using testing::run_to;
using testing::velocity_of;

class ReachCone : public ::testing::TestWithParam<const char*> {
 protected:
  /// A rod that hangs down from the origin, with a cone about the vertical.
  static Scene make(double step, const std::array<double, 2>& swing) {
    Scene scene = make_scene(step, 0, 0);
    scene.method.name = GetParam();
    BodyDescription rod = make_body("rod", {Box{Vec3(0.05, 0.05, 0.5)}}, Vec3(0, 0, -0.25));
    rod.mass = 1;
    scene.bodies = {make_anchor(), rod};
    JointDescription joint = make_joint(JointKind::kBall, "anchor", "rod", Vec3::Zero());
    joint.cone = achilles::ReachCone{};
    joint.cone->axis = -Vec3::UnitZ();
    joint.cone->side = Vec3::UnitX();
    joint.cone->swing = swing;
    scene.joints = {joint};
    return scene;
  }
  /// Where the rod points, as an angle from the vertical along x and along y.
  static Vec2 tilt_of(const Simulation& simulation) {
    const World& world = simulation.world();
    const Vec3 d = world.bodies.orientation[world.index_of(world.find("rod"))] * -Vec3::UnitZ();
    const double sine = std::hypot(d.x(), d.y());
    return sine > 0 ? Vec2(std::atan2(sine, -d.z()) / sine * d.head<2>()) : Vec2(Vec2::Zero());
  }
  /// Limits of soft-step are springs, which give way for a moment.
  [[nodiscard]] static double yield() { return std::string(GetParam()) == "soft-step" ? 0.03 : 0.01; }
};
INSTANTIATE_TEST_SUITE_P(Methods, ReachCone,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu", "hybrid",
                                           "shock-propagation", "soft-step"),
                         [](const ::testing::TestParamInfo<const char*>& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Gravity that pulls sideways swings the rod to the boundary, where it comes to rest: the pull along x to the first
// half-angle, along y to the second. Gravity points at tan β = 5 from the vertical, outside of both.
TEST_P(ReachCone, HoldsARodAtItsHalfAngles) {
  const Vec2 half(0.3, 0.7);
  for (int axis = 0; axis < 2; ++axis) {
    Scene scene = make(0.005, {half[0], half[1]});
    scene.gravity = Vec3(axis == 0 ? 10 : 0.01, axis == 1 ? 10 : 0.01, -2);  // not quite along an axis
    Simulation simulation(scene);
    for (int i = 0; i < 600; ++i) {
      ASSERT_FALSE(simulation.step().stopped);
      const Vec2 tilt = tilt_of(simulation);
      EXPECT_LT(tilt.cwiseQuotient(half).norm(), 1 + yield() / half[0]) << "step " << i;
    }
    EXPECT_NEAR(tilt_of(simulation)[axis], half[axis], 0.01);
  }
}

// A rod that circles inside the cone is not touched: it moves as one without.
TEST_P(ReachCone, LeavesAloneWhatStaysInside) {
  Scene scene = make(0.002, {0.8, 0.8});
  scene.bodies[1].velocity = Vec3(0.3, 0.1, 0);
  scene.bodies[1].spin = Vec3(0.4, -1.2, 0);
  Scene plain = scene;
  plain.joints[0].cone.reset();
  Simulation limited(scene), free(plain);
  for (int i = 0; i < 500; ++i) {
    (void)limited.step();
    (void)free.step();
  }
  EXPECT_LT((tilt_of(limited) - tilt_of(free)).norm(), 1e-9);
}

// A twist of 3 rad/s about the rod ends at its limit of 0.5 rad; the swing is free.
TEST_P(ReachCone, StopsTheTwistAtItsLimits) {
  for (const double sign : {1.0, -1.0}) {
    Scene scene = make(0.005, {1, 1});
    scene.joints[0].cone->twist = std::pair(-0.5, 0.5);
    scene.bodies[1].spin = Vec3(0, 0, 3 * sign);
    Simulation simulation(scene);
    double farthest = 0;
    for (int i = 0; i < 200; ++i) {
      (void)simulation.step();
      farthest = std::max(farthest, std::abs(simulation.world().joint_states[0].position[1]));
    }
    EXPECT_GT(farthest, 0.45);
    EXPECT_LT(farthest, 0.5 + yield());
    EXPECT_LT(std::abs(velocity_of(simulation, "rod").angular.z()), 0.05);
  }
}

// An inelastic stop takes energy and gives none, from whatever direction the rod comes.
TEST_P(ReachCone, BringsNoEnergy) {
  for (const double direction : {0.1, 0.9, 2.0}) {
    Scene scene = make(0.002, {0.25, 0.6});
    scene.gravity = Vec3::Zero();
    const Vec3 spin = 4 * Vec3(-std::sin(direction), std::cos(direction), 0);
    scene.bodies[1].spin = spin;
    scene.bodies[1].velocity = spin.cross(Vec3(0, 0, -0.25));
    Simulation simulation(scene);
    const World& world = simulation.world();
    const auto energy = [&] {
      const BodyVelocity& u = world.bodies.velocity[1];
      const Vec3 w_B = world.bodies.orientation[1].conjugate() * u.angular;
      return 0.5 * u.linear.squaredNorm() + 0.5 * w_B.dot(world.bodies.inertia_B[1] * w_B);
    };
    const double start = energy();
    for (int i = 0; i < 500; ++i) {
      (void)simulation.step();
      EXPECT_LT(energy(), 1.001 * start) << i;
    }
  }
}

}  // namespace
}  // namespace achilles
