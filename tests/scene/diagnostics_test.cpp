// What the reader says about a scene that cannot be used.
#include "scene/read_text.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace achilles {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

TEST(SceneDiagnostics, NamePlaceFieldFindingAndWhatIsAllowed) {
  const std::vector<Diagnostic> errors = errors_of("achilles: 1\ntime:\n  step: fast\n");
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_EQ(errors[0].severity, Diagnostic::Severity::kError);
  EXPECT_EQ(errors[0].file, "test.yaml");
  EXPECT_EQ(errors[0].line, 3);
  EXPECT_EQ(errors[0].column, 9);
  EXPECT_EQ(errors[0].field, "time.step");
  EXPECT_EQ(errors[0].text(), "test.yaml:3:9: error: time.step: found the text 'fast'; allowed: a number above 0 [s]");
}

TEST(SceneDiagnostics, AllErrorsComeAtOnceInTheOrderOfTheFile) {
  const std::vector<Diagnostic> errors = errors_of(
      "achilles: 1\n"
      "gravty: [0, 0, -9.81]\n"                                                      // 2: unknown key
      "time: {step: -0.01}\n"                                                        // 3: out of range
      "bodies:\n"                                                                    //
      "  - {name: a, shape: {sphere: {radius: x}}}\n"                                // 5: wrong type
      "  - {name: a, shape: {box: {size: [1, 2]}}, material: wood}\n"                // 6: name, vector, material
      "  - {nam: b, shape: {sphere: {radius: 1}}}\n"                                 // 7: unknown key, name missing
      "joints:\n"                                                                    //
      "  - {name: j, kind: ball, between: [a, nobody], at: [0, 0, 0], axis: 3}\n");  // 9: unknown key, no such body
  std::vector<int> lines;
  for (const Diagnostic& error : errors) lines.push_back(error.line);
  EXPECT_THAT(lines, testing::ElementsAre(2, 3, 5, 6, 6, 6, 7, 7, 9, 9));
}

TEST(SceneDiagnostics, WordsOfOtherEnginesAreTranslated) {
  EXPECT_THAT(error_of(with_ball("omega: [1, 0, 0]")), HasSubstr("did you mean 'spin'?"));
  EXPECT_THAT(error_of(with_ball("quat: [1, 0, 0, 0]")), HasSubstr("did you mean 'orientation'?"));
  const std::string bodies =
      "achilles: 1\nbodies:\n  - {name: a, shape: {sphere: {radius: 1}}}\n"
      "  - {name: b, shape: {sphere: {radius: 1}}, position: [3, 0, 0]}\njoints:\n";
  EXPECT_THAT(error_of(bodies + "  - {name: j, kind: revolute, between: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"),
              HasSubstr("did you mean 'hinge'?"));
  EXPECT_THAT(error_of(bodies + "  - {name: j, kind: prismatic, between: [a, b], axis: [0, 0, 1]}\n"),
              HasSubstr("did you mean 'slider'?"));
  // A key of a mapping is offered with the mapping's name.
  EXPECT_THAT(
      error_of(bodies + "  - {name: j, kind: hinge, between: [a, b], at: [0, 0, 0], axis: [0, 0, 1], damping: 1}\n"),
      HasSubstr("did you mean 'spring.damping'?"));
}

TEST(SceneDiagnostics, FormerNamesOfOptionsAreErrorsThatNameTheNewOnes) {
  const std::string shock = "achilles: 1\nmethod: {name: shock-propagation, ";
  EXPECT_THAT(error_of(shock + "margin: 0.02}\n"), HasSubstr("did you mean 'speculative_distance'?"));
  EXPECT_THAT(error_of(shock + "recycling: 0}\n"), HasSubstr("did you mean 'reuse_distance'?"));
  EXPECT_THAT(error_of(shock + "weight_feeling: 0.1}\n"), HasSubstr("did you mean 'gravity_fraction'?"));
}

TEST(SceneDiagnostics, AMisspeltWordIsMetWithTheWordThatWasMeant) {
  EXPECT_THAT(error_of(with_ball("velocty: [1, 0, 0]")), HasSubstr("did you mean 'velocity'?"));
  EXPECT_THAT(error_of(with_ball("Mass: 1")), HasSubstr("did you mean 'mass'?"));
  EXPECT_THAT(error_of(with_ball("axis-angle: {axis: [0, 0, 1], angle: 1}")), HasSubstr("did you mean 'axis_angle'?"));
  EXPECT_THAT(error_of(with_ball("kind: dynmaic")), HasSubstr("did you mean 'dynamic'?"));
  EXPECT_THAT(error_of("achilles: 1\nmethod: lcp_fixed\n"), HasSubstr("did you mean 'lcp-fixed'?"));
  EXPECT_THAT(error_of("achilles: 1\nmethod: {iteration: 5}\n"), HasSubstr("did you mean 'iterations'?"));
}

TEST(SceneDiagnostics, AWordThatIsNearNothingIsMetWithTheListAlone) {
  EXPECT_THAT(error_of(with_ball("kind: blue")),
              AllOf(testing::Not(HasSubstr("did you mean")), HasSubstr("allowed: dynamic, fixed, scripted")));
}

TEST(SceneDiagnostics, NumbersThatNoDoubleHoldsAreRefused) {
  for (const char* value : {".nan", "nan", ".inf", "-inf", "1e400"}) {
    EXPECT_THAT(error_of(with_ball(fmt::format("mass: {}", value))), HasSubstr("found " + std::string(value))) << value;
  }
  EXPECT_THAT(error_of(with_ball("position: [0, .nan, 0]")), HasSubstr("not finite"));
}

TEST(SceneDiagnostics, TextIsToldFromNumbersAndTruthValues) {
  EXPECT_THAT(error_of("achilles: 1\nname: 12\n"), HasSubstr("such as \"12\" in quotes"));
  EXPECT_TRUE(errors_of("achilles: 1\nname: \"12\"\n").empty());
  EXPECT_THAT(error_of("achilles: 1\nname: true\n"), HasSubstr("not text"));
  EXPECT_THAT(error_of("achilles: 1\nmethod: {warm_start: yes}\n"), HasSubstr("true or false"));
  EXPECT_THAT(error_of(with_ball("mass: \"2\"")), HasSubstr("found the text '2'"));
}

TEST(SceneDiagnostics, TheFormatVersionIsAsked) {
  EXPECT_THAT(error_of("name: a\n"), HasSubstr("the key 'achilles' is missing"));
  EXPECT_THAT(error_of("achilles: 2\n"), HasSubstr("allowed: 1"));
}

TEST(SceneDiagnostics, AKeyWrittenTwiceIsRefused) {
  EXPECT_THAT(error_of("achilles: 1\nname: a\nname: b\n"),
              AllOf(StartsWith("test.yaml:3:1:"), HasSubstr("written twice, first on line 2")));
}

TEST(SceneDiagnostics, NamesAreUniqueAndOfBearableLength) {
  EXPECT_THAT(error_of(with_two_boxes("  - {name: upper, shape: {sphere: {radius: 1}}, position: [9, 0, 0]}\n")),
              AllOf(StartsWith("test.yaml:5:12:"), HasSubstr("a body named 'upper' exists already")));
  EXPECT_THAT(error_of("achilles: 1\nbodies: [{name: \"\", shape: {sphere: {radius: 1}}}]\n"),
              HasSubstr("found empty text"));
  EXPECT_THAT(error_of("achilles: 1\nbodies: [{name: " + std::string(201, 'a') + ", shape: {sphere: {radius: 1}}}]\n"),
              HasSubstr("found 201 bytes"));
}

TEST(SceneDiagnostics, TabsAreExplained) {
  EXPECT_THAT(error_of("achilles: 1\ntime:\n\tstep: 1\n"), HasSubstr("line 3 is indented with a tab"));
}

TEST(SceneDiagnostics, ManyErrorsAreListedUpToALimitAndThenCounted) {
  std::string text = "achilles: 1\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("key_{}: 0\n", i);
  const std::vector<Diagnostic> errors = errors_of(text);
  ASSERT_EQ(errors.size(), 201U);
  EXPECT_THAT(errors.back().message, HasSubstr("and 800 more errors"));
}

TEST(SceneDiagnostics, LongAndStrangeWordsAreShownShortOnOneLine) {
  const std::string word =
      error_of("achilles: 1\nname: [\"" + std::string(5000, 'x') + "\"]\n\"a\\nb" + std::string(5000, 'y') + "\": 1\n");
  EXPECT_LT(word.size(), 1500U);
  EXPECT_EQ(error_of("achilles: 1\n\"a\\nb\": 1\n").find('\n'), std::string::npos);
}

TEST(SceneDiagnostics, AFixedBodyDoesNotMove) {
  EXPECT_THAT(error_of(with_ball("kind: fixed\nvelocity: [1, 0, 0]")), HasSubstr("a fixed body does not move"));
  EXPECT_TRUE(errors_of(with_ball("kind: fixed\nvelocity: [0, 0, 0]")).empty());
}

TEST(SceneDiagnostics, ManyBadReferencesCostNoMoreThanTheListedOnes) {
  // Every joint names a body that is not there, and every message would look for a near name among all bodies.
  std::string text = "achilles: 1\nbodies:\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("  - {{name: body_{}, shape: {{sphere: {{radius: 1}}}}}}\n", i);
  text += "joints:\n";
  for (int i = 0; i < 20000; ++i) {
    text += fmt::format("  - {{name: j{}, kind: fixed, between: [nobody_{}, noone_{}]}}\n", i, i, i);
  }
  EXPECT_EQ(errors_of(text).size(), 201U);
}

}  // namespace
}  // namespace achilles
