// Geoms and assets of an MJCF file.
#include "scene/import/mjcf/robot.hpp"
#include "scene/import/shapes.hpp"
#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include "geometry/mass_properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace achilles::scene_file {
namespace {

struct Geom {
  ModelShape shape;
  MassProperties mass;
  MjcfSurface surface;
  CollisionFilter filter;
  bool collides = true;
  bool is_drawn = true;
  Place place;
};

class GeomReader {
 public:
  GeomReader(MjcfRobot& robot, const MjcfElement& element, const Pose& frame, bool weighs)
      : robot_(robot), document_(robot.document), element_(element), frame_(frame), weighs_(weighs) {}

  std::optional<Geom> read() {
    geom_.place = geom_.shape.place = element_.place();
    geom_.filter = {static_cast<std::uint32_t>(integer("contype", 1)),
                    static_cast<std::uint32_t>(integer("conaffinity", 1))};
    geom_.collides = geom_.filter.group != 0 || geom_.filter.mask != 0;
    geom_.is_drawn = integer("group", 0) < 3;
    geom_.shape.pose = document_.pose(element_);
    if (!read_shape()) return std::nullopt;
    geom_.shape.pose = compose(frame_, geom_.shape.pose);
    read_color();
    read_surface();
    read_mass();
    return geom_;
  }

 private:
  // Of 32 bits with a sign, as MuJoCo stores it; -1 has all bits.
  int integer(std::string_view key, int standard) const {
    constexpr double kLeast = std::numeric_limits<int>::min(), kMost = std::numeric_limits<int>::max();
    const double value = document_.number(element_, key).value_or(standard);
    if (value >= kLeast && value <= kMost) return static_cast<int>(value);
    robot_.context.error(element_.find(key)->place,
                         fmt::format("{} is {}; allowed: an integer of 32 bits", key, value));
    return standard;
  }

  bool read_shape() {
    using Kind = ModelShape::Kind;
    constexpr std::pair<std::string_view, Kind> kKinds[] = {
        {"sphere", Kind::kSphere},      {"box", Kind::kBox},     {"capsule", Kind::kCapsule},
        {"cylinder", Kind::kCylinder},  {"plane", Kind::kPlane}, {"ellipsoid", Kind::kEllipsoid},
        {"hfield", Kind::kHeightfield}, {"mesh", Kind::kMesh}};
    const std::string type = element_.text("type", "sphere");
    const auto* known =
        std::find_if(std::begin(kKinds), std::end(kKinds), [&](const auto& k) { return k.first == type; });
    if (known == std::end(kKinds)) {
      robot_.context.leave_out(element_.place(), fmt::format("<geom> of type '{}'", shorten(type)));
      return false;
    }
    geom_.shape.kind = known->second;
    if (type == "mesh") return read_mesh();
    if (type == "hfield") return read_heightfield();
    if (type == "plane") return true;
    if (element_.has("mesh")) {
      robot_.context.leave_out(element_.place(), fmt::format("a {} fitted to a mesh", type));
      return false;
    }
    return read_size(type);
  }

  bool read_size(const std::string& type) {
    std::vector<double> size = document_.numbers(element_, "size").value_or(std::vector<double>());
    const bool is_long = type == "box" || type == "capsule" || type == "cylinder" || type == "ellipsoid";
    const std::size_t wanted = type == "sphere" ? 1 : type == "capsule" || type == "cylinder" ? 2 : 3;
    if (is_long && element_.has("fromto")) {
      const std::optional<std::pair<Pose, double>> line = document_.from_to(element_);
      if (!line) return false;
      geom_.shape.pose = line->first;
      if (wanted == 3 && size.size() < 2 && !size.empty()) size.push_back(size[0]);
      size.resize(wanted - 1, 0);
      size.push_back(line->second);
    }
    size.resize(std::max(size.size(), wanted), 0);
    const auto last = size.begin() + static_cast<std::ptrdiff_t>(wanted);
    if (!(*std::min_element(size.begin(), last) > 0)) {
      robot_.context.error(element_.place(), fmt::format("<geom> of type {} needs {} sizes above 0", type, wanted));
      return false;
    }
    for (std::size_t k = 0; k < wanted; ++k) geom_.shape.size[static_cast<int>(k)] = size[k];
    // Half lengths in the file, full ones here; an ellipsoid has half axes in both.
    if (type == "box") geom_.shape.size *= 2;
    if (type == "capsule" || type == "cylinder") geom_.shape.size[1] *= 2;
    return true;
  }

  bool read_mesh() {
    const std::string name = element_.text("mesh");
    const auto mesh = robot_.meshes.find(name);
    if (mesh == robot_.meshes.end()) {
      std::vector<std::string> names;
      for (const auto& [known, unused] : robot_.meshes) names.push_back(known);
      robot_.context.error(element_.place(),
                           fmt::format("there is no mesh '{}'{}", shorten(name), suggestion(name, names)));
      return false;
    }
    if (!mesh->second.missing.empty()) {
      if (geom_.collides) {
        robot_.context.error(mesh->second.place, mesh->second.missing);
      } else {
        robot_.context.leave_out(mesh->second.place, "a mesh that is only seen: " + mesh->second.missing);
      }
      return false;
    }
    geom_.shape.file = mesh->second.file;
    geom_.shape.scale = mesh->second.scale;
    geom_.shape.points = mesh->second.points;
    return true;
  }

  bool read_heightfield() {
    const std::string name = element_.text("hfield");
    const auto heights = robot_.heights.find(name);
    if (heights == robot_.heights.end()) {
      std::vector<std::string> names;
      for (const auto& [known, unused] : robot_.heights) names.push_back(known);
      robot_.context.error(element_.place(),
                           fmt::format("there is no height field '{}'{}", shorten(name), suggestion(name, names)));
      return false;
    }
    if (!heights->second) return false;  // listed where the asset is read
    geom_.shape.heights = heights->second->rows;
    geom_.shape.cell = heights->second->cell;
    return true;
  }

  void read_color() {
    if (const std::optional<std::vector<double>> rgba = document_.numbers(element_, "rgba")) {
      if (rgba->size() == 4) geom_.shape.color = Color{(*rgba)[0], (*rgba)[1], (*rgba)[2], (*rgba)[3]};
      return;
    }
    const auto material = robot_.colors.find(element_.text("material"));
    if (material != robot_.colors.end()) geom_.shape.color = material->second;
  }

  void read_surface() {
    const std::vector<double> friction = document_.numbers(element_, "friction").value_or(std::vector<double>());
    if (!friction.empty()) geom_.surface.sliding = friction[0];
    if (friction.size() > 1) geom_.surface.torsional = friction[1];
    if (friction.size() > 2) geom_.surface.rolling = friction[2];
    geom_.surface.condim = integer("condim", 3);
    geom_.surface.priority = integer("priority", 0);
  }

  void read_mass() {
    if (!weighs_) return;
    const std::optional<double> mass = document_.number(element_, "mass");
    if (mass && *mass < 0) robot_.context.error(element_.find("mass")->place, fmt::format("the mass is {}", *mass));
    if (mass && *mass <= 0) return;
    const double density = document_.number(element_, "density").value_or(1000);
    if (density < 0) robot_.context.error(element_.find("density")->place, fmt::format("the density is {}", density));
    geom_.mass = weigh(robot_.context, geom_.shape, mass ? 1000 : density);
    if (!mass || !(geom_.mass.mass > 0)) return;
    geom_.mass.inertia *= *mass / geom_.mass.mass;
    geom_.mass.mass = *mass;
  }

  MjcfRobot& robot_;
  const MjcfDocument& document_;
  const MjcfElement& element_;
  Pose frame_;
  bool weighs_;
  Geom geom_;
};

std::string material_of(MjcfRobot& robot, const MjcfSurface& surface) {
  const auto known = std::find(robot.surfaces.begin(), robot.surfaces.end(), surface);
  const auto index = static_cast<std::size_t>(known - robot.surfaces.begin());
  if (known == robot.surfaces.end()) robot.surfaces.push_back(surface);
  return index == 0 ? "default" : fmt::format("surface {}", index);
}

/// The surface and the filter of a body are those of its geom with the highest priority.
void choose_surface(MjcfRobot& robot, const std::vector<Geom>& geoms, ModelLink& link) {
  const Geom* chosen = nullptr;
  CollisionFilter filter{0, 0};
  for (const Geom& geom : geoms) {
    if (!geom.collides) continue;
    if (chosen == nullptr || geom.surface.priority > chosen->surface.priority) chosen = &geom;
    filter = {filter.group | geom.filter.group, filter.mask | geom.filter.mask};
  }
  if (chosen == nullptr) return;
  link.material = material_of(robot, chosen->surface);
  link.filter = filter;
  for (const Geom& geom : geoms) {
    if (!geom.collides) continue;
    if (!(geom.surface == chosen->surface)) {
      robot.context.leave_out(geom.place,
                              "friction of a geom that differs from that of the body's geom with the highest "
                              "priority, which the whole body has");
    }
    if (!(geom.filter == filter)) {
      robot.context.leave_out(geom.place,
                              "contype or conaffinity of a geom that differ from those of the body's other "
                              "geoms; the body has the bits of all");
    }
  }
}

void choose_looks(const std::vector<Geom>& geoms, ModelLink& link) {
  const bool is_mixed = std::any_of(geoms.begin(), geoms.end(), [&](const Geom& geom) {
    return !geom.collides || !geom.is_drawn || geom.shape.color != geoms.front().shape.color;
  });
  if (!is_mixed) return;
  for (const Geom& geom : geoms) {
    if (geom.is_drawn) link.visuals.push_back(geom.shape);
  }
}

}  // namespace

void add_mjcf_geoms(MjcfRobot& robot, const std::vector<std::pair<const XmlNode*, Pose>>& geoms,
                    const std::string& child_class, bool weighs, ModelLink& link) {
  std::vector<Geom> read;
  std::vector<MassProperties> masses;
  for (const auto& [node, frame] : geoms) {
    const MjcfElement element = robot.document.resolve(*node, child_class);
    const std::optional<Geom> geom = GeomReader(robot, element, frame, weighs).read();
    if (!geom) continue;
    if (geom->mass.mass > 0) masses.push_back(geom->mass);
    read.push_back(*geom);
  }
  if (!masses.empty()) link.mass = masses.size() == 1 ? masses.front() : combine(masses);
  choose_surface(robot, read, link);
  for (const Geom& geom : read) {
    if (geom.collides) link.colliders.push_back(geom.shape);
  }
  choose_looks(read, link);
}

void add_mjcf_world_geom(MjcfRobot& robot, const XmlNode& node, const Pose& frame, const std::string& child_class) {
  ModelLink link;
  link.name = name_of(node, "ground", robot.model.links.size());
  while (robot.link_index.contains(link.name) || link.name == kWorldBody) link.name += " geom";
  link.place = node.place;
  link.fixed = true;
  add_mjcf_geoms(robot, {{&node, Pose{}}}, child_class, false, link);
  if (link.colliders.empty() && link.visuals.empty()) return;
  // The link's frame is that of the geom, so that --set can move it.
  ModelShape& shape = link.colliders.empty() ? link.visuals.front() : link.colliders.front();
  link.pose = compose(frame, shape.pose);
  for (auto* shapes : {&link.colliders, &link.visuals}) {
    for (ModelShape& part : *shapes) part.pose = {};
  }
  robot.link_index[link.name] = static_cast<int>(robot.model.links.size());
  robot.world_links.push_back(static_cast<int>(robot.model.links.size()));
  const std::string name = text_at(node, "name");
  if (!name.empty()) robot.geom_links[name] = static_cast<int>(robot.model.links.size());
  robot.written.push_back(link.pose);
  robot.model.links.push_back(std::move(link));
}

// Friction of two geoms in MuJoCo: of the one with the higher priority, or else the larger of both, in as many
// dimensions as the larger `condim` says: 1 none, 3 sliding, 4 and torsional, 6 and rolling.
void write_mjcf_surfaces(MjcfRobot& robot) {
  const auto law_of = [](const MjcfSurface& a, const MjcfSurface& b) {
    MjcfSurface mixed = a.priority >= b.priority ? a : b;
    if (a.priority == b.priority) {
      mixed.sliding = std::max(a.sliding, b.sliding);
      mixed.torsional = std::max(a.torsional, b.torsional);
      mixed.rolling = std::max(a.rolling, b.rolling);
      mixed.condim = std::max(a.condim, b.condim);
    }
    ContactLaw law;
    law.friction = mixed.condim >= 3 ? mixed.sliding : 0;
    law.torsional_friction = mixed.condim >= 4 ? mixed.torsional : 0;
    law.rolling_friction = mixed.condim >= 6 ? mixed.rolling : 0;
    return law;
  };
  const auto name = [](std::size_t i) { return i == 0 ? std::string("default") : fmt::format("surface {}", i); };
  for (std::size_t i = 0; i < robot.surfaces.size(); ++i) {
    robot.model.materials.push_back({name(i), law_of(robot.surfaces[i], robot.surfaces[i])});
    for (std::size_t j = 0; j < i; ++j) {
      robot.model.pairs.push_back({name(j), name(i), law_of(robot.surfaces[j], robot.surfaces[i])});
    }
  }
}

}  // namespace achilles::scene_file
