// Reads the options of a method description against the method's table.
#pragma once

#include "time_control/method.hpp"

#include <string>

namespace achilles {

/// Value of each option: the scene's where it gives one, else the table's. Throws std::invalid_argument for an option
/// that the method does not have, a value of the wrong type or out of range.
class OptionReader {
 public:
  OptionReader(const MethodInfo& info, const MethodDescription& description);

  [[nodiscard]] double number(std::string_view name) const;
  [[nodiscard]] int integer(std::string_view name) const;
  [[nodiscard]] bool boolean(std::string_view name) const;
  [[nodiscard]] const std::string& word(std::string_view name) const;

 private:
  [[nodiscard]] const OptionValue& value(std::string_view name) const;

  const MethodInfo* info_;
  const MethodDescription* description_;
};

}  // namespace achilles
