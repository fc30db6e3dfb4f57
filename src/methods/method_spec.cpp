#include "methods/method_spec.hpp"

#include "methods/method.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {

std::vector<MethodSpec> list_method_specs();  // made by the build, one entry per folder

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

void check_options(const MethodSpec& spec, const MethodDescription& description) {
  const MethodVariant* variant = find_variant(spec, description);
  for (const auto& [name, value] : description.options) {
    const auto known = std::find_if(spec.options.begin(), spec.options.end(),
                                    [&key = name](const OptionInfo& option) { return option.name == key; });
    const std::string what = "method " + std::string(spec.name) + ": option '" + name + "'";
    if (known == spec.options.end()) throw std::invalid_argument(what + " does not exist");
    if (!fits(*known, value)) throw std::invalid_argument(what + " has a value that is not allowed");
    if (variant == nullptr) continue;
    if (std::find(variant->options.begin(), variant->options.end(), name) == variant->options.end()) {
      throw std::invalid_argument(what + " does not exist with " + std::string(variant->option) + ": " +
                                  std::string(variant->word));
    }
  }
}

/// A word from a list of allowed ones, the first when none was given.
std::string choose(std::string_view what, const std::string& given, const std::vector<std::string_view>& allowed) {
  if (given.empty()) return allowed.empty() ? std::string() : std::string(allowed.front());
  if (std::find(allowed.begin(), allowed.end(), given) == allowed.end()) {
    throw std::invalid_argument("the method has no " + std::string(what) + " '" + given + "'");
  }
  return given;
}

}  // namespace

std::span<const MethodSpec> method_specs() {
  static const std::vector<MethodSpec> specs = [] {
    std::vector<MethodSpec> all = list_method_specs();
    std::sort(all.begin(), all.end(), [](const MethodSpec& a, const MethodSpec& b) { return a.name < b.name; });
    return all;
  }();
  return specs;
}

const MethodSpec* find_method(std::string_view name) {
  const std::span<const MethodSpec> specs = method_specs();
  const auto found =
      std::find_if(specs.begin(), specs.end(), [&](const MethodSpec& spec) { return spec.name == name; });
  return found == specs.end() ? nullptr : &*found;
}

const MethodVariant* find_variant(const MethodSpec& spec, const MethodDescription& description) {
  const auto is_chosen = [&](const MethodVariant& variant) {
    const auto given = description.options.find(std::string(variant.option));
    return given != description.options.end() && given->second == OptionValue(std::string(variant.word));
  };
  const auto found = std::find_if(spec.variants.begin(), spec.variants.end(), is_chosen);
  return found == spec.variants.end() ? nullptr : &*found;
}

std::unique_ptr<Method> make_method(const MethodDescription& description) {
  const MethodSpec* spec = find_method(description.name);
  if (spec == nullptr) throw std::invalid_argument("there is no method '" + description.name + "'");
  check_options(*spec, description);
  return spec->make({description, choose("solver", description.solver, spec->solvers),
                     choose("impact law", description.impact, spec->impact_laws)});
}

}  // namespace achilles
