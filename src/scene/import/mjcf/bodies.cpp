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

/// A joint of a body before it is known which joint of the scene it becomes.
struct PendingJoint {
  enum class Kind { kHinge, kSlide, kBall };
  Kind kind = Kind::kHinge;
  MjcfJoint joint;
  JointAxis axis;          // in the world
  Vec3 at = Vec3::Zero();  // [m] world
};

/// Elements of a body, with those in its <frame>s placed in the body.
struct BodyParts {
  std::vector<std::pair<const XmlNode*, Pose>> geoms, joints, sites;
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
      for (const BodyParts::Inner& body : parts.bodies) read_body(body, -1, Pose{});
    }
  }

 private:
  void gather(const XmlNode& node, const Pose& frame, const std::string& child_class, BodyParts& parts) {
    for (const XmlNode& child : node.children) {
      if (child.name == "geom") parts.geoms.emplace_back(&child, frame);
      if (child.name == "joint") parts.joints.emplace_back(&child, frame);
      if (child.name == "freejoint") parts.free = &child;
      if (child.name == "site") parts.sites.emplace_back(&child, frame);
      if (child.name == "inertial") parts.inertial = &child;
      if (child.name == "body") parts.bodies.push_back({&child, frame, child_class});
      if (child.name == "frame") {
        const std::string own = text_at(child, "childclass");
        gather(child, compose(frame, document_.pose(MjcfElement(child))), own.empty() ? child_class : own, parts);
      }
    }
  }

  void read_body(const BodyParts::Inner& inner, int parent, const Pose& parent_pose) {
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
    Pose pose = compose(parent_pose, compose(inner.frame, document_.pose(MjcfElement(node))));
    const bool parent_is_fixed = parent < 0 || robot_.model.links[static_cast<std::size_t>(parent)].fixed;
    const std::vector<PendingJoint> joints = read_joints(parts, child_class, link.name, pose);
    const bool is_free = parts.free != nullptr;
    if (is_free && parent >= 0)
      robot_.context.error(parts.free->place, "a free joint is for bodies of the world alone");
    if (text_at(node, "mocap") == "true") robot_.context.leave_out(node.place, "motion of a mocap body; it is fixed");
    link.pose = pose;
    link.fixed = parent_is_fixed && joints.empty() && !is_free;
    read_mass(parts, link);
    const bool weighs =
        robot_.document.compiler().inertia_from_geoms == MjcfSwitch::kOn ||
        (parts.inertial == nullptr && robot_.document.compiler().inertia_from_geoms == MjcfSwitch::kAuto);
    add_mjcf_geoms(robot_, parts.geoms, child_class, weighs && !link.fixed, link);
    if (is_free) link.parent = -1;
    const int index = add_link(std::move(link), joints, parent, parent_is_fixed, is_free);
    add_sites(parts, index, child_class);
    name_geoms(parts, index);
    for (const BodyParts::Inner& body : parts.bodies) read_body(body, index, pose);
  }

  void name_geoms(const BodyParts& parts, int index) {
    for (const auto& [geom, frame] : parts.geoms) {
      if (const std::string name = text_at(*geom, "name"); !name.empty()) robot_.geom_links[name] = index;
    }
  }

  void add_sites(const BodyParts& parts, int index, const std::string& child_class) {
    for (const auto& [site, frame] : parts.sites) {
      const std::string name = text_at(*site, "name");
      const Pose pose = compose(frame, document_.pose(document_.resolve(*site, child_class)));
      if (!name.empty()) robot_.sites[name] = {index, pose};
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

  // In a row: each joint turns or shifts the frame in which the next ones stand.
  std::vector<PendingJoint> read_joints(BodyParts& parts, const std::string& child_class, const std::string& body,
                                        Pose& pose) {
    std::vector<PendingJoint> joints;
    for (const auto& [node, frame] : parts.joints) {
      const MjcfElement element = document_.resolve(*node, child_class);
      const std::string type = element.text("type", "hinge");
      if (type == "free") {
        parts.free = node;
        continue;
      }
      PendingJoint pending;
      pending.joint.name = name_of(*node, body + " joint", joints.size());
      pending.joint.place = node->place;
      const Vec3 inner = frame.p + frame.q * document_.vec3(element, "pos", Vec3::Zero());
      pending.at = pose.p + pose.q * inner;
      if (type == "ball") {
        pending.kind = PendingJoint::Kind::kBall;
        move_ball(element, inner, pose);
      } else if (type == "hinge" || type == "slide") {
        pending.kind = type == "slide" ? PendingJoint::Kind::kSlide : PendingJoint::Kind::kHinge;
        Vec3 axis = frame.q * document_.vec3(element, "axis", Vec3::UnitZ());
        if (!(axis.norm() > 0)) robot_.context.error(node->place, "the axis of the joint has length 0");
        axis.normalize();
        pending.axis.axis = pose.q * axis;
        read_axis(element, type == "slide", pending);
        const double moved = pending.joint.start - pending.joint.written;
        if (type == "slide") pose.p += moved * pending.axis.axis;
        if (type == "hinge" && moved != 0) {
          pose.q = (pose.q * Quat(Eigen::AngleAxisd(moved, axis))).normalized();
          pose.p = pending.at - pose.q * inner;
        }
      } else {
        robot_.context.error(node->place, fmt::format("a joint of the unknown type '{}'; allowed: free, ball, slide, "
                                                      "hinge",
                                                      shorten(type)));
        continue;
      }
      joints.push_back(std::move(pending));
    }
    if (parts.free != nullptr) move_free(pose);
    return joints;
  }

  std::optional<double> take_qpos() {
    if (robot_.next_qpos >= robot_.qpos.size()) return std::nullopt;
    return robot_.qpos[robot_.next_qpos++];
  }

  Quat take_quaternion() {
    Eigen::Vector4d q(1, 0, 0, 0);
    for (int k = 0; k < 4; ++k) q[k] = take_qpos().value_or(q[k]);
    if (!(q.norm() > 0)) return Quat::Identity();
    q.normalize();
    return Quat(q[0], q[1], q[2], q[3]);
  }

  void move_free(Pose& pose) {
    if (robot_.next_qpos + 7 > robot_.qpos.size()) return;
    for (int k = 0; k < 3; ++k) pose.p[k] = *take_qpos();
    pose.q = take_quaternion();
  }

  void move_ball(const MjcfElement& element, const Vec3& inner, Pose& pose) {
    for (const char* key : {"stiffness", "damping", "frictionloss", "armature"}) {
      if (document_.number(element, key).value_or(0) == 0) continue;
      robot_.context.leave_out(element.place(), fmt::format("{} of a ball joint", key));
    }
    if (document_.is_limited(element, "limited", "range")) {
      robot_.context.leave_out(element.place(), "range of a ball joint");
    }
    if (robot_.next_qpos + 4 > robot_.qpos.size()) return;
    const Vec3 at = pose.p + pose.q * inner;
    pose.q = (pose.q * take_quaternion()).normalized();
    pose.p = at - pose.q * inner;
  }

  void read_axis(const MjcfElement& element, bool slides, PendingJoint& pending) {
    const auto to_unit = [&](double value) { return slides ? value : document_.angle(value); };
    MjcfJoint& joint = pending.joint;
    joint.slides = slides;
    joint.written = to_unit(document_.number(element, "ref").value_or(0));
    if (document_.is_limited(element, "limited", "range")) {
      joint.range = document_.range(element, "range");
      if (joint.range) joint.range = {to_unit(joint.range->first), to_unit(joint.range->second)};
    }
    joint.start = choose_start(joint);
    JointAxis& axis = pending.axis;
    if (joint.range) axis.limits = {joint.range->first - joint.start, joint.range->second - joint.start};
    axis.stiffness = at_least_0(element, "stiffness");
    axis.damping = at_least_0(element, "damping");
    axis.friction = at_least_0(element, "frictionloss");
    axis.armature = at_least_0(element, "armature");
    if (axis.stiffness > 0) axis.rest = to_unit(document_.number(element, "springref").value_or(0)) - joint.start;
    if (!document_.is_limited(element, "actuatorfrclimited", "actuatorfrcrange")) return;
    if (const auto force = document_.range(element, "actuatorfrcrange")) {
      joint.effort = std::max(std::abs(force->first), std::abs(force->second));
      if (force->first != -force->second) {
        robot_.context.leave_out(element.place(), "an actuatorfrcrange that is not the same in both directions");
      }
    }
  }

  double at_least_0(const MjcfElement& element, std::string_view key) {
    const double value = document_.number(element, key).value_or(0);
    if (value >= 0) return value;
    robot_.context.error(element.find(key)->place, fmt::format("{} is {}; allowed: at least 0", key, value));
    return 0;
  }

  double choose_start(const MjcfJoint& joint) {
    const std::optional<double> saved = take_qpos();
    const auto given = robot_.context.options().start.find(joint.name);
    if (given != robot_.context.options().start.end()) return given->second;
    if (saved || !joint.range) return saved.value_or(joint.written);
    const double start = std::clamp(joint.written, joint.range->first, joint.range->second);
    if (start != joint.written) {
      robot_.context.note(joint.place, fmt::format("'{}' starts at {:.6g}, the nearest to {:.6g} that its range allows",
                                                   shorten(joint.name), start, joint.written));
    }
    return start;
  }

  /// How many of the joints from `first` on one joint of the scene can be: two hinges through one point whose axes are
  /// clearly apart are a universal joint, which needs no body between them.
  static std::size_t count_together(const std::vector<PendingJoint>& joints, std::size_t first) {
    if (first + 1 >= joints.size()) return 1;
    const PendingJoint& a = joints[first];
    const PendingJoint& b = joints[first + 1];
    const bool are_hinges = a.kind == PendingJoint::Kind::kHinge && b.kind == PendingJoint::Kind::kHinge;
    constexpr double kSamePoint = 1e-9, kLeastSine = 0.5;  // [m], and of the angle between the axes
    const bool meet = (a.at - b.at).norm() <= kSamePoint;
    return are_hinges && meet && a.axis.axis.cross(b.axis.axis).norm() >= kLeastSine ? 2 : 1;
  }

  ModelJoint make_joint(const std::vector<PendingJoint>& joints, std::size_t first, std::size_t count) {
    ModelJoint made;
    made.place = joints[first].joint.place;
    JointDescription& description = made.description;
    description.name = joints[first].joint.name;
    description.at = joints[first].at;
    if (count == 2) {
      description.kind = JointKind::kUniversal;
      description.name += " and " + joints[first + 1].joint.name;
    } else if (joints[first].kind == PendingJoint::Kind::kBall) {
      description.kind = JointKind::kBall;
    } else {
      description.kind = joints[first].kind == PendingJoint::Kind::kSlide ? JointKind::kSlider : JointKind::kHinge;
    }
    if (description.kind == JointKind::kBall) return made;
    for (std::size_t k = 0; k < count; ++k) description.axes.push_back(joints[first + k].axis);
    return made;
  }

  int add_link(ModelLink link, const std::vector<PendingJoint>& joints, int parent, bool parent_is_fixed,
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

  void remember(const PendingJoint& pending, std::size_t model_joint, std::size_t axis) {
    if (pending.kind == PendingJoint::Kind::kBall) return;
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
