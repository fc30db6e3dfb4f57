#include "collision/contact/separating_axis.hpp"

#include "collision/narrow_phase/gjk.hpp"

namespace achilles {

namespace {

bool is_box(const Geometry& geometry) { return std::holds_alternative<BoxGeometry>(geometry.kind); }

bool is_bounded_and_no_sphere(const Geometry& geometry) {
  return is_convex(geometry) && !std::holds_alternative<PlaneGeometry>(geometry.kind) &&
         !std::holds_alternative<SphereGeometry>(geometry.kind);
}

// Largest d·x over the rounded shape, x from its origin and d a unit vector in world axes.
double reach(const Geometry& geometry, const Mat3& R_WG, const Vec3& d) {
  const Vec3 d_G = R_WG.transpose() * d;
  if (const auto* box = std::get_if<BoxGeometry>(&geometry.kind)) return box->half.dot(d_G.cwiseAbs());
  const ConvexCore core = make_core(geometry);
  return d_G.dot(support(core, d_G)) + core.radius;
}

}  // namespace

bool can_remember_axis(const Geometry& a, const Geometry& b) {
  return is_bounded_and_no_sphere(a) && is_bounded_and_no_sphere(b) && !(is_box(a) && is_box(b));
}

bool is_separated_along(const SeparatingAxis& axis, const Geometry& a, const Transform& X_WA, const Geometry& b,
                        const Transform& X_WB, double margin) {
  if (axis.n_AB.isZero(0)) return false;
  const Vec3& n = axis.n_AB;
  // What rounding can do to the sum must not turn a contact into none.
  constexpr double kRounding = 1e-14;
  const double needed = margin + kRounding * (a.radius + b.radius + X_WA.p.norm() + X_WB.p.norm());
  return n.dot(X_WB.p - X_WA.p) - reach(b, X_WB.R, -n) - reach(a, X_WA.R, n) > needed;
}

SeparatingAxis find_separating_axis(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                                    double margin) {
  const ConvexCore core_a = make_core(a), core_b = make_core(b);
  const CorePair pair{core_a, core_b, relative(X_WA, X_WB)};
  GjkOptions options;
  options.relative_tolerance = 1e-3;
  const GjkResult gjk = compute_gjk(pair, options, pair.X_AB.p);
  if (gjk.status == GjkStatus::kTouching || gjk.distance - pair.radius() <= margin) return {};
  return {X_WA.R * gjk.normal};
}

}  // namespace achilles
