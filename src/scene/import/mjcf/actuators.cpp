// Actuators of an MJCF file as drives. With control u, length l = gear · q and its rate, an actuator does
//   f = gain u + b₀ + b₁ l + b₂ dl/dt,  and the joint feels gear · f.
// In positions p from the start, q = s + p, that is F₀ − K p − D dp/dt with K = −gear² b₁, D = −gear² b₂ and
// F₀ = gear (gain u + b₀ + b₁ gear s): a position drive of target F₀/K, a speed drive of target F₀/D, or a force.
#include "scene/import/mjcf/robot.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace achilles::scene_file {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

struct Affine {
  double gain = 1;
  double b0 = 0, b1 = 0, b2 = 0;
};

/// What all actuators of one axis do together.
struct AxisLaw {
  double force = 0;      // F₀ [N m] or [N]
  double stiffness = 0;  // K
  double damping = 0;    // D
  double limit = 0;      // [N m] or [N]
  int actuators = 0;
  Place place;
};

/// The joints an actuator pulls, and how its length follows from their positions.
struct Transmission {
  std::vector<std::pair<MjcfJoint*, double>> arms;  // dl/dq of each joint
  double length = 0;                                // at the start
};

class ActuatorReader {
 public:
  explicit ActuatorReader(MjcfRobot& robot) : robot_(robot), document_(robot.document) {}

  void read() {
    std::size_t number = 0;
    for (const XmlNode* node : document_.list("actuator")) {
      const double control = number < robot_.ctrl.size() ? robot_.ctrl[number] : 0;
      ++number;
      const std::string& kind = node->name;
      if (kind != "motor" && kind != "position" && kind != "velocity" && kind != "general") continue;
      add(*node, control);
    }
    for (auto& [joint, law] : laws_) put_drive(robot_.joints[joint], law);
    if (idle_ == 0) return;
    robot_.context.note(idle_place_, fmt::format("{} actuators of force have control 0 and do nothing until a program "
                                                 "sets them",
                                                 idle_));
  }

 private:
  void add(const XmlNode& node, double control) {
    const MjcfElement element = document_.resolve(node, "");
    std::optional<Transmission> transmission = find_joints(element);
    if (!transmission) return;
    std::optional<std::pair<double, double>> range = find_control_range(element, *transmission);
    if (range) control = std::clamp(control, range->first, range->second);
    const std::optional<Affine> law = find_law(element, *transmission);
    if (!law) return;
    const bool follows = law->b1 != 0 || law->b2 != 0;
    if (follows && transmission->arms.size() > 1 && !reduce_to_leader(*transmission)) {
      robot_.context.leave_out(node.place,
                               "an actuator that follows a position or speed of a tendon whose joints are not "
                               "tied to each other by <equality>");
      return;
    }
    double limit = kUnlimited;
    if (document_.is_limited(element, "forcelimited", "forcerange")) {
      if (const auto force = document_.range(element, "forcerange")) {
        limit = std::max(std::abs(force->first), std::abs(force->second));
        if (force->first != -force->second) {
          robot_.context.leave_out(node.place, "a forcerange that is not the same in both directions");
        }
      }
    }
    const double f0 = law->gain * control + law->b0 + law->b1 * transmission->length;
    for (const auto& [joint, arm] : transmission->arms) {
      AxisLaw& axis = laws_[robot_.joint_index.at(joint->name)];
      axis.force += arm * f0;
      axis.stiffness -= arm * arm * law->b1;
      axis.damping -= arm * arm * law->b2;
      axis.limit += std::abs(arm) * limit;
      axis.place = node.place;
      ++axis.actuators;
    }
  }

  std::optional<Transmission> find_joints(const MjcfElement& element) {
    const std::vector<double> gears = document_.numbers(element, "gear").value_or(std::vector<double>{1});
    const double gear = gears.empty() ? 1 : gears[0];
    Transmission transmission;
    const auto pull = [&](const std::string& name, double arm) {
      MjcfJoint* joint = find_mjcf_joint(robot_, name, element.place());
      if (joint == nullptr) return false;
      transmission.arms.emplace_back(joint, arm);
      transmission.length += arm * joint->start;
      return true;
    };
    if (const std::string joint = element.text("joint"); !joint.empty()) {
      return pull(joint, gear) ? std::optional(transmission) : std::nullopt;
    }
    const auto tendon = robot_.tendons.find(element.text("tendon"));
    if (tendon == robot_.tendons.end()) {
      robot_.context.leave_out(element.place(),
                               "an actuator that acts neither on a hinge or slide nor on a fixed tendon");
      return std::nullopt;
    }
    for (const auto& [joint, coefficient] : tendon->second.terms) {
      if (coefficient != 0 && !pull(joint, gear * coefficient)) return std::nullopt;
    }
    if (transmission.arms.empty()) {
      robot_.context.error(element.place(), "the tendon of the actuator pulls no joint");
      return std::nullopt;
    }
    return transmission;
  }

  std::optional<std::pair<double, double>> find_control_range(const MjcfElement& element,
                                                              const Transmission& transmission) {
    const double inherited = document_.number(element, "inheritrange").value_or(0);
    const auto& joint_range = transmission.arms.front().first->range;
    if (inherited > 0 && joint_range) {
      const double middle = (joint_range->first + joint_range->second) / 2;
      const double half = inherited * (joint_range->second - joint_range->first) / 2;
      return std::make_pair(middle - half, middle + half);
    }
    if (!document_.is_limited(element, "ctrllimited", "ctrlrange")) return std::nullopt;
    return document_.range(element, "ctrlrange");
  }

  std::optional<Affine> find_law(const MjcfElement& element, const Transmission& transmission) {
    const std::string& kind = element.node().name;
    const auto number = [&](const char* key, double standard) {
      return document_.number(element, key).value_or(standard);
    };
    if (number("timeconst", 0) > 0 || element.text("dyntype", "none") != "none") {
      robot_.context.leave_out(element.place(), "activation dynamics of an actuator; its control acts at once");
    }
    Affine law;
    if (kind == "motor") return law;
    if (kind == "velocity") {
      law.gain = number("kv", 1);
      law.b2 = -law.gain;
    } else if (kind == "position") {
      law.gain = number("kp", 1);
      law.b1 = -law.gain;
      law.b2 = -number("kv", 0);
      const double ratio = number("dampratio", 0);
      if (ratio > 0 && law.gain > 0) law.b2 = -ratio * 2 * std::sqrt(law.gain * find_inertia(transmission));
    } else {
      return find_general_law(element);
    }
    return check_signs(element, law);
  }

  std::optional<Affine> find_general_law(const MjcfElement& element) {
    const auto numbers = [&](const char* key) {
      std::vector<double> all = document_.numbers(element, key).value_or(std::vector<double>());
      all.resize(std::max<std::size_t>(all.size(), 3), 0);
      return all;
    };
    const std::string gain_type = element.text("gaintype", "fixed"), bias_type = element.text("biastype", "none");
    if (gain_type != "fixed" || (bias_type != "none" && bias_type != "affine")) {
      robot_.context.leave_out(element.place(), fmt::format("a <general> actuator of gaintype {} and biastype {}",
                                                            shorten(gain_type), shorten(bias_type)));
      return std::nullopt;
    }
    Affine law;
    law.gain = element.has("gainprm") ? numbers("gainprm")[0] : 1;
    if (bias_type == "none") return law;
    const std::vector<double> bias = numbers("biasprm");
    law.b0 = bias[0];
    law.b1 = bias[1];
    law.b2 = bias[2];
    return check_signs(element, law);
  }

  std::optional<Affine> check_signs(const MjcfElement& element, const Affine& law) {
    if (law.b1 <= 0 && law.b2 <= 0) return law;
    robot_.context.leave_out(element.place(), "an actuator that drives away from its target");
    return std::nullopt;
  }

  /// The moment of inertia, or the mass, that moves with a length as the scene starts: 1 / Σ arm²/M of the joints.
  double find_inertia(const Transmission& transmission) {
    double inverse = 0;
    for (const auto& [joint, arm] : transmission.arms) inverse += arm * arm / find_inertia(*joint);
    return 1 / inverse;
  }

  double find_inertia(const MjcfJoint& joint) {
    const ModelJoint& made = robot_.model.joints[joint.model_joint];
    const JointAxis& axis = made.description.axes[joint.axis];
    double inertia = axis.armature;
    for (std::size_t i = 0; i < robot_.model.links.size(); ++i) {
      int link = static_cast<int>(i);
      while (link > joint.link) link = robot_.model.links[static_cast<std::size_t>(link)].parent;
      const ModelLink& moved = robot_.model.links[i];
      if (link != joint.link || !(moved.mass.mass > 0)) continue;
      if (joint.slides) {
        inertia += moved.mass.mass;
        continue;
      }
      const Mat3 R = moved.pose.q.toRotationMatrix();
      const Vec3 arm = moved.pose.p + R * moved.mass.center - made.description.at;
      inertia += axis.axis.dot(R * moved.mass.inertia * R.transpose() * axis.axis) +
                 moved.mass.mass * axis.axis.cross(arm).squaredNorm();
    }
    return std::max(inertia, std::numeric_limits<double>::min());
  }

  // Where <equality joint> ties the joints of a tendon to one of them, its length is a function of that one alone.
  bool reduce_to_leader(Transmission& transmission) {
    for (const auto& [candidate, unused] : transmission.arms) {
      double arm = 0;
      bool reaches_all = true;
      for (const auto& [joint, own] : transmission.arms) {
        const std::optional<double> ratio = joint == candidate ? std::optional(1.0) : find_ratio(*joint, *candidate);
        reaches_all = reaches_all && ratio.has_value();
        arm += own * ratio.value_or(0);
      }
      if (!reaches_all) continue;
      transmission.arms = {{candidate, arm}};
      return true;
    }
    return false;
  }

  std::optional<double> find_ratio(const MjcfJoint& follower, const MjcfJoint& leader) {
    const auto is_of = [&](const CouplingTerm& term, const MjcfJoint& joint) {
      return term.axis == joint.axis && term.joint == robot_.model.joints[joint.model_joint].description.name;
    };
    for (const auto& coupling : robot_.model.couplings) {
      const std::vector<CouplingTerm>& terms = coupling.description.terms;
      if (terms.size() != 2) continue;
      for (const int first : {0, 1}) {
        const CouplingTerm& a = terms[static_cast<std::size_t>(first)];
        const CouplingTerm& b = terms[static_cast<std::size_t>(1 - first)];
        if (is_of(a, follower) && is_of(b, leader)) return -b.coefficient / a.coefficient;
      }
    }
    return std::nullopt;
  }

  void put_drive(const MjcfJoint& joint, const AxisLaw& law) {
    const double limit = joint.effort > 0 ? std::min(law.limit, joint.effort) : law.limit;
    if (law.actuators > 1 && std::isfinite(law.limit)) {
      robot_.context.leave_out(law.place,
                               "separate force limits of several actuators on one joint; their sum is taken");
    }
    DriveDescription drive;
    drive.stiffness = law.stiffness;
    drive.damping = law.damping;
    drive.max_force = limit;
    if (law.stiffness > 0) {
      drive.target = {{0, law.force / law.stiffness}};
    } else if (law.damping > 0) {
      drive.kind = DriveDescription::Kind::kSpeed;
      drive.target = {{0, law.force / law.damping}};
    } else {
      if (law.force == 0) {
        if (idle_++ == 0) idle_place_ = law.place;
        return;
      }
      drive.kind = DriveDescription::Kind::kForce;
      drive.target = {{0, std::clamp(law.force, -limit, limit)}};
    }
    axis_of(robot_, joint).drive = drive;
  }

  MjcfRobot& robot_;
  const MjcfDocument& document_;
  std::map<std::size_t, AxisLaw> laws_;  // by index of joint
  int idle_ = 0;
  Place idle_place_;
};

}  // namespace

void read_mjcf_actuators(MjcfRobot& robot) { ActuatorReader(robot).read(); }

}  // namespace achilles::scene_file
