#include "constraint/friction_ellipse.hpp"

#include "support/draw.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

using testing::Draw;

Quat draw_turn(Draw& draw) { return Quat(draw.rotation()); }

// M = µ₁ a₁ a₁ᵀ + µ₂ a₂ a₂ᵀ in the plane of the contact.
Mat3 tensor_of(const FrictionEllipse& ellipse) {
  return ellipse.coefficients[0] * ellipse.axes[0] * ellipse.axes[0].transpose() +
         ellipse.coefficients[1] * ellipse.axes[1] * ellipse.axes[1].transpose();
}

TEST(FrictionEllipse, OfIsotropicSurfacesIsACircleOfTheirGeometricMean) {
  Draw draw(1);
  for (int i = 0; i < 100; ++i) {
    const double a = draw.number(0, 2), b = draw.number(0, 2);
    const DirectionalFriction friction{Vec3(Vec3::Constant(a)), Vec3(Vec3::Constant(b))};
    const FrictionEllipse ellipse =
        compute_friction_ellipse(friction, draw_turn(draw), draw_turn(draw), draw.direction());
    EXPECT_NEAR(ellipse.coefficients[0], std::sqrt(a * b), 1e-7);
    EXPECT_NEAR(ellipse.coefficients[1], std::sqrt(a * b), 1e-7);
  }
}

// A face whose normal is an axis of the body has the coefficients of the other two.
TEST(FrictionEllipse, OfOneSurfaceHasTheCoefficientsOfItsAxesInThePlane) {
  const DirectionalFriction friction{Vec3(0.2, 0.5, 0.9), std::nullopt};
  Draw draw(2);
  const Quat q = draw_turn(draw);
  for (int axis = 0; axis < 3; ++axis) {
    const Vec3 normal = q * Vec3::Unit(axis);
    const Mat3 tensor = tensor_of(compute_friction_ellipse(friction, q, Quat::Identity(), normal));
    for (int k = 0; k < 3; ++k) {
      const Vec3 direction = q * Vec3::Unit(k);
      const double expected = k == axis ? 0 : (*friction.of_a)[k];
      EXPECT_NEAR(direction.dot(tensor * direction), expected, 1e-12) << axis << " " << k;
    }
  }
}

// det(A # B)² = det A · det B, A # B = B # A, and it turns with the bodies.
TEST(FrictionEllipse, OfTwoSurfacesIsTheirGeometricMeanInAnyFrame) {
  Draw draw(3);
  for (int i = 0; i < 200; ++i) {
    const Vec3 of_a(draw.number(0.05, 1), draw.number(0.05, 1), draw.number(0.05, 1));
    const Vec3 of_b(draw.number(0.05, 1), draw.number(0.05, 1), draw.number(0.05, 1));
    const Quat a = draw_turn(draw), b = draw_turn(draw), turn = draw_turn(draw);
    const Vec3 n = draw.direction();
    const auto ellipse_of = [&](const std::optional<Vec3>& first, const std::optional<Vec3>& second) {
      return compute_friction_ellipse({first, second}, a, b, n);
    };
    const auto area = [](const FrictionEllipse& e) { return e.coefficients[0] * e.coefficients[1]; };
    const FrictionEllipse both = ellipse_of(of_a, of_b);
    EXPECT_NEAR(area(both) * area(both), area(ellipse_of(of_a, {})) * area(ellipse_of({}, of_b)), 1e-10);
    const Mat3 swapped = tensor_of(compute_friction_ellipse({of_b, of_a}, b, a, -n));
    EXPECT_LT((swapped - tensor_of(both)).norm(), 1e-10);
    const Mat3 turned = tensor_of(compute_friction_ellipse({of_a, of_b}, turn * a, turn * b, turn * n));
    EXPECT_LT((turned - turn.toRotationMatrix() * tensor_of(both) * turn.toRotationMatrix().transpose()).norm(), 1e-10);
    EXPECT_NEAR(both.axes[0].dot(both.axes[1]), 0, 1e-12);
    EXPECT_NEAR(both.axes[0].cross(both.axes[1]).dot(n), 1, 1e-12);
  }
}

// An impulse on the ellipse has no excess, one beyond it has, whatever the direction.
TEST(FrictionEllipse, MeasuresExcessFromItsBoundary) {
  const FrictionEllipse ellipse =
      compute_friction_ellipse({Vec3(0.6, 0.2, 0), std::nullopt}, Quat::Identity(), Quat::Identity(), Vec3::UnitZ());
  for (double angle = 0; angle < 6; angle += 0.1) {
    const Vec3 boundary(0.6 * std::cos(angle), 0.2 * std::sin(angle), 0);
    EXPECT_NEAR(ellipse.measure_excess(3 * boundary, 3), 0, 1e-12);
    EXPECT_GT(ellipse.measure_excess(3.1 * boundary, 3), 0.01);
    EXPECT_LT(ellipse.measure_excess(2.9 * boundary, 3), -0.01);
  }
}

}  // namespace
}  // namespace achilles
