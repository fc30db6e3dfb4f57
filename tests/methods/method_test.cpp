// What holds for every method of the table, whichever there are.
#include "methods/advance.hpp"
#include "methods/capabilities.hpp"
#include "methods/method_spec.hpp"

#include <achilles/profile.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <set>
#include <stdexcept>

namespace achilles {
namespace {

MethodDescription describe(std::string_view name) {
  MethodDescription description;
  description.name = name;
  return description;
}

TEST(Methods, HaveNamesSourcesPromisesAndOptionsOfTheirOwnNames) {
  std::set<std::string_view> names;
  for (const MethodSpec& info : method_specs()) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.source.empty()) << info.name;
    EXPECT_FALSE(info.summary.empty()) << info.name;
    std::set<std::string_view> options;
    for (const OptionInfo& option : info.options) {
      EXPECT_TRUE(options.insert(option.name).second) << info.name << ' ' << option.name;
      EXPECT_FALSE(option.meaning.empty()) << info.name << ' ' << option.name;
    }
    EXPECT_EQ(find_method(info.name), &info);
  }
  EXPECT_EQ(find_method("no-such-method"), nullptr);
}

TEST(Methods, AreMadeWithTheirOwnDefaultsAndWithEverySolverAndImpactLawTheyName) {
  for (const MethodSpec& info : method_specs()) {
    EXPECT_NO_THROW((void)make_method(describe(info.name))) << info.name;
    for (const std::string_view solver : info.solvers) {
      MethodDescription description = describe(info.name);
      description.solver = solver;
      EXPECT_NO_THROW((void)make_method(description)) << info.name << ' ' << solver;
    }
    for (const std::string_view impact : info.impact_laws) {
      MethodDescription description = describe(info.name);
      description.impact = impact;
      EXPECT_NO_THROW((void)make_method(description)) << info.name << ' ' << impact;
    }
  }
}

TEST(Methods, RefuseWhatTheyDoNotHave) {
  EXPECT_THROW((void)make_method(describe("no-such-method")), std::invalid_argument);
  for (const MethodSpec& info : method_specs()) {
    MethodDescription description = describe(info.name);
    description.solver = "no-such-solver";
    EXPECT_THROW((void)make_method(description), std::invalid_argument) << info.name;
    description = describe(info.name);
    description.impact = "no-such-law";
    EXPECT_THROW((void)make_method(description), std::invalid_argument) << info.name;
    description = describe(info.name);
    description.options["no_such_option"] = 1.0;
    EXPECT_THROW((void)make_method(description), std::invalid_argument) << info.name;
    for (const OptionInfo& option : info.options) {
      if (option.type != OptionInfo::Type::kNumber && option.type != OptionInfo::Type::kInteger) continue;
      for (const double value :
           {option.minimum - 1, option.maximum * 2 + 1, std::numeric_limits<double>::quiet_NaN()}) {
        description = describe(info.name);
        description.options[std::string(option.name)] = value;
        EXPECT_THROW((void)make_method(description), std::invalid_argument) << info.name << ' ' << option.name;
      }
    }
  }
}

Scene make_bouncing_balls() {
  Scene scene;
  scene.materials = {{"default", {}}};
  scene.materials[0].law.restitution = 0.5;
  BodyDescription ground;
  ground.name = "ground";
  ground.kind = BodyKind::kFixed;
  ground.shape = {Plane{Vec3::UnitZ(), 0}};
  scene.bodies = {ground};
  for (int i = 0; i < 3; ++i) {
    BodyDescription ball;
    ball.name = "ball" + std::to_string(i);
    ball.shape = {Sphere{0.2}};
    ball.pose.p = Vec3(0.05 * i, 0.02 * i, 0.3 + 0.5 * i);
    scene.bodies.push_back(ball);
  }
  return scene;
}

// Time is counted in steps; a copy of the world under a method object of its own moves alike to the last bit, up to
// where both stop themselves, should they.
TEST(Methods, AdvanceByTheStepAndDependOnNothingButTheWorld) {
  for (const MethodSpec& info : method_specs()) {
    const Scene scene = make_bouncing_balls();
    const std::unique_ptr<Method> method = make_method(describe(info.name));
    ASSERT_TRUE(find_obstacles(info, scene).empty()) << info.name;
    World world(scene);
    for (int k = 0; k < 12; ++k) ASSERT_FALSE(advance(world, *method, 0.01).stopped) << info.name;
    EXPECT_EQ(world.step_index, 12) << info.name;
    EXPECT_NEAR(world.time, 0.12, 1e-12) << info.name;
    World copy = world;
    const std::unique_ptr<Method> fresh = make_method(describe(info.name));
    for (int k = 0; k < 100; ++k) {
      const StepReport report = advance(world, *method, 0.01);
      const StepReport again = advance(copy, *fresh, 0.01);
      ASSERT_EQ(world.state_hash(), copy.state_hash()) << info.name << " step " << k;
      ASSERT_EQ(report.stopped.has_value(), again.stopped.has_value()) << info.name;
      if (!report.stopped) continue;
      EXPECT_FALSE(report.stopped->reason.empty()) << info.name;
      EXPECT_EQ(report.stopped->reason, again.stopped->reason) << info.name;
      break;
    }
  }
}

TEST(Methods, TellAProfileTheirStages) {
  for (const MethodSpec& info : method_specs()) {
    const std::unique_ptr<Method> method = make_method(describe(info.name));
    World world(make_bouncing_balls());
    Profile profile;
    method->workspace().profile = &profile;
    for (int k = 0; k < 20; ++k) {
      profile.begin_step();
      (void)advance(world, *method, 0.01);
    }
    const auto has = [&](std::initializer_list<std::string_view> names) {
      return std::any_of(profile.stages().begin(), profile.stages().end(), [&](const Profile::Stage& stage) {
        return stage.calls > 0 && std::find(names.begin(), names.end(), stage.name) != names.end();
      });
    };
    if (!info.capabilities.friction && !info.capabilities.joints) continue;  // it has no contacts to find or solve
    EXPECT_TRUE(has({"bodies"})) << info.name;
    EXPECT_TRUE(has({"collision detection", "times of contact"})) << info.name;
    EXPECT_TRUE(has({"solving", "impacts", "sweeps", "substeps", "forces"})) << info.name;
  }
}

TEST(Methods, AdvanceAWorldWithoutBodies) {
  for (const MethodSpec& info : method_specs()) {
    World world;
    const StepReport report = advance(world, *make_method(describe(info.name)), 0.01);
    EXPECT_FALSE(report.stopped) << info.name;
    EXPECT_EQ(report.contacts, 0) << info.name;
    EXPECT_EQ(world.time, 0.01) << info.name;
  }
}

}  // namespace
}  // namespace achilles
