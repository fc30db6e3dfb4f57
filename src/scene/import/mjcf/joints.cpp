// Joints of an MJCF file's bodies, placed as the scene starts.
#include "scene/import/mjcf/robot.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace achilles::scene_file {
namespace {

class JointReader {
 public:
  explicit JointReader(MjcfRobot& robot) : robot_(robot), document_(robot.document) {}

  std::vector<MjcfPendingJoint> read(const std::vector<MjcfPart>& parts, const std::string& child_class,
                                     const std::string& body, const XmlNode*& free, Pose& pose) {
    std::vector<MjcfPendingJoint> joints;
    for (const auto& [node, frame] : parts) {
      const MjcfElement element = document_.resolve(*node, child_class);
      const std::string type = element.text("type", "hinge");
      if (type == "free") {
        if (free != nullptr) robot_.context.error(node->place, "a body has one free joint at most");
        report_forces(element, "free");
        free = node;
        continue;
      }
      MjcfPendingJoint pending;
      pending.joint.name = name_of(*node, body + " joint", joints.size());
      pending.joint.place = node->place;
      const Vec3 inner = frame.p + frame.q * document_.vec3(element, "pos", Vec3::Zero());
      pending.at = pose.p + pose.q * inner;
      if (type == "ball") {
        pending.kind = MjcfPendingJoint::Kind::kBall;
        move_ball(element, inner, pose, pending);
      } else if (type == "hinge" || type == "slide") {
        pending.kind = type == "slide" ? MjcfPendingJoint::Kind::kSlide : MjcfPendingJoint::Kind::kHinge;
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
    if (free != nullptr) move_free(pose);
    return joints;
  }

 private:
  /// Springs, damping and friction of joints with more than one freedom.
  void report_forces(const MjcfElement& element, const char* kind) {
    for (const char* key : {"stiffness", "damping", "frictionloss", "armature"}) {
      if (document_.number(element, key).value_or(0) == 0) continue;
      robot_.context.leave_out(element.place(), fmt::format("{} of a {} joint", key, kind));
    }
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

  void move_ball(const MjcfElement& element, const Vec3& inner, Pose& pose, MjcfPendingJoint& pending) {
    report_forces(element, "ball");
    Quat turn = Quat::Identity();
    if (robot_.next_qpos + 4 <= robot_.qpos.size()) turn = take_quaternion();
    pending.cone = read_cone(element, pose, turn);
    const Vec3 at = pose.p + pose.q * inner;
    pose.q = (pose.q * turn).normalized();
    pose.p = at - pose.q * inner;
  }

  // MuJoCo limits the angle θ of the whole turn. With a swing s of the z axis and a twist t about it
  // cos(θ/2) = cos(s/2) cos(t/2), so that θ ≤ θ₁ keeps both within θ₁; together they may exceed it.
  std::optional<ReachCone> read_cone(const MjcfElement& element, const Pose& pose, const Quat& turn) {
    if (!document_.is_limited(element, "limited", "range")) return std::nullopt;
    const auto range = document_.range(element, "range");
    if (!range) return std::nullopt;
    const double most = document_.angle(range->second);
    if (!(most > 0)) {
      robot_.context.error(element.find("range")->place, "range of a ball joint: allowed: 0 and an angle above 0");
      return std::nullopt;
    }
    if (most >= std::numbers::pi) return std::nullopt;  // all turns are within it
    if (std::abs(turn.w()) != 1) {
      robot_.context.leave_out(element.place(), "range of a ball joint that starts turned");
      return std::nullopt;
    }
    robot_.context.leave_out(element.place(),
                             "one angle for the whole turn of a ball joint: the swing of its z axis and the twist "
                             "about it have this range each");
    ReachCone cone;
    cone.axis = pose.q * Vec3::UnitZ();
    cone.swing = {most, most};
    cone.twist = {-most, most};
    return cone;
  }

  void read_axis(const MjcfElement& element, bool slides, MjcfPendingJoint& pending) {
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
    joint.spring_rest = to_unit(document_.number(element, "springref").value_or(0));
    if (axis.stiffness > 0) axis.rest = joint.spring_rest - joint.start;
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
    if (const std::optional<double> given = robot_.context.take_start(joint.name)) return *given;
    if (saved || !joint.range) return saved.value_or(joint.written);
    const double start = std::clamp(joint.written, joint.range->first, joint.range->second);
    if (start != joint.written) {
      robot_.context.note(joint.place, fmt::format("'{}' starts at {:.6g}, the nearest to {:.6g} that its range allows",
                                                   shorten(joint.name), start, joint.written));
    }
    return start;
  }

  MjcfRobot& robot_;
  const MjcfDocument& document_;
};

}  // namespace

std::vector<MjcfPendingJoint> read_mjcf_joints(MjcfRobot& robot, const std::vector<MjcfPart>& joints,
                                               const std::string& child_class, const std::string& body,
                                               const XmlNode*& free, Pose& pose) {
  return JointReader(robot).read(joints, child_class, body, free, pose);
}

}  // namespace achilles::scene_file
