// Name, time, gravity and method.
#include "scene/build/build.hpp"
#include "scene/build/read.hpp"
#include "scene/yaml/scalar.hpp"

#include "time_control/method.hpp"

#include <fmt/format.h>

namespace achilles::scene_file {
namespace {

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

void build_method(Build& build, const Node& node) {
  MethodDescription& method = build.scene.method;
  if (node.kind == Node::Kind::kScalar) {
    method.name = node.text;
    return;
  }
  method.name = read_text(node, "name").value_or(method.name);
  method.impact = read_text(node, "impact").value_or("");
  method.solver = read_text(node, "solver").value_or("");
  const MethodInfo* info = find_method(method.name);
  if (info == nullptr) return;
  for (const OptionInfo& option : info->options) {
    if (const Node* value = usable(node, option.name))
      method.options[std::string(option.name)] = read_option(option, *value);
  }
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
  if (const Node* method = usable(root, "method")) build_method(build, *method);
}

}  // namespace achilles::scene_file
