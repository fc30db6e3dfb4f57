// Shapes and surfaces of an SDF's links.
#include "scene/import/sdf/shapes.hpp"

#include "scene/import/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace achilles::scene_file {
namespace {

const XmlNode* find_below(const XmlNode& node, std::initializer_list<const char*> names) {
  const XmlNode* found = &node;
  for (const char* name : names) {
    if (found != nullptr) found = found->find(name);
  }
  return found;
}

bool read_mesh(ImportContext& context, const XmlNode& node, bool collides, ModelShape& shape) {
  shape.kind = ModelShape::Kind::kMesh;
  shape.scale = sdf_vec3(context, node, "scale", Vec3::Ones());
  std::string reason;
  const std::optional<std::string> file =
      context.find_file(sdf_text(node, "uri"), context.folder_of(node.place), reason);
  if (file && shape.scale.prod() != 0) {
    shape.file = *file;
    return true;
  }
  if (file) reason = "a factor of 'scale' is 0";
  if (collides) context.error(node.place, reason);
  if (!collides) context.leave_out(node.place, "a mesh that is only seen: " + reason);
  return false;
}

bool read_geometry(ImportContext& context, const XmlNode& node, bool collides, ModelShape& shape) {
  using Kind = ModelShape::Kind;
  if (node.name == "mesh") return read_mesh(context, node, collides, shape);
  if (node.name == "plane") {
    shape.kind = Kind::kPlane;
    const Vec3 normal = sdf_vec3(context, node, "normal", Vec3::UnitZ());
    if (!(normal.norm() > 0)) context.error(node.place, "the normal of the plane has length 0");
    shape.pose.q = (shape.pose.q * Quat::FromTwoVectors(Vec3::UnitZ(), normal)).normalized();
    return collides;  // a plane that is only seen has no size here
  }
  int measures = 2;
  if (node.name == "box") {
    shape.kind = Kind::kBox;
    shape.size = sdf_vec3(context, node, "size", Vec3::Ones());
    measures = 3;
  } else if (node.name == "ellipsoid") {
    shape.kind = Kind::kEllipsoid;
    shape.size = sdf_vec3(context, node, "radii", Vec3::Ones());
    measures = 3;
  } else if (node.name == "sphere") {
    shape.kind = Kind::kSphere;
    shape.size[0] = sdf_number(context, node, "radius", 1);
    measures = 1;
  } else if (node.name == "cylinder" || node.name == "capsule") {
    shape.kind = node.name == "cylinder" ? Kind::kCylinder : Kind::kCapsule;
    shape.size = {sdf_number(context, node, "radius", 1), sdf_number(context, node, "length", 1), 0};
  } else {
    return false;  // listed by the words
  }
  if (shape.size.head(measures).minCoeff() > 0) return true;
  context.error(node.place, fmt::format("<{}> has a size that is not above 0", node.name));
  return false;
}

ContactLaw read_law(ImportContext& context, const XmlNode& collision) {
  ContactLaw law;
  law.friction = kSdfFriction;
  if (const XmlNode* ode = find_below(collision, {"surface", "friction", "ode"})) {
    law.friction = sdf_at_least_0(context, *ode, "mu", kSdfFriction);
    if (sdf_at_least_0(context, *ode, "mu2", law.friction) != law.friction) {
      context.leave_out(ode->find("mu2")->place,
                        "<mu2> that differs from <mu>: friction is the same in all directions");
    }
  }
  const XmlNode* bounce = find_below(collision, {"surface", "bounce"});
  if (bounce == nullptr) return law;
  law.restitution = sdf_at_least_0(context, *bounce, "restitution_coefficient", 0);
  if (law.restitution > 1) {
    context.error(bounce->place, fmt::format("restitution_coefficient is {}; allowed: 0 to 1", law.restitution));
  }
  // Gazebo lets bodies bounce above this speed alone, by its own standard never.
  if (law.restitution > 0 && sdf_number(context, *bounce, "threshold", 1e5) > 0) {
    context.leave_out(bounce->place,
                      "threshold of <bounce>, 100000 m/s where it is not written: bodies bounce at any "
                      "speed");
  }
  return law;
}

std::string material_of(const ContactLaw& law, std::vector<Material>& materials) {
  const auto same = [&](const Material& known) {
    return known.law.friction == law.friction && known.law.restitution == law.restitution;
  };
  const auto known = std::find_if(materials.begin(), materials.end(), same);
  if (known != materials.end()) return known->name;
  std::string name = fmt::format("friction {}", law.friction);
  if (law.restitution > 0) name += fmt::format(" restitution {}", law.restitution);
  materials.push_back({name, law});
  return name;
}

}  // namespace

void read_sdf_shape(ImportContext& context, const XmlNode& node, const Pose& pose, std::vector<Material>& materials,
                    ModelLink& link) {
  const bool collides = node.name == "collision";
  const XmlNode* geometry = node.find("geometry");
  if (geometry == nullptr || geometry->children.empty()) {
    return context.error(node.place, fmt::format("<{}> has no <geometry> with a shape in it", node.name));
  }
  const XmlNode& kind = geometry->children.front();
  context.report_further_shapes(*geometry);
  ModelShape shape;
  shape.place = kind.place;
  shape.pose = pose;
  if (kind.name == "empty" || !read_geometry(context, kind, collides, shape)) return;
  if (const XmlNode* material = node.find("material")) {
    const auto rgba = parse_numbers(context, sdf_text(*material, "diffuse"), material->place, "diffuse");
    if (rgba && rgba->size() >= 3) {
      shape.color = Color{(*rgba)[0], (*rgba)[1], (*rgba)[2], rgba->size() > 3 ? (*rgba)[3] : 1};
    }
  }
  if (collides) {
    std::string material = material_of(read_law(context, node), materials);
    if (link.colliders.empty()) {
      link.material = std::move(material);
    } else if (link.material != material) {
      context.leave_out(node.place, "surface of a <collision> that differs from that of the link's first");
    }
  }
  (collides ? link.colliders : link.visuals).push_back(std::move(shape));
}

// Gazebo takes the smaller of both.
void pair_sdf_materials(const std::vector<Material>& materials, std::vector<MaterialPair>& pairs) {
  for (std::size_t i = 0; i < materials.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      ContactLaw law;
      law.friction = std::min(materials[i].law.friction, materials[j].law.friction);
      law.restitution = std::min(materials[i].law.restitution, materials[j].law.restitution);
      pairs.push_back({materials[j].name, materials[i].name, law});
    }
  }
}

}  // namespace achilles::scene_file
