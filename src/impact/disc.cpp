#include "impact/disc.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

Vec2 minimize_on_disc(const Eigen::Matrix2d& A, const Vec2& b, double radius) {
  if (!(radius > 0)) return Vec2::Zero();
  // Eigenvectors of a symmetric 2 × 2 matrix by one rotation.
  const double angle = 0.5 * std::atan2(A(0, 1) + A(1, 0), A(0, 0) - A(1, 1));
  const Vec2 e1(std::cos(angle), std::sin(angle)), e2(-e1.y(), e1.x());
  const double a1 = std::max(0.0, e1.dot(A * e1)), a2 = std::max(0.0, e2.dot(A * e2));
  const double b1 = e1.dot(b), b2 = e2.dot(b);
  const double flat = 1e-14 * (a1 + a2);
  const auto component = [flat](double a, double c, double sigma) { return a + sigma > flat ? -c / (a + sigma) : 0; };
  const auto length = [&](double sigma) { return std::hypot(component(a1, b1, sigma), component(a2, b2, sigma)); };
  if (length(0) <= radius) return component(a1, b1, 0) * e1 + component(a2, b2, 0) * e2;

  // ‖b‖/(a + σ) bounds the length from both sides, which brackets σ.
  const double size = b.norm();
  double low = std::max(0.0, size / radius - std::max(a1, a2)), high = size / radius;
  double sigma = 0.5 * (low + high);
  for (int i = 0; i < 100; ++i) {
    const double f1 = component(a1, b1, sigma), f2 = component(a2, b2, sigma);
    const double now = std::hypot(f1, f2);
    (now > radius ? low : high) = sigma;
    if (std::abs(now - radius) <= 1e-15 * radius || high - low <= 1e-16 * high) break;
    // Newton's method on 1/length, which is nearly linear in σ; bisection where it leaves the bracket.
    const double slope = -(f1 * f1 / (a1 + sigma) + f2 * f2 / (a2 + sigma)) / now;
    const double newton = sigma + (now - radius) / radius * (-now / slope);
    sigma = newton > low && newton < high ? newton : 0.5 * (low + high);
  }
  const Vec2 f = component(a1, b1, sigma) * e1 + component(a2, b2, sigma) * e2;
  return f * (radius / f.norm());
}

}  // namespace achilles
