#include "record/json_shape.hpp"

#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

namespace achilles {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDeepest = 64;  // compounds within compounds

// --- to JSON

Json from_vec3(const Vec3& v) { return Json::array({v.x(), v.y(), v.z()}); }

Json from_points(const std::vector<Vec3>& points) {
  Json list = Json::array();
  for (const Vec3& point : points) list.push_back(from_vec3(point));
  return list;
}

Json from_triangles(const std::vector<std::array<int, 3>>& triangles) {
  Json list = Json::array();
  for (const auto& triangle : triangles) list.push_back(Json::array({triangle[0], triangle[1], triangle[2]}));
  return list;
}

void add_file(Json& fields, const std::string& file) {
  if (!file.empty()) fields["file"] = file;
}

Json describe(const Sphere& s) { return {{"sphere", {{"radius", s.radius}}}}; }
Json describe(const Box& s) { return {{"box", {{"size", from_vec3(s.size)}}}}; }
Json describe(const Capsule& s) { return {{"capsule", {{"radius", s.radius}, {"length", s.length}}}}; }
Json describe(const Cylinder& s) { return {{"cylinder", {{"radius", s.radius}, {"height", s.height}}}}; }
Json describe(const Cone& s) { return {{"cone", {{"radius", s.radius}, {"height", s.height}}}}; }
Json describe(const Plane& s) { return {{"plane", {{"normal", from_vec3(s.normal)}, {"offset", s.offset}}}}; }

Json describe(const Hull& s) {
  Json fields = {{"points", from_points(s.points)}};
  add_file(fields, s.file);
  return {{"hull", fields}};
}

Json describe(const Mesh& s) {
  Json fields = {{"vertices", from_points(s.vertices)}, {"triangles", from_triangles(s.triangles)}};
  add_file(fields, s.file);
  return {{"mesh", fields}};
}

Json describe(const Heightfield& s) {
  Json fields = {{"rows", s.rows},
                 {"columns", s.columns},
                 {"cell", Json::array({s.cell.x(), s.cell.y()})},
                 {"heights", s.heights}};
  add_file(fields, s.file);
  return {{"heightfield", fields}};
}

Json describe(const DistanceMap& s) {
  Json fields = {{"cell", s.cell},
                 {"sampling", s.sampling},
                 {"vertices", from_points(s.mesh.vertices)},
                 {"triangles", from_triangles(s.mesh.triangles)}};
  add_file(fields, s.mesh.file);
  return {{"distance_map", fields}};
}

Json describe(const Compound& s) {
  Json list = Json::array();
  for (const CompoundPart& part : s.parts) {
    const Quat& q = part.pose.q;
    list.push_back({{"shape", shape_to_json(part.shape)},
                    {"position", from_vec3(part.pose.p)},
                    {"orientation", Json::array({q.w(), q.x(), q.y(), q.z()})}});
  }
  return {{"compound", list}};
}

/// A compound without parts: viewers need not know of it.
Json describe(const NoShape& /*none*/) { return {{"compound", Json::array()}}; }

// --- from JSON

[[noreturn]] void refuse(const std::string& field, const std::string& expected) {
  throw std::runtime_error("shape: " + field + ": " + expected + " expected");
}

const Json& get(const Json& fields, const char* name) {
  if (!fields.is_object()) refuse(name, "an object that holds it");
  const auto found = fields.find(name);
  if (found == fields.end()) refuse(name, "a value");
  return *found;
}

double to_number(const Json& value, const char* name) {
  if (!value.is_number()) refuse(name, "a number");
  return value.get<double>();
}

int to_index(const Json& value, const char* name) {
  if (!value.is_number_integer()) refuse(name, "an integer");
  const auto index = value.get<std::int64_t>();
  if (index < 0 || index > std::numeric_limits<int>::max()) refuse(name, "an index");
  return static_cast<int>(index);
}

template <std::size_t Count>
std::array<double, Count> to_numbers(const Json& value, const char* name) {
  if (!value.is_array() || value.size() != Count) refuse(name, std::to_string(Count) + " numbers");
  std::array<double, Count> numbers{};
  for (std::size_t k = 0; k < Count; ++k) numbers[k] = to_number(value[k], name);
  return numbers;
}

Vec3 to_vec3(const Json& value, const char* name) {
  const auto n = to_numbers<3>(value, name);
  return {n[0], n[1], n[2]};
}

std::vector<Vec3> to_points(const Json& value, const char* name) {
  if (!value.is_array()) refuse(name, "a list of points");
  std::vector<Vec3> points;
  points.reserve(value.size());
  for (const Json& point : value) points.push_back(to_vec3(point, name));
  return points;
}

std::string to_file(const Json& fields) {
  const auto found = fields.find("file");
  return found != fields.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Mesh to_mesh(const Json& fields) {
  Mesh mesh;
  mesh.vertices = to_points(get(fields, "vertices"), "vertices");
  const Json& triangles = get(fields, "triangles");
  if (!triangles.is_array()) refuse("triangles", "a list of triangles");
  mesh.triangles.reserve(triangles.size());
  for (const Json& triangle : triangles) {
    if (!triangle.is_array() || triangle.size() != 3) refuse("triangles", "3 indices each");
    std::array<int, 3> corner{};
    for (std::size_t k = 0; k < 3; ++k) {
      corner[k] = to_index(triangle[k], "triangles");
      if (static_cast<std::size_t>(corner[k]) >= mesh.vertices.size()) refuse("triangles", "an index of a vertex");
    }
    mesh.triangles.push_back(corner);
  }
  mesh.file = to_file(fields);
  return mesh;
}

Heightfield to_heightfield(const Json& fields) {
  Heightfield field;
  field.rows = to_index(get(fields, "rows"), "rows");
  field.columns = to_index(get(fields, "columns"), "columns");
  const auto cell = to_numbers<2>(get(fields, "cell"), "cell");
  field.cell = {cell[0], cell[1]};
  const Json& heights = get(fields, "heights");
  if (!heights.is_array() ||
      heights.size() != static_cast<std::size_t>(field.rows) * static_cast<std::size_t>(field.columns)) {
    refuse("heights", "rows times columns numbers");
  }
  field.heights.reserve(heights.size());
  for (const Json& height : heights) field.heights.push_back(to_number(height, "heights"));
  field.file = to_file(fields);
  return field;
}

Shape to_shape(const Json& value, int depth);

Compound to_compound(const Json& list, int depth) {
  if (!list.is_array()) refuse("compound", "a list of parts");
  if (depth >= kDeepest) refuse("compound", "at most " + std::to_string(kDeepest) + " levels");
  Compound compound;
  compound.parts.reserve(list.size());
  for (const Json& part : list) {
    const auto q = to_numbers<4>(get(part, "orientation"), "orientation");
    compound.parts.push_back({to_shape(get(part, "shape"), depth + 1),
                              {to_vec3(get(part, "position"), "position"), Quat(q[0], q[1], q[2], q[3])}});
  }
  return compound;
}

Shape to_shape(const Json& value, int depth) {
  if (!value.is_object() || value.size() != 1) refuse("shape", "an object with one key, the kind of shape,");
  const std::string& kind = value.begin().key();
  const Json& f = value.begin().value();
  const auto number = [&f](const char* name) { return to_number(get(f, name), name); };
  if (kind == "sphere") return {Sphere{number("radius")}};
  if (kind == "box") return {Box{to_vec3(get(f, "size"), "size")}};
  if (kind == "capsule") return {Capsule{number("radius"), number("length")}};
  if (kind == "cylinder") return {Cylinder{number("radius"), number("height")}};
  if (kind == "cone") return {Cone{number("radius"), number("height")}};
  if (kind == "plane") return {Plane{to_vec3(get(f, "normal"), "normal"), number("offset")}};
  if (kind == "hull") return {Hull{to_points(get(f, "points"), "points"), to_file(f)}};
  if (kind == "mesh") return {to_mesh(f)};
  if (kind == "heightfield") return {to_heightfield(f)};
  if (kind == "distance_map")
    return {DistanceMap{to_mesh(f), number("cell"), f.contains("sampling") ? number("sampling") : 0}};
  if (kind == "compound" && f.is_array() && f.empty()) return {NoShape{}};
  if (kind == "compound") return {to_compound(f, depth)};
  refuse("\"" + kind + "\"", "a kind of shape");
}

}  // namespace

Json shape_to_json(const Shape& shape) {
  return std::visit([](const auto& kind) { return describe(kind); }, shape.kind);
}

Shape shape_from_json(const Json& value) { return to_shape(value, 0); }

}  // namespace achilles
