// Shapes, sizes and supports.
#include "soak/draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace achilles::program::soak {
namespace {

DrawnShape draw_round(Random& random, double size, const char* kind) {
  const double radius = round_to_digits(0.5 * size * random.uniform(0.4, 1));
  const double length = round_to_digits(size * random.log_uniform(0.1, 2));
  if (std::string_view(kind) == "capsule") {
    return {{{kind, {{"radius", radius}, {"length", length}}}}, {radius, radius, 0.5 * length + radius}};
  }
  return {{{kind, {{"radius", radius}, {"height", length}}}}, {radius, radius, 0.5 * length}};
}

DrawnShape draw_sphere(Random& random, double size) {
  const double radius = round_to_digits(0.5 * size * random.uniform(0.5, 1));
  return {{{"sphere", {{"radius", radius}}}}, Vec3::Constant(radius)};
}

DrawnShape draw_hull(Random& random, double size) {
  const Vec3 half = 0.5 * size * Vec3(random.uniform(0.4, 1), random.uniform(0.4, 1), random.uniform(0.4, 1));
  Json points = Json::array();
  const int count = random.integer(6, 16);
  for (int k = 0; k < count; ++k) points.push_back(to_json(random.direction().cwiseProduct(half)));
  return {{{"hull", {{"points", points}}}}, half};
}

DrawnShape draw_compound(Random& random, double size) {
  // A dumbbell, a hammer or a cross: parts overlap.
  const DrawnShape first = draw_box(random, 0.7 * size, 4);
  const DrawnShape second =
      random.chance(0.5) ? draw_sphere(random, 0.6 * size) : draw_round(random, 0.5 * size, "cylinder");
  const Vec3 at(round_to_digits(0.8 * first.half.x()), 0, round_to_digits(0.5 * first.half.z()));
  Json parts = Json::array();
  parts.push_back({{"shape", first.json}});
  parts.push_back({{"shape", second.json}, {"position", to_json(at)}});
  return {{{"compound", parts}}, first.half.cwiseMax(at + second.half)};
}

DrawnShape draw_mesh(Random& random, double size) {
  const auto* const name = random.pick({"cube", "beam", "wedge", "tetrahedron", "torus"});
  const std::string file = std::string("meshes/") + name + ".obj";
  const double scale = round_to_digits(size);
  const Vec3 half = Vec3::Constant(0.5 * scale);
  if (random.chance(0.4)) {
    return {{{"distance_map", {{"file", file}, {"cell", round_to_digits(0.08 * size)}, {"scale", scale}}}}, half};
  }
  if (random.chance(0.3)) {
    return {{{"mesh", {{"file", file}, {"scale", scale}, {"decompose", {{"error", round_to_digits(0.05 * size)}}}}}},
            half};
  }
  // A hull file has no scale: points of edge 1, so that only large scenes can have one.
  if (size > 0.5 && size < 2) return {{{"hull", {{"file", file}}}}, Vec3::Constant(0.5)};
  return {{{"mesh",
            {{"file", file}, {"scale", scale}, {"decompose", {{"parts", 8}, {"error", round_to_digits(0.1 * size)}}}}}},
          half};
}

Json draw_height_field(Random& random, double reach, double height) {
  constexpr int kCells = 8;
  Json rows = Json::array();
  for (int j = 0; j <= kCells; ++j) {
    Json row = Json::array();
    for (int i = 0; i <= kCells; ++i) row.push_back(round_to_digits(random.uniform(-height, 0)));
    rows.push_back(row);
  }
  return {{"heightfield", {{"heights", rows}, {"cell", round_to_digits(2 * reach / kCells)}}}};
}

void add_fixed(Draft& draft, const std::string& name, const Json& shape, const Vec3& position) {
  Json body{{"name", name}, {"kind", "fixed"}, {"shape", shape}};
  if (!position.isZero(0)) body["position"] = to_json(position);
  draft.bodies.push_back(body);
}

/// A tilted plane, a trough of two, or a pit of three.
double add_slopes(Draft& draft, double reach) {
  Random& random = draft.random;
  const int count = random.integer(1, 3);
  double top = 0;  // [m] of the highest slope within reach
  for (int k = 0; k < count; ++k) {
    const double x = random.uniform(-0.7, 0.7), y = random.uniform(-0.7, 0.7);
    add_fixed(draft, "ground" + std::to_string(k), {{"plane", {{"normal", to_json(Vec3(x, y, 1))}}}}, Vec3::Zero());
    top = std::max(top, reach * (std::abs(x) + std::abs(y)));
  }
  return round_to_digits(top);
}

}  // namespace

double round_to_digits(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

Json to_json(const Vec3& v) { return {round_to_digits(v.x()), round_to_digits(v.y()), round_to_digits(v.z())}; }

Json to_json(const Quat& q) {
  return {round_to_digits(q.w(), 6), round_to_digits(q.x(), 6), round_to_digits(q.y(), 6), round_to_digits(q.z(), 6)};
}

DrawnShape draw_box(Random& random, double size, double slenderness) {
  Vec3 edges;
  for (int k = 0; k < 3; ++k) edges[k] = round_to_digits(size * random.log_uniform(1 / slenderness, 1));
  return {{{"box", {{"size", to_json(edges)}}}}, 0.5 * edges};
}

DrawnShape draw_brick(Random& random, double size) {
  if (random.chance(0.8)) return draw_box(random, size, random.chance(0.2) ? 10 : 2);
  return draw_round(random, size, "cylinder");
}

DrawnShape draw_shape(Random& random, double size) {
  const double roll = random.unit();
  if (roll < 0.15) return draw_sphere(random, size);
  if (roll < 0.40) return draw_box(random, size, random.chance(0.2) ? 15 : 3);
  if (roll < 0.52) return draw_round(random, size, "capsule");
  if (roll < 0.64) return draw_round(random, size, "cylinder");
  if (roll < 0.72) return draw_round(random, size, "cone");
  if (roll < 0.86) return draw_hull(random, size);
  if (roll < 0.94) return draw_compound(random, size);
  return draw_mesh(random, size);
}

double add_support(Draft& draft, double reach, bool is_flat) {
  Random& random = draft.random;
  const double edge = round_to_digits(2 * reach);
  const double thick = round_to_digits(draft.size);
  const double roll = random.unit() * (is_flat ? 0.78 : 1);
  if (roll < 0.45) {
    add_fixed(draft, "ground", {{"plane", {{"normal", {0, 0, 1}}}}}, Vec3::Zero());
  } else if (roll < 0.65) {
    add_fixed(draft, "ground", {{"box", {{"size", {edge, edge, thick}}}}}, {0, 0, -0.5 * thick});
  } else if (roll < 0.74) {
    add_fixed(draft, "ground", {{"mesh", {{"file", "meshes/cube.obj"}, {"scale", {edge, edge, thick}}}}},
              {0, 0, -0.5 * thick});
  } else if (roll < 0.78) {
    const Json map{{"file", "meshes/cube.obj"}, {"cell", round_to_digits(0.1 * edge)}, {"scale", edge}};
    add_fixed(draft, "ground", {{"distance_map", map}}, {0, 0, -0.5 * edge});
  } else if (roll < 0.85) {
    const auto* const file = random.pick({"meshes/bumps.obj", "meshes/crack.obj"});
    add_fixed(draft, "ground", {{"mesh", {{"file", file}, {"scale", round_to_digits(reach)}}}},
              {0, 0, -round_to_digits(0.031 * reach)});
  } else if (roll < 0.91) {
    add_fixed(draft, "ground", draw_height_field(random, reach, 0.2 * draft.size), Vec3::Zero());
  } else {
    return add_slopes(draft, reach);
  }
  return 0;
}

Json& add_body(Draft& draft, const std::string& name, const Json& shape, const Vec3& position) {
  draft.bodies.push_back({{"name", name}, {"shape", shape}, {"position", to_json(position)}});
  return draft.bodies.back();
}

Quat draw_turn(Random& random, double angle) {
  return Quat(Eigen::AngleAxisd(random.uniform(-angle, angle), random.direction()));
}

}  // namespace achilles::program::soak
