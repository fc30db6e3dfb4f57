#include "scene/import/sdf/sdf.hpp"

#include "scene/import/sdf/frames.hpp"
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
    const XmlNode* world = sdf_.find("world");
    const XmlNode& parent = world != nullptr ? *world : sdf_;
    if (world != nullptr) {
      model_.name = text_at(*world, "name");
      model_.gravity = sdf_vec3(context_, *world, "gravity", Vec3(0, 0, -9.8));
      if (const XmlNode* physics = world->find("physics")) {
        model_.step = sdf_number(context_, *physics, "max_step_size", model_.step);
      }
    }
    const auto is_model = [](const XmlNode& node) { return node.name == "model"; };
    has_many_ = std::count_if(parent.children.begin(), parent.children.end(), is_model) > 1;
    for (const XmlNode& node : parent.children) {
      if (!is_model(node)) continue;
      if (model_.name.empty()) model_.name = text_at(node, "name");
      const std::string prefix = has_many_ ? text_at(node, "name") + "::" : std::string();
      read_model(node, sdf_pose(context_, node), prefix, sdf_text(node, "static") == "true");
    }
    if (model_.links.empty()) context_.error(sdf_.place, "there is no <model> with a <link>");
    return std::move(model_);
  }

 private:
  void read_model(const XmlNode& node, const Pose& pose, const std::string& prefix, bool is_static) {
    SdfFrames frames(context_, node);
    const std::size_t first = model_.links.size();
    for (const XmlNode& child : node.children) {
      if (child.name == "link") read_link(child, compose(pose, frames.place(child, "")), prefix, is_static);
    }
    for (const XmlNode& child : node.children) {
      if (child.name != "model") continue;
      const bool inner_static = is_static || sdf_text(child, "static") == "true";
      read_model(child, compose(pose, frames.place(child, "")), prefix + text_at(child, "name") + "::", inner_static);
    }
    const bool collides = sdf_text(node, "self_collide") == "true" || sdf_text(node, "self_collide") == "1";
    if (!collides && !is_static) filter_links(node, first);
    for (const XmlNode& child : node.children) {
      if (child.name == "joint") read_joint(child, pose, prefix, frames);
    }
  }

  // Links of one model do not collide with each other without `self_collide`: the group is one that the mask lacks.
  void filter_links(const XmlNode& node, std::size_t first) {
    if (model_.links.size() - first < 2) return;
    if (++filtered_ > kMostModels) {
      return context_.leave_out(node.place, fmt::format("self_collide = false of more than {} models", kMostModels));
    }
    const std::uint32_t group = 1U << filtered_;
    for (std::size_t i = first; i < model_.links.size(); ++i) model_.links[i].filter = {group, ~group};
  }

  void read_link(const XmlNode& node, const Pose& pose, const std::string& prefix, bool is_static) {
    ModelLink link;
    link.name = prefix + text_at(node, "name");
    if (link.name == kWorldBody) link.name = "world link";
    link.place = node.place;
    link.pose = pose;
    link.fixed = is_static;
    if (const XmlNode* inertial = node.find("inertial")) {
      read_inertial(*inertial, link);
    } else if (!is_static) {
      link.mass = {1, Vec3::Zero(), Mat3::Identity()};  // the default of SDF
    }
    for (const XmlNode& child : node.children) {
      if (child.name == "collision") read_shape(child, true, link);
      if (child.name == "visual") read_shape(child, false, link);
    }
    if (!link_index_.emplace(prefix + text_at(node, "name"), static_cast<int>(model_.links.size())).second) {
      return context_.error(node.place, fmt::format("a link named '{}' exists already", shorten(link.name)));
    }
    model_.links.push_back(std::move(link));
  }

  void read_inertial(const XmlNode& node, ModelLink& link) {
    link.mass_place = node.place;
    link.mass.mass = sdf_number(context_, node, "mass", 1);
    if (!(link.mass.mass > 0))
      context_.error(node.place, fmt::format("the mass is {}; allowed: above 0", link.mass.mass));
    const Pose pose = sdf_pose(context_, node);
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

  void read_shape(const XmlNode& node, bool collides, ModelLink& link) {
    const XmlNode* geometry = node.find("geometry");
    if (geometry == nullptr || geometry->children.empty()) return;
    const XmlNode& kind = geometry->children.front();
    ModelShape shape;
    shape.place = kind.place;
    shape.pose = sdf_pose(context_, node);
    if (kind.name == "empty" || !read_geometry(kind, collides, shape)) return;
    if (const XmlNode* material = node.find("material")) {
      const auto rgba = parse_numbers(context_, sdf_text(*material, "diffuse"), material->place, "diffuse");
      if (rgba && rgba->size() >= 3) {
        shape.color = Color{(*rgba)[0], (*rgba)[1], (*rgba)[2], rgba->size() > 3 ? (*rgba)[3] : 1};
      }
    }
    if (collides) read_friction(node, link);
    (collides ? link.colliders : link.visuals).push_back(std::move(shape));
  }

  void read_friction(const XmlNode& collision, ModelLink& link) {
    const XmlNode* node = &collision;
    for (const char* inner : {"surface", "friction", "ode"}) {
      if (node != nullptr) node = node->find(inner);
    }
    if (node == nullptr || node->find("mu") == nullptr) return;
    ContactLaw law;
    law.friction = sdf_number(context_, *node, "mu", 1);
    const auto same = [&](const Material& known) { return known.law.friction == law.friction; };
    const auto known = std::find_if(model_.materials.begin(), model_.materials.end(), same);
    std::string name = fmt::format("friction {}", law.friction);
    if (known == model_.materials.end()) model_.materials.push_back({name, law});
    if (!link.colliders.empty() && link.material != name) {
      context_.leave_out(collision.place, "friction of a <collision> that differs from that of the link's others");
      return;
    }
    link.material = std::move(name);
  }

  bool read_geometry(const XmlNode& node, bool collides, ModelShape& shape) {
    using Kind = ModelShape::Kind;
    if (node.name == "mesh") return read_mesh(node, collides, shape);
    if (node.name == "plane") {
      shape.kind = Kind::kPlane;
      const Vec3 normal = sdf_vec3(context_, node, "normal", Vec3::UnitZ());
      shape.pose.q = (shape.pose.q * Quat::FromTwoVectors(Vec3::UnitZ(), normal)).normalized();
      return collides;  // a plane that is only seen has no size here
    }
    int measures = 2;
    if (node.name == "box") {
      shape.kind = Kind::kBox;
      shape.size = sdf_vec3(context_, node, "size", Vec3::Ones());
      measures = 3;
    } else if (node.name == "ellipsoid") {
      shape.kind = Kind::kEllipsoid;
      shape.size = sdf_vec3(context_, node, "radii", Vec3::Ones());
      measures = 3;
    } else if (node.name == "sphere") {
      shape.kind = Kind::kSphere;
      shape.size[0] = sdf_number(context_, node, "radius", 1);
      measures = 1;
    } else if (node.name == "cylinder" || node.name == "capsule") {
      shape.kind = node.name == "cylinder" ? Kind::kCylinder : Kind::kCapsule;
      shape.size = {sdf_number(context_, node, "radius", 1), sdf_number(context_, node, "length", 1), 0};
    } else {
      return false;  // reported by the words
    }
    if (shape.size.head(measures).minCoeff() > 0) return true;
    context_.error(node.place, fmt::format("<{}> has a size that is not above 0", node.name));
    return false;
  }

  bool read_mesh(const XmlNode& node, bool collides, ModelShape& shape) {
    shape.kind = ModelShape::Kind::kMesh;
    shape.scale = sdf_vec3(context_, node, "scale", Vec3::Ones());
    std::string reason;
    const std::optional<std::string> file = context_.find_file(sdf_text(node, "uri"), context_.folder(), reason);
    if (file && shape.scale.prod() != 0) {
      shape.file = *file;
      return true;
    }
    if (file) reason = "a factor of 'scale' is 0";
    if (collides) context_.error(node.place, reason);
    if (!collides) context_.leave_out(node.place, "a mesh that is only seen: " + reason);
    return false;
  }

  std::optional<int> find_end(const XmlNode& joint, const char* end, const std::string& prefix) {
    const std::string name = sdf_text(joint, end);
    if (name == kWorldBody) return -1;
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
    const std::optional<int> first = find_end(node, "parent", prefix), second = find_end(node, "child", prefix);
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
    const bool is_old =
        sdf_text(node, "use_parent_model_frame") == "true" || sdf_text(node, "use_parent_model_frame") == "1";
    Quat q = frame.q;
    if (is_old) q = model_pose.q;
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
      axis.damping = sdf_number(context_, *dynamics, "damping", 0);
      axis.friction = sdf_number(context_, *dynamics, "friction", 0);
      axis.stiffness = sdf_number(context_, *dynamics, "spring_stiffness", 0);
      if (axis.stiffness > 0) axis.rest = sdf_number(context_, *dynamics, "spring_reference", 0);
    }
    return axis;
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
