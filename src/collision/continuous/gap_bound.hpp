// How long two moving geometries certainly keep a given gap.
//
// For two convex shapes and any unit direction n the extent of the empty slab between them,
//   g_n(s) = min over x in B of n·x(s) − max over x in A of n·x(s),
// is at most their signed distance, and equals it for the witness normal. With constant spin w about c a material point
// r = x − c obeys n·(w × (w × r)) = −(w × n)·(w × r) ≥ −|w × n| |w × r|, and |w × r| does not change, so that over all
// later times s
//   n·x(s) ≥ n·(c + s v) + (n + s n × w)·r − ½ s² κ,   κ = |w × n| |w × r| + max(0, −n·a).
// The minimum over the shape is at a vertex, or no less than one support point in the direction n + s n × w with the
// largest |w × r|; it is exact in the velocity of every point and concave in s: if it is above a level at 0 and at s,
// it is so in between. Conservative advancement [Mirtich95, sec. 3.1] bounds the velocity by |w| max|r| instead; this
// bound is one order better, which is what makes grazing and spinning contacts converge in a handful of steps. Edges
// and faces in touch that turn need a direction that turns along: see turning_slab.hpp.
#pragma once

#include "collision/contact/collide.hpp"
#include "collision/continuous/motion.hpp"
#include "collision/narrow_phase/convex_core.hpp"
#include "geometry/distance_map_geometry.hpp"
#include "geometry/heightfield_geometry.hpp"
#include "geometry/mesh_geometry.hpp"

#include <array>
#include <cmath>
#include <limits>

namespace achilles {

/// Steps end where a bound is down to `aim`; what is certified is that it stays at least `level` < `aim`. The room
/// between the two takes up rounding: a bound that is exact and linear ends at the aim itself, a hair to this side or
/// that.
struct GapGoal {
  double level = 0;  // [m]
  double aim = 0;    // [m]
};

/// Two geometries in motion, prepared for many questions about the gap between them. Holds references.
class MovingPair {
 public:
  MovingPair(const Geometry& a, const Motion& motion_a, const Geometry& b, const Motion& motion_b);

  /// The signed distance at time t. Between a convex shape and a mesh or height field it is the least of those to
  /// single triangles, and is infinite when it is certainly larger than `limit` [m].
  [[nodiscard]] SignedDistance compute_gap(double t, double limit = std::numeric_limits<double>::infinity()) const;

  /// A time step s, at most `span`, such that the gap is at least goal.level during all of [t, t + s]; 0 when no such
  /// step can be certified. `gap` is the signed distance at t.
  [[nodiscard]] double compute_safe_step(double t, const SignedDistance& gap, double span, const GapGoal& goal) const;

  /// Upper bound of how much the gap changes, up or down, during [t, t + span]. [m]
  [[nodiscard]] double compute_largest_change(double t, const SignedDistance& gap, double span) const;

  /// Whether the bound of two convex shapes holds between one side and each triangle of the other.
  [[nodiscard]] bool is_on_surface() const;
  /// Calls visit(const MovingPair&) with a single triangle in the place of the surface, for each triangle that the
  /// other side comes within `margin` [m] of during [first, last], and for some others.
  template <class Visit>
  void visit_triangle_pairs(double first, double last, double margin, const Visit& visit) const;

  [[nodiscard]] Transform pose_a(double t) const { return compute_pose(*sides_[0].motion, t); }
  [[nodiscard]] Transform pose_b(double t) const { return compute_pose(*sides_[1].motion, t); }
  [[nodiscard]] const Geometry& geometry_a() const { return *sides_[0].geometry; }
  [[nodiscard]] const Geometry& geometry_b() const { return *sides_[1].geometry; }

 private:
  enum class Kind { kCore, kHalfSpace, kSurface };
  struct Side {
    const Geometry* geometry = nullptr;
    const Motion* motion = nullptr;
    Kind kind = Kind::kSurface;
    ConvexCore core;
    Vec3 offset_G = Vec3::Zero();  // [m] of the core's frame in the geometry's
    double core_reach = 0;         // [m] largest distance of a point of the core from what it turns about
    double reach = 0;              // [m] the same for the whole shape
  };
  /// A side at one time.
  struct Instant {
    Transform X_WG;
    Vec3 center;  // [m] what the side turns about
    Vec3 v, w, a;
    double max_speed = 0;  // [m/s] of what is known by bounds alone
    double max_spin = 0;   // [rad/s]
  };

  static Side make_side(const Geometry& geometry, const Motion& motion);
  static Instant make_instant(const Side& side, double t);
  static double lower_core(const Side& side, const Instant& at, const Vec3& direction, double curve);
  static double lower_reach(const Side& side, const Instant& at, const Vec3& n, const Vec3& origin, double s);
  double half_space_bound(const Side& plane, const Instant& at_plane, const Side& other, const Instant& at_other,
                          const Vec3& n, double s) const;
  [[nodiscard]] MovingPair with_triangle(const TrianglePolytope& triangle) const;
  [[nodiscard]] double compute_level(double t, const Vec3& direction) const;
  [[nodiscard]] Aabb compute_swept_box(double first, double last, double margin) const;
  [[nodiscard]] bool can_turn_along() const;
  double compute_change(const std::array<Instant, 2>& at, double gap, double s) const;

  std::array<Side, 2> sides_;
};

/// A large s in [0, end] up to which a concave function is certainly at least goal.level, found by approaching the
/// place where it meets goal.aim; 0 when the function is at or below the aim already at 0.
template <class Concave>
[[nodiscard]] double find_safe_step(const Concave& f, double end, const GapGoal& goal) {
  constexpr int kMaxProbes = 24;
  double low = 0;
  double f_low = f(low);
  if (!(f_low > goal.aim)) return 0;
  double high = end;
  double f_high = f(high);
  if (f_high >= goal.level) return end;
  for (int probe = 0; probe < kMaxProbes && low < 0.9 * high && f_low > goal.aim; ++probe) {
    // The chord of a concave function lies below it: where the chord meets the aim the function is still above. A step
    // that falls off like −s² has chords that are far too steep; every other probe therefore halves the exponent.
    const double chord = low + (high - low) * ((f_low - goal.aim) / (f_low - f_high));
    const double middle = probe % 2 == 0 ? chord : std::sqrt(low * high);
    if (!(middle > low && middle < high)) break;
    const double f_middle = f(middle);
    if (f_middle >= goal.level) {
      low = middle;
      f_low = f_middle;
    } else {
      high = middle;
      f_high = f_middle;
    }
  }
  return low;
}

template <class Visit>
void MovingPair::visit_triangle_pairs(double first, double last, double margin, const Visit& visit) const {
  const Geometry& surface = *sides_[sides_[0].kind == Kind::kSurface ? 0 : 1].geometry;
  const Aabb box = compute_swept_box(first, last, margin);
  const auto offer = [&](const SurfaceTriangle& triangle) {
    const TrianglePolytope polytope(triangle.corners, triangle.normal);
    visit(with_triangle(polytope));
  };
  if (const auto* mesh = std::get_if<std::shared_ptr<const MeshGeometry>>(&surface.kind)) {
    visit_triangles(**mesh, box, offer);
  } else if (const auto* map = std::get_if<std::shared_ptr<const DistanceMapGeometry>>(&surface.kind)) {
    visit_triangles((*map)->mesh, box, offer);
  } else {
    visit_triangles(*std::get<std::shared_ptr<const HeightfieldGeometry>>(surface.kind), box, offer);
  }
}

}  // namespace achilles
