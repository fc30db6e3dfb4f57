#include "world/script_path.hpp"

#include <achilles/world.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace achilles {
namespace {

// The curve is parametrized by chords, so that its derivative is about one; below this it counts as zero.
constexpr double kCusp = 1e-6;

/// Rotation vector of a unit quaternion, the short way round.
Vec3 log_of(const Quat& q) {
  const double sign = q.w() < 0 ? -1.0 : 1.0;
  const double sine = q.vec().norm();
  if (sine < 1e-12) return 2 * sign * q.vec();
  return 2 * std::atan2(sine, sign * q.w()) * sign / sine * q.vec();
}

Quat exp_of(const Vec3& turn) {
  const double angle = turn.norm();
  const double share = angle < 1e-12 ? 0.5 : std::sin(angle / 2) / angle;
  return {std::cos(angle / 2), share * turn.x(), share * turn.y(), share * turn.z()};
}

}  // namespace

RotationSpline::RotationSpline(std::vector<double> times, const std::vector<Quat>& keys) : times_(std::move(times)) {
  controls_.resize(keys.size() + 2);
  std::copy(keys.begin(), keys.end(), controls_.begin() + 1);
  extend_ends();
  // Each control rotation weighs most at its own time: moving it by what the curve misses its key by brings the miss
  // down to about a third, every round.
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    double worst = 0;
    std::vector<Quat> next = controls_;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const Vec3 miss = log_of(value(times_[i]).conjugate() * keys[i]);
      worst = std::max(worst, miss.norm());
      next[i + 1] = (controls_[i + 1] * exp_of(miss)).normalized();
    }
    if (worst < 1e-14) break;
    controls_ = std::move(next);
    extend_ends();
  }
}

/// The turn of the first and the last interval goes on beyond them.
void RotationSpline::extend_ends() {
  const std::size_t n = controls_.size();
  controls_[0] = (controls_[1] * (controls_[2].conjugate() * controls_[1])).normalized();
  controls_[n - 1] = (controls_[n - 2] * (controls_[n - 3].conjugate() * controls_[n - 2])).normalized();
}

/// Times, continued beyond both ends at the spacing found there.
double RotationSpline::knot(std::ptrdiff_t index) const {
  const auto last = static_cast<std::ptrdiff_t>(times_.size()) - 1;
  if (index < 0) return times_[0] + static_cast<double>(index) * (times_[1] - times_[0]);
  if (index > last) {
    const auto end = static_cast<std::size_t>(last);
    return times_[end] + static_cast<double>(index - last) * (times_[end] - times_[end - 1]);
  }
  return times_[static_cast<std::size_t>(index)];
}

/// The four cubic B-splines that are not zero in a piece, with their first and second derivatives.
struct RotationSpline::Weights {
  std::array<double, 4> value{1, 0, 0, 0}, rate{}, bend{};
};

/// By the recursion of de Boor, differentiated twice: shares are linear in t.
RotationSpline::Weights RotationSpline::weigh(std::ptrdiff_t piece, double t) const {
  Weights weight;
  for (std::ptrdiff_t degree = 1; degree <= 3; ++degree) {
    Weights next;
    next.value[0] = 0;
    for (std::ptrdiff_t k = 0; k < degree; ++k) {
      const double left = knot(piece + 1 + k - degree);
      const double slope = 1 / (knot(piece + 1 + k) - left);
      const double share = (t - left) * slope;
      const auto here = static_cast<std::size_t>(k);
      next.value[here] += (1 - share) * weight.value[here];
      next.value[here + 1] += share * weight.value[here];
      next.rate[here] += (1 - share) * weight.rate[here] - slope * weight.value[here];
      next.rate[here + 1] += share * weight.rate[here] + slope * weight.value[here];
      next.bend[here] += (1 - share) * weight.bend[here] - 2 * slope * weight.rate[here];
      next.bend[here + 1] += share * weight.bend[here] + 2 * slope * weight.rate[here];
    }
    weight = next;
  }
  return weight;
}

// Cumulative form: q = q₀ Π exp(β_k Ω_k), each difference Ω_k of control rotations taken to the share β_k that is yet
// to come. With e = exp(β Ω) a factor takes the spin w and its rate a, in body axes, to
//   w ← e⁻¹ w + β' Ω,   a ← e⁻¹ a + (e⁻¹ w) × β' Ω + β'' Ω
RotationMotion RotationSpline::motion(double t) const {
  t = std::clamp(t, times_.front(), times_.back());
  const auto after = std::upper_bound(times_.begin() + 1, times_.end() - 1, t);
  const std::ptrdiff_t piece = (after - times_.begin()) - 1;
  const Weights weight = weigh(piece, t);
  const auto first = static_cast<std::size_t>(piece);  // controls_[piece] belongs to knot piece − 1
  Quat q = controls_[first];
  Vec3 w_B = Vec3::Zero(), a_B = Vec3::Zero();
  for (std::size_t k = 1; k < 4; ++k) {
    double share = 0, rate = 0, bend = 0;
    for (std::size_t j = k; j < 4; ++j) {
      share += weight.value[j];
      rate += weight.rate[j];
      bend += weight.bend[j];
    }
    const Vec3 turn = log_of(controls_[first + k - 1].conjugate() * controls_[first + k]);
    const Quat factor = exp_of(share * turn);
    const Vec3 carried = factor.conjugate() * w_B;
    a_B = factor.conjugate() * a_B + carried.cross(rate * turn) + bend * turn;
    w_B = carried + rate * turn;
    q = q * factor;
  }
  q.normalize();
  return {q, q * w_B, q * a_B};
}

ScriptPath::ScriptPath(const ScriptDescription& script, const Pose& start) : start_(start) {
  const std::vector<Vec3> points = remove_equal_neighbours(script.space);
  if (points.size() >= 2 && !script.speed.empty()) {
    has_path_ = true;
    space_ = ArcLengthCurve(points);
    std::vector<double> times, travelled;
    for (const auto& [time, length] : script.speed) {
      times.push_back(time);
      travelled.push_back(length);
    }
    if (times.size() == 1) {
      times.push_back(times[0] + 1);
      travelled.push_back(travelled[0]);
    }
    travel_ = CubicSpline<double>(times, travelled);
  } else if (points.size() == 1) {
    start_.p = points[0];
  }
  if (script.turn.size() >= 2) {
    has_turn_ = true;
    std::vector<double> times;
    std::vector<Quat> keys;
    for (const auto& [time, key] : script.turn) {
      times.push_back(time);
      keys.push_back(key.normalized());
    }
    turn_begin_ = times.front();
    turn_end_ = times.back();
    turn_ = RotationSpline(times, keys);
  } else if (script.turn.size() == 1) {
    start_.q = script.turn[0].second.normalized();
  }
}

/// [Erleben04, eqs. 3.33-3.47] with the arc length s(t) in place of a parameter of the speed spline:
/// r' = C'/|C'| s',  r'' = C'/|C'| s'' + (C'' |C'|² − C' (C'·C''))/|C'|⁴ s'².
void ScriptPath::follow_path(double t, ScriptMotion& motion) const {
  const double time = std::clamp(t, travel_.begin(), travel_.end());
  const double s = travel_.value(time);
  const double u = space_.parameter_at(s);
  motion.pose.p = space_.spline().value(u);
  if (time != t || s < 0 || s > space_.length()) return;
  const Vec3 first = space_.spline().derivative(u), second = space_.spline().second_derivative(u);
  const double squared = first.squaredNorm();
  const double rate = travel_.derivative(time), bend = travel_.second_derivative(time);
  // [Erleben04, sec. 3.3]: where the derivative of the curve vanishes (eq. 3.48) and rounding would choose a direction,
  // velocity and acceleration are those interpolated between both sides.
  if (!(squared > kCusp * kCusp)) {
    const auto direction = [&](double at) {
      return Vec3(space_.spline().derivative(std::clamp(at, 0.0, space_.spline().end())).stableNormalized());
    };
    const double beside = 2 * kCusp / std::max(second.norm(), 1.0);
    const Vec3 along = 0.5 * (direction(u - beside) + direction(u + beside));
    motion.velocity = rate * along;
    motion.acceleration = bend * along;
    return;
  }
  const Vec3 along = first / std::sqrt(squared);
  motion.velocity = rate * along;
  motion.acceleration =
      bend * along + rate * rate / (squared * squared) * (squared * second - first.dot(second) * first);
}

ScriptMotion ScriptPath::motion(double t) const {
  ScriptMotion motion;
  motion.pose = start_;
  if (has_path_) follow_path(t, motion);
  if (has_turn_) {
    const RotationMotion turning = turn_.motion(t);
    motion.pose.q = turning.q;
    if (t >= turn_begin_ && t <= turn_end_) {
      motion.spin = turning.spin;
      motion.angular_acceleration = turning.acceleration;
    }
  }
  return motion;
}

Pose ScriptPath::pose(double t) const { return motion(t).pose; }

ScriptMotion evaluate_script(const WorldScript& script, double t) { return script.path->motion(t); }

}  // namespace achilles
