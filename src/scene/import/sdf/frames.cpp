#include "scene/import/sdf/frames.hpp"

#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <numbers>
#include <vector>

namespace achilles::scene_file {

std::string sdf_text(const XmlNode& node, std::string_view child) {
  const XmlNode* found = node.find(child);
  if (found == nullptr) return {};
  const std::vector<std::string> words = split_words(found->text);
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

double sdf_number(ImportContext& context, const XmlNode& node, std::string_view child, double standard) {
  const XmlNode* found = node.find(child);
  if (found == nullptr) return standard;
  const auto numbers = parse_numbers(context, found->text, found->place, child);
  if (!numbers) return standard;
  if (numbers->size() == 1) return numbers->front();
  context.error(found->place, fmt::format("<{}> holds {} numbers; allowed: one", child, numbers->size()));
  return standard;
}

Vec3 sdf_vec3(ImportContext& context, const XmlNode& node, std::string_view child, const Vec3& standard) {
  const XmlNode* found = node.find(child);
  if (found == nullptr) return standard;
  const auto numbers = parse_numbers(context, found->text, found->place, child);
  if (!numbers) return standard;
  if (numbers->size() == 3) return Vec3((*numbers)[0], (*numbers)[1], (*numbers)[2]);
  context.error(found->place, fmt::format("<{}> holds {} numbers; allowed: 3", child, numbers->size()));
  return standard;
}

Pose sdf_pose(ImportContext& context, const XmlNode& node) {
  const XmlNode* found = node.find("pose");
  if (found == nullptr) return {};
  const auto v = parse_numbers(context, found->text, found->place, "pose");
  if (!v || v->empty()) return {};
  if (v->size() != 6) {
    context.error(found->place, fmt::format("<pose> holds {} numbers; allowed: x y z roll pitch yaw", v->size()));
    return {};
  }
  Vec3 rpy((*v)[3], (*v)[4], (*v)[5]);
  if (text_at(*found, "degrees") == "true") rpy *= std::numbers::pi / 180;
  return {Vec3((*v)[0], (*v)[1], (*v)[2]), from_roll_pitch_yaw(rpy)};
}

SdfFrames::SdfFrames(ImportContext& context, const XmlNode& model) : context_(context) {
  for (const XmlNode& node : model.children) {
    const std::string name = text_at(node, "name");
    std::string standard;
    if (node.name == "joint") standard = sdf_text(node, "child");
    if (node.name == "frame") standard = text_at(node, "attached_to");
    if (node.name != "link" && node.name != "joint" && node.name != "frame" && node.name != "model") continue;
    frames_.emplace(name, Frame{&node, standard, std::nullopt, false});
  }
}

Pose SdfFrames::find(const std::string& name, const Place& place) {
  if (name.empty() || name == "__model__") return {};
  const auto found = frames_.find(name);
  if (found == frames_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : frames_) names.push_back(known);
    context_.error(place, fmt::format("there is no frame '{}'{}", shorten(name), suggestion(name, names)));
    return {};
  }
  Frame& frame = found->second;
  if (frame.pose) return *frame.pose;
  if (frame.is_open) {
    context_.error(place, fmt::format("the frame '{}' stands relative to itself", shorten(name)));
    return {};
  }
  frame.is_open = true;
  frame.pose = this->place(*frame.node, frame.standard);
  frame.is_open = false;
  return *frame.pose;
}

Pose SdfFrames::place(const XmlNode& node, const std::string& standard) {
  const XmlNode* pose = node.find("pose");
  const std::string relative = pose != nullptr ? text_at(*pose, "relative_to") : std::string();
  return compose(find(relative.empty() ? standard : relative, node.place), sdf_pose(context_, node));
}

}  // namespace achilles::scene_file
