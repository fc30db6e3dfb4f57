#include "scene/import/shapes.hpp"

#include "scene/import/values.hpp"
#include "scene/import/write.hpp"

#include "geometry/geometry.hpp"
#include "geometry/mass_properties.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace achilles::scene_file {
namespace {

/// A sphere's triangles: the icosahedron, each triangle cut in four, twice. Its corners are on the unit sphere.
struct SphereNet {
  std::vector<Vec3> points;
  std::vector<std::array<int, 3>> triangles;
};

SphereNet make_icosahedron() {
  const double g = std::numbers::phi;
  SphereNet net;
  for (const double a : {-1.0, 1.0}) {
    for (const double b : {-g, g}) {
      net.points.emplace_back(0, a, b);
      net.points.emplace_back(a, b, 0);
      net.points.emplace_back(b, 0, a);
    }
  }
  for (Vec3& point : net.points) point.normalize();
  // Three corners at the distance of an edge of each other are a face; wound so that its normal points away.
  const double edge = 2 / std::sqrt(1 + g * g);
  const auto joined = [&](int i, int j) {
    const double distance = (net.points[static_cast<std::size_t>(i)] - net.points[static_cast<std::size_t>(j)]).norm();
    return std::abs(distance - edge) < 1e-6;
  };
  for (int i = 0; i < 12; ++i) {
    for (int j = i + 1; j < 12; ++j) {
      for (int k = j + 1; k < 12; ++k) {
        if (!joined(i, j) || !joined(j, k) || !joined(i, k)) continue;
        const auto at = [&](int m) { return net.points[static_cast<std::size_t>(m)]; };
        const bool outward = (at(j) - at(i)).cross(at(k) - at(i)).dot(at(i)) > 0;
        net.triangles.push_back(outward ? std::array{i, j, k} : std::array{i, k, j});
      }
    }
  }
  return net;
}

SphereNet refine(const SphereNet& net) {
  SphereNet finer{net.points, {}};
  std::map<std::pair<int, int>, int> middles;
  const auto middle = [&](int i, int j) {
    const auto [entry, is_new] = middles.emplace(std::minmax(i, j), static_cast<int>(finer.points.size()));
    if (is_new) {
      finer.points.push_back(
          (net.points[static_cast<std::size_t>(i)] + net.points[static_cast<std::size_t>(j)]).normalized());
    }
    return entry->second;
  };
  for (const auto& [i, j, k] : net.triangles) {
    const int ij = middle(i, j), jk = middle(j, k), ki = middle(k, i);
    for (const auto& triangle : {std::array{i, ij, ki}, {ij, j, jk}, {ki, jk, k}, {ij, jk, ki}}) {
      finer.triangles.push_back(triangle);
    }
  }
  return finer;
}

/// The unit sphere's points, moved out so that their hull holds as much as the sphere.
std::vector<Vec3> make_sphere_points() {
  SphereNet net = refine(refine(make_icosahedron()));
  const double volume = compute_polyhedron_mass_properties(net.points, net.triangles, 1).mass;
  const double scale = std::cbrt(4 * std::numbers::pi / 3 / volume);
  for (Vec3& point : net.points) point *= scale;
  return std::move(net.points);
}

Mesh scaled(const Mesh& mesh, const Vec3& scale) {
  Mesh moved = mesh;
  for (Vec3& vertex : moved.vertices) vertex = vertex.cwiseProduct(scale);
  if (scale.prod() < 0) {
    for (auto& triangle : moved.triangles) std::swap(triangle[1], triangle[2]);
  }
  return moved;
}

MassProperties weigh_solid(const Shape& shape, double density) {
  try {
    const MassProperties properties = compute_mass_properties(shape, density);
    if (properties.mass > 0 && is_physical_inertia(properties.inertia)) return properties;
  } catch (const std::invalid_argument&) {
  }
  return {};
}

MassProperties weigh_mesh(ImportContext& context, const ModelShape& shape, double density) {
  if (!shape.points.empty()) return weigh_solid({Hull{shape.points, {}}}, density);
  const Mesh* mesh = context.load_mesh(shape.file, shape.place);
  if (mesh == nullptr) return {};
  const Mesh solid = scaled(*mesh, shape.scale);
  const MassProperties properties = weigh_solid({solid}, density);
  return properties.mass > 0 ? properties : weigh_solid({Hull{solid.vertices, {}}}, density);
}

MassProperties weigh_ellipsoid(const Vec3& a, double density) {
  const double mass = density * 4 * std::numbers::pi / 3 * a.prod();
  const Vec3 square = a.cwiseProduct(a);
  const Vec3 inertia = mass / 5 * (Vec3::Constant(square.sum()) - square);
  return {mass, Vec3::Zero(), inertia.asDiagonal()};
}

Shape to_plain_shape(const ModelShape& shape) {
  switch (shape.kind) {
    case ModelShape::Kind::kSphere:
      return {Sphere{shape.size[0]}};
    case ModelShape::Kind::kBox:
      return {Box{shape.size}};
    case ModelShape::Kind::kCapsule:
      return {Capsule{shape.size[0], shape.size[1]}};
    case ModelShape::Kind::kCylinder:
      return {Cylinder{shape.size[0], shape.size[1]}};
    case ModelShape::Kind::kCone:
      return {Cone{shape.size[0], shape.size[1]}};
    case ModelShape::Kind::kPlane:
    case ModelShape::Kind::kEllipsoid:
    case ModelShape::Kind::kMesh:
    case ModelShape::Kind::kHeightfield:
      break;
  }
  return {NoShape{}};
}

Node write_points(const std::vector<Vec3>& points, const Place& place) {
  Node list = make_sequence(place);
  for (const Vec3& point : points) list.items.push_back(make_vec3(point, place));
  Node hull = make_mapping(place);
  put(hull, "points", std::move(list));
  return hull;
}

void put_file(Node& node, const ModelShape& shape) {
  put(node, "file", make_text(shape.file, shape.place));
  if (shape.scale == Vec3::Ones()) return;
  const bool same = shape.scale[0] == shape.scale[1] && shape.scale[1] == shape.scale[2];
  put(node, "scale", same ? make_number(shape.scale[0], shape.place) : make_vec3(shape.scale, shape.place));
}

std::pair<std::string_view, Node> write_mesh(ImportContext& context, const ModelShape& shape, bool collides) {
  if (!shape.points.empty()) return {"hull", write_points(shape.points, shape.place)};
  Node node = make_mapping(shape.place);
  put_file(node, shape);
  if (!collides) return {"mesh", std::move(node)};
  const ImportOptions& options = context.options();
  if (options.meshes == ImportOptions::Meshes::kHull) return {"hull", std::move(node)};
  if (options.meshes == ImportOptions::Meshes::kDistanceMap) {
    put(node, "cell", make_number(options.mesh_error, shape.place));
    return {"distance_map", std::move(node)};
  }
  Node parts = make_mapping(shape.place);
  put(parts, "parts", make_number(options.mesh_parts, shape.place));
  put(parts, "error", make_number(options.mesh_error, shape.place));
  put(node, "decompose", std::move(parts));
  return {"mesh", std::move(node)};
}

Node write_heightfield(const ModelShape& shape) {
  Node rows = make_sequence(shape.place);
  for (const std::vector<double>& heights : shape.heights) {
    Node row = make_sequence(shape.place);
    for (const double height : heights) row.items.push_back(make_number(height, shape.place));
    rows.items.push_back(std::move(row));
  }
  Node node = make_mapping(shape.place);
  put(node, "heights", std::move(rows));
  Node cell = make_sequence(shape.place);
  for (const double length : {shape.cell[0], shape.cell[1]}) cell.items.push_back(make_number(length, shape.place));
  put(node, "cell", std::move(cell));
  return node;
}

std::pair<std::string_view, Node> write_kind(ImportContext& context, const ModelShape& shape, bool collides) {
  const Place& place = shape.place;
  const auto measures = [&](std::string_view first, std::string_view second) {
    Node node = make_mapping(place);
    put(node, first, make_number(shape.size[0], place));
    if (!second.empty()) put(node, second, make_number(shape.size[1], place));
    return node;
  };
  switch (shape.kind) {
    case ModelShape::Kind::kSphere:
      return {"sphere", measures("radius", "")};
    case ModelShape::Kind::kCapsule:
      return {"capsule", measures("radius", "length")};
    case ModelShape::Kind::kCylinder:
      return {"cylinder", measures("radius", "height")};
    case ModelShape::Kind::kCone:
      return {"cone", measures("radius", "height")};
    case ModelShape::Kind::kBox: {
      Node node = make_mapping(place);
      put(node, "size", make_vec3(shape.size, place));
      return {"box", std::move(node)};
    }
    case ModelShape::Kind::kPlane: {
      Node node = make_mapping(place);
      put(node, "normal", make_vec3(Vec3::UnitZ(), place));
      return {"plane", std::move(node)};
    }
    case ModelShape::Kind::kEllipsoid:
      return {"hull", write_points(make_ellipsoid_points(shape.size), place)};
    case ModelShape::Kind::kMesh:
      return write_mesh(context, shape, collides);
    case ModelShape::Kind::kHeightfield:
      break;
  }
  return {"heightfield", write_heightfield(shape)};
}

/// How far down a shape reaches from the origin of its own frame along `down`, a unit vector in that frame [m].
double reach(ImportContext& context, const ModelShape& shape, const Vec3& down) {
  const double along = std::abs(down.z()), across = std::hypot(down.x(), down.y());
  const auto farthest = [&](const std::vector<Vec3>& points, const Vec3& scale) {
    double most = -std::numeric_limits<double>::infinity();
    for (const Vec3& point : points) most = std::max(most, down.dot(point.cwiseProduct(scale)));
    return most;
  };
  switch (shape.kind) {
    case ModelShape::Kind::kSphere:
      return shape.size[0];
    case ModelShape::Kind::kBox:
      return 0.5 * down.cwiseAbs().dot(shape.size);
    case ModelShape::Kind::kCapsule:
      return shape.size[0] + 0.5 * along * shape.size[1];
    case ModelShape::Kind::kCylinder:
      return across * shape.size[0] + 0.5 * along * shape.size[1];
    case ModelShape::Kind::kCone:
      return std::max(0.5 * down.z() * shape.size[1], across * shape.size[0] - 0.5 * down.z() * shape.size[1]);
    case ModelShape::Kind::kEllipsoid:
      return down.cwiseProduct(shape.size).norm();
    case ModelShape::Kind::kMesh: {
      if (!shape.points.empty()) return farthest(shape.points, Vec3::Ones());
      const Mesh* mesh = context.load_mesh(shape.file, shape.place);
      return mesh == nullptr ? -std::numeric_limits<double>::infinity() : farthest(mesh->vertices, shape.scale);
    }
    case ModelShape::Kind::kPlane:
    case ModelShape::Kind::kHeightfield:
      break;
  }
  return -std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<Vec3> make_ellipsoid_points(const Vec3& half_axes) {
  std::vector<Vec3> points = make_sphere_points();
  for (Vec3& point : points) point = point.cwiseProduct(half_axes);
  return points;
}

Node write_shape(ImportContext& context, const ModelShape& shape, bool collides) {
  auto [kind, measures] = write_kind(context, shape, collides);
  Node node = make_mapping(shape.place);
  put(node, kind, std::move(measures));
  return node;
}

MassProperties weigh(ImportContext& context, const ModelShape& shape, double density) {
  if (!(density > 0)) return {};
  MassProperties properties;
  if (shape.kind == ModelShape::Kind::kMesh) {
    properties = weigh_mesh(context, shape, density);
  } else if (shape.kind == ModelShape::Kind::kEllipsoid) {
    properties = weigh_ellipsoid(shape.size, density);
  } else {
    properties = weigh_solid(to_plain_shape(shape), density);
  }
  return properties.mass > 0 ? transformed(properties, shape.pose) : MassProperties{};
}

std::optional<double> find_lowest_point(ImportContext& context, const Model& model) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const ModelLink& link : model.links) {
    for (const ModelShape& shape : link.colliders) {
      const Pose X_WS = compose(link.pose, shape.pose);
      lowest = std::min(lowest, X_WS.p.z() - reach(context, shape, X_WS.q.conjugate() * -Vec3::UnitZ()));
    }
  }
  return std::isfinite(lowest) ? std::optional(lowest) : std::nullopt;
}

}  // namespace achilles::scene_file
