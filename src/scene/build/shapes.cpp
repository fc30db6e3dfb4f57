#include "scene/build/build.hpp"
#include "scene/build/files.hpp"
#include "scene/build/read.hpp"
#include "scene/wording.hpp"

#include "geometry/mesh/decompose.hpp"
#include "geometry/mesh_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

namespace achilles::scene_file {
namespace {

double required(const Node& node, const char* key) { return read_number(node, key).value_or(1); }

// One number for all axes, or one per axis.
template <int kSize>
Eigen::Matrix<double, kSize, 1> read_factors(const Node& node, const char* key) {
  using Vector = Eigen::Matrix<double, kSize, 1>;
  const Node* child = usable(node, key);
  if (child == nullptr) return Vector::Ones();
  if (child->kind == Node::Kind::kScalar) return Vector::Constant(number_at(*child));
  Vector v;
  for (int i = 0; i < kSize; ++i) v[i] = number_at(child->items[static_cast<std::size_t>(i)]);
  return v;
}

class ShapeBuilder {
 public:
  ShapeBuilder(Build& build, const std::string& field) : build_(build), field_(field) {}

  Shape make(const std::string& kind, const Node& node) {
    if (kind == "sphere") return {Sphere{required(node, "radius")}};
    if (kind == "box") return {Box{read_vec3(node, "size").value_or(Vec3::Ones())}};
    if (kind == "capsule") return {Capsule{required(node, "radius"), required(node, "length")}};
    if (kind == "cylinder") return {Cylinder{required(node, "radius"), required(node, "height")}};
    if (kind == "cone") return {Cone{required(node, "radius"), required(node, "height")}};
    if (kind == "plane") return {make_plane(node)};
    if (kind == "hull") return {make_hull(node)};
    if (kind == "mesh") return make_mesh_shape(node);
    if (kind == "heightfield") return {make_heightfield(node)};
    if (kind == "distance_map")
      return {DistanceMap{make_mesh(node), required(node, "cell"), read_number(node, "sampling").value_or(0)}};
    return {make_compound(node)};
  }

 private:
  static Plane make_plane(const Node& node) {
    const Vec3 normal = read_vec3(node, "normal").value_or(Vec3::UnitZ());
    // n·x < d and (n/|n|)·x < d/|n| are the same half-space.
    return {unit(normal), read_number(node, "offset").value_or(0) / normal.stableNorm()};
  }

  Hull make_hull(const Node& node) {
    Hull hull;
    for (const Node& point : children(node, "points").items) {
      if (!point.bad) hull.points.push_back(vec3_at(point));
    }
    if (const Node* file = usable(node, "file")) {
      hull.file = file->text;
      read_file(*file, [&](const NamedFile& from) { hull.points = read_points_file(from.bytes, from.path); });
    }
    if (node.find("scale") == nullptr) return hull;
    const Vec3 scale = read_scale(node);
    for (Vec3& point : hull.points) point = point.cwiseProduct(scale);
    return hull;
  }

  Mesh make_mesh(const Node& node) {
    Mesh mesh;
    const Node* file = usable(node, "file");
    if (file == nullptr) return mesh;
    const Vec3 scale = read_scale(node);
    read_file(*file, [&](const NamedFile& from) { mesh = read_mesh_file(from.bytes, from.path); });
    mesh.file = file->text;
    for (Vec3& vertex : mesh.vertices) vertex = vertex.cwiseProduct(scale);
    if (scale.prod() < 0) {  // mirrored: what was counter-clockwise seen from outside no longer is
      for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
    }
    return mesh;
  }

  Vec3 read_scale(const Node& node) {
    const Vec3 scale = read_factors<3>(node, "scale");
    if ((scale.array() != 0).all()) return scale;
    build_.complaints.error(usable(node, "scale")->place, field_ + ".scale",
                            "a factor is 0; allowed: any other number");
    return Vec3::Ones();
  }

  Shape make_mesh_shape(const Node& node) {
    Mesh mesh = make_mesh(node);
    const Node* wanted = usable(node, "decompose");
    if (wanted == nullptr || has_bad_part(*wanted) || mesh.triangles.empty()) return {std::move(mesh)};
    const auto parts = static_cast<int>(read_number(*wanted, "parts").value_or(16));
    try {
      return {to_compound(decompose(mesh, {parts, required(*wanted, "error")}))};
    } catch (const std::invalid_argument& error) {
      build_.complaints.error(wanted->place, field_ + ".mesh.decompose", error.what());
      return {std::move(mesh)};
    }
  }

  Heightfield make_heightfield(const Node& node) {
    Heightfield field;
    const Vec2 cell = read_factors<2>(node, "cell");
    if (const Node* file = usable(node, "file")) {
      read_file(*file, [&](const NamedFile& from) { field = read_heights(from.bytes, from.path.string(), cell); });
      field.file = file->text;
    } else {
      copy_heights(children(node, "heights"), field);
    }
    field.cell = cell;
    return field;
  }

  void copy_heights(const Node& rows, Heightfield& field) {
    for (const Node& row : rows.items) {
      if (row.items.size() != rows.items.front().items.size()) {
        build_.complaints.error(row.place, field_ + ".heightfield.heights",
                                fmt::format("found a row of {} heights; the first row has {}", row.items.size(),
                                            rows.items.front().items.size()));
        return;
      }
      for (const Node& height : row.items) field.heights.push_back(height.bad ? 0 : number_at(height));
    }
    field.rows = static_cast<int>(rows.items.size());
    field.columns = rows.items.empty() ? 0 : static_cast<int>(rows.items.front().items.size());
  }

  Compound make_compound(const Node& node) {
    Compound compound;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const Node& part = node.items[i];
      const std::string field = fmt::format("{}.compound[{}]", field_, i);
      const Node* shape = usable(part, "shape");
      if (shape == nullptr) continue;
      compound.parts.push_back({build_shape(build_, *shape, field + ".shape"), build_pose(build_, part, field)});
    }
    return compound;
  }

  template <typename Read>
  void read_file(const Node& file, Read&& read) {
    try {
      read(take_file(build_, file, field_ + ".file"));
    } catch (const std::invalid_argument& defect) {
      build_.complaints.error(file.place, field_ + ".file", shorten(defect.what(), 400));
    }
  }

  Build& build_;
  const std::string& field_;
};

}  // namespace

Shape build_shape(Build& build, const Node& shape, const std::string& field) {
  for (const Node& kind : shape.items) {
    if (!kind.bad) return ShapeBuilder(build, field).make(kind.key, kind);
  }
  return {Compound{}};
}

}  // namespace achilles::scene_file
