#include "world/script_path.hpp"

#include <achilles/world.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace achilles {
namespace {

double zero_of(double) { return 0; }
Vec3 zero_of(const Vec3&) { return Vec3::Zero(); }

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
  if (depth == kMaxDepth || std::abs(whole - halves) <= 1e-12 * (1 + halves)) return halves;
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
  // Points on top of each other have no direction between them.
  std::vector<Vec3> points;
  for (const Vec3& point : script.space) {
    if (points.empty() || (point - points.back()).norm() > 0) points.push_back(point);
  }
  if (points.size() >= 2 && !script.speed.empty()) {
    has_path_ = true;
    std::vector<double> chords{0};
    for (std::size_t i = 1; i < points.size(); ++i)
      chords.push_back(chords.back() + (points[i] - points[i - 1]).norm());
    space_ = CubicSpline<Vec3>(chords, points);
    lengths_.push_back(0);
    for (std::size_t i = 1; i < chords.size(); ++i) {
      lengths_.push_back(lengths_.back() + measure_length(space_, chords[i - 1], chords[i]));
    }
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

/// Parameter at an arc length: Newton's method on the length within the piece that holds it, bisection where that
/// leaves it.
double ScriptPath::parameter_at(double arc_length) const {
  const std::vector<double>& at = space_.parameters();
  const double s = std::clamp(arc_length, 0.0, lengths_.back());
  const auto after = std::upper_bound(lengths_.begin() + 1, lengths_.end() - 1, s);
  const std::size_t i = static_cast<std::size_t>(after - lengths_.begin()) - 1;
  double low = at[i], high = at[i + 1];
  double u = low + (high - low) * (s - lengths_[i]) / (lengths_[i + 1] - lengths_[i]);
  constexpr int kRounds = 60;
  for (int round = 0; round < kRounds; ++round) {
    const double miss = lengths_[i] + measure_length(space_, at[i], u) - s;
    if (std::abs(miss) <= 1e-12 * (1 + lengths_.back())) break;
    (miss > 0 ? high : low) = u;
    const double speed = space_.derivative(u).norm();
    const double next = speed > 0 ? u - miss / speed : low;
    u = next > low && next < high ? next : 0.5 * (low + high);
  }
  return u;
}

/// [Erleben04, eqs. 3.33-3.47] with the arc length s(t) in place of a parameter of the speed spline:
/// r' = C'/|C'| s',  r'' = C'/|C'| s'' + (C'' |C'|² − C' (C'·C''))/|C'|⁴ s'².
void ScriptPath::follow_path(double t, ScriptMotion& motion) const {
  const double time = std::clamp(t, travel_.begin(), travel_.end());
  const double s = travel_.value(time);
  const double u = parameter_at(s);
  motion.pose.p = space_.value(u);
  if (time != t || s < 0 || s > lengths_.back()) return;
  const Vec3 first = space_.derivative(u), second = space_.second_derivative(u);
  const double squared = first.squaredNorm();
  // [Erleben04, eq. 3.48]: at a cusp there is no direction, and nothing of finite acceleration passes it but at rest.
  if (!(squared > 0)) return;
  const double rate = travel_.derivative(time), bend = travel_.second_derivative(time);
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
