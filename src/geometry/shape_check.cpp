#include "geometry/shape_check.hpp"

#include <cmath>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

namespace achilles {
namespace {

void require_positive(double value, std::string_view what) {
  if (std::isfinite(value) && value > 0) return;
  throw std::invalid_argument(fmt::format("The {} must be a positive length, but it is {}.", what, value));
}

}  // namespace

void check_shape(const Sphere& sphere) { require_positive(sphere.radius, "radius of a sphere"); }

void check_shape(const Box& box) {
  for (int i = 0; i < 3; ++i) require_positive(box.size[i], "edge of a box");
}

void check_shape(const Capsule& capsule) {
  require_positive(capsule.radius, "radius of a capsule");
  if (capsule.length != 0) require_positive(capsule.length, "length of a capsule, unless it is 0,");
}

void check_shape(const Cylinder& cylinder) {
  require_positive(cylinder.radius, "radius of a cylinder");
  require_positive(cylinder.height, "height of a cylinder");
}

void check_shape(const Cone& cone) {
  require_positive(cone.radius, "radius of a cone");
  require_positive(cone.height, "height of a cone");
}

void check_shape(const Plane& plane) {
  const double length = plane.normal.stableNorm();
  if (std::isfinite(length) && length > 0 && std::isfinite(plane.offset)) return;
  throw std::invalid_argument("A plane needs a finite normal that is not zero and a finite offset.");
}

}  // namespace achilles
