#include "world/shared_geometry.hpp"

namespace achilles {
namespace {

bool is_same(const Hull& a, const Hull& b) { return a.points == b.points; }
bool is_same(const Mesh& a, const Mesh& b) { return a.vertices == b.vertices && a.triangles == b.triangles; }
bool is_same(const Heightfield& a, const Heightfield& b) {
  return a.rows == b.rows && a.columns == b.columns && a.cell == b.cell && a.heights == b.heights;
}
bool is_same(const DistanceMap& a, const DistanceMap& b) { return a.cell == b.cell && is_same(a.mesh, b.mesh); }

// Other shapes are not worth it: their geometry is as small as they are.
bool is_same_and_costly(const Shape& a, const Shape& b) {
  return std::visit(
      [&](const auto& kind) {
        using Kind = std::decay_t<decltype(kind)>;
        const auto* other = std::get_if<Kind>(&b.kind);
        if constexpr (requires { is_same(kind, kind); }) return other != nullptr && is_same(kind, *other);
        return false;
      },
      a.kind);
}

}  // namespace

std::vector<GeometryPiece> make_or_share_geometry(const World& world, std::size_t body, const Shape& shape) {
  const bool has_former = body > 0 && !world.pieces.empty() && world.pieces.back().body + 1 == body;
  if (has_former && is_same_and_costly(*world.shapes[body - 1], shape)) return {{world.pieces.back().geometry, Pose{}}};
  return make_geometry(shape);
}

}  // namespace achilles
