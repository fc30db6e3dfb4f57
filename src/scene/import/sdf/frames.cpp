#include "scene/import/sdf/frames.hpp"

#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numbers>
#include <string_view>
#include <system_error>
#include <vector>

namespace achilles::scene_file {
namespace {

constexpr int kMostFramesInARow = 1000;

}  // namespace

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

double sdf_at_least_0(ImportContext& context, const XmlNode& node, std::string_view child, double standard) {
  const double value = sdf_number(context, node, child, standard);
  if (value >= 0) return value;
  context.error(node.find(child)->place, fmt::format("{} is {}; allowed: at least 0", child, value));
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

bool sdf_flag(ImportContext& context, const XmlNode& node, std::string_view child, bool standard) {
  const XmlNode* found = node.find(child);
  if (found == nullptr) return standard;
  return parse_flag(context, sdf_text(node, child), found->place, fmt::format("<{}>", child)).value_or(standard);
}

std::pair<int, int> sdf_version(ImportContext& context, const XmlNode& node) {
  const XmlAttribute* written = node.find_attribute("version");
  if (written == nullptr) return {std::numeric_limits<int>::max(), 0};
  const std::string& text = written->value;
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::pair<int, int> version{0, 0};
  const auto read = [](std::string_view digits, int& number) {
    const auto [end, status] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return status == std::errc() && end == digits.data() + digits.size();
  };
  const std::string_view all(text);
  if (!read(all.substr(0, dot), version.first) || (dot < all.size() && !read(all.substr(dot + 1), version.second))) {
    context.error(written->place, fmt::format("version: found '{}'; allowed: such as 1.9", shorten(text)));
  }
  return version;
}

Pose sdf_pose(ImportContext& context, const XmlNode& node) {
  const XmlNode* found = node.find("pose");
  if (found == nullptr) return {};
  const auto v = parse_numbers(context, found->text, found->place, "pose");
  if (!text_at(*found, "frame").empty()) context.leave_out(found->place, "'frame' of <pose>");
  if (!v || v->empty()) return {};
  const std::string format = text_at(*found, "rotation_format");
  const bool is_quaternion = format == "quat_xyzw";
  if (!is_quaternion && !format.empty() && format != "euler_rpy") {
    context.error(found->place, fmt::format("rotation_format is '{}'; allowed: euler_rpy, quat_xyzw", shorten(format)));
    return {};
  }
  if (v->size() != (is_quaternion ? 7U : 6U)) {
    context.error(found->place, fmt::format("<pose> holds {} numbers; allowed: x y z {}", v->size(),
                                            is_quaternion ? "qx qy qz qw" : "roll pitch yaw"));
    return {};
  }
  const Vec3 p((*v)[0], (*v)[1], (*v)[2]);
  if (is_quaternion) {
    const Quat q((*v)[6], (*v)[3], (*v)[4], (*v)[5]);
    if (q.coeffs().stableNorm() > 0) return {p, Quat(q.coeffs().stableNormalized())};
    context.error(found->place, "<pose> holds a quaternion of length 0");
    return {};
  }
  Vec3 rpy((*v)[3], (*v)[4], (*v)[5]);
  const std::string degrees = text_at(*found, "degrees");
  if (!degrees.empty() && parse_flag(context, degrees, found->place, "degrees").value_or(false)) {
    rpy *= std::numbers::pi / 180;
  }
  return {p, from_roll_pitch_yaw(rpy)};
}

SdfFrames::SdfFrames(ImportContext& context, const XmlNode& model)
    : context_(context), is_world_(model.name != "model") {
  for (const XmlNode& node : model.children) {
    const std::string name = text_at(node, "name");
    std::string standard;
    if (node.name == "joint") standard = sdf_text(node, "child");
    if (node.name == "frame") standard = text_at(node, "attached_to");
    if (node.name != "link" && node.name != "joint" && node.name != "frame" && node.name != "model") continue;
    if (node.name == "link" && first_link_.empty()) first_link_ = name;
    frames_.emplace(name, Frame{&node, standard, std::nullopt, false});
  }
}

Pose SdfFrames::find(const std::string& name, const Place& place) {
  if (name.empty() || name == (is_world_ ? kWorldBody : "__model__")) return {};
  const auto found = frames_.find(name);
  if (const std::size_t end = name.find("::"); found == frames_.end() && end != std::string::npos) {
    const auto outer = frames_.find(name.substr(0, end));
    if (outer != frames_.end() && outer->second.node->name == "model") {
      SdfFrames inner(context_, *outer->second.node);
      return compose(find(outer->first, place), inner.find(name.substr(end + 2), place));
    }
  }
  if (found == frames_.end()) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : frames_) names.push_back(known);
    context_.error(place, fmt::format("there is no frame '{}'{}", shorten(name), suggestion(name, names)));
    return {};
  }
  Frame& frame = found->second;
  if (frame.pose) return *frame.pose;
  if (frame.is_open || depth_ >= kMostFramesInARow) {
    context_.error(place, frame.is_open
                              ? fmt::format("the frame '{}' stands relative to itself", shorten(name))
                              : fmt::format("more than {} frames stand relative to each other", kMostFramesInARow));
    return {};
  }
  frame.is_open = true;
  ++depth_;
  frame.pose = this->place(*frame.node, frame.standard);
  --depth_;
  frame.is_open = false;
  return *frame.pose;
}

Pose SdfFrames::place(const XmlNode& node, const std::string& standard) {
  const XmlNode* pose = node.find("pose");
  const std::string relative = pose != nullptr ? text_at(*pose, "relative_to") : std::string();
  const Pose placed = compose(find(relative.empty() ? standard : relative, node.place), sdf_pose(context_, node));
  const std::string placement = node.name == "model" ? text_at(node, "placement_frame") : std::string();
  if (placement.empty()) return placed;
  SdfFrames inner(context_, node);
  return compose(placed, inverse_of(inner.find(placement, node.place)));
}

Pose SdfFrames::place_in_link(const XmlNode& node, const Pose& X_ML) {
  const XmlNode* pose = node.find("pose");
  const bool is_of_link = pose == nullptr || text_at(*pose, "relative_to").empty();
  return is_of_link ? sdf_pose(context_, node) : compose(inverse_of(X_ML), place(node, ""));
}

std::string SdfFrames::find_link(std::string name) const {
  for (std::size_t steps = 0; steps <= frames_.size(); ++steps) {
    if (name.empty() || name == "__model__") name = first_link_;
    const auto found = frames_.find(name);
    if (found == frames_.end() || found->second.node->name == "link") return name;
    name = found->second.standard;
  }
  return name;
}

}  // namespace achilles::scene_file
