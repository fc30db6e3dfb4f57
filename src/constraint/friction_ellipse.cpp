#include "constraint/friction_ellipse.hpp"

#include "math/tangents.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

using Mat2 = Eigen::Matrix2d;
using Tangents = Eigen::Matrix<double, 3, 2>;

Mat2 project_tensor(const Vec3& coefficients, const Quat& q_WB, const Tangents& tangents) {
  const Tangents local = q_WB.conjugate().toRotationMatrix() * tangents;
  return local.transpose() * coefficients.asDiagonal() * local;
}

/// A # B of two symmetric 2 × 2 matrices: with α² = det A and β² = det B it is √(αβ / det(A/α + B/β)) (A/α + B/β). A
/// matrix without an inverse is the limit of those that have one; ε of the larger eigenvalue is below what friction
/// resolves.
Mat2 geometric_mean(Mat2 a, Mat2 b) {
  constexpr double kRounding = std::numeric_limits<double>::epsilon();
  const auto is_zero = [](const Mat2& m) { return m.trace() <= 0; };
  if (is_zero(a) || is_zero(b)) return Mat2::Zero();
  a += kRounding * a.trace() * Mat2::Identity();
  b += kRounding * b.trace() * Mat2::Identity();
  const double alpha = std::sqrt(a.determinant()), beta = std::sqrt(b.determinant());
  const Mat2 sum = a / alpha + b / beta;
  return std::sqrt(alpha * beta / sum.determinant()) * sum;
}

}  // namespace

FrictionEllipse compute_friction_ellipse(const DirectionalFriction& friction, const Quat& q_WA, const Quat& q_WB,
                                         const Vec3& normal) {
  const auto [t1, t2] = make_tangents(normal);
  Tangents tangents;
  tangents << t1, t2;
  Mat2 tensor = Mat2::Zero();
  if (friction.of_a && friction.of_b) {
    tensor =
        geometric_mean(project_tensor(*friction.of_a, q_WA, tangents), project_tensor(*friction.of_b, q_WB, tangents));
  } else if (friction.of_a || friction.of_b) {
    tensor =
        friction.of_a ? project_tensor(*friction.of_a, q_WA, tangents) : project_tensor(*friction.of_b, q_WB, tangents);
  }
  Eigen::SelfAdjointEigenSolver<Mat2> solver;
  solver.computeDirect(tensor);
  FrictionEllipse ellipse;
  // √ε of the larger: what the mean leaves of an axis that has no friction.
  const double rounding = 4 * std::sqrt(std::numeric_limits<double>::epsilon()) * solver.eigenvalues()[1];
  for (std::size_t k = 0; k < 2; ++k) {
    const double coefficient = solver.eigenvalues()[static_cast<Eigen::Index>(k)];
    ellipse.coefficients[k] = coefficient > rounding ? coefficient : 0.0;
  }
  ellipse.axes[0] = tangents * solver.eigenvectors().col(0);
  ellipse.axes[1] = normal.cross(ellipse.axes[0]);
  return ellipse;
}

}  // namespace achilles
