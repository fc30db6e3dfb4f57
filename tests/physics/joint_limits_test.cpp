// Limits of every free axis that a joint can have, [Erleben04, sec. 4.10]: what moves freely along the axis stops at
// its end, whichever of the two it meets, and stays there.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace achilles {
namespace {

using testing::make_anchor;
using testing::make_body;
using testing::make_joint;
using testing::make_scene;

struct FreeAxis {
  const char* name;
  JointKind kind;
  std::vector<Vec3> axes;
  std::size_t axis;  // that has limits
};

const std::vector<FreeAxis>& list_free_axes() {
  static const std::vector<FreeAxis> all{
      {"hinge", JointKind::kHinge, {Vec3::UnitY()}, 0},
      {"slider", JointKind::kSlider, {Vec3::UnitX()}, 0},
      {"hinge2, first", JointKind::kHinge2, {Vec3::UnitZ(), Vec3::UnitY()}, 0},
      {"hinge2, second", JointKind::kHinge2, {Vec3::UnitZ(), Vec3::UnitY()}, 1},
      {"universal, first", JointKind::kUniversal, {Vec3::UnitZ(), Vec3::UnitY()}, 0},
      {"universal, second", JointKind::kUniversal, {Vec3::UnitZ(), Vec3::UnitY()}, 1}};
  return all;
}

class JointLimits : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Methods, JointLimits,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu", "hybrid",
                                           "shock-propagation", "soft-step", "reflections"),
                         [](const ::testing::TestParamInfo<const char*>& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// A ball about the anchor moves at ±1 from 0 and reaches its limits of -0.2 and 0.3 after 0.2 s and 0.3 s.
TEST_P(JointLimits, StopMotionAlongEveryFreeAxisAtBothEnds) {
  for (const FreeAxis& free : list_free_axes()) {
    for (const double direction : {1.0, -1.0}) {
      Scene scene = make_scene(0.005, 0, 0);
      scene.gravity = Vec3::Zero();
      scene.method.name = GetParam();
      BodyDescription ball = make_body("ball", {Sphere{0.3}}, Vec3::Zero());
      (free.kind == JointKind::kSlider ? ball.velocity : ball.spin) = direction * free.axes[free.axis];
      scene.bodies = {make_anchor(), ball};
      scene.joints = {make_joint(free.kind, "anchor", "ball", Vec3::Zero(), free.axes)};
      scene.joints[0].axes[free.axis].limits = {-0.2, 0.3};
      const std::string where = std::string(free.name) + (direction > 0 ? ", up" : ", down");
      Simulation simulation(scene);
      const double end = direction > 0 ? 0.3 : -0.2;
      double farthest = 0;
      while (simulation.world().time < 1) {
        ASSERT_FALSE(simulation.step().stopped) << where;
        const double reached = direction * simulation.joint_motion(0).position[free.axis];
        farthest = std::max(farthest, reached);
        if (simulation.world().time < 0.9 * std::abs(end)) {
          ASSERT_NEAR(reached, simulation.world().time, 1e-6) << where;
        }
      }
      EXPECT_NEAR(farthest, std::abs(end), 1e-3) << where;
      EXPECT_NEAR(simulation.joint_motion(0).position[free.axis], end, 1e-3) << where;
      EXPECT_LT(std::abs(simulation.joint_motion(0).rate[free.axis]), 1e-3) << where;
      EXPECT_LT(simulation.world().kinetic_energy(), 1e-6) << where;
    }
  }
}

}  // namespace
}  // namespace achilles
