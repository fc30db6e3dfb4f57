// The paper's degenerate scenes, run whole: figures 1 and 2 of [Vouga17].
#include "support/scenes.hpp"
#include "support/source_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace achilles {
namespace {

using testing::run_to;
using testing::velocity_of;

Simulation make_run(const std::string& name, std::vector<Override> overrides) {
  overrides.insert(overrides.begin(), {"method.name", "reflections"});
  return Simulation(load_scene((source_folder() / "scenes/vouga" / (name + ".yaml")).string(), overrides));
}

// Without lineality detection both operators go round in circles; the run stops and names what opposes what.
TEST(OpposedContacts, WithoutLinealityTheRunStopsAndNamesThem) {
  for (const char* law : {"gauss-seidel", "generalized-reflections"}) {
    for (const char* name : {"wedged_ball", "wedged_balls", "geyser", "wedged_later"}) {
      Simulation run = make_run(name, {{"method.impact", law}, {"method.lineality", "false"}});
      const StepReport report = run_to(run, 1);
      ASSERT_TRUE(report.stopped) << name << ", " << law;
      EXPECT_EQ(report.stopped->reason, "impact-does-not-end") << name << ", " << law;
      EXPECT_THAT(report.stopped->message, ::testing::HasSubstr("'left'")) << name << ", " << law;
      EXPECT_THAT(report.stopped->message, ::testing::HasSubstr("'right'")) << name << ", " << law;
    }
  }
}

TEST(OpposedContacts, WithLinealityBothOperatorsEnd) {
  for (const char* law : {"gauss-seidel", "generalized-reflections"}) {
    for (const char* name : {"wedged_ball", "wedged_balls", "geyser", "wedged_later"}) {
      Simulation run = make_run(name, {{"method.impact", law}});
      int lineality = 0;
      while (run.world().time < 0.5) {
        const StepReport report = run.step();
        ASSERT_FALSE(report.stopped) << name << ", " << law << ": " << report.stopped->message;
        lineality += report.lineality;
      }
      EXPECT_GT(lineality, 0) << name << ", " << law;
      EXPECT_LT(run.penetration(), 1e-9) << name << ", " << law;
    }
  }
}

// Across the walls everything is lost, along them nothing: ½ m v² of the velocity 0.5 along the walls is left.
TEST(OpposedContacts, WedgedBallsKeepTheEnergyAlongTheWalls) {
  for (const char* law : {"gauss-seidel", "generalized-reflections"}) {
    for (const char* name : {"wedged_ball", "wedged_balls"}) {
      Simulation run = make_run(name, {{"method.impact", law}});
      run_to(run, 0.5);
      EXPECT_NEAR(run.world().kinetic_energy(), 0.125, 1e-12) << name << ", " << law;
    }
    Simulation run = make_run("wedged_ball", {{"method.impact", law}});
    run_to(run, 0.5);
    EXPECT_LE((velocity_of(run, "ball").linear - Vec3(0, 0, 0.5)).norm(), 1e-12);
  }
}

// "Slightly shrinking the radius of all of the balls" removes the degeneracy, [Vouga17, sec. 8].
TEST(OpposedContacts, ShrunkGeyserNeedsNoLineality) {
  for (const char* law : {"gauss-seidel", "generalized-reflections"}) {
    Simulation run =
        make_run("geyser",
                 {{"method.impact", law}, {"method.lineality", "false"}, {"bodies.plug.shape.sphere.radius", "0.499"}});
    const StepReport report = run_to(run, 0.5);
    EXPECT_FALSE(report.stopped) << law << ": " << report.stopped->message;
  }
}

TEST(OpposedContacts, OptionsOfOperatorsAreRefusedByOtherLaws) {
  EXPECT_THROW(make_run("wedged_ball", {{"method.impact", "newton"}, {"method.lineality", "false"}}), SceneError);
}

}  // namespace
}  // namespace achilles
