// Name, time, gravity, method and events.
#include "scene/build/build.hpp"
#include "scene/build/read.hpp"
#include "scene/yaml/scalar.hpp"

#include "methods/method_spec.hpp"

#include <fmt/format.h>

namespace achilles::scene_file {
namespace {

constexpr double kMostSteps = 9007199254740992;  // 2⁵³: beyond, times do not distinguish steps

OptionValue read_option(const OptionInfo& option, const Node& node) {
  switch (option.type) {
    case OptionInfo::Type::kBoolean:
      return read_boolean(node).value_or(false);
    case OptionInfo::Type::kWord:
      return node.text;
    default:
      return number_at(node);
  }
}

/// Warns of options that do nothing because another is off.
void warn_of_idle_options(Build& build, const Node& node, const MethodSpec& method) {
  const auto& options = build.scene.method.options;
  const auto value_of = [&](std::string_view name) {
    const auto found = options.find(std::string(name));
    return found == options.end() ? OptionValue(false) : found->second;
  };
  for (const OptionInfo& option : method.options) {
    const bool is_given = value_of(option.name) != OptionValue(false);
    if (option.needs.empty() || !is_given || value_of(option.needs) == OptionValue(true)) continue;
    build.complaints.warning(usable(node, option.name)->place, fmt::format("method.{}", option.name),
                             fmt::format("does nothing without {}: true", option.needs));
  }
}

void build_method(Build& build, const Node& node) {
  MethodDescription& method = build.scene.method;
  if (node.kind == Node::Kind::kScalar) {
    method.name = node.text;
    return;
  }
  method.name = read_text(node, "name").value_or(method.name);
  method.impact = read_text(node, "impact").value_or("");
  method.solver = read_text(node, "solver").value_or("");
  const MethodSpec* info = find_method(method.name);
  if (info == nullptr) return;
  for (const OptionInfo& option : info->options) {
    if (const Node* value = usable(node, option.name))
      method.options[std::string(option.name)] = read_option(option, *value);
  }
  warn_of_idle_options(build, node, *info);
}

void build_events(Build& build, const Node& node) {
  EventsDescription events;
  events.options.touching = read_number(node, "touching").value_or(events.options.touching);
  events.options.proximity = read_number(node, "proximity").value_or(events.options.proximity);
  if (const Node* persistent = usable(node, "persistent")) {
    events.options.persistent = read_boolean(*persistent).value_or(false);
  }
  for (const Node& period : children(node, "timers").items) events.timers.push_back(number_at(period));
  if (events.options.proximity < events.options.touching) {
    build.complaints.error(node.place, "events.proximity",
                           fmt::format("{} m is less than the {} m of touching; allowed: at least as much",
                                       events.options.proximity, events.options.touching));
  }
  build.scene.events = std::move(events);
}

}  // namespace

void build_settings(Build& build, const Node& root) {
  Scene& scene = build.scene;
  scene.name = read_text(root, "name").value_or("");
  scene.source = read_text(root, "source").value_or("");
  scene.gravity = read_vec3(root, "gravity").value_or(scene.gravity);
  const Node& time = children(root, "time");
  scene.step = read_number(time, "step").value_or(scene.step);
  scene.duration = read_number(time, "duration").value_or(scene.duration);
  if (scene.step > scene.duration && scene.duration > 0) {
    build.complaints.warning(
        time.place, "time.step",
        fmt::format("one step of {} s is longer than the duration of {} s", scene.step, scene.duration));
  }
  if (scene.duration / scene.step > kMostSteps) {
    build.complaints.error(time.place, "time.step",
                           fmt::format("the duration of {} s would take {:.2g} steps of {} s; allowed: at most {:.2g}",
                                       scene.duration, scene.duration / scene.step, scene.step, kMostSteps));
  }
  if (const Node* method = usable(root, "method")) build_method(build, *method);
  if (const Node* events = usable(root, "events")) build_events(build, *events);
}

}  // namespace achilles::scene_file
