// What is legal but suspicious.
#include "scene/read_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace achilles {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// Two unit balls, the second with its centre at distance d.
std::string two_balls(double d, const std::string& more_of_second = ", mass: 1") {
  return fmt::format(
      "achilles: 1\nbodies:\n  - {{name: a, shape: {{sphere: {{radius: 1}}}}, mass: 1}}\n"
      "  - {{name: b, shape: {{sphere: {{radius: 1}}}}, position: [{}, 0, 0]{}}}\n",
      d, more_of_second);
}

TEST(SceneWarnings, BodiesThatOverlapAtTheStartAreNamedWithTheDepth) {
  // Centres 1.75 apart, radii 1 + 1: the depth is 0.25.
  EXPECT_THAT(warnings_of(two_balls(1.75)), ElementsAre(AllOf(StartsWith("test.yaml:4:5: warning: bodies.b:"),
                                                              HasSubstr("overlaps 'a' by 0.25 m at the start"))));
}

TEST(SceneWarnings, TouchingIsNotOverlap) {
  EXPECT_THAT(warnings_of(two_balls(2)), IsEmpty());
  // 0.1 + 0.2 is not 0.3: boxes stacked by typed decimals overlap by a rounding error.
  EXPECT_THAT(warnings_of("achilles: 1\nbodies:\n"
                          "  - {name: g, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                          "  - {name: a, shape: {box: {size: [1, 1, 0.1]}}, position: [0, 0, 0.05]}\n"
                          "  - {name: b, shape: {box: {size: [1, 1, 0.2]}}, position: [0, 0, 0.2]}\n"
                          "  - {name: c, shape: {box: {size: [1, 1, 0.2]}}, position: [0, 0, 0.4]}\n"),
              IsEmpty());
}

TEST(SceneWarnings, ABodySunkIntoThePlaneIsNamed) {
  EXPECT_THAT(warnings_of("achilles: 1\nbodies:\n"
                          "  - {name: a, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.25]}\n"
                          "  - {name: g, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"),
              ElementsAre(HasSubstr("overlaps 'a' by 0.25 m at the start")));
}

TEST(SceneWarnings, CopiesThatOverlapMakeOneWarningWithTheirNumber) {
  EXPECT_THAT(warnings_of(with_ball("repeat: {count: [5, 1, 1], spacing: [1.5, 0, 0]}")),
              ElementsAre(AllOf(HasSubstr("by 0.5 m"), HasSubstr("and 3 more pairs of the same entries"))));
}

TEST(SceneWarnings, WhatDoesNotCollideDoesNotOverlap) {
  EXPECT_THAT(warnings_of(two_balls(1) + "rules: [{ignore: [b, a]}]\n"), IsEmpty());
  EXPECT_THAT(warnings_of(two_balls(1) + "joints: [{name: j, kind: fixed, between: [a, b]}]\n"), IsEmpty());
  EXPECT_THAT(warnings_of(two_balls(1) + "joints: [{name: j, kind: fixed, between: [a, b], collide: true}]\n"),
              ElementsAre(HasSubstr("overlaps")));
  EXPECT_THAT(warnings_of("achilles: 1\nbodies:\n  - {name: a, kind: fixed, shape: {sphere: {radius: 1}}}\n"
                          "  - {name: b, kind: fixed, shape: {sphere: {radius: 1}}}\n"),
              IsEmpty())
      << "neither can move";
}

TEST(SceneWarnings, AHeavyBodyInContactWithALightOneIsNamed) {
  EXPECT_THAT(warnings_of(two_balls(2, ", mass: 1500")),
              ElementsAre(AllOf(HasSubstr("touches 'a'"), HasSubstr("1500 times as heavy"))));
  EXPECT_THAT(warnings_of(two_balls(2, ", mass: 999")), IsEmpty());
  EXPECT_THAT(warnings_of(two_balls(3, ", mass: 1500")), IsEmpty()) << "they do not touch";
  EXPECT_THAT(warnings_of(two_balls(2, ", kind: fixed")), IsEmpty()) << "a fixed body has no mass to compare";
}

TEST(SceneWarnings, InertiaThatNoSolidHasIsNamed) {
  // Principal moments are sums of two of three positive integrals, so none exceeds the sum of the other two.
  EXPECT_THAT(warnings_of(with_ball("mass: 1\ninertia: [1, 1, 2.5]")),
              ElementsAre(AllOf(HasSubstr("no solid has this inertia"), HasSubstr("1, 1 and 2.5"))));
  EXPECT_THAT(warnings_of(with_ball("mass: 1\ninertia: [1, 1, 2]")), IsEmpty()) << "a flat disc has that";
}

TEST(SceneWarnings, AStepInWhichABodyOutrunsItselfIsNamed) {
  EXPECT_THAT(warnings_of(with_ball("velocity: [0, 0, 101]")),
              ElementsAre(AllOf(StartsWith("test.yaml:5:15: warning: bodies.ball.velocity"),
                                HasSubstr("moves 1.01 m in one step of 0.01 s"),
                                HasSubstr("half of the 2 m it reaches along its way"))));
  EXPECT_THAT(warnings_of(with_ball("velocity: [0, 0, 99]")), IsEmpty());
  EXPECT_THAT(warnings_of(with_ball("spin: [0, 0, 110]")), ElementsAre(HasSubstr("turns by 1.1 rad")));
}

TEST(SceneWarnings, LengthsThatAreHardlyMetresAreNamed) {
  EXPECT_THAT(warnings_of("achilles: 1\nbodies: [{name: a, shape: {sphere: {radius: 1e-5}}}]\n"),
              ElementsAre(HasSubstr("lengths are in metres")));
  EXPECT_THAT(warnings_of("achilles: 1\nbodies: [{name: a, shape: {box: {size: [1, 1, 2000]}}}]\n"),
              ElementsAre(HasSubstr("is 2e+03 m large")));
}

TEST(SceneWarnings, WhatHasNoEffectIsNamed) {
  EXPECT_THAT(warnings_of(with_ball("kind: fixed\nmass: 1\nlock: [x]")),
              ElementsAre(AllOf(HasSubstr("bodies.ball.mass"), HasSubstr("is ignored, because the body is fixed")),
                          HasSubstr("bodies.ball.lock")));
  EXPECT_THAT(warnings_of("achilles: 1\n"), ElementsAre(HasSubstr("the scene has no bodies")));
  EXPECT_THAT(warnings_of("achilles: 1\ntime: {step: 1, duration: 0.5}\nbodies: []\n"),
              ElementsAre(HasSubstr("no bodies"), HasSubstr("longer than the duration")));
  EXPECT_THAT(warnings_of("achilles: 1\nbodies:\n  - {name: a, kind: fixed, shape: {sphere: {radius: 1}}}\n"
                          "  - {name: b, kind: fixed, shape: {sphere: {radius: 1}}, position: [3, 0, 0]}\n"
                          "joints: [{name: j, kind: fixed, between: [a, b]}]\n"),
              ElementsAre(HasSubstr("neither body is dynamic")));
  const auto with_method = [](const std::string& options) {
    return warnings_of("achilles: 1\nbodies: [{name: a, shape: {sphere: {radius: 1}}}]\nmethod: {name: lcp-fixed, " +
                       options + "}\n");
  };
  EXPECT_THAT(with_method("fixation: true"),
              ElementsAre(AllOf(HasSubstr("method.fixation"), HasSubstr("subgrouping"))));
  EXPECT_THAT(with_method("fixation: true, subgrouping: true, zeroing: true"),
              ElementsAre(AllOf(HasSubstr("method.subgrouping"), HasSubstr("without sleeping: true")),
                          HasSubstr("method.zeroing")));
  EXPECT_THAT(with_method("fixation: true, subgrouping: true, zeroing: true, sleeping: true"), IsEmpty());
  EXPECT_THAT(with_method("fixation: false, zeroing: false"), IsEmpty());
}

TEST(SceneWarnings, AQuaternionThatIsFarFromUnitLengthIsNamed) {
  EXPECT_THAT(warnings_of(with_ball("orientation: [1, 1, 0, 0]")), ElementsAre(HasSubstr("length 1.414")));
  EXPECT_THAT(warnings_of(with_ball("orientation: [0.7071, 0.7071, 0, 0]")), IsEmpty());
}

TEST(SceneWarnings, ACrowdInOnePlaceEndsTheSearchEarlyAndSaysSo) {
  // 40,000 balls in one place are 800 million overlaps; the search stops after ten thousand.
  const std::vector<std::string> warnings =
      warnings_of(with_ball("repeat: {count: [40000, 1, 1], spacing: [0, 0, 0]}"));
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_THAT(warnings, testing::Contains(HasSubstr("the search for overlaps ended early")));
}

TEST(SceneWarnings, ShapesFarBeyondWhatDoublesCanMeasureDoNoHarm) {
  EXPECT_THAT(errors_of("achilles: 1\nbodies:\n  - {name: a, shape: {sphere: {radius: 1e20}}, mass: 1}\n"
                        "  - {name: b, shape: {sphere: {radius: 1}}, position: [1e200, 0, 0]}\n"
                        "  - {name: c, shape: {sphere: {radius: 1e-60}}, mass: 1, inertia: [1, 1, 1]}\n"),
              IsEmpty());
}

}  // namespace
}  // namespace achilles
