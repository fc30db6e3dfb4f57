#include "collision/narrow_phase/penetration.hpp"

#include "collision/narrow_phase/box_axes.hpp"

namespace achilles {

namespace {

// Of the size: nearer than that, the direction between the cores is mostly rounding and the axis test takes over. It is
// exact there, since the depth of shapes that just touch is continuous.
constexpr double kTouching = 1e-11;

BoxAxis best_box_axis(const CorePair& pair) {
  const BoxAxes axes = find_box_axes(pair.a.half, pair.b.half, pair.X_AB, std::numeric_limits<double>::infinity());
  const BoxAxis& face = axes.face_a.separation >= axes.face_b.separation ? axes.face_a : axes.face_b;
  return axes.edges.separation > face.separation ? axes.edges : face;
}

// Points of overlapping cores that realize a known depth: moved apart along the normal the cores have nearest points,
// and moved back these are the deepest ones.
void find_witnesses(const CorePair& pair, CoreDistance& result) {
  const double clearance = 0.25 * pair.size();
  const Vec3 shift = (clearance - result.distance) * result.normal;
  const CorePair apart{pair.a, pair.b, {pair.X_AB.R, pair.X_AB.p + shift}};
  const GjkResult gjk = compute_gjk(apart, {}, result.normal);
  result.point_b = gjk.point_b - shift;
  result.point_a = result.point_b - result.distance * result.normal;
  result.iterations += gjk.iterations;
}

}  // namespace

CoreDistance compute_core_distance(const CorePair& pair) {
  GjkOptions options;
  options.contact_tolerance = kTouching;
  const GjkResult gjk = compute_gjk(pair, options, pair.X_AB.p);
  CoreDistance result{gjk.distance, gjk.normal, gjk.point_a, gjk.point_b, gjk.iterations};
  if (gjk.status == GjkStatus::kTouching) {
    const BoxAxis axis = best_box_axis(pair);
    result.distance = axis.separation;
    result.normal = axis.normal;
    find_witnesses(pair, result);
  }
  return result;
}

}  // namespace achilles
