// One-row and one-pair updates of the projected iterative solvers, [Erleben04, fig. 6.10].
//
// Every update returns the natural-map entry it removed (the impulse change times the diagonal, [m/s]): a sweep learns
// for free how far it was from a solution, and the true residual is computed only once that estimate is small.
#pragma once

#include "solver/access.hpp"

namespace achilles {

/// λ of a row that moves nothing and so only has to sit at the bound its velocity requires; unchanged if that is
/// infinite.
[[nodiscard]] inline double settle_immovable(double impulse, double w, double lower, double upper) {
  const double wanted = w > 0 ? lower : w < 0 ? upper : impulse;
  return std::isfinite(wanted) ? wanted : std::max(lower, std::min(upper, impulse));
}

template <class Access>
double update_box(Access& problem, std::size_t i, double relaxation, std::span<double> impulses) {
  const auto& row = problem.row(i);
  const double old = impulses[i];
  const double w = problem.velocity(i, old);
  if (!(row.diagonal > 0)) {
    impulses[i] = settle_immovable(old, w, row.lower, row.upper);
    return w == w ? 0.0 : w;
  }
  const double next = std::max(std::min(old - relaxation * w / row.diagonal, row.upper), row.lower);
  const double delta = next - old;
  impulses[i] = next;
  if (delta != 0) problem.apply(i, delta);
  return std::abs(delta) * row.diagonal;
}

/// The 2×2 block of a friction pair and its largest eigenvalue.
struct PairBlock {
  double a11 = 0, a12 = 0, a22 = 0, largest = 0;
};

template <class Access>
[[nodiscard]] PairBlock pair_block(const Access& problem, std::size_t i) {
  PairBlock block{problem.row(i).diagonal, problem.coupling(i, i + 1), problem.row(i + 1).diagonal, 0};
  const double half_gap = 0.5 * (block.a11 - block.a22);
  block.largest = 0.5 * (block.a11 + block.a22) + std::sqrt(half_gap * half_gap + block.a12 * block.a12);
  return block;
}

/// The impulse a friction pair moves to, given its velocity w: the one that stops it, if the disc of radius `limit`
/// holds it; else a projected gradient step. The step is a scalar multiple of w, so that a fixed point slides exactly
/// against its friction; steps per row would turn the sliding direction.
[[nodiscard]] inline Vec2 friction_step(const PairBlock& a, const Vec2& impulse, const Vec2& w, double limit,
                                        double relaxation) {
  constexpr double kSingular = 1e-12;
  if (!(limit > 0)) return limit == limit ? Vec2::Zero().eval() : Vec2::Constant(limit).eval();
  if (!(a.largest > 0)) {
    const double speed = w.norm();
    if (speed > 0) return -limit / speed * w;
    return impulse.norm() > limit ? (limit / impulse.norm() * impulse).eval() : impulse;
  }
  const double determinant = a.a11 * a.a22 - a.a12 * a.a12;
  if (determinant > kSingular * a.largest * a.largest) {
    const double scale = relaxation / determinant;
    const Vec2 stopped = impulse - scale * Vec2(a.a22 * w.x() - a.a12 * w.y(), a.a11 * w.y() - a.a12 * w.x());
    if (stopped.squaredNorm() <= limit * limit) return stopped;
  }
  const Vec2 moved = impulse - relaxation / a.largest * w;
  const double length = moved.norm();
  return length > limit ? (limit / length * moved).eval() : moved;
}

template <class Access>
double update_pair(Access& problem, std::size_t i, const PairBlock& block, double relaxation,
                   std::span<double> impulses) {
  const Vec2 old(impulses[i], impulses[i + 1]);
  const Vec2 w(problem.velocity(i, old.x()), problem.velocity(i + 1, old.y()));
  const Vec2 next = friction_step(block, old, w, friction_limit(problem, i, impulses), relaxation);
  const Vec2 delta = next - old;
  impulses[i] = next.x();
  impulses[i + 1] = next.y();
  if (delta.x() != 0) problem.apply(i, delta.x());
  if (delta.y() != 0) problem.apply(i + 1, delta.y());
  return delta.norm() * block.largest;
}

}  // namespace achilles
