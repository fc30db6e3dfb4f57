// The depth of a convex shape in a surface is the way back to where it entered, never that to an unrelated face.
#include "collision/contact/collide.hpp"
#include "collision/continuous/moving.hpp"
#include "geometry/sample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

using namespace continuous_test;

constexpr double kTerrainHalf = 2;   // [m]
constexpr double kTolerance = 1e-7;  // [m] of the first contact

/// A prism along z: the polygon's sides, each cut into `cuts` × `cuts` quads, and its two caps as given triangles.
Shape make_prism(const std::vector<Vec2>& polygon, const std::vector<std::array<std::size_t, 3>>& cap, double half,
                 int cuts) {
  Mesh mesh;
  const auto add_quad = [&](const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {  // counter-clockwise
    const auto at = [&](double s, double t) {
      return Vec3((1 - t) * ((1 - s) * a + s * b) + t * ((1 - s) * d + s * c));
    };
    for (int i = 0; i < cuts; ++i) {
      for (int j = 0; j < cuts; ++j) {
        const double s = 1.0 / cuts;
        const auto first = static_cast<int>(mesh.vertices.size());
        for (const Vec3& x :
             {at(i * s, j * s), at((i + 1) * s, j * s), at((i + 1) * s, (j + 1) * s), at(i * s, (j + 1) * s)}) {
          mesh.vertices.push_back(x);
        }
        mesh.triangles.push_back({first, first + 1, first + 2});
        mesh.triangles.push_back({first, first + 2, first + 3});
      }
    }
  };
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    add_quad({p.x(), p.y(), half}, {p.x(), p.y(), -half}, {q.x(), q.y(), -half}, {q.x(), q.y(), half});
  }
  for (const auto& corners : cap) {
    for (const bool up : {true, false}) {
      const auto first = static_cast<int>(mesh.vertices.size());
      for (const std::size_t k : corners) {
        mesh.vertices.emplace_back(polygon[k].x(), polygon[k].y(), up ? half : -half);
      }
      mesh.triangles.push_back(up ? std::array<int, 3>{first, first + 1, first + 2}
                                  : std::array<int, 3>{first + 1, first, first + 2});
    }
  }
  return {mesh};
}

// A block with a crack from above, as of the tests of rigid bodies with spikes and wedges.
Shape make_crack(int cuts) {
  return make_prism({{-1, -0.5}, {1, -0.5}, {1, 0.5}, {0.5, 0.5}, {0, 0}, {-0.5, 0.5}, {-1, 0.5}},
                    {{0, 4, 6}, {4, 5, 6}, {0, 1, 4}, {1, 3, 4}, {1, 2, 3}}, 2, cuts);
}
Shape make_wedge(int cuts) { return make_prism({{-0.1, -1}, {0.1, -1}, {0, 1}}, {{0, 1, 2}}, 1, cuts); }
Shape make_plate(int cuts) {
  return make_prism({{-2, 0}, {2, 0}, {2, 0.05}, {-2, 0.05}}, {{0, 1, 2}, {0, 2, 3}}, 2, cuts);
}
Shape make_spike() {
  Mesh mesh;
  mesh.vertices = {{-0.5, 0, -0.5}, {0.5, 0, -0.5}, {0.5, 0, 0.5}, {-0.5, 0, 0.5}, {0, 3, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {1, 0, 4}, {2, 1, 4}, {3, 2, 4}, {0, 3, 4}};
  return {mesh};
}
Shape make_terrain(Draw& draw, double roughness) {
  Heightfield field;
  field.rows = field.columns = 17;  // cells of kTerrainHalf / 8
  field.cell = Vec2(0.25, 0.25);
  for (int i = 0; i < 17 * 17; ++i) field.heights.push_back(roughness * draw.number(-1, 1));
  return {field};
}

/// A height field has an outside above it alone, and its rim is no part of a closed surface. A shape that flies below
/// it can strike a hollow of its underside on the way down.
bool is_struck_from_outside(const Shape& surface, const Vec3& direction, const FirstContact& touch) {
  if (!std::holds_alternative<Heightfield>(surface.kind)) return true;
  return direction.z() < 0 && touch.gap.normal.z() < 0 &&
         touch.gap.point_b.head<2>().cwiseAbs().maxCoeff() < kTerrainHalf - 1e-3;
}

/// Draws shapes that move in a straight line into the surface and on by `ratio` of their size. Each depth found there
/// must be at most the way since the touch, which continuous detection finds: going back frees the shape altogether.
void expect_local_depths(const Shape& surface, Draw& draw, int trials, double ratio) {
  const auto solid = make_solid(surface);
  const Vec3 middle = 0.5 * (solid->bounds.lower + solid->bounds.upper);
  const double reach = 0.5 * (solid->bounds.upper - solid->bounds.lower).norm();
  int touching = 0, deep = 0;
  double worst = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto shape = make_solid(draw_shape(draw));
    const double size = shape->radius;
    const Vec3 direction = draw.direction();
    BallisticMotion motion = make_motion(middle + draw.vector(reach) - (3 * reach + size) * direction, direction);
    motion.X_WG.R = draw.rotation();
    const BallisticMotion still = make_motion(Vec3::Zero());
    const FirstContact touch =
        find_first_contact({*shape, motion, *solid, still}, 6 * reach + 2 * size, {.tolerance = kTolerance});
    if (touch.status != ContactSearchStatus::kContact) continue;
    if (!is_struck_from_outside(surface, direction, touch)) continue;
    const double way = ratio * size;
    Transform X = motion.X_WG;
    X.p += (touch.time + way) * direction;
    std::vector<ContactPoint> points;
    collide(*shape, X, *solid, {}, {0.02 * size, true}, points);
    double depth = 0;
    for (const ContactPoint& point : points) depth = std::max(depth, -point.gap);
    ++touching;
    worst = std::max(worst, depth / way);
    if (depth > 1.0001 * way + 2 * kTolerance) ++deep;
    // A corner that clips an edge can be past it by now; continuous detection tells.
    BallisticMotion there = make_motion(X.p);
    there.X_WG = X;
    const FirstContact still_touching =
        find_first_contact({*shape, there, *solid, still}, 1, {.tolerance = kTolerance});
    if (touch.gap.normal.dot(direction) > 0.5 && still_touching.status == ContactSearchStatus::kContact) {
      EXPECT_GT(depth, 0) << trial;
    }
  }
  EXPECT_GT(touching, trials / 20);
  EXPECT_EQ(deep, 0) << "of " << touching << ", worst " << worst;
}

// Whoever follows the deepest contact, again and again, gets out, and not by a detour.
void expect_contacts_lead_out(const Shape& surface, Draw& draw, int trials, double ratio) {
  const auto solid = make_solid(surface);
  const Vec3 middle = 0.5 * (solid->bounds.lower + solid->bounds.upper);
  const double reach = 0.5 * (solid->bounds.upper - solid->bounds.lower).norm();
  std::vector<ContactPoint> points;
  for (int trial = 0; trial < trials; ++trial) {
    const auto shape = make_solid(draw_shape(draw));
    const double size = shape->radius;
    const Vec3 direction = draw.direction();
    BallisticMotion motion = make_motion(middle + draw.vector(reach) - (3 * reach + size) * direction, direction);
    motion.X_WG.R = draw.rotation();
    const FirstContact touch = find_first_contact({*shape, motion, *solid, make_motion(Vec3::Zero())},
                                                  6 * reach + 2 * size, {.tolerance = kTolerance});
    if (touch.status != ContactSearchStatus::kContact) continue;
    Transform X = motion.X_WG;
    X.p += (touch.time + ratio * size) * direction;
    const Vec3 start = X.p;
    double depth = 1;
    for (int k = 0; k < 60 && depth > 1e-6 * size; ++k) {
      points.clear();
      collide(*shape, X, *solid, {}, {0, true}, points);
      depth = 0;
      Vec3 way = Vec3::Zero();
      for (const ContactPoint& point : points) {
        if (-point.gap <= depth) continue;
        depth = -point.gap;
        way = point.gap * point.normal;
      }
      X.p += way;
    }
    EXPECT_LE(depth, 1e-6 * size) << trial;
    EXPECT_LE((X.p - start).norm(), 4 * ratio * size) << trial;
  }
}

TEST(SurfaceDepth, FollowingTheDeepestContactLeadsOutOfTheSurface) {
  Draw draw(4);
  for (const double ratio : {1e-4, 1e-2}) {
    for (const Shape& surface : {make_crack(1), make_crack(4), make_wedge(3), make_spike(), make_plate(3)}) {
      expect_contacts_lead_out(surface, draw, choose_count(4000, 200), ratio);
    }
  }
}

TEST(SurfaceDepth, IsAtMostTheWaySinceTheTouchAtRimsOfACrack) {
  Draw draw(1);
  for (const int cuts : {1, 4}) {
    for (const double ratio : {1e-4, 1e-2}) expect_local_depths(make_crack(cuts), draw, choose_count(4000, 200), ratio);
  }
}

TEST(SurfaceDepth, IsAtMostTheWaySinceTheTouchAtWedgesSpikesAndThinPlates) {
  Draw draw(2);
  for (const double ratio : {1e-4, 1e-2}) {
    for (const Shape& surface : {make_wedge(1), make_wedge(5), make_spike(), make_plate(1), make_plate(6)}) {
      expect_local_depths(surface, draw, choose_count(4000, 200), ratio);
    }
  }
}

TEST(SurfaceDepth, IsAtMostTheWaySinceTheTouchOnRoughTerrain) {
  Draw draw(3);
  for (const double roughness : {0.02, 0.2}) {
    for (const double ratio : {1e-4, 1e-2}) {
      expect_local_depths(make_terrain(draw, roughness), draw, choose_count(4000, 200), ratio);
    }
  }
}

}  // namespace
}  // namespace achilles
