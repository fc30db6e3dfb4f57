#include "solver/iterative/contact_block.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kSingular = 1e-12;  // of the block's trace: a tangent that moves nothing, as in planar scenes

// The tangential problem after w_n = 0 has removed λ_n, in the eigenbasis of S.
struct SlidingProblem {
  Vec2 sigma;  // eigenvalues of S
  Vec2 g, h;   // g = c_T − B_Tn c_n / B_nn and h = B_Tn, in that basis
  double c_n, b_nn, friction;

  [[nodiscard]] Vec2 tangential(double s) const {
    return {g.x() == 0 ? 0.0 : -g.x() / (sigma.x() + s), g.y() == 0 ? 0.0 : -g.y() / (sigma.y() + s)};
  }
  [[nodiscard]] double normal(const Vec2& tangent) const { return -(c_n + h.dot(tangent)) / b_nn; }
};

// ψ(s) = µ λ_n / ‖λ_T‖ − 1 rises from below zero (no sticking) to above zero at s_high, where even the largest ‖λ_T‖
// = ‖g‖ / s fits under the smallest µ λ_n. Newton on ψ, which is exact for σ₁ = σ₂ and h = 0, kept inside the bracket.
double find_slip(const SlidingProblem& problem, double guess) {
  constexpr int kIterations = 100;  // bisection alone would need 64 for a double's mantissa and as many for its range
  constexpr double kAccuracy = 4e-16;
  const double g = problem.g.norm();
  const double push = problem.friction * -problem.c_n;
  double low = 0;
  double high = g * (problem.b_nn + problem.friction * problem.h.norm()) / push;
  double s = guess > 0 ? guess : g * problem.b_nn / push - problem.sigma.mean();
  s = std::clamp(s, 0.01 * high, high);
  for (int k = 0; k < kIterations; ++k) {
    const Vec2 tangent = problem.tangential(s);
    const double length = tangent.norm();
    const double normal = problem.normal(tangent);
    const double psi = problem.friction * normal / length - 1;
    (psi < 0 ? low : high) = s;
    if (std::abs(psi) <= kAccuracy || high - low <= kAccuracy * high) break;
    const Vec2 slope = -tangent.cwiseQuotient(problem.sigma + Vec2::Constant(s));
    const double normal_slope = -problem.h.dot(slope) / problem.b_nn;
    const double psi_slope =
        problem.friction * (normal_slope - normal * tangent.dot(slope) / (length * length)) / length;
    const double next = s - psi / psi_slope;
    s = next > low && next < high ? next : 0.5 * (low + high);
  }
  return s;
}

}  // namespace

ContactBlock make_contact_block(const Mat3& B) {
  ContactBlock block;
  block.B = B;
  const Vec2 coupling(B(1, 0), B(2, 0));
  const double s11 = B(1, 1) - coupling.x() * coupling.x() / B(0, 0);
  const double s22 = B(2, 2) - coupling.y() * coupling.y() / B(0, 0);
  const double s12 = B(2, 1) - coupling.x() * coupling.y() / B(0, 0);
  const double angle = 0.5 * std::atan2(2 * s12, s11 - s22);
  block.cosine = std::cos(angle);
  block.sine = std::sin(angle);
  const double mean = 0.5 * (s11 + s22), radius = std::hypot(0.5 * (s11 - s22), s12);
  block.sigma = Vec2(mean + radius, mean - radius);
  for (int k = 0; k < 2; ++k) {
    if (block.sigma[k] <= kSingular * B.trace()) block.sigma[k] = 0;
  }
  block.coupling = Vec2(block.cosine * coupling.x() + block.sine * coupling.y(),
                        block.cosine * coupling.y() - block.sine * coupling.x());
  return block;
}

Vec3 solve_contact(ContactBlock& block, const Vec3& c, double friction) {
  if (c.x() >= 0) return Vec3::Zero();
  const double b_nn = block.B(0, 0);
  if (!(friction > 0)) return Vec3(-c.x() / b_nn, 0, 0);
  const double cosine = block.cosine, sine = block.sine;
  const Vec2 turned(cosine * c.y() + sine * c.z(), cosine * c.z() - sine * c.y());
  SlidingProblem problem{block.sigma, turned - block.coupling * (c.x() / b_nn), block.coupling, c.x(), b_nn, friction};
  for (int k = 0; k < 2; ++k) {
    if (problem.sigma[k] == 0 && std::abs(problem.g[k]) <= kSingular * c.norm()) problem.g[k] = 0;
  }
  Vec2 tangent = problem.tangential(0);
  double normal = problem.normal(tangent);
  if (!(tangent.squaredNorm() <= friction * friction * normal * normal && normal >= 0)) {
    block.slip = find_slip(problem, block.slip);
    tangent = problem.tangential(block.slip);
    normal = std::max(problem.normal(tangent), 0.0);
    tangent *= friction * normal / tangent.norm();
  }
  return Vec3(normal, cosine * tangent.x() - sine * tangent.y(), sine * tangent.x() + cosine * tangent.y());
}

}  // namespace achilles
