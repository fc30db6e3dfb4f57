// The methods there are: name, source, promise and options of each, in one table that the scene reader, the command
// line and the schema all read.
#pragma once

#include <achilles/scene.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace achilles {

/// One option of a method, as written under `method:` in a scene.
struct OptionInfo {
  enum class Type { kNumber, kInteger, kBoolean, kWord };
  std::string_view name;
  Type type = Type::kNumber;
  OptionValue standard;  // the default
  double minimum = 0;    // allowed range of a number or an integer, ends included
  double maximum = 0;
  std::vector<std::string_view> words;  // allowed words, for kWord
  std::string_view meaning;             // one line, with the unit
};

struct MethodInfo {
  std::string_view name;
  std::string_view source;
  std::string_view promise;
  std::vector<std::string_view> solvers;  // accepted under `solver:`, the first is the default; empty: it has none
  std::vector<std::string_view> impacts;  // accepted under `impact:`, the first is the default; empty: it has none
  std::vector<OptionInfo> options;
};

/// Every method of this build, in the order of DESIGN.
[[nodiscard]] std::span<const MethodInfo> method_infos();

/// The row of a method, or nullptr.
[[nodiscard]] const MethodInfo* find_method(std::string_view name);

}  // namespace achilles
