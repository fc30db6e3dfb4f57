#include "world/shared_geometry.hpp"

#include <algorithm>

namespace achilles {
namespace {

bool is_same(const Sphere& a, const Sphere& b) { return a.radius == b.radius; }
bool is_same(const Box& a, const Box& b) { return a.size == b.size; }
bool is_same(const Capsule& a, const Capsule& b) { return a.radius == b.radius && a.length == b.length; }
bool is_same(const Cylinder& a, const Cylinder& b) { return a.radius == b.radius && a.height == b.height; }
bool is_same(const Cone& a, const Cone& b) { return a.radius == b.radius && a.height == b.height; }
bool is_same(const Hull& a, const Hull& b) { return a.points == b.points; }
bool is_same(const Mesh& a, const Mesh& b) { return a.vertices == b.vertices && a.triangles == b.triangles; }
bool is_same(const Heightfield& a, const Heightfield& b) {
  return a.rows == b.rows && a.columns == b.columns && a.cell == b.cell && a.heights == b.heights;
}
bool is_same(const DistanceMap& a, const DistanceMap& b) {
  return a.cell == b.cell && a.sampling == b.sampling && is_same(a.mesh, b.mesh);
}

// Planes are few, compounds have several pieces.
bool is_same_single_piece(const Shape& a, const Shape& b) {
  return std::visit(
      [&](const auto& kind) {
        using Kind = std::decay_t<decltype(kind)>;
        const auto* other = std::get_if<Kind>(&b.kind);
        if constexpr (requires { is_same(kind, kind); }) return other != nullptr && is_same(kind, *other);
        return false;
      },
      a.kind);
}

constexpr std::size_t kLookBack = 4;  // pieces: scenes take few shapes in turns

}  // namespace

std::vector<GeometryPiece> make_or_share_geometry(const World& world, std::size_t body, const Shape& shape) {
  for (std::size_t k = 1; k <= std::min(kLookBack, world.pieces.size()); ++k) {
    const WorldPiece& former = world.pieces[world.pieces.size() - k];
    if (former.body < body && is_same_single_piece(*world.shapes[former.body], shape))
      return {{former.geometry, Pose{}}};
  }
  return make_geometry(shape);
}

}  // namespace achilles
