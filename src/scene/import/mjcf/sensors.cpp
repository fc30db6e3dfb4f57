// Sensors of an MJCF file.
#include "scene/import/mjcf/robot.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace achilles::scene_file {
namespace {

class SensorReader {
 public:
  explicit SensorReader(MjcfRobot& robot) : robot_(robot) {}

  void read() {
    for (const XmlNode* node : robot_.document.list("sensor")) read_sensor(*node);
  }

 private:
  void read_sensor(const XmlNode& node) {
    constexpr std::pair<std::string_view, SensorKind> kOfJoints[] = {
        {"jointpos", SensorKind::kJointPosition},
        {"jointvel", SensorKind::kJointVelocity},
        {"jointactuatorfrc", SensorKind::kJointTorque},
    };
    constexpr std::pair<std::string_view, SensorKind> kOfSites[] = {{"accelerometer", SensorKind::kImu},
                                                                    {"gyro", SensorKind::kImu},
                                                                    {"touch", SensorKind::kTouch},
                                                                    {"rangefinder", SensorKind::kDistanceRay}};
    for (const auto& [word, kind] : kOfJoints) {
      if (node.name == word) return add_joint_sensor(node, kind);
    }
    for (const auto& [word, kind] : kOfSites) {
      if (node.name == word) return add_site_sensor(node, kind, text_at(node, "site"));
    }
    const bool is_frame =
        node.name == "framepos" || node.name == "framequat" || node.name == "framelinvel" || node.name == "frameangvel";
    if (is_frame) add_frame(node);  // other kinds are said by the words
  }

  SensorDescription make(const XmlNode& node, SensorKind kind) {
    SensorDescription sensor;
    sensor.kind = kind;
    sensor.name = name_of(node, node.name, robot_.model.sensors.size());
    while (!names_.insert(sensor.name).second) sensor.name += " " + node.name;
    if (node.find_attribute("noise") != nullptr && number_at(robot_.context, node, "noise").value_or(0) > 0) {
      robot_.context.leave_out(node.place, "noise of a sensor");
    }
    if (kind != SensorKind::kDistanceRay && number_at(robot_.context, node, "cutoff").value_or(0) > 0) {
      robot_.context.leave_out(node.place, "cutoff of a sensor: its values are not cut off");
    }
    if (kind == SensorKind::kTouch) {
      robot_.context.leave_out(node.place, "the volume of a touch sensor's site: all contacts of its body count");
    }
    return sensor;
  }

  void add_joint_sensor(const XmlNode& node, SensorKind kind) {
    const MjcfJoint* joint = find_mjcf_joint(robot_, text_at(node, "joint"), node.place);
    if (joint == nullptr) return;
    SensorDescription sensor = make(node, kind);
    sensor.joint = robot_.model.joints[joint->model_joint].description.name;
    sensor.axis = joint->axis;
    if (kind == SensorKind::kJointPosition && joint->start != 0) {
      robot_.context.note(node.place, fmt::format("'{}' reads positions from the start, {:.6g} less than the file's",
                                                  shorten(sensor.name), joint->start));
    }
    robot_.model.sensors.push_back({std::move(sensor), node.place});
  }

  void add_site_sensor(const XmlNode& node, SensorKind kind, const std::string& site) {
    const auto found = robot_.sites.find(site);
    if (found == robot_.sites.end()) {
      return robot_.context.error(node.place, fmt::format("there is no site '{}'", shorten(site)));
    }
    add_at(node, kind, found->second.link, found->second.pose);
  }

  void add_at(const XmlNode& node, SensorKind kind, int link, const Pose& pose) {
    if (link < 0) return robot_.context.leave_out(node.place, "a sensor on the world");
    SensorDescription sensor = make(node, kind);
    sensor.body = robot_.model.links[static_cast<std::size_t>(link)].name;
    if (kind != SensorKind::kTouch) sensor.pose = pose;
    if (kind == SensorKind::kDistanceRay) {
      sensor.direction = Vec3::UnitZ();
      const double cutoff = number_at(robot_.context, node, "cutoff").value_or(0);
      if (cutoff > 0) sensor.range = cutoff;
    }
    robot_.model.sensors.push_back({std::move(sensor), node.place});
  }

  void add_frame(const XmlNode& node) {
    const std::string type = text_at(node, "objtype"), name = text_at(node, "objname");
    if (node.find_attribute("reftype") != nullptr)
      robot_.context.leave_out(node.place, "the reference of a frame sensor");
    if (type == "site") return add_site_sensor(node, SensorKind::kFrame, name);
    if (type == "body" || type == "xbody") {
      const std::optional<int> link = find_mjcf_body(robot_, name, node.place);
      if (!link || *link < 0) return;
      // `body` means its centre of mass, with the axes of its inertia; the frame itself is `xbody`.
      if (type == "body") robot_.context.leave_out(node.place, "a sensor of a body's inertial frame; its own is taken");
      return add_at(node, SensorKind::kFrame, *link, {});
    }
    robot_.context.leave_out(node.place, fmt::format("a frame sensor of the type '{}'", shorten(type)));
  }

  MjcfRobot& robot_;
  std::set<std::string> names_;
};

}  // namespace

void read_mjcf_sensors(MjcfRobot& robot) { SensorReader(robot).read(); }

}  // namespace achilles::scene_file
