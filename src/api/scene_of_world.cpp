#include "api/scene_of_world.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

namespace achilles {
namespace {

constexpr double kRounding = 1e-9;  // of the largest number of a shape

/// All that a shape is made of, one number after the other.
class ShapeNumbers {
 public:
  explicit ShapeNumbers(const Shape& shape) { add(shape); }
  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  void add(const Shape& shape) {
    values_.push_back(static_cast<double>(shape.kind.index()));
    std::visit([this](const auto& kind) { add(kind); }, shape.kind);
  }
  void add(double value) { values_.push_back(value); }
  template <int n>
  void add(const Eigen::Matrix<double, n, 1>& vector) {
    values_.insert(values_.end(), vector.begin(), vector.end());
  }
  void add(const Sphere& sphere) { add(sphere.radius); }
  void add(const Box& box) { add(box.size); }
  void add(const Capsule& capsule) { add(capsule.radius, capsule.length); }
  void add(const Cylinder& cylinder) { add(cylinder.radius, cylinder.height); }
  void add(const Cone& cone) { add(cone.radius, cone.height); }
  void add(const Plane& plane) { add(plane.normal, plane.offset); }
  void add(const Hull& hull) {
    for (const Vec3& point : hull.points) add(point);
  }
  void add(const Mesh& mesh) {
    for (const Vec3& vertex : mesh.vertices) add(vertex);
    for (const std::array<int, 3>& triangle : mesh.triangles)
      values_.insert(values_.end(), triangle.begin(), triangle.end());
  }
  void add(const Heightfield& field) {
    add(field.rows, field.columns, field.cell);
    values_.insert(values_.end(), field.heights.begin(), field.heights.end());
  }
  void add(const DistanceMap& map) { add(map.mesh, map.cell, map.sampling); }
  void add(const NoShape&) {}
  void add(const Compound& compound) {
    for (const CompoundPart& part : compound.parts) {
      add(part.shape, part.pose.p, Eigen::Vector4d(part.pose.q.normalized().coeffs()));
    }
  }
  template <class First, class Second, class... Rest>
  void add(const First& first, const Second& second, const Rest&... rest) {
    add(first);
    add(second);
    (add(rest), ...);
  }

  std::vector<double> values_;
};

bool is_same(const Shape& one, const Shape& other) {
  const ShapeNumbers numbers(one), others(other);
  const std::vector<double>& a = numbers.values();
  const std::vector<double>& b = others.values();
  if (one.kind.index() != other.kind.index() || a.size() != b.size()) return false;
  double largest = 0;
  for (std::size_t k = 1; k < a.size(); ++k) largest = std::max(largest, std::abs(a[k]));  // a[0] is the kind
  return std::equal(a.begin(), a.end(), b.begin(),
                    [&](double x, double y) { return std::abs(x - y) <= kRounding * largest || x == y; });
}

std::string quote(const std::string& name) { return "'" + name + "'"; }

std::string find_foreign_body(const World& world, const Scene& scene,
                              std::span<const std::shared_ptr<const Shape>> shapes) {
  for (std::uint32_t k = 0; k < scene.bodies.size(); ++k) {
    const BodyDescription& body = scene.bodies[k];
    const BodyHandle handle{k, 1};  // the first one in its slot is the scene's
    if (!world.has_existed(handle)) return "it never had the body " + quote(body.name) + " of this scene";
    if (!world.is_alive(handle)) continue;
    const std::uint32_t index = world.index_of(handle);
    if (world.names[index] != body.name) {
      return "it has the body " + quote(world.names[index]) + " where this scene has " + quote(body.name);
    }
    if (world.bodies.kind[index] != body.kind) {
      return "its body " + quote(body.name) + " is not of the same kind (dynamic, fixed or scripted)";
    }
    if (world.shapes[index] != shapes[k] && !is_same(*world.shapes[index], *shapes[k])) {
      return "its body " + quote(body.name) + " has another shape";
    }
  }
  return {};
}

}  // namespace

std::string find_foreign_part(const World& world, const Scene& scene,
                              std::span<const std::shared_ptr<const Shape>> shapes) {
  const std::string body = find_foreign_body(world, scene, shapes);
  if (!body.empty()) return body;
  for (std::size_t k = 0; k < scene.triggers.size(); ++k) {
    const TriggerDescription& trigger = scene.triggers[k];
    if (k >= world.triggers.size()) return "it has no trigger " + quote(trigger.name);
    if (world.triggers[k].name != trigger.name) {
      return "it has the trigger " + quote(world.triggers[k].name) + " where this scene has " + quote(trigger.name);
    }
    if (!is_same(world.triggers[k].shape, trigger.shape)) {
      return "its trigger " + quote(trigger.name) + " has another shape";
    }
  }
  return {};
}

}  // namespace achilles
