// Bodies and joints of an MJCF file, placed as the scene starts.
#include "scene/import/mjcf/robot.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace achilles::scene_file {
namespace {

/// Elements of a body, with those in its <frame>s placed in the body.
struct BodyParts {
  std::vector<MjcfPart> geoms, joints, sites;
  struct Inner {
    const XmlNode* node = nullptr;
    Pose frame;
    std::string child_class;
  };
  std::vector<Inner> bodies;
  const XmlNode* inertial = nullptr;
  const XmlNode* free = nullptr;
};

class BodyReader {
 public:
  explicit BodyReader(MjcfRobot& robot) : robot_(robot), document_(robot.document) {}

  void read_world() {
    for (const XmlNode& node : document_.root().children) {
      if (node.name != "worldbody") continue;
      const std::string child_class = text_at(node, "childclass");
      BodyParts parts;
      gather(node, Pose{}, child_class, parts);
      for (const auto& [geom, frame] : parts.geoms) add_mjcf_world_geom(robot_, *geom, frame, child_class);
      add_sites(parts, -1, child_class);
      for (const BodyParts::Inner& body : parts.bodies) read_body(body, -1, Pose{}, Pose{});
    }
  }

 private:
  void gather(const XmlNode& node, const Pose& frame, const std::string& child_class, BodyParts& parts) {
    for (const XmlNode& child : node.children) {
      if (child.name == "geom") parts.geoms.emplace_back(&child, frame);
      if (child.name == "joint") parts.joints.emplace_back(&child, frame);
      if (child.name == "freejoint") set_once(parts.free, child);
      if (child.name == "site") parts.sites.emplace_back(&child, frame);
      if (child.name == "inertial") set_once(parts.inertial, child);
      if (child.name == "body") parts.bodies.push_back({&child, frame, child_class});
      if (child.name == "frame") {
        const std::string own = text_at(child, "childclass");
        gather(child, compose(frame, document_.pose(MjcfElement(child))), own.empty() ? child_class : own, parts);
      }
    }
  }

  void set_once(const XmlNode*& known, const XmlNode& node) {
    if (known != nullptr) robot_.context.error(node.place, fmt::format("a body has one <{}> at most", node.name));
    known = &node;
  }

  void read_body(const BodyParts::Inner& inner, int parent, const Pose& parent_pose, const Pose& parent_written) {
    const XmlNode& node = *inner.node;
    const std::string own_class = text_at(node, "childclass");
    const std::string child_class = own_class.empty() ? inner.child_class : own_class;
    BodyParts parts;
    gather(node, Pose{}, child_class, parts);
    ModelLink link;
    link.name = name_of(node, "body", robot_.model.links.size());
    if (link.name == kWorldBody) link.name = "world body";
    link.place = node.place;
    link.parent = parent;
    const Pose inner_pose = compose(inner.frame, document_.pose(MjcfElement(node)));
    const Pose written = compose(parent_written, inner_pose);
    Pose pose = compose(parent_pose, inner_pose);
    const bool parent_is_fixed = parent < 0 || robot_.model.links[static_cast<std::size_t>(parent)].fixed;
    const std::vector<MjcfPendingJoint> joints =
        read_mjcf_joints(robot_, parts.joints, child_class, link.name, parts.free, pose);
    const bool is_free = parts.free != nullptr;
    if (is_free && !joints.empty()) {
      robot_.context.error(joints.front().joint.place, "a body with a free joint has no other");
    }
    if (is_free && parent >= 0)
      robot_.context.error(parts.free->place, "a free joint is for bodies of the world alone");
    if (document_.flag(MjcfElement(node), "mocap", false))
      robot_.context.leave_out(node.place, "motion of a mocap body; it is fixed");
    link.pose = pose;
    link.fixed = parent_is_fixed && joints.empty() && !is_free;
    read_mass(parts, link);
    const bool weighs =
        robot_.document.compiler().inertia_from_geoms == MjcfSwitch::kOn ||
        (parts.inertial == nullptr && robot_.document.compiler().inertia_from_geoms == MjcfSwitch::kAuto);
    add_mjcf_geoms(robot_, parts.geoms, child_class, weighs && !link.fixed, link);
    if (is_free) link.parent = -1;
    const int index = add_link(std::move(link), joints, parent, parent_is_fixed, is_free);
    robot_.written.resize(robot_.model.links.size(), written);
    add_sites(parts, index, child_class);
    name_geoms(parts, index);
    for (const BodyParts::Inner& body : parts.bodies) read_body(body, index, pose, written);
  }

  void name_geoms(const BodyParts& parts, int index) {
    for (const auto& [geom, frame] : parts.geoms) {
      if (const std::string name = text_at(*geom, "name"); !name.empty()) robot_.geom_links[name] = index;
    }
  }

  void add_sites(const BodyParts& parts, int index, const std::string& child_class) {
    for (const auto& [site, frame] : parts.sites) {
      const std::string name = text_at(*site, "name");
      const MjcfElement element = document_.resolve(*site, child_class);
      const std::string type = element.text("type", "sphere");
      Pose pose = document_.pose(element);
      if (type != "sphere" && element.has("fromto")) {
        if (const auto line = document_.from_to(element)) pose = line->first;
      }
      if (!name.empty()) robot_.sites[name] = {index, compose(frame, pose)};
    }
  }

  void read_mass(const BodyParts& parts, ModelLink& link) {
    if (parts.inertial == nullptr || document_.compiler().inertia_from_geoms == MjcfSwitch::kOn) return;
    const MjcfElement inertial(*parts.inertial);
    link.mass_place = parts.inertial->place;
    const Pose pose = document_.pose(inertial);
    const double mass = document_.number(inertial, "mass").value_or(0);
    if (!(mass >= 0)) robot_.context.error(parts.inertial->place, fmt::format("the mass is {}", mass));
    Mat3 I = Mat3::Zero();
    if (const std::optional<std::vector<double>> full = document_.numbers(inertial, "fullinertia")) {
      if (full->size() != 6) return robot_.context.error(parts.inertial->place, "fullinertia: allowed: 6 numbers");
      const std::vector<double>& v = *full;
      I << v[0], v[3], v[4], v[3], v[1], v[5], v[4], v[5], v[2];
    } else {
      I = document_.vec3(inertial, "diaginertia", Vec3::Zero()).asDiagonal();
    }
    if (I.diagonal().minCoeff() < 0) {
      robot_.context.error(parts.inertial->place,
                           fmt::format("a moment of inertia is {}; allowed: numbers above 0", I.diagonal().minCoeff()));
    }
    const Mat3 R = pose.q.toRotationMatrix();
    I = R * I * R.transpose();
    link.mass = {mass, pose.p, 0.5 * (I + I.transpose())};
  }

  /// How many of the joints from `first` on one joint of the scene can be: two hinges through one point whose axes are
  /// clearly apart are a universal joint, which needs no body between them.
  static std::size_t count_together(const std::vector<MjcfPendingJoint>& joints, std::size_t first) {
    if (first + 1 >= joints.size()) return 1;
    const MjcfPendingJoint& a = joints[first];
    const MjcfPendingJoint& b = joints[first + 1];
    const bool are_hinges = a.kind == MjcfPendingJoint::Kind::kHinge && b.kind == MjcfPendingJoint::Kind::kHinge;
    constexpr double kSamePoint = 1e-9, kLeastSine = 0.5;  // [m], and of the angle between the axes
    const bool meet = (a.at - b.at).norm() <= kSamePoint;
    return are_hinges && meet && a.axis.axis.cross(b.axis.axis).norm() >= kLeastSine ? 2 : 1;
  }

  ModelJoint make_joint(const std::vector<MjcfPendingJoint>& joints, std::size_t first, std::size_t count) {
    ModelJoint made;
    made.place = joints[first].joint.place;
    JointDescription& description = made.description;
    description.name = joints[first].joint.name;
    description.at = joints[first].at;
    if (count == 2) {
      description.kind = JointKind::kUniversal;
      description.name += " and " + joints[first + 1].joint.name;
    } else if (joints[first].kind == MjcfPendingJoint::Kind::kBall) {
      description.kind = JointKind::kBall;
    } else {
      description.kind = joints[first].kind == MjcfPendingJoint::Kind::kSlide ? JointKind::kSlider : JointKind::kHinge;
    }
    description.cone = joints[first].cone;
    if (description.kind == JointKind::kBall) return made;
    for (std::size_t k = 0; k < count; ++k) description.axes.push_back(joints[first + k].axis);
    return made;
  }

  int add_link(ModelLink link, const std::vector<MjcfPendingJoint>& joints, int parent, bool parent_is_fixed,
               bool is_free) {
    const std::string name = link.name;
    if (robot_.link_index.contains(name)) {
      robot_.context.error(link.place, fmt::format("a body named '{}' exists already", shorten(name)));
    }
    const std::size_t first_joint = robot_.model.joints.size();
    int before = parent;
    for (std::size_t i = 0; i < joints.size();) {
      const std::size_t count = count_together(joints, i);
      ModelJoint joint = make_joint(joints, i, count);
      joint.first = before;
      const bool is_last = i + count >= joints.size();
      if (!is_last) before = add_middle(link, before, i);
      joint.second = is_last ? -1 : before;
      for (std::size_t k = 0; k < count; ++k) remember(joints[i + k], robot_.model.joints.size(), k);
      robot_.model.joints.push_back(std::move(joint));
      i += count;
    }
    const int index = static_cast<int>(robot_.model.links.size());
    if (!joints.empty()) {
      link.parent = before;
      robot_.model.joints.back().second = index;
    }
    robot_.model.links.push_back(std::move(link));
    robot_.link_index[name] = index;
    for (MjcfJoint& joint : robot_.joints) {
      if (joint.model_joint >= first_joint && joint.link < 0) joint.link = index;
    }
    if (joints.empty() && !parent_is_fixed && !is_free) weld(parent, index);
    name_ends(first_joint);
    if (joints.empty() || parent < 0) return index;
    // Bodies that a joint joins do not collide, unless the one is part of the world.
    const bool is_direct = robot_.model.joints.size() == first_joint + 1;
    if (is_direct) robot_.model.joints.back().description.collide = parent_is_fixed;
    if (!is_direct && !parent_is_fixed) {
      const ModelLink& owner = robot_.model.links[static_cast<std::size_t>(parent)];
      const ModelLink& made = robot_.model.links[static_cast<std::size_t>(index)];
      robot_.model.rules.push_back({{owner.name, name}, made.place});
    }
    return index;
  }

  int add_middle(const ModelLink& link, int before, std::size_t number) {
    ModelLink middle;
    middle.name = fmt::format("{} after joint {}", link.name, number);
    middle.place = link.place;
    middle.pose = link.pose;
    middle.parent = before;
    middle.is_made = true;
    robot_.model.links.push_back(std::move(middle));
    return static_cast<int>(robot_.model.links.size()) - 1;
  }

  void weld(int parent, int index) {
    ModelJoint joint;
    joint.first = parent;
    joint.second = index;
    const ModelLink& link = robot_.model.links[static_cast<std::size_t>(index)];
    joint.place = link.place;
    joint.description.kind = JointKind::kFixed;
    joint.description.name = link.name + " weld";
    joint.description.at = link.pose.p;
    robot_.model.joints.push_back(std::move(joint));
  }

  void name_ends(std::size_t first_joint) {
    const auto name = [&](int link) {
      return link < 0 ? std::string(kWorldBody) : robot_.model.links[static_cast<std::size_t>(link)].name;
    };
    for (std::size_t i = first_joint; i < robot_.model.joints.size(); ++i) {
      ModelJoint& joint = robot_.model.joints[i];
      joint.description.first = name(joint.first);
      joint.description.second = name(joint.second);
    }
  }

  void remember(const MjcfPendingJoint& pending, std::size_t model_joint, std::size_t axis) {
    if (pending.kind == MjcfPendingJoint::Kind::kBall) return;
    MjcfJoint joint = pending.joint;
    joint.model_joint = model_joint;
    joint.axis = axis;
    if (!robot_.joint_index.emplace(joint.name, robot_.joints.size()).second) {
      robot_.context.error(joint.place, fmt::format("a joint named '{}' exists already", shorten(joint.name)));
    }
    robot_.joints.push_back(std::move(joint));
  }

  MjcfRobot& robot_;
  const MjcfDocument& document_;
};

}  // namespace

void read_mjcf_bodies(MjcfRobot& robot) {
  BodyReader(robot).read_world();
  const MjcfCompiler& compiler = robot.document.compiler();
  double total = 0;
  for (ModelLink& link : robot.model.links) {
    if (link.mass.mass > 0) link.mass.mass = std::max(link.mass.mass, compiler.bound_mass);
    if (!link.fixed) total += link.mass.mass;
  }
  if (!(compiler.total_mass > 0) || !(total > 0)) return;
  for (ModelLink& link : robot.model.links) {
    link.mass.mass *= compiler.total_mass / total;
    link.mass.inertia *= compiler.total_mass / total;
  }
}

MjcfJoint* find_mjcf_joint(MjcfRobot& robot, const std::string& name, const Place& place) {
  const auto found = robot.joint_index.find(name);
  if (found != robot.joint_index.end()) return &robot.joints[found->second];
  std::vector<std::string> names;
  for (const MjcfJoint& joint : robot.joints) names.push_back(joint.name);
  robot.context.error(place, fmt::format("there is no hinge or slide '{}'{}", shorten(name), suggestion(name, names)));
  return nullptr;
}

std::optional<int> find_mjcf_body(MjcfRobot& robot, const std::string& name, const Place& place) {
  if (name.empty() || name == kWorldBody) return -1;
  const auto found = robot.link_index.find(name);
  if (found != robot.link_index.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, unused] : robot.link_index) names.push_back(known);
  robot.context.error(place, fmt::format("there is no body '{}'{}", shorten(name), suggestion(name, names)));
  return std::nullopt;
}

JointAxis& axis_of(MjcfRobot& robot, const MjcfJoint& joint) {
  return robot.model.joints[joint.model_joint].description.axes[joint.axis];
}

}  // namespace achilles::scene_file
