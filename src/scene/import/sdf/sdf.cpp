#include "scene/import/sdf/sdf.hpp"

#include "scene/import/sdf/frames.hpp"
#include "scene/import/sdf/shapes.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace achilles::scene_file {
namespace {

constexpr double kNoLimit = 1e15;  // SDF writes 1e16 for a limit that there is none
constexpr std::uint32_t kMostModels = 30;

class SdfReader {
 public:
  SdfReader(ImportContext& context, const XmlNode& sdf) : context_(context), sdf_(sdf) {}

  Model read() {
    model_.place = sdf_.place;
    ContactLaw standard;
    standard.friction = kSdfFriction;
    model_.materials.push_back({"default", standard});
    const XmlNode* world = sdf_.find("world");
    const XmlNode& parent = world != nullptr ? *world : sdf_;
    if (world != nullptr) read_world(*world);
    const auto is_model = [](const XmlNode& node) { return node.name == "model"; };
    has_many_ = std::count_if(parent.children.begin(), parent.children.end(), is_model) > 1;
    SdfFrames frames(context_, parent);
    for (const XmlNode& node : parent.children) {
      if (!is_model(node)) continue;
      if (model_.name.empty()) model_.name = text_at(node, "name");
      const std::string prefix = has_many_ ? text_at(node, "name") + "::" : std::string();
      read_model(node, frames.place(node, ""), prefix, sdf_flag(context_, node, "static", false));
    }
    if (model_.links.empty()) context_.error(sdf_.place, "there is no <model> with a <link>");
    check_mimics();
    pair_sdf_materials(model_.materials, model_.pairs);
    return std::move(model_);
  }

 private:
  void read_world(const XmlNode& world) {
    model_.name = text_at(world, "name");
    model_.gravity = sdf_vec3(context_, world, "gravity", Vec3(0, 0, -9.8));
    if (const XmlNode* physics = world.find("physics")) {
      model_.step = sdf_number(context_, *physics, "max_step_size", model_.step);
    }
    for (const XmlNode& node : sdf_.children) {
      if (node.name == "world" && &node != &world) {
        context_.leave_out(node.place, "a further <world>; the first is read");
      } else if (node.name == "model") {
        context_.leave_out(node.place, "a <model> beside a <world>; those of the world are read");
      }
    }
  }

  void read_model(const XmlNode& node, const Pose& pose, const std::string& prefix, bool is_static) {
    SdfFrames frames(context_, node);
    const std::size_t first = model_.links.size();
    report_switch(node, "enable_wind", false);
    for (const XmlNode& child : node.children) {
      if (child.name == "link") read_link(child, pose, prefix, is_static, frames);
    }
    for (const XmlNode& child : node.children) {
      if (child.name != "model") continue;
      const bool inner_static = is_static || sdf_flag(context_, child, "static", false);
      read_model(child, compose(pose, frames.place(child, "")), prefix + text_at(child, "name") + "::", inner_static);
    }
    if (!sdf_flag(context_, node, "self_collide", false) && !is_static) filter_links(node, first);
    for (const XmlNode& child : node.children) {
      if (child.name == "joint") read_joint(child, pose, prefix, frames);
    }
  }

  /// Lists a switch that does not stand where every body here has it.
  void report_switch(const XmlNode& node, const char* child, bool standard) {
    if (sdf_flag(context_, node, child, standard) == standard) return;
    context_.leave_out(node.find(child)->place,
                       fmt::format("<{}> of a <{}> that is {}", child, node.name, standard ? "false" : "true"));
  }

  // Links of one model do not collide with each other unless it says so: its group is one that its own mask lacks.
  void filter_links(const XmlNode& node, std::size_t first) {
    if (model_.links.size() - first < 2) return;
    if (++filtered_ > kMostModels) {
      return context_.leave_out(node.place, fmt::format("self_collide = false of more than {} models", kMostModels));
    }
    const std::uint32_t group = 1U << filtered_;
    for (std::size_t i = first; i < model_.links.size(); ++i) model_.links[i].filter = {group, ~group};
  }

  void read_link(const XmlNode& node, const Pose& model_pose, const std::string& prefix, bool is_static,
                 SdfFrames& frames) {
    const Pose X_ML = frames.place(node, "");
    ModelLink link;
    link.name = prefix + text_at(node, "name");
    if (link.name == kWorldBody) link.name = "world link";
    link.place = node.place;
    link.pose = compose(model_pose, X_ML);
    link.fixed = is_static;
    report_switch(node, "gravity", true);
    report_switch(node, "kinematic", false);
    report_switch(node, "enable_wind", false);
    report_switch(node, "self_collide", false);
    if (const XmlNode* inertial = node.find("inertial")) {
      read_inertial(*inertial, frames.place_in_link(*inertial, X_ML), link);
    } else if (!is_static) {
      link.mass = {1, Vec3::Zero(), Mat3::Identity()};  // what SDF says it is without
    }
    for (const XmlNode& child : node.children) {
      if (child.name != "collision" && child.name != "visual") continue;
      read_sdf_shape(context_, child, frames.place_in_link(child, X_ML), model_.materials, link);
    }
    if (!link_index_.emplace(prefix + text_at(node, "name"), static_cast<int>(model_.links.size())).second) {
      return context_.error(node.place, fmt::format("a link named '{}' exists already", shorten(link.name)));
    }
    model_.links.push_back(std::move(link));
  }

  void read_inertial(const XmlNode& node, const Pose& pose, ModelLink& link) {
    link.mass_place = node.place;
    link.mass.mass = sdf_number(context_, node, "mass", 1);
    if (!(link.mass.mass > 0))
      context_.error(node.place, fmt::format("the mass is {}; allowed: above 0", link.mass.mass));
    link.mass.center = pose.p;
    Mat3 I = Mat3::Identity();
    if (const XmlNode* inertia = node.find("inertia")) {
      const auto moment = [&](std::string_view key, double standard) {
        return sdf_number(context_, *inertia, key, standard);
      };
      const double xy = moment("ixy", 0), xz = moment("ixz", 0), yz = moment("iyz", 0);
      I << moment("ixx", 1), xy, xz, xy, moment("iyy", 1), yz, xz, yz, moment("izz", 1);
      if (I.diagonal().minCoeff() < 0) {
        context_.error(inertia->place,
                       fmt::format("a moment of inertia is {}; allowed: numbers above 0", I.diagonal().minCoeff()));
      }
    }
    const Mat3 R = pose.q.toRotationMatrix();
    I = R * I * R.transpose();
    link.mass.inertia = 0.5 * (I + I.transpose());
  }

  std::optional<int> find_end(const XmlNode& joint, const char* end, const std::string& prefix,
                              const SdfFrames& frames) {
    const std::string written = sdf_text(joint, end);
    if (written == kWorldBody) return -1;
    if (written.empty()) {
      context_.error(joint.place, fmt::format("the joint '{}' has no <{}>", shorten(text_at(joint, "name")), end));
      return std::nullopt;
    }
    const std::string name = frames.find_link(written);
    const auto found = link_index_.find(prefix + name);
    if (found != link_index_.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, unused] : link_index_) names.push_back(known);
    context_.error(joint.place,
                   fmt::format("there is no link '{}'{}", shorten(name), suggestion(prefix + name, names)));
    return std::nullopt;
  }

  void read_joint(const XmlNode& node, const Pose& model_pose, const std::string& prefix, SdfFrames& frames) {
    constexpr std::pair<std::string_view, JointKind> kKinds[] = {
        {"revolute", JointKind::kHinge},     {"continuous", JointKind::kHinge}, {"prismatic", JointKind::kSlider},
        {"fixed", JointKind::kFixed},        {"ball", JointKind::kBall},        {"universal", JointKind::kUniversal},
        {"revolute2", JointKind::kUniversal}};
    const std::string type = text_at(node, "type");
    const auto* kind =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return k.first == type; });
    if (kind == std::end(kKinds)) {
      return context_.error(node.place,
                            fmt::format("a joint of the type '{}'; allowed: revolute, continuous, prismatic, "
                                        "fixed, ball, universal, revolute2",
                                        shorten(type)));
    }
    const std::optional<int> first = find_end(node, "parent", prefix, frames);
    const std::optional<int> second = find_end(node, "child", prefix, frames);
    if (!first || !second) return;
    if (*first == *second || *second < 0) {
      return context_.error(node.place, "a joint holds a link to another link, or to the world as its parent");
    }
    ModelJoint joint;
    joint.place = node.place;
    joint.first = *first;
    joint.second = *second;
    const auto name = [&](int link) {
      return link < 0 ? std::string(kWorldBody) : model_.links[static_cast<std::size_t>(link)].name;
    };
    JointDescription& description = joint.description;
    description.name = prefix + text_at(node, "name");
    description.kind = kind->second;
    description.first = name(*first);
    description.second = name(*second);
    const Pose frame = compose(model_pose, frames.place(node, sdf_text(node, "child")));
    description.at = frame.p;
    const std::size_t axes = description.kind == JointKind::kUniversal                                       ? 2
                             : description.kind == JointKind::kFixed || description.kind == JointKind::kBall ? 0
                                                                                                             : 1;
    for (std::size_t k = 0; k < axes; ++k) {
      const XmlNode* axis = node.find(k == 0 ? "axis" : "axis2");
      if (axis == nullptr)
        return context_.error(node.place, fmt::format("a {} joint without <{}>", type, k == 0 ? "axis" : "axis2"));
      description.axes.push_back(read_axis(*axis, model_pose, frame, type == "continuous", frames, joint));
      if (const XmlNode* mimic = axis->find("mimic")) add_mimic(*mimic, description.name, k, prefix);
    }
    ModelLink& child = model_.links[static_cast<std::size_t>(*second)];
    if (child.parent < 0 && *first < *second) child.parent = *first;
    model_.joints.push_back(std::move(joint));
  }

  JointAxis read_axis(const XmlNode& node, const Pose& model_pose, const Pose& frame, bool is_endless,
                      SdfFrames& frames, ModelJoint& joint) {
    JointAxis axis;
    const XmlNode* xyz = node.find("xyz");
    const std::string expressed = xyz != nullptr ? text_at(*xyz, "expressed_in") : std::string();
    Quat q = frame.q;
    if (sdf_flag(context_, node, "use_parent_model_frame", false)) q = model_pose.q;
    if (!expressed.empty()) q = model_pose.q * frames.find(expressed, xyz->place).q;
    axis.axis = q * sdf_vec3(context_, node, "xyz", Vec3::UnitZ());
    if (!(axis.axis.norm() > 0)) context_.error(node.place, "the axis has length 0");
    axis.axis.normalize();
    if (const XmlNode* limit = node.find("limit")) {
      const double lower = sdf_number(context_, *limit, "lower", -1e16);
      const double upper = sdf_number(context_, *limit, "upper", 1e16);
      if (lower > upper) {
        context_.error(limit->place, fmt::format("the lower limit {} is above the upper limit {}", lower, upper));
      } else if (!is_endless && (lower > -kNoLimit || upper < kNoLimit)) {
        axis.limits = {lower, upper};
      }
      joint.effort = std::max(0.0, sdf_number(context_, *limit, "effort", -1));
    }
    if (const XmlNode* dynamics = node.find("dynamics")) {
      axis.damping = sdf_at_least_0(context_, *dynamics, "damping", 0);
      axis.friction = sdf_at_least_0(context_, *dynamics, "friction", 0);
      axis.stiffness = sdf_at_least_0(context_, *dynamics, "spring_stiffness", 0);
      if (axis.stiffness > 0) axis.rest = sdf_number(context_, *dynamics, "spring_reference", 0);
    }
    return axis;
  }

  // position = multiplier · (that of the leader − reference) + offset.
  void add_mimic(const XmlNode& node, const std::string& follower, std::size_t axis, const std::string& prefix) {
    const std::string leader = prefix + text_at(node, "joint"), leader_axis = text_at(node, "axis");
    const double ratio = sdf_number(context_, node, "multiplier", 1);
    CouplingDescription coupling;
    coupling.name = follower + " follows " + leader;
    coupling.terms = {{follower, axis, 1}, {leader, leader_axis == "axis2" ? 1U : 0U, -ratio}};
    coupling.offset = sdf_number(context_, node, "offset", 0) - ratio * sdf_number(context_, node, "reference", 0);
    model_.couplings.push_back({std::move(coupling), node.place});
  }

  /// Couplings name joints of the file that have such an axis.
  void check_mimics() {
    for (const auto& coupling : model_.couplings) {
      const CouplingTerm& leader = coupling.description.terms.back();
      const auto found = std::find_if(model_.joints.begin(), model_.joints.end(),
                                      [&](const ModelJoint& joint) { return joint.description.name == leader.joint; });
      std::vector<std::string> names;
      for (const ModelJoint& joint : model_.joints) names.push_back(joint.description.name);
      if (found == model_.joints.end()) {
        context_.error(coupling.place,
                       fmt::format("there is no joint '{}'{}", shorten(leader.joint), suggestion(leader.joint, names)));
      } else if (leader.axis >= found->description.axes.size()) {
        context_.error(coupling.place, fmt::format("the joint '{}' has no such axis", shorten(leader.joint)));
      }
    }
  }

  ImportContext& context_;
  const XmlNode& sdf_;
  Model model_;
  std::map<std::string, int> link_index_;
  std::uint32_t filtered_ = 0;
  bool has_many_ = false;
};

}  // namespace

Model read_sdf(ImportContext& context, const XmlNode& sdf) { return SdfReader(context, sdf).read(); }

}  // namespace achilles::scene_file
