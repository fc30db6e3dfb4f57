// A separating slab that turns along with what it separates.
//
// The bound of gap_bound.hpp holds a direction n fixed. Where two edges lie on each other, or a face on anything, that
// turns one end of theirs into the slab at a speed, w × r, however well the two roll or slide past each other. Any
// direction that moves gives a bound as well: with n(s) = exp(s [Ω]) n and p(s) = p + s V a material point x has
//   f(s) = n(s)·(x(s) − p(s)) ≥ f + s f' + ½ s² min(0, f'') − s³/6 max|f'''|,
// exact in velocity and curvature of every vertex and again concave in s. Ω is chosen so that the vertices near the
// slab keep their height above it, in the least-squares sense: that of a face in touch, or the one that keeps two edges
// in touch.
#pragma once

#include "collision/narrow_phase/convex_core.hpp"

#include <achilles/math.hpp>

#include <array>

namespace achilles {

/// A convex core in free flight at one instant.
struct FlyingCore {
  const ConvexCore* core = nullptr;
  Transform X_WG;
  Vec3 center = Vec3::Zero();  // [m] that it turns about
  Vec3 v = Vec3::Zero(), w = Vec3::Zero(), a = Vec3::Zero();
};

class TurningSlab {
 public:
  /// For cores of few vertices (is_possible): a below, b above a slab through `origin` with normal n from a to b.
  TurningSlab(const FlyingCore& a, const FlyingCore& b, const Vec3& n, const Vec3& origin);

  [[nodiscard]] static bool is_possible(const ConvexCore& core);

  /// Lower bound of the signed distance of the two after a time s; concave in s. [m]
  [[nodiscard]] double operator()(double s) const { return lower(below_, s) + lower(above_, s); }

 private:
  static constexpr std::size_t kMaxVertices = 32;

  /// One vertex at time 0; heights are away from the slab.
  struct Vertex {
    Vec3 d0, d1, d2;  // [m], [m/s], [m/s²] relative to p
    double f0 = 0, f1 = 0, f2 = 0;
  };
  struct Side {
    std::size_t count = 0;
    std::array<Vertex, kMaxVertices> vertices;
    double radius = 0;                                  // [m] rounding of the core
    double reach = 0, speed = 0, pull = 0, change = 0;  // largest |d|, |d'|, |d''| and |d'''| of its vertices
    double fall = 0;                                    // [m/s²] of the centre
  };

  void place(const FlyingCore& flying, double sign, const Vec3& n, Side& side) const;
  void choose_turn(const Vec3& n);
  void differentiate(double sign, const Vec3& n, Side& side) const;
  [[nodiscard]] double lower(const Side& side, double s) const;

  Vec3 origin_, velocity_;  // p, V
  Vec3 turn_ = Vec3::Zero();
  Side below_, above_;
};

}  // namespace achilles
