#include "record/certify/promises.hpp"

#include "time_control/method.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <string_view>

namespace achilles {
namespace {

// No method says how closely it holds a joint together; this is what still looks whole.
constexpr double kJointShare = 0.02;

/// A number among the method's options: as given, or the default.
double option_of(const RecordingHead& head, std::string_view name, double otherwise) {
  const nlohmann::json given = nlohmann::json::parse(head.options, nullptr, false);
  if (given.is_object()) {
    const auto found = given.find(name);
    if (found != given.end() && found->is_number()) return found->get<double>();
  }
  if (const MethodInfo* method = find_method(head.method)) {
    for (const OptionInfo& option : method->options) {
      const double* standard = option.name == name ? std::get_if<double>(&option.standard) : nullptr;
      if (standard != nullptr) return *standard;
    }
  }
  return otherwise;
}

/// Methods that find every impact in time and stop at it: nothing comes deeper than the tolerance, nothing that touches
/// closes in faster than what counts as rest or than gravity makes it in a step.
void promise_impacts(const RecordingHead& head, std::string_view tolerance, Promises& promises) {
  promises.depth = option_of(head, tolerance, 1e-7);
  promises.energy = true;
  promises.approach = option_of(head, "rest_speed", 1e-3) + 2 * head.step * head.gravity.norm();
}

}  // namespace

Promises promises_of(const RecordingHead& head) {
  const std::string_view name = head.method;
  Promises promises;
  for (const char* method :
       {"lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu", "shock-propagation", "reflections", "hybrid",
        "impulse-conservative", "impulse-naive", "impulse-zeno-free", "lcp-event", "anitescu-potra"}) {
    if (name == method) promises.impulses = true;
  }
  if (name == "impulse-naive" || name == "impulse-zeno-free") {
    promise_impacts(head, "tolerance", promises);
  } else if (name == "impulse-conservative") {
    promise_impacts(head, "tolerance", promises);
    // A pair within the tolerance may be on its way, at any speed: it collides at the other end of that band.
    promises.approach.reset();
  } else if (name == "hybrid") {
    promises.depth = option_of(head, "contact_tolerance", 1e-4);
    promises.energy = true;
    promises.mending = Mending::kPositions;
    promises.joint = kJointShare;
  } else if (name == "lcp-event" || name == "anitescu-potra") {
    promise_impacts(head, "contact_tolerance", promises);
  } else if (name == "reflections") {
    promises.energy = true;
  } else if (name == "lcp-fixpoint" || name == "anitescu") {
    promises.energy = true;
    promises.mending = Mending::kVelocities;
    promises.joint = kJointShare;
  } else if (name == "lcp-fixed" || name == "lcp-retroactive" || name == "shock-propagation") {
    promises.energy = true;
    promises.mending = Mending::kPositions;
    promises.joint = kJointShare;
  } else if (name == "first-order") {
    promises.momentum = promises.angular = promises.inertia = false;
    promises.joint = kJointShare;
  } else if (name == "soft-step") {
    // Contacts are solved in single precision: a few dozen roundings of 2⁻²⁴.
    promises.rounding = 4e-6;
    promises.impulses = true;
    promises.cone = false;
  }
  return promises;
}

}  // namespace achilles
