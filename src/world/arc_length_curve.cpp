#include "world/arc_length_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace achilles {
namespace {

double zero_of(double) { return 0; }
Vec3 zero_of(const Vec3&) { return Vec3::Zero(); }

// Gauss-Legendre, exact for polynomials of degree 9.
constexpr std::array<double, 5> kNodes{-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831,
                                       0.9061798459386640};
constexpr std::array<double, 5> kWeights{0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                         0.2369268850561891};

double integrate_speed(const CubicSpline<Vec3>& curve, double from, double to) {
  double sum = 0;
  for (std::size_t k = 0; k < kNodes.size(); ++k) {
    sum += kWeights[k] * curve.derivative(0.5 * (from + to) + 0.5 * (to - from) * kNodes[k]).norm();
  }
  return 0.5 * (to - from) * sum;
}

/// Arc length between two parameters, halved until the halves agree with the whole.
double measure_length(const CubicSpline<Vec3>& curve, double from, double to, int depth = 0) {
  constexpr int kMaxDepth = 20;
  const double middle = 0.5 * (from + to);
  const double whole = integrate_speed(curve, from, to);
  const double halves = integrate_speed(curve, from, middle) + integrate_speed(curve, middle, to);
  // What is not a number agrees with nothing, however often it is halved.
  if (depth == kMaxDepth || !(std::abs(whole - halves) > 1e-12 * (1 + halves))) return halves;
  return measure_length(curve, from, middle, depth + 1) + measure_length(curve, middle, to, depth + 1);
}

}  // namespace

template <class Value>
CubicSpline<Value>::CubicSpline(std::vector<double> at, std::vector<Value> values)
    : at_(std::move(at)), values_(std::move(values)), bends_(at_.size(), zero_of(Value{})) {
  // The tridiagonal system of continuous first derivatives, with no bend at the ends.
  const std::size_t n = at_.size();
  std::vector<double> ratio(n, 0.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double before = at_[i] - at_[i - 1];
    const double after = at_[i + 1] - at_[i];
    const Value jump = (values_[i + 1] - values_[i]) / after - (values_[i] - values_[i - 1]) / before;
    const double pivot = 2 * (before + after) - before * ratio[i - 1];
    ratio[i] = after / pivot;
    bends_[i] = (6.0 * jump - before * bends_[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) bends_[i] = bends_[i] - ratio[i] * bends_[i + 1];
}

template <class Value>
std::size_t CubicSpline<Value>::piece_of(double u) const {
  const auto after = std::upper_bound(at_.begin() + 1, at_.end() - 1, u);
  return static_cast<std::size_t>(after - at_.begin()) - 1;
}

template <class Value>
Value CubicSpline<Value>::value(double u) const {
  const std::size_t i = piece_of(u);
  const double width = at_[i + 1] - at_[i];
  const double b = (u - at_[i]) / width;
  const double a = 1 - b;
  return a * values_[i] + b * values_[i + 1] +
         width * width / 6 * ((a * a * a - a) * bends_[i] + (b * b * b - b) * bends_[i + 1]);
}

template <class Value>
Value CubicSpline<Value>::derivative(double u) const {
  const std::size_t i = piece_of(u);
  const double width = at_[i + 1] - at_[i];
  const double b = (u - at_[i]) / width;
  const double a = 1 - b;
  return (values_[i + 1] - values_[i]) / width +
         width / 6 * ((3 * b * b - 1) * bends_[i + 1] - (3 * a * a - 1) * bends_[i]);
}

template <class Value>
Value CubicSpline<Value>::second_derivative(double u) const {
  const std::size_t i = piece_of(u);
  const double b = (u - at_[i]) / (at_[i + 1] - at_[i]);
  return (1 - b) * bends_[i] + b * bends_[i + 1];
}

template class CubicSpline<double>;
template class CubicSpline<Vec3>;

ArcLengthCurve::ArcLengthCurve(const std::vector<Vec3>& points) {
  std::vector<double> chords{0};
  for (std::size_t i = 1; i < points.size(); ++i) chords.push_back(chords.back() + (points[i] - points[i - 1]).norm());
  spline_ = CubicSpline<Vec3>(chords, points);
  lengths_.push_back(0);
  for (std::size_t i = 1; i < chords.size(); ++i) {
    lengths_.push_back(lengths_.back() + measure_length(spline_, chords[i - 1], chords[i]));
  }
  if (!std::isfinite(lengths_.back()))
    throw std::invalid_argument("the path is too long for its length to be a number");
}

/// Parameter at an arc length: Newton's method on the length within the piece that holds it, bisection where that
/// leaves it.
double ArcLengthCurve::parameter_at(double arc_length) const {
  const std::vector<double>& at = spline_.parameters();
  const double s = std::clamp(arc_length, 0.0, lengths_.back());
  const auto after = std::upper_bound(lengths_.begin() + 1, lengths_.end() - 1, s);
  const std::size_t i = static_cast<std::size_t>(after - lengths_.begin()) - 1;
  double low = at[i], high = at[i + 1];
  double u = low + (high - low) * (s - lengths_[i]) / (lengths_[i + 1] - lengths_[i]);
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    const double miss = lengths_[i] + measure_length(spline_, at[i], u) - s;
    if (std::abs(miss) <= 1e-12 * (1 + lengths_.back())) break;
    (miss > 0 ? high : low) = u;
    const double speed = spline_.derivative(u).norm();
    const double next = speed > 0 ? u - miss / speed : low;
    u = next > low && next < high ? next : 0.5 * (low + high);
  }
  return u;
}

std::vector<Vec3> remove_equal_neighbours(const std::vector<Vec3>& points) {
  std::vector<Vec3> kept;
  for (const Vec3& point : points) {
    if (kept.empty() || (point - kept.back()).norm() > 0) kept.push_back(point);
  }
  return kept;
}

}  // namespace achilles
