#include "scene/import/mjcf/document.hpp"

#include "scene/import/values.hpp"
#include "scene/read_file.hpp"
#include "scene/wording.hpp"

#include <achilles/error.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <initializer_list>
#include <numbers>
#include <utility>

namespace achilles::scene_file {
namespace {

constexpr const char* kMainClass = "main";

class Includer {
 public:
  explicit Includer(ImportContext& context) : context_(context) {}

  void expand(XmlNode& node) {
    std::vector<XmlNode> children;
    for (XmlNode& child : node.children) {
      if (child.name != "include") {
        expand(child);
        children.push_back(std::move(child));
        continue;
      }
      for (XmlNode& included : read(child)) children.push_back(std::move(included));
    }
    node.children = std::move(children);
  }

 private:
  std::vector<XmlNode> read(const XmlNode& include) {
    const std::string name = text_at(include, "file");
    std::string reason;
    const std::optional<std::string> found = context_.find_file(name, context_.folder(), reason);
    if (!found) {
      context_.error(include.place, reason);
      return {};
    }
    if (!seen_.insert(*found).second) {
      context_.error(include.place, fmt::format("'{}' is included twice; allowed: once", shorten(name)));
      return {};
    }
    const std::filesystem::path path(*found);
    const std::string file = (path.is_absolute() ? path : context_.folder() / path).string();
    const int origin = context_.add_file(file);
    XmlDefect defect;
    std::optional<XmlNode> root = parse_xml(read_file(file, kMaxXmlBytes), origin, defect);
    if (!root) {
      context_.error({origin, defect.line, 0}, defect.message);
      return {};
    }
    if (root->name != "mujoco" && root->name != "mujocoinclude") {
      context_.error(root->place,
                     fmt::format("<{}> cannot be included; allowed: <mujoco> or <mujocoinclude>", shorten(root->name)));
      return {};
    }
    expand(*root);
    return std::move(root->children);
  }

  ImportContext& context_;
  std::set<std::string> seen_;
};

}  // namespace

void expand_includes(ImportContext& context, XmlNode& root) { Includer(context).expand(root); }

const XmlAttribute* MjcfElement::find(std::string_view key) const {
  if (const XmlAttribute* own = node_->find_attribute(key)) return own;
  for (const XmlNode* standard : defaults_) {
    if (const XmlAttribute* found = standard->find_attribute(key)) return found;
  }
  return nullptr;
}

std::string MjcfElement::text(std::string_view key, std::string_view standard) const {
  const XmlAttribute* found = find(key);
  return found != nullptr ? found->value : std::string(standard);
}

MjcfDocument::MjcfDocument(ImportContext& context, const XmlNode& root) : context_(context), root_(root) {
  classes_[kMainClass];
  for (const XmlNode& child : root.children) {
    if (child.name == "default") read_defaults(child, "");
  }
  read_compiler();
}

void MjcfDocument::read_defaults(const XmlNode& node, const std::string& parent) {
  const std::string named = text_at(node, "class");
  const std::string name = parent.empty() ? kMainClass : named;
  if (name.empty()) {
    context_.error(node.place, "a <default> inside another has no class");
    return;
  }
  DefaultClass& known = classes_[name];
  known.parent = parent;
  if (parent.empty() && !named.empty() && named != kMainClass) classes_[named] = {kMainClass, {}};
  for (const XmlNode& child : node.children) {
    if (child.name != "default") classes_[name].elements.push_back(&child);
  }
  for (const XmlNode& child : node.children) {
    if (child.name == "default") read_defaults(child, name);
  }
}

void MjcfDocument::read_compiler() {
  for (const XmlNode& node : root_.children) {
    if (node.name != "compiler") continue;
    const MjcfElement element(node);
    const auto keyword = [&](const char* key, std::initializer_list<std::string_view> allowed) {
      const std::string word = text_at(node, key);
      if (word.empty() || std::find(allowed.begin(), allowed.end(), word) != allowed.end()) return;
      context_.error(node.place,
                     fmt::format("{}: found '{}'; allowed: {}", key, shorten(word), fmt::join(allowed, ", ")));
    };
    keyword("angle", {"radian", "degree"});
    keyword("inertiafromgeom", {"false", "true", "auto"});
    keyword("coordinate", {"local", "global"});
    const std::string angle = text_at(node, "angle"), order = text_at(node, "eulerseq");
    if (!angle.empty()) compiler_.degrees = angle != "radian";
    if (!order.empty()) compiler_.eulerseq = order;
    compiler_.autolimits = flag(element, "autolimits", compiler_.autolimits);
    compiler_.strips_path = flag(element, "strippath", compiler_.strips_path);
    for (const char* key : {"assetdir", "meshdir"}) {
      if (node.find_attribute(key) != nullptr) compiler_.mesh_folder = text_at(node, key);
    }
    const std::string from_geoms = text_at(node, "inertiafromgeom");
    if (from_geoms == "true") compiler_.inertia_from_geoms = MjcfSwitch::kOn;
    if (from_geoms == "false") compiler_.inertia_from_geoms = MjcfSwitch::kOff;
    compiler_.bound_mass = number_at(context_, node, "boundmass").value_or(compiler_.bound_mass);
    compiler_.total_mass = number_at(context_, node, "settotalmass").value_or(compiler_.total_mass);
    if (text_at(node, "coordinate") == "global") {
      context_.error(node.place,
                     "coordinate=\"global\" is not supported; allowed: local, the only one that MuJoCo has "
                     "read since its version 2.3.4");
    }
    const bool is_order =
        compiler_.eulerseq.size() == 3 && compiler_.eulerseq.find_first_not_of("xyzXYZ") == std::string::npos;
    if (!is_order) {
      context_.error(node.place, fmt::format("eulerseq is '{}'; allowed: three of x, y, z, X, Y, Z", shorten(order)));
      compiler_.eulerseq = "xyz";
    }
  }
}

std::vector<const XmlNode*> MjcfDocument::list(std::string_view section) const {
  std::vector<const XmlNode*> all;
  for (const XmlNode& node : root_.children) {
    if (node.name != section) continue;
    for (const XmlNode& child : node.children) all.push_back(&child);
  }
  return all;
}

MjcfElement MjcfDocument::resolve(const XmlNode& node, const std::string& child_class, std::string_view kind) const {
  MjcfElement element(node);
  if (kind.empty()) kind = node.name;
  const XmlAttribute* own = node.find_attribute("class");
  std::string name = own != nullptr ? own->value : child_class;
  if (name.empty()) name = kMainClass;
  if (!classes_.contains(name)) {
    std::vector<std::string> names;
    for (const auto& [known, unused] : classes_) names.push_back(known);
    context_.error(own != nullptr ? own->place : node.place,
                   fmt::format("there is no default class '{}'{}", shorten(name), suggestion(name, names)));
    return element;
  }
  // Every kind of actuator takes what it lacks from <general>.
  const bool is_actuator = node.name == "position" || node.name == "velocity" || node.name == "motor";
  std::set<std::string> visited;
  while (!name.empty() && visited.insert(name).second) {
    const DefaultClass& known = classes_.at(name);
    for (const bool general : {false, true}) {
      if (general && !is_actuator) continue;
      for (auto it = known.elements.rbegin(); it != known.elements.rend(); ++it) {
        if ((*it)->name == (general ? "general" : kind)) element.add_default(**it);
      }
    }
    name = known.parent;
  }
  return element;
}

std::optional<double> MjcfDocument::number(const MjcfElement& element, std::string_view key) const {
  return number_of(context_, element.find(key));
}

std::optional<std::vector<double>> MjcfDocument::numbers(const MjcfElement& element, std::string_view key) const {
  return numbers_of(context_, element.find(key));
}

Vec3 MjcfDocument::vec3(const MjcfElement& element, std::string_view key, const Vec3& standard) const {
  return vec3_of(context_, element.find(key)).value_or(standard);
}

double MjcfDocument::angle(double value) const { return compiler_.degrees ? value * std::numbers::pi / 180 : value; }

Pose MjcfDocument::pose(const MjcfElement& element) const {
  return {vec3(element, "pos", Vec3::Zero()), orientation(element)};
}

// The element's own orientation stands before one of its classes, whatever the two are written as.
Quat MjcfDocument::orientation(const MjcfElement& element) const {
  constexpr std::string_view kWays[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  const auto is_own = [&](std::string_view way) { return element.node().find_attribute(way) != nullptr; };
  const bool any_own = std::any_of(std::begin(kWays), std::end(kWays), is_own);
  for (const std::string_view way : kWays) {
    if (any_own ? !is_own(way) : !element.has(way)) continue;
    const XmlAttribute& written = *element.find(way);
    const std::optional<std::vector<double>> v = numbers_of(context_, &written);
    if (!v) return Quat::Identity();
    const std::size_t wanted = way == "xyaxes" ? 6 : way == "quat" || way == "axisangle" ? 4 : 3;
    if (v->size() != wanted) {
      context_.error(written.place, fmt::format("{}: found {} numbers; allowed: {}", way, v->size(), wanted));
      return Quat::Identity();
    }
    const auto vector = [&](std::size_t at) { return Vec3((*v)[at], (*v)[at + 1], (*v)[at + 2]); };
    const auto refuse = [&](const char* why) {
      context_.error(written.place, fmt::format("{}: {}", way, why));
      return Quat::Identity();
    };
    if (way == "quat") {
      const Eigen::Vector4d q((*v)[0], (*v)[1], (*v)[2], (*v)[3]);
      const double length = q.stableNorm();
      return length > 0 ? Quat(q[0] / length, q[1] / length, q[2] / length, q[3] / length) : refuse("is zero");
    }
    if (way == "euler") return euler(vector(0));
    if (!(vector(0).norm() > 0)) return refuse("the direction is zero");
    if (way == "axisangle") return Quat(Eigen::AngleAxisd(angle((*v)[3]), vector(0).normalized()));
    if (way == "zaxis") return Quat::FromTwoVectors(Vec3::UnitZ(), vector(0));
    const Vec3 x = vector(0).normalized();
    const Vec3 y = vector(3) - x.dot(vector(3)) * x;
    if (!(y.norm() > 1e-12 * vector(3).norm())) return refuse("the two axes are parallel");
    Mat3 R;
    R << x, y.normalized(), x.cross(y.normalized());
    return Quat(R).normalized();
  }
  return Quat::Identity();
}

// Small letters turn about the axes as the turns before left them, capitals about those of the frame around.
Quat MjcfDocument::euler(const Vec3& angles) const {
  Quat q = Quat::Identity();
  for (int i = 0; i < 3; ++i) {
    const char letter = compiler_.eulerseq[static_cast<std::size_t>(i)];
    const Vec3 axis = Vec3::Unit(std::tolower(static_cast<unsigned char>(letter)) - 'x');
    const Quat turn(Eigen::AngleAxisd(angle(angles[i]), axis));
    q = std::islower(static_cast<unsigned char>(letter)) != 0 ? q * turn : turn * q;
  }
  return q.normalized();
}

std::optional<std::pair<double, double>> MjcfDocument::range(const MjcfElement& element, std::string_view key) const {
  const std::optional<std::vector<double>> ends = numbers(element, key);
  if (!ends) return std::nullopt;
  if (ends->size() == 2 && (*ends)[0] <= (*ends)[1]) return std::make_pair((*ends)[0], (*ends)[1]);
  context_.error(element.find(key)->place, fmt::format("{}: allowed: two numbers, the lower one first", key));
  return std::nullopt;
}

bool MjcfDocument::is_limited(const MjcfElement& element, std::string_view key, std::string_view range) const {
  const std::string word = element.text(key, "auto");
  if (word == "false") return false;
  if (word != "true" && word != "auto") {
    context_.error(element.find(key)->place,
                   fmt::format("{}: found '{}'; allowed: true, false, auto", key, shorten(word)));
    return false;
  }
  if (word == "true" && !element.has(range)) {
    context_.error(element.place(), fmt::format("{} is true, and there is no {}", key, range));
    return false;
  }
  return word == "true" || (compiler_.autolimits && element.has(range));
}

bool MjcfDocument::flag(const MjcfElement& element, std::string_view key, bool standard) const {
  const XmlAttribute* written = element.find(key);
  if (written == nullptr) return standard;
  if (written->value == "true" || written->value == "false") return written->value == "true";
  context_.error(written->place, fmt::format("{}: found '{}'; allowed: true, false", key, shorten(written->value)));
  return standard;
}

std::optional<std::pair<Pose, double>> MjcfDocument::from_to(const MjcfElement& element) const {
  const XmlAttribute& written = *element.find("fromto");
  const std::optional<std::vector<double>> v = numbers_of(context_, &written);
  if (!v) return std::nullopt;
  if (v->size() != 6) {
    context_.error(written.place, fmt::format("fromto: found {} numbers; allowed: 6", v->size()));
    return std::nullopt;
  }
  const Vec3 from((*v)[0], (*v)[1], (*v)[2]), to((*v)[3], (*v)[4], (*v)[5]);
  const double half = (to - from).norm() / 2;
  if (!(half > 0)) {
    context_.error(written.place, "fromto: both ends are the same point");
    return std::nullopt;
  }
  // MuJoCo turns the z axis into the direction from the second end to the first, by the shortest way.
  return std::make_pair(Pose{(from + to) / 2, Quat::FromTwoVectors(Vec3::UnitZ(), from - to)}, half);
}

}  // namespace achilles::scene_file
