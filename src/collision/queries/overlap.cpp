#include "collision/queries/overlap.hpp"

#include "collision/contact/surface.hpp"
#include "collision/continuous/gap_bound.hpp"

namespace achilles {
namespace {

template <class Surface>
bool holds(const Surface& surface, const Vec3& x) {
  return is_inside(surface, x, find_closest_point(surface, x));
}

}  // namespace

bool do_overlap(const Geometry& geometry, const Transform& X_WG, const Geometry& solid, const Transform& X_WS) {
  const auto* mesh = std::get_if<std::shared_ptr<const MeshGeometry>>(&geometry.kind);
  const auto* map = std::get_if<std::shared_ptr<const DistanceMapGeometry>>(&geometry.kind);
  const auto* field = std::get_if<std::shared_ptr<const HeightfieldGeometry>>(&geometry.kind);
  if (!mesh && !map && !field) return compute_signed_distance(geometry, X_WG, solid, X_WS).distance <= 0;
  const Motion resting = make_resting({&geometry, X_WG}).motion;
  const Motion placed = make_resting({&solid, X_WS}).motion;
  if (MovingPair(geometry, resting, solid, placed).compute_gap(0, 0).distance <= 0) return true;
  const Vec3 middle = X_WG.to_local(X_WS * solid.bounds.center());
  if (mesh) return (*mesh)->is_closed && holds(**mesh, middle);
  return map ? holds((*map)->mesh, middle) : holds(**field, middle);
}

}  // namespace achilles
