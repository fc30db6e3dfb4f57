// Equality constraints and contact exclusions of an MJCF file.
#include "scene/import/mjcf/robot.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace achilles::scene_file {
namespace {

class EqualityReader {
 public:
  EqualityReader(MjcfRobot& robot, const XmlNode& node)
      : robot_(robot), element_(robot.document.resolve(node, "", "equality")) {}

  void read() {
    const std::string& kind = element_.node().name;
    if (!robot_.document.flag(element_, "active", true)) return;  // it does nothing until a program switches it on
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

  /// What a constraint holds together: a frame in each of two links.
  struct Loop {
    int links[2] = {-1, -1};
    Pose frames[2];  // that coincide where the constraint holds
  };

  std::optional<Loop> find_sites() {
    Loop loop;
    for (const int k : {0, 1}) {
      const std::string site = element_.text(k == 0 ? "site1" : "site2");
      const auto found = robot_.sites.find(site);
      if (found == robot_.sites.end()) {
        robot_.context.error(element_.place(), fmt::format("there is no site '{}'", shorten(site)));
        return std::nullopt;
      }
      loop.links[k] = found->second.link;
      loop.frames[k] = found->second.pose;
    }
    return loop;
  }

  // The anchor is given in the first body; in the second it is where both agree as the model is written, or where
  // `relpose` has it.
  std::optional<Loop> find_bodies() {
    Loop loop;
    const auto first = find_mjcf_body(robot_, element_.text("body1"), element_.place());
    const auto second = find_mjcf_body(robot_, element_.text("body2"), element_.place());
    if (!first || !second) return std::nullopt;
    loop.links[0] = *first;
    loop.links[1] = *second;
    Pose relative = compose(inverse_of(pose_of(*first, robot_.written)), pose_of(*second, robot_.written));
    if (const auto given = robot_.document.numbers(element_, "relpose")) {
      if (given->size() != 7) {
        robot_.context.error(element_.find("relpose")->place,
                             fmt::format("relpose: found {} numbers; allowed: 7", given->size()));
        return std::nullopt;
      }
      const std::vector<double>& v = *given;
      const Quat q(v[3], v[4], v[5], v[6]);
      if (q.norm() > 0) relative = {Vec3(v[0], v[1], v[2]), q.normalized()};
    }
    loop.frames[0].p = robot_.document.vec3(element_, "anchor", Vec3::Zero());
    loop.frames[1] = compose(inverse_of(relative), loop.frames[0]);
    return loop;
  }

  static Pose pose_of(int link, const std::vector<Pose>& poses) {
    return link < 0 ? Pose{} : poses[static_cast<std::size_t>(link)];
  }

  [[nodiscard]] Pose start_of(int link) const {
    return link < 0 ? Pose{} : robot_.model.links[static_cast<std::size_t>(link)].pose;
  }

  void add_loop(bool is_weld) {
    const std::optional<Loop> loop = element_.has("site1") ? find_sites() : find_bodies();
    if (!loop) return;
    ModelJoint joint;
    joint.place = element_.place();
    joint.first = loop->links[0];
    joint.second = loop->links[1];
    if (joint.first == joint.second) {
      return robot_.context.error(joint.place, "a constraint between a body and itself");
    }
    const Pose first = compose(start_of(joint.first), loop->frames[0]);
    report_gap(first, compose(start_of(joint.second), loop->frames[1]), is_weld);
    joint.description.kind = is_weld ? JointKind::kFixed : JointKind::kBall;
    joint.description.name = name(is_weld ? "weld" : "connect");
    joint.description.at = first.p;
    const auto link_name = [&](int link) {
      return link < 0 ? std::string(kWorldBody) : robot_.model.links[static_cast<std::size_t>(link)].name;
    };
    joint.description.first = link_name(joint.first);
    joint.description.second = link_name(joint.second);
    joint.description.collide = true;  // constraints of MuJoCo filter no contacts
    robot_.model.joints.push_back(std::move(joint));
  }

  /// Joints hold bodies as they start; a constraint that is not met there would pull them together.
  void report_gap(const Pose& first, const Pose& second, bool is_weld) {
    constexpr double kLeastGap = 1e-6, kLeastTurn = 1e-6;  // [m], [rad]; files have six digits
    const double gap = (second.p - first.p).norm();
    const double turn = is_weld ? first.q.angularDistance(second.q) : 0;
    if (gap <= kLeastGap && turn <= kLeastTurn) return;
    robot_.context.leave_out(
        element_.place(), fmt::format("the pull of a {} that starts {:.3g} m{} apart: the bodies are held as they "
                                      "start",
                                      element_.node().name, gap, is_weld ? fmt::format(" and {:.3g} rad", turn) : ""));
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
  for (const XmlNode* node : robot.document.list("equality")) EqualityReader(robot, *node).read();
  for (const XmlNode* node : robot.document.list("contact")) {
    if (node->name != "exclude") continue;  // <pair> is listed by the words
    std::vector<int> ends[2];
    for (const int k : {0, 1}) {
      const std::optional<int> body = find_mjcf_body(robot, text_at(*node, k == 0 ? "body1" : "body2"), node->place);
      if (body && *body >= 0) ends[k].push_back(*body);
      if (body && *body < 0) ends[k] = robot.world_links;  // each geom of the world is a link of its own
    }
    for (const int a : ends[0]) {
      for (const int b : ends[1]) {
        const auto name = [&](int link) { return robot.model.links[static_cast<std::size_t>(link)].name; };
        if (a != b) robot.model.rules.push_back({{name(a), name(b)}, node->place});
      }
    }
  }
}

}  // namespace achilles::scene_file
