// The keys under `method`, from the table of methods.
#include "scene/format/format.hpp"

#include "methods/method_spec.hpp"

#include <fmt/format.h>

#include <utility>

namespace achilles::scene_file {
namespace {

std::vector<std::string> to_strings(const std::vector<std::string_view>& views) {
  return std::vector<std::string>(views.begin(), views.end());
}

struct ShowValue {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return value; }
};

Spec option_spec(const OptionInfo& option) {
  switch (option.type) {
    case OptionInfo::Type::kNumber:
      return number_in(option.minimum, option.maximum);
    case OptionInfo::Type::kInteger:
      return integer_in(option.minimum, option.maximum);
    case OptionInfo::Type::kBoolean:
      return boolean();
    case OptionInfo::Type::kWord:
      return word(to_strings(option.words));
  }
  return number();
}

Variant method_variant(const MethodSpec& method) {
  Variant variant{std::string(method.name), fmt::format("{}: {}", method.source, method.summary), {}};
  if (!method.impact_laws.empty()) {
    variant.fields.push_back({"impact", word(to_strings(method.impact_laws)), "Impact law.", false,
                              std::string(method.impact_laws.front())});
  }
  if (!method.solvers.empty()) {
    variant.fields.push_back({"solver", word(to_strings(method.solvers)), "Complementarity solver.", false,
                              std::string(method.solvers.front())});
  }
  for (const OptionInfo& option : method.options) {
    variant.fields.push_back({std::string(option.name), option_spec(option), std::string(option.meaning), false,
                              std::visit(ShowValue{}, option.standard)});
  }
  return variant;
}

}  // namespace

Spec method_spec() {
  Spec options;
  options.kind = Spec::Kind::kTagged;
  options.name = "a method";
  options.tag = "name";
  options.standard = MethodDescription{}.name;
  std::vector<std::string> names;
  for (const MethodSpec& method : method_specs()) {
    names.emplace_back(method.name);
    options.variants.push_back(method_variant(method));
  }
  return either({word(std::move(names)), std::move(options)});
}

}  // namespace achilles::scene_file
