// Tendons, equality constraints and contact exclusions of an MJCF file.
#include "scene/import/mjcf/robot.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace achilles::scene_file {
namespace {

void read_tendons(MjcfRobot& robot) {
  for (const XmlNode* node : robot.document.list("tendon")) {
    if (node->name != "fixed") continue;  // reported by the words
    const MjcfElement element = robot.document.resolve(*node, "");
    MjcfTendon tendon;
    tendon.place = node->place;
    for (const XmlNode& term : node->children) {
      if (term.name != "joint") continue;
      const std::string name = text_at(term, "joint");
      if (find_mjcf_joint(robot, name, term.place) == nullptr) continue;
      tendon.terms.emplace_back(name, number_at(robot.context, term, "coef").value_or(0));
    }
    for (const char* key : {"stiffness", "damping", "frictionloss", "armature"}) {
      if (robot.document.number(element, key).value_or(0) != 0) {
        robot.context.leave_out(node->place, fmt::format("{} of a fixed tendon", key));
      }
    }
    if (robot.document.is_limited(element, "limited", "range")) {
      robot.context.leave_out(node->place, "range of a fixed tendon");
    }
    robot.tendons[name_of(*node, "tendon", robot.tendons.size())] = std::move(tendon);
  }
}

class EqualityReader {
 public:
  EqualityReader(MjcfRobot& robot, const XmlNode& node) : robot_(robot), element_(robot.document.resolve(node, "")) {}

  void read() {
    const std::string& kind = element_.node().name;
    if (element_.text("active") == "false") return;  // it does nothing until a program switches it on
    if (kind == "connect" || kind == "weld") {
      if (!robot_.context.leaves_out("loops")) add_loop(kind == "weld");
    } else if (kind == "joint" || kind == "tendon") {
      add_coupling(kind);
    }
  }

 private:
  [[nodiscard]] std::string name(const char* standard) const {
    const std::string own = text_at(element_.node(), "name");
    if (!own.empty()) return own;
    return fmt::format("{} {}", standard, robot_.model.joints.size() + robot_.model.couplings.size());
  }

  // The anchor is given in the first body; in the second it is where both agree, as the model is written.
  void add_loop(bool is_weld) {
    ModelJoint joint;
    joint.place = element_.place();
    std::optional<int> ends[2];
    Vec3 at = robot_.document.vec3(element_, "anchor", Vec3::Zero());
    if (element_.has("site1")) {
      for (int k = 0; k < 2; ++k) {
        const std::string site = element_.text(k == 0 ? "site1" : "site2");
        const auto found = robot_.sites.find(site);
        if (found == robot_.sites.end()) {
          return robot_.context.error(joint.place, fmt::format("there is no site '{}'", shorten(site)));
        }
        ends[k] = found->second.link;
        if (k == 0) at = found->second.pose.p;
      }
    } else {
      ends[0] = find_mjcf_body(robot_, element_.text("body1"), joint.place);
      ends[1] = find_mjcf_body(robot_, element_.text("body2"), joint.place);
    }
    if (!ends[0] || !ends[1]) return;
    if (const auto relative = robot_.document.numbers(element_, "relpose")) {
      const bool is_given = relative->size() == 7 &&
                            !std::all_of(relative->begin() + 3, relative->end(), [](double x) { return x == 0; });
      if (is_given) robot_.context.leave_out(joint.place, "relpose of a weld; the bodies keep the pose they start in");
    }
    joint.first = *ends[0];
    joint.second = *ends[1];
    const auto frame = [&](int link) {
      return link < 0 ? Pose{} : robot_.model.links[static_cast<std::size_t>(link)].pose;
    };
    joint.description.kind = is_weld ? JointKind::kFixed : JointKind::kBall;
    joint.description.name = name(is_weld ? "weld" : "connect");
    joint.description.at = frame(joint.first).p + frame(joint.first).q * at;
    const auto link_name = [&](int link) {
      return link < 0 ? std::string(kWorldBody) : robot_.model.links[static_cast<std::size_t>(link)].name;
    };
    joint.description.first = link_name(joint.first);
    joint.description.second = link_name(joint.second);
    joint.description.collide = true;  // constraints of MuJoCo filter no contacts
    robot_.model.joints.push_back(std::move(joint));
  }

  /// Adds factor · (position − that of the pose as written) to the coupling; the written part moves to the offset.
  void add_term(const std::string& joint_name, double factor, CouplingDescription& coupling) {
    const MjcfJoint* joint = find_mjcf_joint(robot_, joint_name, element_.place());
    if (joint == nullptr || factor == 0) return;
    const std::string& model_name = robot_.model.joints[joint->model_joint].description.name;
    coupling.terms.push_back({model_name, joint->axis, factor});
    coupling.offset -= factor * (joint->start - joint->written);
  }

  void add_side(const std::string& kind, const char* key, double factor, CouplingDescription& coupling) {
    const std::string other = element_.text(key);
    if (other.empty() || factor == 0) return;
    if (kind == "joint") return add_term(other, factor, coupling);
    const auto tendon = robot_.tendons.find(other);
    if (tendon == robot_.tendons.end()) {
      return robot_.context.error(element_.place(), fmt::format("there is no fixed tendon '{}'", shorten(other)));
    }
    for (const auto& [joint, coefficient] : tendon->second.terms) add_term(joint, factor * coefficient, coupling);
  }

  // y − y₀ = a₀ + a₁ (x − x₀), where y₀ and x₀ are those of the pose as written.
  void add_coupling(const std::string& kind) {
    std::vector<double> a = robot_.document.numbers(element_, "polycoef").value_or(std::vector<double>{0, 1});
    a.resize(std::max<std::size_t>(a.size(), 5), 0);
    if (a[2] != 0 || a[3] != 0 || a[4] != 0) {
      robot_.context.leave_out(element_.place(), "powers above the first in a polycoef");
    }
    CouplingDescription coupling;
    coupling.name = name("equality");
    coupling.offset = a[0];
    add_side(kind, kind == "joint" ? "joint1" : "tendon1", 1, coupling);
    add_side(kind, kind == "joint" ? "joint2" : "tendon2", -a[1], coupling);
    if (!coupling.terms.empty()) robot_.model.couplings.push_back({std::move(coupling), element_.place()});
  }

  MjcfRobot& robot_;
  MjcfElement element_;
};

}  // namespace

void read_mjcf_constraints(MjcfRobot& robot) {
  read_tendons(robot);
  for (const XmlNode* node : robot.document.list("equality")) EqualityReader(robot, *node).read();
  for (const XmlNode* node : robot.document.list("contact")) {
    if (node->name != "exclude") continue;  // <pair> is reported by the words
    const std::optional<int> a = find_mjcf_body(robot, text_at(*node, "body1"), node->place);
    const std::optional<int> b = find_mjcf_body(robot, text_at(*node, "body2"), node->place);
    if (!a || !b || *a < 0 || *b < 0 || *a == *b) continue;
    robot.model.rules.push_back(
        {{robot.model.links[static_cast<std::size_t>(*a)].name, robot.model.links[static_cast<std::size_t>(*b)].name},
         node->place});
  }
}

}  // namespace achilles::scene_file
