#include "scene/build/solid.hpp"

#include "scene/build/read.hpp"

#include "geometry/geometry.hpp"
#include "geometry/mass_properties.hpp"

#include <fmt/format.h>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace achilles::scene_file {
namespace {

struct CountBytes {
  std::size_t operator()(const Hull& hull) const { return hull.points.size() * sizeof(Vec3); }
  std::size_t operator()(const Mesh& mesh) const {
    return mesh.vertices.size() * sizeof(Vec3) + mesh.triangles.size() * sizeof(mesh.triangles[0]);
  }
  std::size_t operator()(const Heightfield& field) const { return field.heights.size() * sizeof(double); }
  std::size_t operator()(const DistanceMap& map) const { return (*this)(map.mesh); }
  std::size_t operator()(const Compound& compound) const {
    std::size_t bytes = compound.parts.size() * sizeof(CompoundPart);
    for (const CompoundPart& part : compound.parts) bytes += count_bytes(part.shape);
    return bytes;
  }
  template <typename Small>
  std::size_t operator()(const Small& /*shape*/) const {
    return 0;
  }
};

Mat3 inertia_at(const Node& node) {
  if (node.items.front().kind != Node::Kind::kSequence) return vec3_at(node).asDiagonal();
  Mat3 inertia;
  for (int row = 0; row < 3; ++row) inertia.row(row) = vec3_at(node.items[static_cast<std::size_t>(row)]).transpose();
  return inertia;
}

bool holds_mesh(const Shape& shape) {
  if (const auto* compound = std::get_if<Compound>(&shape.kind)) {
    return std::any_of(compound->parts.begin(), compound->parts.end(),
                       [](const CompoundPart& part) { return holds_mesh(part.shape); });
  }
  return std::holds_alternative<Mesh>(shape.kind);
}

}  // namespace

std::optional<Mat3> read_inertia(Build& build, const Node& node, const std::string& field) {
  const Node* given = usable(node, "inertia");
  if (given == nullptr || has_bad_part(*given)) return std::nullopt;
  Mat3 inertia = inertia_at(*given);
  const double size = inertia.cwiseAbs().maxCoeff();
  constexpr double kTypedDigits = 1e-9;  // products of inertia are written twice; they differ only by a slip
  if ((inertia - inertia.transpose()).cwiseAbs().maxCoeff() > kTypedDigits * size) {
    build.complaints.error(given->place, field + ".inertia", "the matrix is not symmetric; allowed: a symmetric one");
    return std::nullopt;
  }
  inertia = (0.5 * (inertia + inertia.transpose())).eval();
  const Vec3 moments =
      Eigen::SelfAdjointEigenSolver<Mat3>(size > 0 ? Mat3(inertia / size) : inertia).eigenvalues() * size;
  if (!(moments.minCoeff() > 0)) {
    build.complaints.error(given->place, field + ".inertia",
                           fmt::format("the smallest principal moment is {:.6g}; allowed: all above 0", moments[0]));
    return std::nullopt;
  }
  if (!is_physical_inertia(inertia)) {
    build.complaints.warning(
        given->place, field + ".inertia",
        fmt::format("no solid has this inertia: the principal moments are {:.6g}, {:.6g} and {:.6g}, "
                    "and none can exceed the sum of the other two",
                    moments[0], moments[1], moments[2]));
  }
  return inertia;
}

std::vector<GeometryPiece> check_shape_use(Build& build, const Node& shape, const Shape& made,
                                           const std::string& field) {
  try {
    return make_geometry(made);
  } catch (const std::invalid_argument& defect) {
    build.complaints.error(shape.place, field, defect.what());
    return {};
  }
}

double check_mass(Build& build, const Node& shape, const BodyDescription& body, const std::string& field) {
  if (body.kind != BodyKind::kDynamic) return 0;
  if (holds_mesh(body.shape)) {
    // Its triangles would have to meet planes and other triangles.
    build.complaints.error(
        shape.place, field,
        "a mesh is for fixed and scripted bodies; a dynamic body takes a closed one as distance_map, "
        "or as mesh with decompose");
    return 0;
  }
  const bool has_none = std::holds_alternative<NoShape>(body.shape.kind);
  const bool is_given = body.mass && body.inertia && (body.center || has_none);
  try {
    MassProperties properties;
    if (!is_given) properties = compute_mass_properties(body.shape, body.density.value_or(kStandardDensity));
    const double scale = body.mass ? *body.mass / properties.mass : 1;
    const Mat3 inertia = body.inertia ? *body.inertia : Mat3(scale * properties.inertia);
    const double mass = body.mass.value_or(properties.mass);
    const bool is_usable = std::isfinite(mass) && mass > 0 && inertia.allFinite() && inertia.determinant() > 0;
    if (!is_usable) throw std::invalid_argument("They are beyond what numbers can hold.");
    return mass;
  } catch (const std::invalid_argument& defect) {
    build.complaints.error(shape.place, field,
                           fmt::format("a dynamic body needs a mass and an inertia. {}", defect.what()));
    return 0;
  }
}

std::size_t count_bytes(const Shape& shape) { return std::visit(CountBytes{}, shape.kind); }

}  // namespace achilles::scene_file
