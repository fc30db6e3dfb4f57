#include "scene/import/mjcf/mjcf.hpp"

#include "scene/import/mjcf/robot.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace achilles::scene_file {
namespace {

void read_mjcf_options(MjcfRobot& robot) {
  Model& model = robot.model;
  model.gravity = Vec3(0, 0, -9.81);
  for (const XmlNode& node : robot.document.root().children) {
    if (node.name != "option") continue;
    model.gravity = vec3_at(robot.context, node, "gravity").value_or(*model.gravity);
    model.step = number_at(robot.context, node, "timestep").value_or(model.step);
    for (const char* key : {"density", "viscosity", "wind", "magnetic"}) {
      const auto values = numbers_of(robot.context, node.find_attribute(key));
      const bool matters = values && key != std::string_view("magnetic") &&
                           std::any_of(values->begin(), values->end(), [](double x) { return x != 0; });
      if (matters) robot.context.leave_out(node.place, fmt::format("'{}' of <option>: bodies move in vacuum", key));
    }
  }
}

// By custom a model of a real robot has a keyframe "home" from which it is meant to start.
void choose_keyframe(MjcfRobot& robot) {
  const std::string& wanted = robot.context.options().keyframe;
  if (wanted == "none") return;
  std::vector<std::string> names;
  for (const XmlNode* key : robot.document.list("keyframe")) {
    if (key->name != "key") continue;
    const std::string name = text_at(*key, "name");
    names.push_back(name);
    if (name != (wanted.empty() ? "home" : wanted)) continue;
    robot.qpos = numbers_of(robot.context, key->find_attribute("qpos")).value_or(std::vector<double>());
    robot.ctrl = numbers_of(robot.context, key->find_attribute("ctrl")).value_or(std::vector<double>());
    for (const char* unused : {"qvel", "act", "mpos", "mquat", "time"}) {
      const auto values = numbers_of(robot.context, key->find_attribute(unused));
      const bool matters = values && std::any_of(values->begin(), values->end(), [](double x) { return x != 0; });
      if (matters) robot.context.leave_out(key->place, fmt::format("'{}' of a keyframe", unused));
    }
    robot.context.note(key->place, fmt::format("starts at the keyframe '{}'; --keyframe none starts as the model is "
                                               "written",
                                               shorten(name)));
    return;
  }
  if (wanted.empty()) return;
  robot.context.error(robot.document.root().place,
                      fmt::format("there is no keyframe '{}'{}", shorten(wanted), suggestion(wanted, names)));
}

}  // namespace

Model read_mjcf(ImportContext& context, const XmlNode& mujoco) {
  const MjcfDocument document(context, mujoco);
  MjcfRobot robot{document, context};
  robot.model.name = text_at(mujoco, "model");
  robot.model.place = mujoco.place;
  read_mjcf_options(robot);
  choose_keyframe(robot);
  read_mjcf_assets(robot);
  read_mjcf_bodies(robot);
  if (!robot.qpos.empty() && robot.next_qpos != robot.qpos.size()) {
    context.error(mujoco.place,
                  fmt::format("the keyframe has {} positions; the model has {}", robot.qpos.size(), robot.next_qpos));
  }
  write_mjcf_surfaces(robot);
  read_mjcf_tendons(robot);
  read_mjcf_constraints(robot);
  read_mjcf_actuators(robot);
  read_mjcf_sensors(robot);
  return std::move(robot.model);
}

}  // namespace achilles::scene_file
