// Drives along the axes of joints, and couplings of them.
#include "scene/build/build.hpp"
#include "scene/build/read.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <utility>

namespace achilles::scene_file {
namespace {

struct DriveWord {
  const char* word;
  DriveDescription::Kind kind;
};
constexpr std::array<DriveWord, 3> kDrives{{{"force", DriveDescription::Kind::kForce},
                                            {"speed", DriveDescription::Kind::kSpeed},
                                            {"position", DriveDescription::Kind::kPosition}}};

/// A number, or points (time, value) with rising times.
void read_schedule(Build& build, const Node& node, const std::string& field, DriveDescription& drive) {
  if (node.kind == Node::Kind::kScalar) {
    drive.target.emplace_back(0, number_at(node));
    return;
  }
  for (const Node& point : node.items) {
    if (point.bad) return;
    const double time = number_at(point.items[0]);
    if (!drive.target.empty() && !(drive.target.back().first < time)) {
      build.complaints.error(
          point.place, field,
          fmt::format("the time {} does not come after {}; allowed: rising times", time, drive.target.back().first));
      return;
    }
    drive.target.emplace_back(time, number_at(point.items[1]));
  }
}

std::size_t read_axis_index(const Node& node) {
  return static_cast<std::size_t>(read_number(node, "axis").value_or(0));
}

CouplingTerm read_term(Build& build, const Node& node, const std::string& field) {
  CouplingTerm term;
  term.axis = read_axis_index(node);
  term.coefficient = read_number(node, "coefficient").value_or(1);
  const Node* joint = usable(node, "joint");
  if (joint == nullptr) return term;
  term.joint = joint->text;
  (void)find_joint_axis(build, *joint, term.axis, field);
  if (term.coefficient == 0) {
    build.complaints.error(node.place, field + ".coefficient", "found 0, which couples nothing; allowed: any other");
  }
  return term;
}

void refuse_repeated(Build& build, const Node& node, const CouplingDescription& coupling, const std::string& field) {
  std::set<std::pair<std::string, std::size_t>> used;
  for (const CouplingTerm& term : coupling.terms) {
    if (used.emplace(term.joint, term.axis).second) continue;
    build.complaints.error(node.place, field,
                           fmt::format("the joint '{}' is in it twice; allowed: each axis once", shorten(term.joint)));
    return;
  }
}

CouplingDescription read_coupling(Build& build, const Node& node, const std::string& field) {
  CouplingDescription coupling;
  coupling.name = read_text(node, "name").value_or("");
  coupling.offset = read_number(node, "offset").value_or(0);
  const Node& joints = children(node, "joints");
  for (std::size_t k = 0; k < joints.items.size(); ++k) {
    const Node& joint = joints.items[k];
    if (joint.bad) continue;
    (void)find_joint_axis(build, joint, 0, field + ".joints");
    coupling.terms.push_back({joint.text, 0, k == 0 ? 1 : -read_number(node, "ratio").value_or(1)});
  }
  const Node& terms = children(node, "terms");
  const Node* ratio = node.find("ratio");
  if (ratio != nullptr && node.find("terms") != nullptr) {
    build.complaints.error(ratio->key_place, field + ".ratio", "goes with joints; terms have coefficients");
  }
  for (std::size_t k = 0; k < terms.items.size(); ++k) {
    if (!terms.items[k].bad) {
      coupling.terms.push_back(read_term(build, terms.items[k], fmt::format("{}.terms[{}]", field, k)));
    }
  }
  std::erase_if(coupling.terms, [](const CouplingTerm& term) { return term.coefficient == 0; });  // ratio 0: it is held
  refuse_repeated(build, node, coupling, field);
  return coupling;
}

}  // namespace

std::optional<DriveDescription> build_drive(Build& build, const Node& axis, const std::string& field) {
  const Node* node = usable(axis, "drive");
  if (node == nullptr || has_bad_part(*node)) return std::nullopt;
  DriveDescription drive;
  const std::string here = field + ".drive";
  for (const DriveWord& known : kDrives) {
    const Node* target = usable(*node, known.word);
    if (target == nullptr) continue;
    drive.kind = known.kind;
    read_schedule(build, *target, fmt::format("{}.{}", here, known.word), drive);
  }
  drive.stiffness = read_number(*node, "stiffness").value_or(0);
  drive.damping = read_number(*node, "damping").value_or(0);
  drive.max_force = read_number(*node, "max_force").value_or(drive.max_force);
  drive.max_rate = read_number(*node, "max_rate").value_or(drive.max_rate);
  const auto refuse = [&](const char* key, const char* message) {
    const Node* place = node->find(key);
    build.complaints.error(place != nullptr ? place->place : node->place, fmt::format("{}.{}", here, key), message);
  };
  using Kind = DriveDescription::Kind;
  if (drive.kind == Kind::kPosition && drive.stiffness == 0) {
    refuse("stiffness", "a position is followed by a stiffness above 0");
  }
  if (drive.kind == Kind::kSpeed && drive.damping == 0) refuse("damping", "a speed is followed by a damping above 0");
  if (drive.kind != Kind::kPosition && drive.stiffness > 0) refuse("stiffness", "only a position has a stiffness");
  if (drive.kind == Kind::kForce && drive.damping > 0) refuse("damping", "a force has no damping; springs have one");
  return drive;
}

const JointDescription* find_joint_axis(Build& build, const Node& name, std::size_t axis, const std::string& field) {
  std::vector<std::string> names;
  for (const JointDescription& joint : build.scene.joints) {
    names.push_back(joint.name);
    if (joint.name != name.text) continue;
    const std::size_t free = joint.kind == JointKind::kPlanar ? 0 : joint.axes.size();
    if (axis < free) return &joint;
    build.complaints.error(
        name.place, field,
        fmt::format("the joint '{}' has {} free axes, numbered from 0; found {}", shorten(name.text), free, axis));
    return nullptr;
  }
  build.complaints.error(name.place, field,
                         fmt::format("there is no joint '{}'{}", shorten(name.text), suggestion(name.text, names)));
  return nullptr;
}

void build_couplings(Build& build, const Node& root) {
  std::set<std::string> names;
  const Node& couplings = children(root, "couplings");
  for (std::size_t i = 0; i < couplings.items.size(); ++i) {
    const Node& node = couplings.items[i];
    if (node.bad) continue;
    const Node* name = usable(node, "name");
    const std::string field =
        name != nullptr ? fmt::format("couplings.{}", shorten(name->text)) : fmt::format("couplings[{}]", i);
    check_name(build, node, field);
    if (name != nullptr && !names.insert(name->text).second) {
      build.complaints.error(name->place, field + ".name",
                             fmt::format("a coupling named '{}' exists already", shorten(name->text)));
    }
    build.scene.couplings.push_back(read_coupling(build, node, field));
  }
}

}  // namespace achilles::scene_file
