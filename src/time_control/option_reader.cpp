#include "time_control/option_reader.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

bool fits(const OptionInfo& info, const OptionValue& value) {
  switch (info.type) {
    case OptionInfo::Type::kBoolean:
      return std::holds_alternative<bool>(value);
    case OptionInfo::Type::kWord: {
      const std::string* word = std::get_if<std::string>(&value);
      return word != nullptr && std::find(info.words.begin(), info.words.end(), *word) != info.words.end();
    }
    case OptionInfo::Type::kInteger:
    case OptionInfo::Type::kNumber:
      break;
  }
  const double* number = std::get_if<double>(&value);
  const bool whole = info.type == OptionInfo::Type::kNumber || (number != nullptr && *number == std::floor(*number));
  return number != nullptr && whole && *number >= info.minimum && *number <= info.maximum;
}

}  // namespace

OptionReader::OptionReader(const MethodInfo& info, const MethodDescription& description)
    : info_(&info), description_(&description) {
  for (const auto& [name, value] : description.options) {
    const auto known = std::find_if(info.options.begin(), info.options.end(),
                                    [&key = name](const OptionInfo& option) { return option.name == key; });
    const std::string what = "method " + std::string(info.name) + ": option '" + name + "'";
    if (known == info.options.end()) throw std::invalid_argument(what + " does not exist");
    if (!fits(*known, value)) throw std::invalid_argument(what + " has a value that is not allowed");
  }
}

const OptionValue& OptionReader::value(std::string_view name) const {
  const auto given = description_->options.find(std::string(name));
  if (given != description_->options.end()) return given->second;
  for (const OptionInfo& option : info_->options) {
    if (option.name == name) return option.standard;
  }
  throw std::logic_error("the method's table lacks the option '" + std::string(name) + "'");
}

double OptionReader::number(std::string_view name) const { return std::get<double>(value(name)); }
int OptionReader::integer(std::string_view name) const { return static_cast<int>(std::get<double>(value(name))); }
bool OptionReader::boolean(std::string_view name) const { return std::get<bool>(value(name)); }
const std::string& OptionReader::word(std::string_view name) const { return std::get<std::string>(value(name)); }

}  // namespace achilles
