#include "geometry/mass_properties.hpp"

#include "geometry/hull.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/shape_check.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

namespace achilles {
namespace {

using std::numbers::pi;

MassProperties axial(double mass, double center_z, double across, double along) {
  return {mass, Vec3(0, 0, center_z), Vec3(across, across, along).asDiagonal()};
}

MassProperties compute(const Sphere& sphere, double density) {
  check_shape(sphere);
  const double mass = density * 4.0 / 3.0 * pi * std::pow(sphere.radius, 3);
  const double moment = 0.4 * mass * sphere.radius * sphere.radius;
  return axial(mass, 0, moment, moment);
}

MassProperties compute(const Box& box, double density) {
  check_shape(box);
  const double mass = density * box.size.prod();
  const Vec3 squares = box.size.cwiseAbs2();
  return {mass, Vec3::Zero(), (mass / 12 * (Vec3::Constant(squares.sum()) - squares)).asDiagonal()};
}

MassProperties compute(const Cylinder& cylinder, double density) {
  check_shape(cylinder);
  const double r2 = cylinder.radius * cylinder.radius, h2 = cylinder.height * cylinder.height;
  const double mass = density * pi * r2 * cylinder.height;
  return axial(mass, 0, mass * (3 * r2 + h2) / 12, mass * r2 / 2);
}

// A cylinder and the two halves of a ball. A half ball's centre is 3/8 r from its disc, so about the capsule's centre
// the two have together 2/5 m r² + m (L²/4 + 3/8 L r) across the axis.
MassProperties compute(const Capsule& capsule, double density) {
  check_shape(capsule);
  const double r = capsule.radius, L = capsule.length;
  const double ball = density * 4.0 / 3.0 * pi * r * r * r;
  const double rod = density * pi * r * r * L;
  const double across = rod * (3 * r * r + L * L) / 12 + ball * (0.4 * r * r + L * (L / 4 + 3 * r / 8));
  return axial(ball + rod, 0, across, (rod / 2 + 0.4 * ball) * r * r);
}

// The centre of mass is a quarter of the height above the base.
MassProperties compute(const Cone& cone, double density) {
  check_shape(cone);
  const double r2 = cone.radius * cone.radius, h2 = cone.height * cone.height;
  const double mass = density * pi * r2 * cone.height / 3;
  return axial(mass, -cone.height / 4, mass * (3.0 / 20 * r2 + 3.0 / 80 * h2), 0.3 * mass * r2);
}

MassProperties compute(const Plane&, double) { throw std::invalid_argument("A plane has no mass: it has no end."); }

MassProperties compute(const Heightfield&, double) {
  throw std::invalid_argument("A height field has no mass: it has no underside.");
}

MassProperties compute(const Hull& hull, double density) {
  const HullGeometry polyhedron = make_hull(hull.points);
  std::vector<std::array<int, 3>> triangles;
  for (std::size_t f = 0; f + 1 < polyhedron.face_start.size(); ++f) {
    const auto corner = [&](std::uint32_t i) { return static_cast<int>(polyhedron.face_vertices[i]); };
    const std::uint32_t first = polyhedron.face_start[f];
    for (std::uint32_t i = first + 1; i + 1 < polyhedron.face_start[f + 1]; ++i) {
      triangles.push_back({corner(first), corner(i), corner(i + 1)});
    }
  }
  return compute_polyhedron_mass_properties(polyhedron.vertices, triangles, density);
}

MassProperties compute(const Mesh& mesh, double density) {
  check_mesh(mesh.vertices, mesh.triangles);
  const Closedness closedness = compute_closedness(mesh.vertices, mesh.triangles);
  if (!closedness.is_closed()) throw std::invalid_argument(closedness.complaint() + " An open mesh has no mass.");
  return compute_polyhedron_mass_properties(mesh.vertices, mesh.triangles, density);
}

MassProperties compute(const DistanceMap& map, double density) { return compute(map.mesh, density); }

MassProperties compute(const Compound& compound, double density) {
  std::vector<MassProperties> parts;
  for (const CompoundPart& part : compound.parts) {
    parts.push_back(transformed(compute_mass_properties(part.shape, density), part.pose));
  }
  return combine(parts);
}

MassProperties compute(const NoShape& /*none*/, double /*density*/) {
  throw std::invalid_argument("Without a shape, mass and inertia must be given.");
}

// |d|² 1 - d dᵀ: what a unit mass at d adds to the inertia about the origin.
Mat3 point_inertia(const Vec3& d) { return d.squaredNorm() * Mat3::Identity() - d * d.transpose(); }

void require_solid(const MassProperties& properties) {
  const bool is_solid = std::isfinite(properties.mass) && properties.mass > 0 && properties.center.allFinite() &&
                        properties.inertia.allFinite();
  if (!is_solid)
    throw std::invalid_argument(fmt::format("The shape has no mass: its mass would be {}.", properties.mass));
}

}  // namespace

MassProperties compute_mass_properties(const Shape& shape, double density) {
  if (!std::isfinite(density) || density <= 0) {
    throw std::invalid_argument(fmt::format("A density must be positive, but it is {}.", density));
  }
  const MassProperties properties = std::visit([&](const auto& kind) { return compute(kind, density); }, shape.kind);
  require_solid(properties);
  return properties;
}

// Over the tetrahedron (0, a, b, c) with d = a·(b×c) and s = a + b + c:
//   ∫ 1 = d/6,   ∫ x = d/24 s,   ∫ x xᵀ = d/120 (s sᵀ + a aᵀ + b bᵀ + c cᵀ).
// The apex is the mean of the vertices: terms of a far-away solid would cancel.
MassProperties compute_polyhedron_mass_properties(std::span<const Vec3> vertices,
                                                  std::span<const std::array<int, 3>> triangles, double density) {
  check_mesh(vertices, triangles);
  Vec3 apex = Vec3::Zero();
  for (const Vec3& vertex : vertices) apex += vertex / static_cast<double>(vertices.size());
  double six_volumes = 0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();
  const auto arm = [&](int v) { return Vec3(vertices[static_cast<std::size_t>(v)] - apex); };
  for (const auto& triangle : triangles) {
    const Vec3 a = arm(triangle[0]), b = arm(triangle[1]), c = arm(triangle[2]);
    const Vec3 s = a + b + c;
    const double d = a.dot(b.cross(c));
    six_volumes += d;
    first += d * s;
    second += d * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (!(six_volumes > 0)) {
    throw std::invalid_argument("The triangles enclose no volume: they are flat or wound clockwise seen from outside.");
  }
  const double volume = six_volumes / 6;
  const Vec3 offset = first / 24 / volume;
  const Mat3 covariance = second / 120 - volume * offset * offset.transpose();
  return {density * volume, apex + offset, density * (covariance.trace() * Mat3::Identity() - covariance)};
}

MassProperties combine(std::span<const MassProperties> parts) {
  MassProperties sum;
  for (const MassProperties& part : parts) {
    sum.mass += part.mass;
    sum.center += part.mass * part.center;
  }
  if (sum.mass == 0) return {};
  sum.center /= sum.mass;
  for (const MassProperties& part : parts) {
    sum.inertia += part.inertia + part.mass * point_inertia(part.center - sum.center);
  }
  return sum;
}

MassProperties transformed(const MassProperties& properties, const Pose& pose) {
  const Mat3 R = pose.q.normalized().toRotationMatrix();
  const Mat3 turned = R * properties.inertia * R.transpose();
  return {properties.mass, pose.p + R * properties.center, 0.5 * (turned + turned.transpose())};
}

bool is_physical_inertia(const Mat3& inertia) {
  constexpr double kTolerance = 1e-9;  // relative: a flat plate meets the triangle inequality with equality
  const double scale = inertia.cwiseAbs().maxCoeff();
  if (!inertia.allFinite() || !((inertia - inertia.transpose()).cwiseAbs().maxCoeff() <= kTolerance * scale))
    return false;
  const Vec3 moments = Eigen::SelfAdjointEigenSolver<Mat3>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  return moments[0] > 0 && moments[2] <= (moments[0] + moments[1]) * (1 + kTolerance);
}

}  // namespace achilles
