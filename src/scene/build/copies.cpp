#include "scene/build/copies.hpp"

#include "scene/build/read.hpp"
#include "scene/build/solid.hpp"
#include "scene/yaml/scalar.hpp"
#include "world/arc_length_curve.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>

namespace achilles::scene_file {
namespace {

struct Lattice {
  std::array<int, 3> count{1, 1, 1};
  Vec3 spacing = Vec3::Zero();  // [m]
  Vec3 stagger = Vec3::Zero();  // [m]
};

bool is_bearable(Build& build, const Node& place, double count, const BodyDescription& body, const std::string& field) {
  const double bodies = count + static_cast<double>(build.scene.bodies.size());
  if (!(bodies <= static_cast<double>(kMaxBodies))) {
    build.complaints.error(place.place, field,
                           fmt::format("the scene would have {:.0f} bodies; allowed: at most {}", bodies, kMaxBodies));
    return false;
  }
  build.shape_bytes += count * static_cast<double>(count_bytes(body.shape));
  if (build.shape_bytes > static_cast<double>(kMaxShapeBytes)) {
    build.complaints.error(place.place, field,
                           fmt::format("the shapes of all copies would take {:.0f} bytes; allowed: at most {}",
                                       build.shape_bytes, kMaxShapeBytes));
    return false;
  }
  return true;
}

bool is_finite(Build& build, const Node& repeat, const Vec3& farthest, const std::string& field) {
  if (farthest.allFinite()) return true;
  build.complaints.error(repeat.place, field + ".repeat", "the last copy stands beyond what a number can hold");
  return false;
}

/// The axes along which stagger moves are those of a row; the others count rows, and odd rows are moved: with stagger
/// along x, a wall in x and z is a running bond.
Vec3 find_offset(const Lattice& lattice, int i, int j, int k) {
  const std::array<int, 3> index{i, j, k};
  int row = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (lattice.stagger[axis] == 0) row += index[static_cast<std::size_t>(axis)];
  }
  const Vec3 offset = lattice.spacing.cwiseProduct(Vec3(i, j, k));
  return row % 2 == 1 ? Vec3(offset + lattice.stagger) : offset;
}

std::optional<Lattice> read_lattice(Build& build, const Node& repeat, const BodyDescription& body,
                                    const std::string& field) {
  const std::optional<Vec3> count = read_vec3(repeat, "count");
  if (!count || !is_bearable(build, repeat, count->prod(), body, field + ".repeat.count")) return std::nullopt;
  Lattice lattice;
  for (int axis = 0; axis < 3; ++axis) lattice.count[static_cast<std::size_t>(axis)] = static_cast<int>((*count)[axis]);
  lattice.spacing = read_vec3(repeat, "spacing").value_or(lattice.spacing);
  lattice.stagger = read_vec3(repeat, "stagger").value_or(lattice.stagger);
  if (repeat.find("spacing") == nullptr) {
    build.complaints.error(repeat.place, field + ".repeat",
                           "the key 'spacing' is missing; allowed: a list of 3 numbers [m]");
  }
  if ((lattice.stagger.array() != 0).all()) {
    build.complaints.error(children(repeat, "stagger").place, field + ".repeat.stagger",
                           "found no 0; allowed: at least one 0, along the axis that counts rows");
  }
  const Vec3 farthest = lattice.spacing.cwiseProduct(*count - Vec3::Ones()) + lattice.stagger + body.pose.p;
  return is_finite(build, repeat, farthest, field) ? std::optional<Lattice>(lattice) : std::nullopt;
}

std::vector<Copy> place_on_lattice(const Lattice& lattice) {
  std::vector<Copy> copies;
  for (int i = 0; i < lattice.count[0]; ++i) {
    for (int j = 0; j < lattice.count[1]; ++j) {
      for (int k = 0; k < lattice.count[2]; ++k) {
        copies.push_back({fmt::format("[{},{},{}]", i, j, k), find_offset(lattice, i, j, k), std::nullopt});
      }
    }
  }
  return copies;
}

/// Whether copies on a ring or a curve turn with it.
bool is_turning(const Node& node) {
  const Node* turn = usable(node, "turn");
  return turn == nullptr || read_boolean(*turn).value_or(true);
}

std::optional<std::vector<Copy>> place_on_ring(Build& build, const Node& repeat, const BodyDescription& body,
                                               const std::string& field) {
  const Node& ring = children(repeat, "ring");
  if (has_bad_part(ring)) return std::nullopt;
  const double count = read_number(ring, "count").value_or(1);
  if (!is_bearable(build, ring, count, body, field + ".repeat.ring.count")) return std::nullopt;
  const double radius = read_number(ring, "radius").value_or(0);
  const double step = read_number(ring, "step").value_or(2 * std::numbers::pi / count);
  if (!is_finite(build, repeat, body.pose.p + Vec3::Constant(radius + count * std::abs(step)), field)) {
    return std::nullopt;
  }
  const std::string plane = read_text(ring, "plane").value_or("xy");
  const Vec3 first = Vec3::Unit(plane[0] - 'x');  // from here towards the second axis
  const Vec3 normal = first.cross(Vec3::Unit(plane[1] - 'x'));
  std::vector<Copy> copies;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const Quat turn(Eigen::AngleAxisd(i * step, normal));
    copies.push_back(
        {fmt::format("[{}]", i), radius * (turn * first), is_turning(ring) ? std::optional(turn) : std::nullopt});
  }
  return copies;
}

/// Takes x to a direction and leaves y level: a turn about z, then one about the new y. A vertical direction has no
/// heading; that of x is taken.
Quat find_turn_along(const Vec3& direction) {
  const double heading = std::atan2(direction.y(), direction.x());
  const double rise = std::atan2(direction.z(), std::hypot(direction.x(), direction.y()));
  return Quat(Eigen::AngleAxisd(heading, Vec3::UnitZ()) * Eigen::AngleAxisd(-rise, Vec3::UnitY()));
}

std::optional<std::vector<Copy>> place_on_curve(Build& build, const Node& repeat, const BodyDescription& body,
                                                const std::string& field) {
  const Node& node = children(repeat, "curve");
  if (has_bad_part(node)) return std::nullopt;
  std::vector<Vec3> points;
  for (const Node& point : children(node, "through").items) points.push_back(vec3_at(point));
  points = remove_equal_neighbours(points);
  if (points.size() < 2) {
    build.complaints.error(children(node, "through").place, field + ".repeat.curve.through",
                           "all points are the same; allowed: at least 2 different points");
    return std::nullopt;
  }
  double chords = 0;
  for (std::size_t k = 1; k < points.size(); ++k) chords += (points[k] - points[k - 1]).norm();
  if (!is_finite(build, repeat, body.pose.p + Vec3::Constant(chords), field)) return std::nullopt;
  const ArcLengthCurve curve(points);
  const double length = curve.length();
  if (!is_finite(build, repeat, body.pose.p + Vec3::Constant(length), field)) return std::nullopt;
  // The last copy stands on the end also where rounding puts that a little before the last spacing.
  constexpr double kRounding = 1e-9;
  double spacing = read_number(node, "spacing").value_or(0);
  const double count = read_number(node, "count").value_or(std::floor(length / spacing + kRounding) + 1);
  if (!is_bearable(build, node, count, body, field + ".repeat.curve")) return std::nullopt;
  if (spacing == 0) spacing = length / std::max(1.0, count - 1);
  std::vector<Copy> copies;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    const double u = curve.parameter_at(i * spacing);
    const Quat turn = find_turn_along(curve.spline().derivative(u));
    copies.push_back(
        {fmt::format("[{}]", i), curve.spline().value(u), is_turning(node) ? std::optional(turn) : std::nullopt});
  }
  return copies;
}

}  // namespace

std::optional<std::vector<Copy>> read_copies(Build& build, const Node& node, const BodyDescription& body,
                                             const std::string& field) {
  const Node* repeat = usable(node, "repeat");
  if (repeat == nullptr || repeat->lacks) return std::nullopt;
  if (usable(*repeat, "count") != nullptr) {
    const std::optional<Lattice> lattice = read_lattice(build, *repeat, body, field);
    return lattice ? std::optional(place_on_lattice(*lattice)) : std::nullopt;
  }
  for (const char* key : {"spacing", "stagger"}) {
    const Node* value = repeat->find(key);
    if (value != nullptr && (repeat->find("ring") != nullptr || repeat->find("curve") != nullptr)) {
      build.complaints.error(value->key_place, fmt::format("{}.repeat.{}", field, key),
                             "goes with 'count', a lattice; a ring has 'step', a curve its own 'spacing'");
    }
  }
  if (usable(*repeat, "ring") != nullptr) return place_on_ring(build, *repeat, body, field);
  if (usable(*repeat, "curve") != nullptr) return place_on_curve(build, *repeat, body, field);
  return std::nullopt;
}

}  // namespace achilles::scene_file
