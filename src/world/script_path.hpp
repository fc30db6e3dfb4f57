// Where a script has its body at a time, [Erleben04, ch. 3].
//
// Space: a natural cubic spline through the points, walked by arc length, so that the shape of the curve and the speed
// along it are chosen apart. Speed: a natural cubic spline through (time, arc length). Turn: a cumulative cubic
// B-spline on rotations, twice continuously differentiable, whose control rotations are chosen so that it passes
// through the given ones; the thesis had no such curve. Before its first and after its last time a script stands still.
#pragma once

#include <achilles/scene.hpp>

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
  [[nodiscard]] double begin() const { return at_.front(); }
  [[nodiscard]] double end() const { return at_.back(); }
  [[nodiscard]] const std::vector<double>& parameters() const { return at_; }

 private:
  [[nodiscard]] std::size_t piece_of(double u) const;

  std::vector<double> at_;
  std::vector<Value> values_, bends_;  // bends: second derivatives
};

/// A rotation spline through orientations at rising times; at least two of them.
class RotationSpline {
 public:
  RotationSpline() = default;
  RotationSpline(std::vector<double> times, const std::vector<Quat>& keys);
  [[nodiscard]] Quat value(double t) const;

 private:
  [[nodiscard]] double knot(std::ptrdiff_t index) const;
  void extend_ends();

  std::vector<double> times_;
  std::vector<Quat> controls_;  // one before the first time, one per time, one after the last
};

class ScriptPath {
 public:
  /// `start` is where the body stands; what the script leaves out stays as it is there.
  ScriptPath(const ScriptDescription& script, const Pose& start);
  /// Placement of the body's frame at time t [s].
  [[nodiscard]] Pose pose(double t) const;

 private:
  [[nodiscard]] Vec3 point_at(double arc_length) const;

  Pose start_;
  bool has_path_ = false, has_turn_ = false;
  CubicSpline<Vec3> space_;
  std::vector<double> lengths_;  // [m] arc length at the parameters of space_
  CubicSpline<double> travel_;   // [m] over [s]
  RotationSpline turn_;
};

}  // namespace achilles
