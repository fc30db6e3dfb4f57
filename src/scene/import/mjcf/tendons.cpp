// Fixed tendons of an MJCF file: lengths L = Σ coefficient · position that actuators and equality constraints use.
#include "scene/import/mjcf/robot.hpp"
#include "scene/import/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace achilles::scene_file {
namespace {

class TendonReader {
 public:
  TendonReader(MjcfRobot& robot, const XmlNode& node)
      : robot_(robot), document_(robot.document), element_(document_.resolve(node, "", "tendon")) {}

  void read() {
    MjcfTendon tendon;
    tendon.place = element_.place();
    for (const XmlNode& term : element_.node().children) {
      if (term.name != "joint") continue;
      const std::string name = text_at(term, "joint");
      if (find_mjcf_joint(robot_, name, term.place) == nullptr) continue;
      tendon.terms.emplace_back(name, number_at(robot_.context, term, "coef").value_or(0));
    }
    if (tendon.terms.size() == 1 && tendon.terms.front().second != 0) {
      act_on(*find_mjcf_joint(robot_, tendon.terms.front().first, tendon.place), tendon.terms.front().second);
    } else {
      report_forces();
    }
    robot_.tendons[name_of(element_.node(), "tendon", robot_.tendons.size())] = std::move(tendon);
  }

 private:
  double at_least_0(const char* key) {
    const double value = document_.number(element_, key).value_or(0);
    if (value >= 0) return value;
    robot_.context.error(element_.find(key)->place, fmt::format("{} is {}; allowed: at least 0", key, value));
    return 0;
  }

  void report_forces() {
    for (const char* key : {"stiffness", "damping", "frictionloss", "armature"}) {
      if (document_.number(element_, key).value_or(0) == 0) continue;
      robot_.context.leave_out(element_.place(), fmt::format("{} of a fixed tendon of several joints", key));
    }
    if (document_.is_limited(element_, "limited", "range")) {
      robot_.context.leave_out(element_.place(), "range of a fixed tendon of several joints");
    }
  }

  // L = c q. A force f on the length is c f on the joint, so that stiffness, damping and armature have the factor c²
  // and friction |c|.
  void act_on(const MjcfJoint& joint, double c) {
    JointAxis& axis = axis_of(robot_, joint);
    axis.damping += c * c * at_least_0("damping");
    axis.armature += c * c * at_least_0("armature");
    axis.friction += std::abs(c) * at_least_0("frictionloss");
    if (document_.is_limited(element_, "limited", "range")) {
      if (const auto range = document_.range(element_, "range")) limit(joint, c, *range, axis);
    }
    const double stiffness = c * c * at_least_0("stiffness");
    if (stiffness == 0) return;
    const std::vector<double> length = document_.numbers(element_, "springlength").value_or(std::vector<double>{-1});
    if (length.size() > 1 && length[1] != length[0]) {
      return robot_.context.leave_out(element_.place(), "a spring of a tendon that is slack over a range");
    }
    // Without a length the tendon is at rest where its joint is.
    const double rest = length[0] == -1 ? joint.spring_rest - joint.start : length[0] / c - joint.start;
    axis.rest = (axis.stiffness * axis.rest + stiffness * rest) / (axis.stiffness + stiffness);
    axis.stiffness += stiffness;
  }

  void limit(const MjcfJoint& joint, double c, const std::pair<double, double>& range, JointAxis& axis) {
    const auto [lower, upper] = std::minmax({range.first / c - joint.start, range.second / c - joint.start});
    if (lower > 0 || upper < 0) {
      return robot_.context.leave_out(element_.place(), "range of a fixed tendon that starts beyond it");
    }
    if (!axis.limits) axis.limits = {lower, upper};
    axis.limits = {std::max(axis.limits->first, lower), std::min(axis.limits->second, upper)};
  }

  MjcfRobot& robot_;
  const MjcfDocument& document_;
  MjcfElement element_;
};

}  // namespace

void read_mjcf_tendons(MjcfRobot& robot) {
  for (const XmlNode* node : robot.document.list("tendon")) {
    if (node->name == "fixed") TendonReader(robot, *node).read();  // others are listed by the words
  }
}

}  // namespace achilles::scene_file
