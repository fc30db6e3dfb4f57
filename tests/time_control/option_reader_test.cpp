#include "time_control/option_reader.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace achilles {
namespace {

MethodInfo make_info() {
  using Type = OptionInfo::Type;
  MethodInfo info;
  info.name = "example";
  info.options = {
      {"share", Type::kNumber, 0.5, 0, 1, {}, "a number"},
      {"sweeps", Type::kInteger, 10.0, 1, 100, {}, "an integer"},
      {"warm", Type::kBoolean, true, 0, 0, {}, "a boolean"},
      {"rule", Type::kWord, std::string("first"), 0, 0, {"first", "second"}, "a word"},
  };
  return info;
}

TEST(Options, AreTheTablesWhereTheSceneSaysNothing) {
  const MethodInfo info = make_info();
  const MethodDescription description;
  const OptionReader read(info, description);
  EXPECT_EQ(read.number("share"), 0.5);
  EXPECT_EQ(read.integer("sweeps"), 10);
  EXPECT_TRUE(read.boolean("warm"));
  EXPECT_EQ(read.word("rule"), "first");
}

TEST(Options, AreTheScenesWhereItGivesThemEndsOfTheRangeIncluded) {
  const MethodInfo info = make_info();
  MethodDescription description;
  description.options = {{"share", 1.0}, {"sweeps", 1.0}, {"warm", false}, {"rule", std::string("second")}};
  const OptionReader read(info, description);
  EXPECT_EQ(read.number("share"), 1);
  EXPECT_EQ(read.integer("sweeps"), 1);
  EXPECT_FALSE(read.boolean("warm"));
  EXPECT_EQ(read.word("rule"), "second");
}

TEST(Options, ThatCannotBeAreRefusedByName) {
  const MethodInfo info = make_info();
  const std::vector<std::pair<std::string, OptionValue>> impossible{
      {"shares", 0.5},
      {"share", 1.01},
      {"share", -0.01},
      {"share", true},
      {"share", std::string()},
      {"sweeps", 2.5},
      {"sweeps", 0.0},
      {"sweeps", 101.0},
      {"warm", 1.0},
      {"warm", std::string("true")},
      {"rule", std::string("third")},
      {"rule", false},
  };
  for (const auto& [name, value] : impossible) {
    MethodDescription description;
    description.options = {{name, value}};
    try {
      const OptionReader read(info, description);
      ADD_FAILURE() << name;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("'" + name + "'"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("example"), std::string::npos) << error.what();
    }
  }
}

TEST(Options, AskedForButNotInTheTableAreAMistakeOfTheProgram) {
  const MethodInfo info = make_info();
  const MethodDescription description;
  EXPECT_THROW((void)OptionReader(info, description).number("missing"), std::logic_error);
}

}  // namespace
}  // namespace achilles
