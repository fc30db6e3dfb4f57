// Contact points of boxes in the coordinates of their faces against the general regions.
#include "collision/contact/box_manifold.hpp"

#include "collision/contact/region.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace achilles {
namespace {

class BoxManifold : public testing::Test {
 protected:
  double number(double lower, double upper) { return std::uniform_real_distribution<double>(lower, upper)(random_); }
  Vec3 vector(double lower, double upper) {
    const double x = number(lower, upper), y = number(lower, upper);
    return {x, y, number(lower, upper)};
  }

  /// Bricks of a wall: corners over corners, edges over edges and halfway, tilted by rounding up to simulation errors.
  void draw_bricks() {
    half_a_ = half_b_ = Vec3(0.5, 0.25, 0.2);
    const Vec3 axis = vector(-1, 1).normalized();
    X_AB_.R = Eigen::AngleAxisd(std::pow(10, number(-16, -3)), axis).toRotationMatrix();
    const auto steps = [this] { return std::floor(number(-2, 3)); };
    const double x = 0.5 * steps(), y = 0.25 * steps();
    X_AB_.p = Vec3(x, y, 0.4 + std::pow(10, number(-16, -3)));
  }

  /// Two boxes about to touch; every third pair stands face to face, tilted by up to a degree, every third is of
  /// bricks.
  void draw(int i) {
    if (i % 3 == 1) {
      draw_bricks();
      return;
    }
    half_a_ = vector(0.2, 1);
    half_b_ = vector(0.2, 1);
    const Vec3 axis = vector(-1, 1).normalized();
    const double angle = i % 3 == 0 ? number(0, 0.02) : number(0, 3);
    X_AB_.R = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
    X_AB_.p = vector(-1, 1);
    // Moved apart along the axis of least overlap until that overlap is what is drawn.
    const BoxAxes axes = find_box_axes(half_a_, half_b_, X_AB_, 10);
    X_AB_.p += (number(-0.05, 0.01) - axes.face_a.separation) * axes.face_a.normal;
  }

  [[nodiscard]] double size() const { return std::min(half_a_.norm(), half_b_.norm()); }

  std::mt19937_64 random_{1};
  Vec3 half_a_, half_b_;
  Transform X_AB_;
};

constexpr double kMargin = 0.02;  // [m]

TEST_F(BoxManifold, OfAFaceIsThatOfTheGeneralRegion) {
  int regions = 0;
  for (int i = 0; i < 3000; ++i) {
    draw(i);
    const BoxAxes axes = find_box_axes(half_a_, half_b_, X_AB_, kMargin);
    if (axes.beyond) continue;
    const ConvexCore a{ConvexCore::Kind::kBox, half_a_, {}, 0, half_a_.norm()};
    const ConvexCore b{ConvexCore::Kind::kBox, half_b_, {}, 0, half_b_.norm()};
    const CorePair cores{a, b, X_AB_};
    for (const bool of_a : {true, false}) {
      const BoxAxis& axis = of_a ? axes.face_a : axes.face_b;
      Manifold special, general;
      const double gap = make_box_face_manifold({half_a_, half_b_, X_AB_}, axis, of_a, kMargin, size(), special);
      SupportFace face_a, face_b;
      find_support_face(a, axis.normal, face_a);
      find_support_face(b, -(X_AB_.R.transpose() * axis.normal), face_b);
      const double general_gap =
          make_face_manifold(cores, of_a ? face_a : face_b, of_a ? face_b : face_a, of_a, kMargin, general);
      ASSERT_EQ(special.points.size(), general.points.size()) << i;
      ASSERT_NEAR((special.normal - general.normal).norm(), 0, 1e-14);
      if (general.points.empty()) continue;
      ++regions;
      ASSERT_NEAR(gap, general_gap, 1e-13);
      for (std::size_t k = 0; k < general.points.size(); ++k) {
        ASSERT_EQ(special.points[k].feature, general.points[k].feature) << i;
        // Crossings divide by the rise of a side, of which the slack leaves a millionth of the size at least.
        ASSERT_NEAR((special.points[k].position - general.points[k].position).norm(), 0, 1e-9) << i;
        ASSERT_NEAR(special.points[k].gap, general.points[k].gap, 1e-9) << i;
      }
    }
  }
  EXPECT_GT(regions, 1000);
}

TEST_F(BoxManifold, OfEdgesIsWhereTheyComeNearest) {
  int points = 0;
  for (int i = 0; i < 3000; ++i) {
    draw(2);
    const BoxAxes axes = find_box_axes(half_a_, half_b_, X_AB_, kMargin);
    if (axes.beyond || !std::isfinite(axes.edges.separation)) continue;
    Manifold manifold;
    if (!make_box_edge_manifold({half_a_, half_b_, X_AB_}, axes.edges, kMargin, manifold)) continue;
    ASSERT_EQ(manifold.points.size(), 1U);
    ++points;
    ASSERT_NEAR((manifold.normal - box_edge_normal(axes.edges, X_AB_)).norm(), 0, 1e-13);
    // Half the gap to either side lies a point of either box's edge: two of its three coordinates are those of the box.
    const Vec3 reach = 0.5 * manifold.points[0].gap * manifold.normal;
    const Vec3 on_a = manifold.points[0].position - reach;
    const Vec3 on_b = X_AB_.to_local(manifold.points[0].position + reach);
    const auto count_faces = [](const Vec3& x, const Vec3& half) {
      return ((x.cwiseAbs() - half).cwiseAbs().array() < 1e-10).count();
    };
    ASSERT_EQ(count_faces(on_a, half_a_), 2) << i;
    ASSERT_EQ(count_faces(on_b, half_b_), 2) << i;
    ASSERT_TRUE((on_a.cwiseAbs().array() <= half_a_.array() + 1e-10).all()) << i;
    ASSERT_TRUE((on_b.cwiseAbs().array() <= half_b_.array() + 1e-10).all()) << i;
  }
  EXPECT_GT(points, 100);
}

}  // namespace
}  // namespace achilles
