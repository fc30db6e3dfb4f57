// A curve in space through given points, walked by arc length.
#pragma once

#include <achilles/math.hpp>

#include <vector>

namespace achilles {

/// Natural cubic spline through values at rising parameters, any dimension; at least two of them.
template <class Value>
class CubicSpline {
 public:
  CubicSpline() = default;
  CubicSpline(std::vector<double> at, std::vector<Value> values);
  [[nodiscard]] Value value(double u) const;
  [[nodiscard]] Value derivative(double u) const;
  [[nodiscard]] Value second_derivative(double u) const;
  [[nodiscard]] double begin() const { return at_.front(); }
  [[nodiscard]] double end() const { return at_.back(); }
  [[nodiscard]] const std::vector<double>& parameters() const { return at_; }

 private:
  [[nodiscard]] std::size_t piece_of(double u) const;

  std::vector<double> at_;
  std::vector<Value> values_, bends_;  // bends: second derivatives
};

/// Natural cubic spline through points, parametrized by the chords between them. Precondition: at least two points, no
/// two neighbours equal (`remove_equal_neighbours`).
class ArcLengthCurve {
 public:
  ArcLengthCurve() = default;
  explicit ArcLengthCurve(const std::vector<Vec3>& points);
  [[nodiscard]] double length() const { return lengths_.back(); }  // [m]
  /// Parameter of the spline at an arc length [m]; lengths beyond an end give the end.
  [[nodiscard]] double parameter_at(double arc_length) const;
  [[nodiscard]] const CubicSpline<Vec3>& spline() const { return spline_; }

 private:
  CubicSpline<Vec3> spline_;
  std::vector<double> lengths_;  // [m] arc length at the parameters of the spline
};

/// Points on top of each other have no direction between them: the first of each run of equal points is kept.
[[nodiscard]] std::vector<Vec3> remove_equal_neighbours(const std::vector<Vec3>& points);

}  // namespace achilles
