#include "methods/option_list.hpp"

#include "methods/method.hpp"

#include <gtest/gtest.h>

namespace achilles {
namespace {

enum class Rule { kFirst, kSecond };

struct Inner {
  int sweeps = 10;
};

struct Options {
  double share = 0.5;
  Inner inner;
  bool warm = true;
  Rule rule = Rule::kSecond;
};

OptionList<Options> make_list() {
  OptionList<Options> list;
  list.number("share", &Options::share, "a number", {0, 1})
      .integer("sweeps", [](Options& o) -> int& { return o.inner.sweeps; }, "an integer", {1, 100})
      .boolean("warm", &Options::warm, "a boolean")
      .word("rule", &Options::rule, {{"first", Rule::kFirst}, {"second", Rule::kSecond}}, "a word");
  return list;
}

TEST(OptionList, ShowsTheInitializersOfTheStructAsDefaults) {
  const OptionList<Options> list = make_list();
  ASSERT_EQ(list.infos().size(), 4U);
  EXPECT_EQ(std::get<double>(list.infos()[0].standard), 0.5);
  EXPECT_EQ(std::get<double>(list.infos()[1].standard), 10);
  EXPECT_EQ(std::get<bool>(list.infos()[2].standard), true);
  EXPECT_EQ(std::get<std::string>(list.infos()[3].standard), "second");
  EXPECT_EQ(list.infos()[3].words, (std::vector<std::string_view>{"first", "second"}));
}

TEST(OptionList, ReadsWhatTheSceneGivesIntoTheMembersAndLeavesTheRest) {
  MethodDescription description;
  description.options = {{"share", 1.0}, {"sweeps", 3.0}, {"rule", std::string("first")}};
  const Options options = make_list().read(description);
  EXPECT_EQ(options.share, 1);
  EXPECT_EQ(options.inner.sweeps, 3);
  EXPECT_TRUE(options.warm);
  EXPECT_EQ(options.rule, Rule::kFirst);
}

// Every option of every method has a default that the method itself accepts, and values that cannot be are refused by
// name.
TEST(Options, TakeTheirOwnDefaultsAndRefuseValuesOfTheWrongType) {
  for (const MethodSpec& spec : method_specs()) {
    for (const OptionInfo& option : spec.options) {
      MethodDescription description;
      description.name = spec.name;
      description.options = {{std::string(option.name), std::string("no-such-word")}};
      try {
        (void)make_method(description);
        ADD_FAILURE() << spec.name << ' ' << option.name;
      } catch (const std::invalid_argument& error) {
        EXPECT_NE(std::string(error.what()).find("'" + std::string(option.name) + "'"), std::string::npos);
        EXPECT_NE(std::string(error.what()).find(spec.name), std::string::npos) << error.what();
      }
      if (option.type != OptionInfo::Type::kInteger) continue;
      description.options = {{std::string(option.name), option.minimum + 0.5}};
      EXPECT_THROW((void)make_method(description), std::invalid_argument) << spec.name << ' ' << option.name;
    }
  }
}

}  // namespace
}  // namespace achilles
