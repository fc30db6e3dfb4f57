#include "record/certify/promises.hpp"

#include "constraint/joint_pose.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string_view>

namespace achilles {
namespace {

/// A number among the method's options: as given, or the default; nothing when it has no such option.
std::optional<double> option_of(const RecordingHead& head, const MethodSpec& method, std::string_view name) {
  const nlohmann::json given = nlohmann::json::parse(head.options, nullptr, false);
  if (given.is_object()) {
    const auto found = given.find(name);
    if (found != given.end() && found->is_number()) return found->get<double>();
  }
  for (const OptionInfo& option : method.options) {
    const double* standard = option.name == name ? std::get_if<double>(&option.standard) : nullptr;
    if (standard != nullptr) return *standard;
  }
  return std::nullopt;
}

/// What the algorithm promises that the options choose.
const Promises& find_promises(const RecordingHead& head, const MethodSpec& method) {
  const nlohmann::json given = nlohmann::json::parse(head.options, nullptr, false);
  for (const MethodVariant& variant : method.variants) {
    if (given.is_object() && given.contains(variant.option) && given[variant.option] == variant.word) {
      return variant.promises;
    }
  }
  return method.promises;
}

/// Whether bodies in flight go by another rule than the method's default.
bool has_other_integrator(const RecordingHead& head, const MethodSpec& method) {
  const nlohmann::json given = nlohmann::json::parse(head.options, nullptr, false);
  if (!given.is_object() || !given.contains("integrator")) return false;
  for (const OptionInfo& option : method.options) {
    const auto* standard = option.name == "integrator" ? std::get_if<std::string>(&option.standard) : nullptr;
    if (standard != nullptr) return given["integrator"] != *standard;
  }
  return false;
}

}  // namespace

PromisedBounds promises_of(const RecordingHead& head) {
  PromisedBounds bounds;
  const MethodSpec* method = find_method(head.method);
  if (method == nullptr) return bounds;
  static_cast<Promises&>(bounds) = find_promises(head, *method);
  bounds.depth = option_of(head, *method, bounds.depth_option);
  // Nothing that touches closes in faster than what counts as rest or than gravity makes it in a step.
  if (const std::optional<double> rest = option_of(head, *method, bounds.rest_speed_option)) {
    bounds.approach = *rest + 2 * head.step * head.gravity.norm();
  }
  // A method that promises nothing of energies promises nothing of those in flight either.
  bounds.free_flight = bounds.free_flight && bounds.energy && !has_other_integrator(head, *method);
  if (bounds.joints) bounds.joint = kJointShare;
  return bounds;
}

}  // namespace achilles
