// --set PATH=VALUE.
#include "scene/dump_scene.hpp"
#include "scene/read_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace achilles {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

Scene read_with(const std::string& text, const std::vector<Override>& overrides) {
  return parse_scene(text, "test.yaml", overrides);
}

TEST(SceneOverrides, ReachEveryKindOfKey) {
  const Scene scene = read_with(with_two_boxes("materials: {pairs: [{between: [default, default], friction: 0.1}]}\n"),
                                {{"time.step", "0.002"},
                                 {"gravity.2", "-1.62"},
                                 {"bodies.upper.velocity", "[5, 0, 0]"},
                                 {"bodies.lower.shape.box.size.0", "2"},
                                 {"bodies.1.mass", "3"},
                                 {"materials.pairs.0.friction", "0.9"},
                                 {"materials.default.restitution", "0.5"},
                                 {"name", "changed"}});
  EXPECT_EQ(scene.step, 0.002);
  EXPECT_EQ(scene.bodies[1].velocity, Vec3(5, 0, 0));
  EXPECT_EQ(std::get<Box>(scene.bodies[0].shape.kind).size, Vec3(2, 1, 1));
  EXPECT_EQ(scene.bodies[1].mass, 3);
  EXPECT_EQ(scene.material_pairs[0].law.friction, 0.9);
  EXPECT_EQ(scene.materials[0].law.restitution, 0.5);
  EXPECT_EQ(scene.name, "changed");
}

TEST(SceneOverrides, AComponentOfAVectorThatIsNotWrittenChangesItsDefault) {
  const Scene scene = read_with(with_two_boxes(), {{"gravity.0", "1"}, {"bodies.upper.velocity.2", "-3"}});
  EXPECT_EQ(scene.gravity, Vec3(1, 0, -9.81));
  EXPECT_EQ(scene.bodies[1].velocity, Vec3(0, 0, -3));
  EXPECT_THAT(error_of(with_two_boxes(), {{"bodies.upper.center.0", "1"}}),
              AllOf(StartsWith("--set bodies.upper.center.0=1"), HasSubstr("a list of 3 numbers [m]")))
      << "which has no default";
}

TEST(SceneOverrides, MakeWhatTheFormatAllowsAndTheSceneLacks) {
  const Scene scene = read_with("achilles: 1\n", {{"time.duration", "3"},
                                                  {"method.iterations", "12"},
                                                  {"materials.default.friction", "0.02"},
                                                  {"bodies", "[{name: a, shape: {sphere: {radius: 1}}}]"},
                                                  {"bodies.a.mass", "2"}});
  EXPECT_EQ(scene.duration, 3);
  EXPECT_EQ(scene.method.name, "lcp-fixed");
  EXPECT_EQ(std::get<double>(scene.method.options.at("iterations")), 12);
  EXPECT_EQ(scene.materials.at(0).law.friction, 0.02);
  EXPECT_EQ(scene.bodies.at(0).mass, 2);
}

TEST(SceneOverrides, AnOptionTurnsAMethodsNameIntoItsLongForm) {
  const Scene scene = read_with("achilles: 1\nmethod: lcp-fixed\n", {{"method.iterations", "12"}});
  EXPECT_EQ(scene.method.name, "lcp-fixed");
  EXPECT_EQ(std::get<double>(scene.method.options.at("iterations")), 12);
}

// A scene is written once and run by any method: what it says to its own is no error under another, but it is told.
TEST(SceneOverrides, AnotherMethodLeavesOutWhatItDoesNotKnowOfTheScenesOwnAndSaysSo) {
  const std::string scene =
      "achilles: 1\nmethod: {name: lcp-fixed, iterations: 12, speculative_distance: 0.02, solver: dantzig}\n";
  const Scene soft = read_with(scene, {{"method.name", "soft-step"}});
  EXPECT_EQ(soft.method.name, "soft-step");
  EXPECT_EQ(soft.method.options.count("iterations"), 0u);
  EXPECT_EQ(std::get<double>(soft.method.options.at("speculative_distance")), 0.02);
  std::vector<std::string> told;
  for (const Diagnostic& warning : soft.warnings) told.push_back(warning.field);
  EXPECT_EQ(std::count(told.begin(), told.end(), "method.iterations"), 1);
  EXPECT_EQ(std::count(told.begin(), told.end(), "method.solver"), 1);
  EXPECT_EQ(std::count(told.begin(), told.end(), "method.speculative_distance"), 0);
  const Scene same = read_with(scene, {{"method.name", "lcp-fixed"}});
  EXPECT_EQ(same.method.solver, "dantzig");
}

TEST(SceneOverrides, AMethodTakenAwayLeavesTheStandardOneWithoutItsOptions) {
  const Scene scene = read_with("achilles: 1\nmethod: {name: soft-step, push_speed: 4}\n", {{"method.name", "null"}});
  EXPECT_EQ(scene.method.name, read_with("achilles: 1\n", {}).method.name);
  EXPECT_EQ(scene.method.options.count("push_speed"), 0u);
  EXPECT_EQ(std::count_if(scene.warnings.begin(), scene.warnings.end(),
                          [](const Diagnostic& warning) { return warning.field == "method.push_speed"; }),
            1);
}

TEST(SceneOverrides, WhatTheyWriteForAnotherMethodStaysStrict) {
  EXPECT_THROW((void)read_with("achilles: 1\n", {{"method.name", "soft-step"}, {"method.iterations", "12"}}),
               SceneError);
}

TEST(SceneOverrides, TheLastOfTwoCountsAndNullTakesAway) {
  EXPECT_EQ(read_with("achilles: 1\n", {{"time.step", "0.1"}, {"time.step", "0.2"}}).step, 0.2);
  const Scene scene = read_with(with_ball("mass: 3"), {{"bodies.ball.mass", "null"}, {"bodies.ball.density", "5"}});
  EXPECT_FALSE(scene.bodies[0].mass);
  EXPECT_EQ(scene.bodies[0].density, 5);
}

TEST(SceneOverrides, NamesMayHoldDotsAndBrackets) {
  const Scene scene = read_with("achilles: 1\nbodies: [{name: arm.left, shape: {sphere: {radius: 1}}}]\n",
                                {{"bodies.arm.left.mass", "4"}});
  EXPECT_EQ(scene.bodies[0].mass, 4);
}

TEST(SceneOverrides, APathThatLeadsNowhereSaysWhatIsAllowedThere) {
  EXPECT_THAT(error_of("achilles: 1\n", {{"tim.step", "1"}}),
              AllOf(StartsWith("--set tim.step=1: error:"), HasSubstr("did you mean 'time'?")));
  EXPECT_THAT(error_of("achilles: 1\n", {{"time.stepp", "1"}}), HasSubstr("did you mean 'step'?"));
  EXPECT_THAT(error_of(with_two_boxes(), {{"bodies.uper.mass", "1"}}), HasSubstr("did you mean 'upper'?"));
  EXPECT_THAT(error_of(with_two_boxes(), {{"bodies.7.mass", "1"}}), HasSubstr("there is no '7'"));
  EXPECT_THAT(error_of("achilles: 1\n", {{"time.step.more", "1"}}), HasSubstr("but here stands a number above 0 [s]"));
  EXPECT_THAT(error_of("achilles: 1\n", {{"", "1"}}), HasSubstr("PATH=VALUE"));
  EXPECT_THAT(error_of("achilles: 1\nmaterials: {rubber: {}}\n", {{"materials.ruber.friction", "1"}}),
              HasSubstr("did you mean 'rubber'?"))
      << "a new material that nobody uses is a slip";
  EXPECT_THAT(error_of(with_ball("repeat: {count: [2, 1, 1], spacing: [3, 0, 0]}"), {{"bodies.ball[0,0,0].mass", "1"}}),
              HasSubstr("only all of them can be set, as 'ball'"));
}

TEST(SceneOverrides, ABadValueIsBlamedOnItsOverride) {
  EXPECT_THAT(error_of("achilles: 1\n", {{"time.step", "-1"}}),
              AllOf(StartsWith("--set time.step=-1: error: time.step:"), HasSubstr("found the number -1"),
                    HasSubstr("a number above 0 [s]")));
  EXPECT_THAT(error_of("achilles: 1\n", {{"time.step", "[1"}}), HasSubstr("Is a bracket left open?"));
  EXPECT_THAT(error_of("achilles: 1\n", {{"time", "{step: 1, stop: 2}"}}), HasSubstr("unknown key 'stop'"));
}

TEST(SceneOverrides, TextOfTheSceneHoldsThem) {
  const std::string text = "# What it shows.\n" + with_two_boxes("name: before\n");
  const Scene scene = read_with(text, {{"time.step", "0.00123456789012345678"},
                                       {"bodies.upper.velocity", "[5, -0.0, 1e-320]"},
                                       {"name", "\"quotes \\\" and: colons # too\""},
                                       {"source", "'123'"}});
  EXPECT_THAT(scene.text, StartsWith("# What it shows.\n"));
  EXPECT_EQ(scene.source, "123");
  const Scene again = parse_scene(scene.text, "test.yaml");
  EXPECT_EQ(first_difference(dump_scene(scene), dump_scene(again)), "");
  EXPECT_EQ(again.text, scene.text);
}

}  // namespace
}  // namespace achilles
