#include "collision/continuous/gap_bound.hpp"

#include "collision/continuous/turning_slab.hpp"
#include "collision/narrow_phase/penetration.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {

namespace {

constexpr double kTie = 1e-12;  // of the coordinates that enter a gap: triangles this equally near count as one

}  // namespace

MovingPair::MovingPair(const Geometry& a, const Motion& motion_a, const Geometry& b, const Motion& motion_b)
    : sides_{make_side(a, motion_a), make_side(b, motion_b)} {}

MovingPair::Side MovingPair::make_side(const Geometry& geometry, const Motion& motion) {
  Side side;
  side.geometry = &geometry;
  side.motion = &motion;
  side.reach = compute_reach(geometry, motion);
  if (std::holds_alternative<PlaneGeometry>(geometry.kind)) {
    side.kind = Kind::kHalfSpace;
  } else if (is_convex(geometry)) {
    side.kind = Kind::kCore;
    side.core = make_core(geometry);
    side.core_reach = std::max(0.0, side.reach - side.core.radius);
  } else {
    side.kind = Kind::kSurface;
  }
  return side;
}

MovingPair::Instant MovingPair::make_instant(const Side& side, double t) {
  Instant at;
  at.X_WG = compute_pose(*side.motion, t);
  const Vec3 origin = at.X_WG.p;
  at.X_WG.p += at.X_WG.R * side.offset_G;
  at.v = at.w = at.a = Vec3::Zero();
  if (const auto* ballistic = std::get_if<BallisticMotion>(side.motion)) {
    at.center = ballistic->center + t * ballistic->velocity + 0.5 * t * t * ballistic->acceleration;
    at.v = ballistic->velocity + t * ballistic->acceleration;
    at.w = ballistic->spin;
    at.a = ballistic->acceleration;
  } else {
    const auto& guided = std::get<GuidedMotion>(*side.motion);
    at.center = origin;
    at.max_speed = guided.max_speed;
    at.max_spin = guided.max_spin;
  }
  return at;
}

bool MovingPair::is_on_surface() const {
  return (sides_[0].kind == Kind::kSurface && sides_[1].kind == Kind::kCore) ||
         (sides_[0].kind == Kind::kCore && sides_[1].kind == Kind::kSurface);
}

MovingPair MovingPair::with_triangle(const TrianglePolytope& triangle) const {
  MovingPair pair = *this;
  Side& side = pair.sides_[sides_[0].kind == Kind::kSurface ? 0 : 1];
  side.kind = Kind::kCore;
  side.core = make_core(triangle.view());
  side.offset_G = triangle.middle();
  const auto* ballistic = std::get_if<BallisticMotion>(side.motion);
  const double arm = ballistic ? (ballistic->X_WG.p - ballistic->center).norm() : 0;
  side.reach = side.core_reach = arm + triangle.middle().norm() + side.core.size;
  return pair;
}

// In the frame that the surface has at time `first`, what the other side sweeps up to `last`, grown by how far the
// surface itself comes meanwhile. Times are counted from 0 by the motions: what they sweep from there on is enough.
Aabb MovingPair::compute_swept_box(double first, double last, double margin) const {
  const std::size_t surface = sides_[0].kind == Kind::kSurface ? 0 : 1;
  const Side& other = sides_[1 - surface];
  const Transform X_WS = compute_pose(*sides_[surface].motion, first);
  const Aabb swept = first == last ? compute_bounds(*other.geometry, compute_pose(*other.motion, first))
                                   : compute_swept_bounds(*other.geometry, *other.motion, last);
  const Instant at = make_instant(sides_[surface], first);
  const double s = last - first;
  const double way = s * (at.v.norm() + at.max_speed + (at.w.norm() + at.max_spin) * sides_[surface].reach) +
                     0.5 * s * s * at.a.norm();
  const Vec3 center_S = X_WS.to_local(swept.center());
  const Vec3 half_S = X_WS.R.transpose().cwiseAbs() * (0.5 * swept.extent());
  // Rounding along the way is that of the largest coordinate that enters it.
  const double rounding =
      32 * std::numeric_limits<double>::epsilon() * (swept.center().norm() + half_S.norm() + X_WS.p.norm());
  return Aabb{center_S - half_S, center_S + half_S}.grown(margin + way + rounding);
}

// How square a direction is to the triangle of one of the sides: 1 along its normal.
double MovingPair::compute_level(double t, const Vec3& direction) const {
  const Side& triangle = sides_[is_convex(geometry_a()) ? 1 : 0];
  const std::span<const Vec3> normals = triangle.core.polytope.face_normals;
  return normals.empty() ? 0 : std::abs(direction.dot(compute_pose(*triangle.motion, t).R * normals[0]));
}

// Next to an edge two triangles are as near to rounding, δ. The nearest point of the one that is not below is off by x
// where √(g² + x²) − g = δ, and its direction by x/g = √(2δ/g), which is much for a small gap g. Of triangles that tie
// the one counts that the direction is squarest to; at a true edge all of them agree.
SignedDistance MovingPair::compute_gap(double t, double limit) const {
  if (sides_[0].kind == Kind::kCore && sides_[1].kind == Kind::kCore) {
    const ConvexCore& a = sides_[0].core;
    const ConvexCore& b = sides_[1].core;
    const Transform X_WA = make_instant(sides_[0], t).X_WG;
    const CoreDistance cores = compute_core_distance({a, b, relative(X_WA, make_instant(sides_[1], t).X_WG)}, {});
    return {cores.distance - a.radius - b.radius, X_WA * Vec3(cores.point_a + a.radius * cores.normal),
            X_WA * Vec3(cores.point_b - b.radius * cores.normal), X_WA.R * cores.normal};
  }
  if (!is_on_surface()) return compute_signed_distance(geometry_a(), pose_a(t), geometry_b(), pose_b(t));
  SignedDistance nearest;
  nearest.distance = std::numeric_limits<double>::infinity();
  double level = 0;
  const double tie = kTie * (sides_[0].reach + sides_[1].reach + pose_a(t).p.norm() + pose_b(t).p.norm());
  // All triangles lie within these reaches of each other: a wider search finds no more.
  const double widest = sides_[0].reach + sides_[1].reach + (pose_a(t).p - pose_b(t).p).norm();
  for (double look = std::min(limit, std::min(sides_[0].reach, sides_[1].reach));; look *= 4) {
    visit_triangle_pairs(t, t, std::min(look, limit), [&](const MovingPair& pair) {
      const SignedDistance gap = pair.compute_gap(t);
      if (gap.distance > nearest.distance + tie) return;
      const double gap_level = pair.compute_level(t, gap.normal);
      const double least = std::min(gap.distance, nearest.distance);
      if (gap.distance < nearest.distance - tie || gap_level > level) {
        nearest = gap;
        level = gap_level;
      }
      nearest.distance = least;
    });
    if (nearest.distance <= look || look >= std::min(limit, widest)) break;
  }
  return nearest;
}

namespace {

constexpr std::size_t kFewVertices = 32;

/// min over vertices r of direction·r − curve |w × r|. The term is concave in r, so that the vertices decide.
template <class Vertex>
double lower_vertex(std::size_t count, const Vertex& vertex, const Vec3& direction, const Vec3& w, double curve) {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 r = vertex(i);
    lowest = std::min(lowest, direction.dot(r) - curve * w.cross(r).norm());
  }
  return lowest;
}

}  // namespace

// min over the core of direction·r − curve |w × r|, r from the centre. Exact where vertices can be listed: a point near
// the axis of the spin then pays nothing for those that are far from it, as the end does that a rod turns on.
double MovingPair::lower_core(const Side& side, const Instant& at, const Vec3& direction, double curve) {
  const Vec3 direction_G = at.X_WG.R.transpose() * direction;
  const Vec3 w_G = at.X_WG.R.transpose() * at.w;
  const Vec3 offset = at.X_WG.R.transpose() * (at.X_WG.p - at.center);
  const Vec3& half = side.core.half;
  switch (side.core.kind) {
    case ConvexCore::Kind::kPoint:
      return lower_vertex(
          1, [&](std::size_t) { return offset; }, direction_G, w_G, curve);
    case ConvexCore::Kind::kSegment:
      return lower_vertex(
          2, [&](std::size_t i) { return Vec3(offset + (i == 0 ? half : Vec3(-half))); }, direction_G, w_G, curve);
    case ConvexCore::Kind::kBox:
      return lower_vertex(
          8, [&](std::size_t i) { return Vec3(offset + box_vertex(half, static_cast<std::uint32_t>(i))); }, direction_G,
          w_G, curve);
    case ConvexCore::Kind::kPolytope: {
      const std::span<const Vec3> vertices = side.core.polytope.vertices;
      if (vertices.size() > kFewVertices) break;
      return lower_vertex(
          vertices.size(), [&](std::size_t i) { return Vec3(offset + vertices[i]); }, direction_G, w_G, curve);
    }
    case ConvexCore::Kind::kCylinder:
    case ConvexCore::Kind::kCone:
      break;
  }
  return direction_G.dot(offset + support(side.core, Vec3(-direction_G))) - curve * at.w.norm() * side.core_reach;
}

// Lower bound of min n·(x − origin) over a convex side after a time s; see the head of the header.
double MovingPair::lower_reach(const Side& side, const Instant& at, const Vec3& n, const Vec3& origin, double s) {
  const double half_s2 = 0.5 * s * s;
  const double core = lower_core(side, at, n + s * n.cross(at.w), half_s2 * at.w.cross(n).norm());
  const double unknown = at.max_speed + at.max_spin * side.core_reach;
  return n.dot(at.center - origin) + s * n.dot(at.v) + core - side.core.radius - s * unknown -
         half_s2 * std::max(0.0, -n.dot(at.a));
}

// Height of a convex side above a half-space after a time s. With q the foot of the other's centre on the plane,
// carried along by it, the height f = n·(x − q) of a material point has
//   f' = n·(x' − q') + (w_P × n)·(x − q),   |f''| ≤ |w_P|² |x − q| + 2 |w_P| |x' − q'| + |x'' − q''|,
// f' again linear in x. For a plane that does not turn this is the bound of two convex shapes.
double MovingPair::half_space_bound(const Side& plane, const Instant& at_plane, const Side& other,
                                    const Instant& at_other, const Vec3& n, double s) const {
  const auto& half_space = std::get<PlaneGeometry>(plane.geometry->kind);
  const double height =
      n.dot(at_other.center - at_plane.X_WG.p) - half_space.offset;  // of the other's centre above the plane
  const Vec3 foot = at_other.center - height * n;
  const Vec3 arm = foot - at_plane.center;
  if (at_plane.w.isZero(0)) {
    const double approach = s * n.dot(at_plane.v) + 0.5 * s * s * std::max(0.0, n.dot(at_plane.a));
    const double way = s * (at_other.v.norm() + s * at_other.a.norm() + at_other.max_speed + at_plane.max_speed +
                            at_plane.max_spin * arm.norm());
    const double distance = std::abs(height) + other.reach + way;
    const double unknown = at_plane.max_speed + at_plane.max_spin * (arm.norm() + distance);
    return lower_reach(other, at_other, n, foot, s) - approach - s * unknown;
  }
  const Vec3 v_foot = at_plane.v + at_plane.w.cross(arm);
  const Vec3 direction = n + s * (n.cross(at_other.w) + at_plane.w.cross(n));
  const double core = lower_core(other, at_other, direction, 0.5 * s * s * at_other.w.norm());
  const double turn = at_plane.w.norm();
  const double pull = at_other.a.norm() + at_plane.a.norm() + turn * turn * arm.norm();
  const double speed = (at_other.v - v_foot).norm() + at_other.w.norm() * other.core_reach + at_other.max_speed +
                       at_other.max_spin * other.core_reach + s * pull;
  const double distance = std::abs(height) + other.reach + s * speed;
  const double bend = turn * turn * distance + 2 * turn * speed + pull;
  const double unknown = at_other.max_speed + at_other.max_spin * other.core_reach;
  return height + s * n.dot(at_other.v - v_foot) + core - other.core.radius - s * unknown - 0.5 * s * s * bend;
}

// The signed distance of any two shapes changes no faster than their points move, relative to each other.
double MovingPair::compute_change(const std::array<Instant, 2>& at, double gap, double s) const {
  const double guided = at[0].max_speed + at[1].max_speed;
  const double way = s * ((at[1].v - at[0].v).norm() + guided) + 0.5 * s * s * (at[1].a - at[0].a).norm();
  double change = way;
  for (std::size_t k = 0; k < 2; ++k) {
    const double turn = at[k].w.norm() + at[k].max_spin;
    if (turn == 0) continue;
    // Of a half-space only the part matters that the other shape can come near.
    const Side& other = sides_[1 - k];
    const double reach = sides_[k].kind == Kind::kHalfSpace
                             ? (at[1 - k].center - at[k].center).norm() + other.reach + std::abs(gap) + way
                             : sides_[k].reach;
    change += s * turn * reach;
  }
  return change;
}

double MovingPair::compute_largest_change(double t, const SignedDistance& gap, double span) const {
  return compute_change({make_instant(sides_[0], t), make_instant(sides_[1], t)}, gap.distance, span);
}

// Both in free flight and turning, of few vertices.
bool MovingPair::can_turn_along() const {
  bool turns = false;
  for (const Side& side : sides_) {
    const auto* ballistic = std::get_if<BallisticMotion>(side.motion);
    if (ballistic == nullptr || !TurningSlab::is_possible(side.core)) return false;
    turns = turns || !ballistic->spin.isZero(0);
  }
  return turns;
}

double MovingPair::compute_safe_step(double t, const SignedDistance& gap, double span, const GapGoal& goal) const {
  const std::array<Instant, 2> at{make_instant(sides_[0], t), make_instant(sides_[1], t)};
  const Kind a = sides_[0].kind;
  const Kind b = sides_[1].kind;
  double step = 0;
  if (a == Kind::kCore && b == Kind::kCore) {
    const Vec3& n = gap.normal;
    const Vec3& origin = gap.point_a;
    step = find_safe_step(
        [&](double s) {
          return lower_reach(sides_[1], at[1], n, origin, s) + lower_reach(sides_[0], at[0], Vec3(-n), origin, s);
        },
        span, goal);
    if (step < span && can_turn_along()) {
      const auto flying = [&](std::size_t k) {
        return FlyingCore{&sides_[k].core, at[k].X_WG, at[k].center, at[k].v, at[k].w, at[k].a};
      };
      step = std::max(step, find_safe_step(TurningSlab(flying(0), flying(1), n, origin), span, goal));
    }
  } else if ((a == Kind::kHalfSpace && b == Kind::kCore) || (a == Kind::kCore && b == Kind::kHalfSpace)) {
    const std::size_t plane = a == Kind::kHalfSpace ? 0 : 1;
    const std::size_t other = 1 - plane;
    const Vec3 n = at[plane].X_WG.R * std::get<PlaneGeometry>(sides_[plane].geometry->kind).normal;
    step = find_safe_step(
        [&](double s) { return half_space_bound(sides_[plane], at[plane], sides_[other], at[other], n, s); }, span,
        goal);
  }
  if (step == span) return step;
  const auto slow = [&](double s) { return gap.distance - compute_change(at, gap.distance, s); };
  return std::max(step, find_safe_step(slow, span, goal));
}

}  // namespace achilles
