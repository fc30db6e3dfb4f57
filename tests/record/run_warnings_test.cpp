// What a report warns of: worlds moved by hand.
#include "record/report/run_warnings.hpp"

#include "support/joints.hpp"

#include <achilles/world.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace achilles {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::make_anchor;
using testing::make_body;
using testing::make_joint;
using testing::make_scene;
using ::testing::StartsWith;

/// A bob a metre beside its anchor and another on an arm of ten metres: two joints of different arms.
Scene make_short_and_long() {
  Scene scene = make_scene(0.01, 0, 0);
  scene.method.name = "lcp-fixed";
  scene.bodies = {make_anchor(), make_body("near", {Sphere{0.05}}, Vec3(1, 0, 0)),
                  make_body("far", {Sphere{0.05}}, Vec3(0, 10, 0))};
  scene.joints = {make_joint(JointKind::kHinge, "anchor", "near", Vec3::Zero(), {Vec3::UnitZ()}),
                  make_joint(JointKind::kBall, "anchor", "far", Vec3::Zero())};
  scene.joints[0].axes[0].limits = std::pair{-0.1, 0.1};
  return scene;
}

std::vector<std::string> warn_of(const Vec3& shift, double angle) {
  const Scene scene = make_short_and_long();
  World world(scene);
  RunWarnings warnings;
  warnings.begin(world, scene);
  world.bodies.orientation[1] = Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  world.bodies.position[1] = world.bodies.orientation[1] * Vec3(1, 0, 0) + shift;
  warnings.see(world, {});
  return warnings.list(RunReport{}, 0);
}

// 2 cm are 2 % of the arm of a metre, whatever other joints of the scene reach; half a centimetre is half a per cent.
TEST(RunWarnings, CompareEachJointWithItsOwnArm) {
  EXPECT_THAT(warn_of(Vec3(0, 0, 0.02), 0), ElementsAre(StartsWith("joint: 'anchor-near' comes apart by up to 2 %")));
  EXPECT_THAT(warn_of(Vec3(0, 0, 0.005), 0), IsEmpty());
}

TEST(RunWarnings, TellOfAnAxisBeyondItsLimits) {
  EXPECT_THAT(warn_of(Vec3::Zero(), -0.13), ElementsAre(StartsWith("limit: 'anchor-near' is up to 3 % of a radian")));
  EXPECT_THAT(warn_of(Vec3::Zero(), 0.105), IsEmpty());
}

// What a scene begins with is its own doing.
TEST(RunWarnings, LeaveAloneWhatBeganApart) {
  Scene scene = make_short_and_long();
  World world(scene);
  world.bodies.position[1].z() += 0.02;
  RunWarnings warnings;
  warnings.begin(world, scene);
  warnings.see(world, {});
  EXPECT_THAT(warnings.list(RunReport{}, 0), IsEmpty());
  world.bodies.position[1].z() += 0.01;
  warnings.see(world, {});
  EXPECT_THAT(warnings.list(RunReport{}, 0), ElementsAre(StartsWith("joint: 'anchor-near'")));
}

}  // namespace
}  // namespace achilles
