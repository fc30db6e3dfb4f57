// Sensors, and what is seen of bodies.
#include "scene/build/build.hpp"
#include "scene/build/read.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

namespace achilles::scene_file {
namespace {

constexpr std::array<std::pair<const char*, SensorKind>, 8> kSensors{{{"joint_position", SensorKind::kJointPosition},
                                                                      {"joint_velocity", SensorKind::kJointVelocity},
                                                                      {"joint_torque", SensorKind::kJointTorque},
                                                                      {"imu", SensorKind::kImu},
                                                                      {"contact_force", SensorKind::kContactForce},
                                                                      {"touch", SensorKind::kTouch},
                                                                      {"frame", SensorKind::kFrame},
                                                                      {"distance_ray", SensorKind::kDistanceRay}}};

SensorDescription read_sensor(Build& build, const Node& node, const std::string& field) {
  SensorDescription sensor;
  sensor.name = read_text(node, "name").value_or("");
  const std::string kind = read_text(node, "kind").value_or("");
  for (const auto& [word, known] : kSensors) {
    if (kind == word) sensor.kind = known;
  }
  sensor.axis = static_cast<std::size_t>(read_number(node, "axis").value_or(0));
  if (const Node* joint = usable(node, "joint")) {
    sensor.joint = joint->text;
    (void)find_joint_axis(build, *joint, sensor.axis, field + ".joint");
  }
  if (const Node* body = usable(node, "body")) {
    sensor.body = body->text;
    (void)check_body_name(build, *body, field + ".body");
  }
  sensor.pose = build_pose(build, node, field);
  if (const std::optional<Vec3> direction = read_vec3(node, "direction")) sensor.direction = unit(*direction);
  sensor.range = read_number(node, "range").value_or(sensor.range);
  return sensor;
}

}  // namespace

void build_sensors(Build& build, const Node& root) {
  std::set<std::string> names;
  const Node& sensors = children(root, "sensors");
  for (std::size_t i = 0; i < sensors.items.size(); ++i) {
    const Node& node = sensors.items[i];
    if (node.bad) continue;
    const Node* name = usable(node, "name");
    const std::string field =
        name != nullptr ? fmt::format("sensors.{}", shorten(name->text)) : fmt::format("sensors[{}]", i);
    check_name(build, node, field);
    if (name != nullptr && !names.insert(name->text).second) {
      build.complaints.error(name->place, field + ".name",
                             fmt::format("a sensor named '{}' exists already", shorten(name->text)));
    }
    build.scene.sensors.push_back(read_sensor(build, node, field));
  }
}

std::optional<Color> read_color(const Node& node) {
  const Node* color = usable(node, "color");
  if (color == nullptr) return std::nullopt;
  Color rgba{};
  for (std::size_t k = 0; k < rgba.size(); ++k) rgba[k] = number_at(color->items[k]);
  return rgba;
}

std::vector<VisualDescription> build_visuals(Build& build, const Node& body, const std::string& field) {
  std::vector<VisualDescription> visuals;
  const Node& list = children(body, "visual");
  for (std::size_t i = 0; i < list.items.size(); ++i) {
    const Node& node = list.items[i];
    const std::string here = fmt::format("{}.visual[{}]", field, i);
    const Node* shape = usable(node, "shape");
    if (shape == nullptr || has_bad_part(*shape)) continue;
    visuals.push_back({build_shape(build, *shape, here + ".shape"), build_pose(build, node, here), read_color(node)});
  }
  return visuals;
}

}  // namespace achilles::scene_file
