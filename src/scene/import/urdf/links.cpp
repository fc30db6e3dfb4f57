// Links of a URDF: mass, shapes, surfaces.
#include "scene/import/urdf/links.hpp"

#include "scene/import/values.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace achilles::scene_file {
namespace {

/// A measure that must be above 0; complains and returns 1 otherwise.
double read_length(ImportContext& context, const XmlNode& node, std::string_view key) {
  const std::optional<double> length = number_at(context, node, key);
  if (length && *length > 0) return *length;
  context.error(node.place, length ? fmt::format("<{}>: {} is {}; allowed: a number above 0", node.name, key, *length)
                                   : fmt::format("<{}> has no usable '{}'", node.name, key));
  return 1;
}

std::optional<Color> read_rgba(ImportContext& context, const XmlNode& material) {
  const XmlNode* color = material.find("color");
  if (color == nullptr) return std::nullopt;
  const std::optional<std::vector<double>> parts = numbers_of(context, color->find_attribute("rgba"));
  if (!parts || parts->size() < 3 || parts->size() > 4) return std::nullopt;
  Color rgba{0, 0, 0, 1};
  std::copy(parts->begin(), parts->end(), rgba.begin());
  return rgba;
}

class LinkReader {
 public:
  LinkReader(ImportContext& context, const std::map<std::string, Color>& colors, std::vector<Material>& materials)
      : context_(context), colors_(colors), materials_(materials) {}

  ModelLink read(const XmlNode& node) {
    ModelLink link;
    link.name = text_at(node, "name");
    link.place = node.place;
    if (const XmlNode* inertial = node.find("inertial")) read_inertial(*inertial, link);
    for (const XmlNode& child : node.children) {
      if (child.name == "collision") read_shape(child, true, link.colliders);
      if (child.name == "visual") read_shape(child, false, link.visuals);
    }
    if (const XmlNode* contact = node.find("contact")) read_contact(*contact, link);
    // Links of a robot do not collide with each other unless asked for: URDF has no list of pairs that may overlap.
    if (!context_.options().self_collision) link.filter = {2, 1};
    return link;
  }

 private:
  void read_inertial(const XmlNode& inertial, ModelLink& link) {
    const XmlNode* mass = inertial.find("mass");
    if (mass == nullptr) return context_.error(inertial.place, "<inertial> has no <mass>");
    link.mass.mass = number_at(context_, *mass, "value").value_or(0);
    link.mass_place = mass->place;
    if (link.mass.mass < 0) {
      context_.error(mass->place, fmt::format("the mass is {}; allowed: a number of at least 0", link.mass.mass));
      link.mass.mass = 0;
    }
    const Pose pose = read_urdf_origin(context_, inertial);
    link.mass.center = pose.p;
    const XmlNode* inertia = inertial.find("inertia");
    if (inertia == nullptr) return;
    link.mass_place = inertia->place;
    const auto moment = [&](std::string_view key) { return number_at(context_, *inertia, key).value_or(0); };
    Mat3 I;
    I << moment("ixx"), moment("ixy"), moment("ixz"), moment("ixy"), moment("iyy"), moment("iyz"), moment("ixz"),
        moment("iyz"), moment("izz");
    if (I.diagonal().minCoeff() < 0) {
      context_.error(inertia->place,
                     fmt::format("a moment of inertia is {}; allowed: numbers above 0", I.diagonal().minCoeff()));
    }
    const Mat3 R = pose.q.toRotationMatrix();
    const bool is_turned = !R.isIdentity(0);
    link.mass.inertia = is_turned ? Mat3(R * I * R.transpose()) : I;
    if (is_turned) link.mass.inertia = (0.5 * (link.mass.inertia + link.mass.inertia.transpose())).eval();
  }

  void read_shape(const XmlNode& node, bool collides, std::vector<ModelShape>& shapes) {
    const XmlNode* geometry = node.find("geometry");
    if (geometry == nullptr || geometry->children.empty()) {
      return context_.error(node.place, fmt::format("<{}> has no <geometry> with a shape in it", node.name));
    }
    context_.report_further_shapes(*geometry);
    ModelShape shape;
    shape.place = geometry->children.front().place;
    shape.pose = read_urdf_origin(context_, node);
    if (!read_geometry(geometry->children.front(), collides, shape)) return;
    if (const XmlNode* material = node.find("material")) {
      shape.color = read_rgba(context_, *material);
      const auto named = colors_.find(text_at(*material, "name"));
      if (!shape.color && named != colors_.end()) shape.color = named->second;
    }
    shapes.push_back(std::move(shape));
  }

  bool read_geometry(const XmlNode& node, bool collides, ModelShape& shape) {
    if (node.name == "box") {
      shape.kind = ModelShape::Kind::kBox;
      shape.size = vec3_at(context_, node, "size").value_or(Vec3::Zero());
      if (!(shape.size.minCoeff() > 0)) context_.error(node.place, "<box> needs three lengths above 0 in 'size'");
    } else if (node.name == "sphere") {
      shape.kind = ModelShape::Kind::kSphere;
      shape.size[0] = read_length(context_, node, "radius");
    } else if (node.name == "cylinder" || node.name == "capsule") {
      shape.kind = node.name == "cylinder" ? ModelShape::Kind::kCylinder : ModelShape::Kind::kCapsule;
      shape.size[0] = read_length(context_, node, "radius");
      shape.size[1] = read_length(context_, node, "length");
    } else if (node.name == "mesh") {
      return read_urdf_mesh(node, collides, shape);
    } else {
      if (collides)
        context_.error(node.place, fmt::format("<{}> is no shape; allowed: box, sphere, cylinder, capsule, "
                                               "mesh",
                                               shorten(node.name)));
      return false;
    }
    return true;
  }

  bool read_urdf_mesh(const XmlNode& node, bool collides, ModelShape& shape) {
    shape.kind = ModelShape::Kind::kMesh;
    shape.scale = vec3_at(context_, node, "scale").value_or(Vec3::Ones());
    std::string reason;
    const std::optional<std::string> file = context_.find_file(text_at(node, "filename"), context_.folder(), reason);
    if (file) {
      shape.file = *file;
      if (shape.scale.prod() != 0) return true;
      context_.error(node.place, "a factor of 'scale' is 0; allowed: any other number");
      return false;
    }
    if (collides) {
      context_.error(node.place, reason);
    } else {
      context_.leave_out(node.place, "a mesh that is only seen: " + reason);
    }
    return false;
  }

  void read_contact(const XmlNode& contact, ModelLink& link) {
    ContactLaw law;
    const XmlNode* friction = contact.find("lateral_friction");
    const XmlNode* restitution = contact.find("restitution");
    if (friction != nullptr) law.friction = number_at(context_, *friction, "value").value_or(law.friction);
    if (restitution != nullptr) law.restitution = number_at(context_, *restitution, "value").value_or(0);
    link.material = add_surface(materials_, link.name, law);
  }

  ImportContext& context_;
  const std::map<std::string, Color>& colors_;
  std::vector<Material>& materials_;
};

}  // namespace

Pose read_urdf_origin(ImportContext& context, const XmlNode& node) {
  const XmlNode* origin = node.find("origin");
  if (origin == nullptr) return {};
  return {vec3_at(context, *origin, "xyz").value_or(Vec3::Zero()),
          from_roll_pitch_yaw(vec3_at(context, *origin, "rpy").value_or(Vec3::Zero()))};
}

std::string add_surface(std::vector<Material>& materials, const std::string& name, const ContactLaw& law) {
  for (const Material& known : materials) {
    if (known.law.friction == law.friction && known.law.restitution == law.restitution) return known.name;
  }
  materials.push_back({name == "default" || name == "pairs" ? name + " surface" : name, law});
  return materials.back().name;
}

std::map<std::string, Color> read_urdf_colors(ImportContext& context, const XmlNode& robot) {
  std::map<std::string, Color> colors;
  const auto add = [&](const XmlNode& material) {
    const std::string name = text_at(material, "name");
    const std::optional<Color> color = name.empty() ? std::nullopt : read_rgba(context, material);
    if (color) colors.emplace(name, *color);
  };
  for (const XmlNode& child : robot.children) {
    if (child.name == "material") add(child);
    if (child.name != "link") continue;
    for (const XmlNode& visual : child.children) {
      if (visual.name != "visual") continue;
      if (const XmlNode* material = visual.find("material")) add(*material);
    }
  }
  return colors;
}

ModelLink read_urdf_link(ImportContext& context, const XmlNode& node, const std::map<std::string, Color>& colors,
                         std::vector<Material>& materials) {
  return LinkReader(context, colors, materials).read(node);
}

}  // namespace achilles::scene_file
