// Where a script has its body at a time, [Erleben04, ch. 3].
//
// Space: a natural cubic spline through the points, walked by arc length, so that the shape of the curve and the speed
// along it are chosen apart. Speed: a natural cubic spline through (time, arc length). Turn: a cumulative cubic
// B-spline on rotations, twice continuously differentiable, whose control rotations are chosen so that it passes
// through the given ones; the thesis had no such curve. Before its first and after its last time a script stands still.
#pragma once

#include "world/arc_length_curve.hpp"

#include <achilles/script.hpp>

#include <vector>

namespace achilles {

/// Orientation with its spin [rad/s] and the rate of that [rad/s²], both in world axes.
struct RotationMotion {
  Quat q = Quat::Identity();
  Vec3 spin = Vec3::Zero();
  Vec3 acceleration = Vec3::Zero();
};

/// A rotation spline through orientations at rising times; at least two of them.
class RotationSpline {
 public:
  RotationSpline() = default;
  RotationSpline(std::vector<double> times, const std::vector<Quat>& keys);
  [[nodiscard]] Quat value(double t) const { return motion(t).q; }
  /// Exact derivatives; before the first and after the last time those of the end.
  [[nodiscard]] RotationMotion motion(double t) const;

 private:
  struct Weights;
  [[nodiscard]] Weights weigh(std::ptrdiff_t piece, double t) const;
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
  /// The same with first and second derivatives: zero while the script stands still.
  [[nodiscard]] ScriptMotion motion(double t) const;

 private:
  void follow_path(double t, ScriptMotion& motion) const;

  Pose start_;
  bool has_path_ = false, has_turn_ = false;
  ArcLengthCurve space_;
  CubicSpline<double> travel_;  // [m] over [s]
  RotationSpline turn_;
  double turn_begin_ = 0, turn_end_ = 0;  // [s]
};

}  // namespace achilles
