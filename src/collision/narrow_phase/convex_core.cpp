#include "collision/narrow_phase/convex_core.hpp"

#include <cassert>
#include <cmath>

namespace achilles {

namespace {

using Kind = ConvexCore::Kind;

struct CoreMaker {
  double size;

  ConvexCore operator()(const SphereGeometry& g) const { return {Kind::kPoint, Vec3::Zero(), {}, g.radius, size}; }
  ConvexCore operator()(const BoxGeometry& g) const { return {Kind::kBox, g.half, {}, 0, size}; }
  ConvexCore operator()(const CapsuleGeometry& g) const {
    return {Kind::kSegment, Vec3(0, 0, g.half_length), {}, g.radius, size};
  }
  ConvexCore operator()(const CylinderGeometry& g) const {
    return {Kind::kCylinder, Vec3(g.radius, g.radius, g.half_height), {}, 0, size};
  }
  ConvexCore operator()(const ConeGeometry& g) const {
    return {Kind::kCone, Vec3(g.radius, g.radius, g.half_height), {}, 0, size};
  }
  ConvexCore operator()(const std::shared_ptr<const HullGeometry>& g) const {
    return {Kind::kPolytope, Vec3::Zero(), make_view(*g, size), 0, size};
  }
  template <typename Other>
  ConvexCore operator()(const Other&) const {
    assert(false && "only bounded convex geometries have a core");
    return {};
  }
};

Vec3 rim_point(const Vec3& half, const Vec3& direction, double z) {
  const double length = std::hypot(direction.x(), direction.y());
  if (length <= 0) {
    return {0, 0, z};  // every point of the disc is furthest; its centre keeps the symmetry
  }
  const double scale = half.x() / length;
  return {scale * direction.x(), scale * direction.y(), z};
}

Vec3 cone_support(const Vec3& half, const Vec3& direction) {
  const Vec3 rim = rim_point(half, direction, -half.z());
  const Vec3 apex(0, 0, half.z());
  return direction.dot(apex) > direction.dot(rim) ? apex : rim;
}

}  // namespace

ConvexCore make_core(const Geometry& geometry) { return std::visit(CoreMaker{geometry.radius}, geometry.kind); }

ConvexCore make_core(const PolytopeView& polytope) {
  return {Kind::kPolytope, Vec3::Zero(), polytope, 0, polytope.size};
}

Vec3 support_round(const ConvexCore& core, const Vec3& direction) {
  return core.kind == Kind::kCylinder ? rim_point(core.half, direction, std::copysign(core.half.z(), direction.z()))
                                      : cone_support(core.half, direction);
}

}  // namespace achilles
