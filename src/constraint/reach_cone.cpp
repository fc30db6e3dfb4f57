#include "constraint/reach_cone.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

constexpr double kLeastSine = 1e-9;  // below it the direction of a tilt is rounding noise

}  // namespace

ReachConeCoordinates measure_reach(const ReachConeFrame& frame) {
  const Vec3 &a = frame.axis, &d = frame.limb;
  const auto [first, second] = frame.half_angles;
  const double widest = std::max(first, second);
  const double cosine = a.dot(d), sine = a.cross(d).norm();
  const double theta = std::atan2(sine, cosine);
  const Vec3 p = sine > kLeastSine ? Vec3((d - cosine * a) / sine) : frame.side;
  const Vec3 e = a.cross(p);
  const double cos_phi = p.dot(frame.side), sin_phi = p.dot(a.cross(frame.side));

  ReachConeCoordinates reach;
  const double g = std::hypot(cos_phi / first, sin_phi / second);
  const double slope = cos_phi * sin_phi * (1 / (second * second) - 1 / (first * first)) / g;  // dg/dφ
  const double ratio = sine > kLeastSine ? theta / sine : 1.0;
  reach.swing = widest * theta * g;
  reach.swing_rate = widest * (g * e + slope * ratio * (sine * a - cosine * p));

  const Vec3 transported = Quat::FromTwoVectors(a, d) * frame.side;
  reach.twist = std::atan2(d.dot(transported.cross(frame.limb_side)), transported.dot(frame.limb_side));
  reach.twist_rate = (a + d) / std::max(1 + cosine, kLeastSine);
  return reach;
}

}  // namespace achilles
