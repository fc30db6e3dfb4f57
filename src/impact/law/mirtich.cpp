// The contact velocity as a function of the normal impulse p_z.                                    [Mirtich95, sec. 4]
//
// While sliding in direction θ with speed s, the impulse grows along (−µ cos θ, −µ sin θ, 1) and
//
//   s' = g(θ),   s θ' = h(θ),   u_z' = k(θ),          (g, h, k) = K (−µ cos θ, −µ sin θ, 1) along slip, across, normal
//
// [Mirtich95, eq. 9], singular where s vanishes. In the parameter τ with dp_z = s dτ it is regular,
//
//   dθ/dτ = h(θ),   d ln s/dτ = g(θ),   dp_z/dτ = s,
//
// and θ moves on its own: towards a zero of h, never around (the conjecture of section 4.4 that no path spirals). Along
// a zero of h the path is straight and known in closed form, which is all there is in planar collisions, [Routh05].
//
// From u_t = 0 the impulse per p_z is the f, ‖f‖ ≤ µ, that resists the onset of slip most: inside the disc it sticks,
// on its rim slip leaves against f. Strict convexity makes f unique, which proves the section's other conjecture, that
// there is exactly one direction in which sliding resumes.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "impact/disc.hpp"
#include "impact/law/two_body.hpp"

namespace achilles {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Friction can turn sliding into a direction in which pushing brings the bodies nearer, k(θ) < 0 [Mirtich95, footnote
// 1], also while they part. Where that leaves them approaching, they are compressed again.
constexpr int kMaxCompressions = 20;

enum class Goal { kCompressed, kImpulse, kWork };  // u_z = 0, p_z = value, work = value

using Polar = std::array<double, 6>;  // θ, ln s, p_x, p_y, p_z, work

class ImpulseIntegration {
 public:
  ImpulseIntegration(const TwoBodyCollision& c, double accuracy, std::vector<MirtichSample>* path)
      : c_(c), u_(c.u), accuracy_(accuracy), path_(path) {
    scale_ = c.K.cwiseAbs().maxCoeff() * (1 + c.friction);
    sample();
  }

  [[nodiscard]] const Vec3& p() const { return p_; }
  [[nodiscard]] double work() const { return work_; }
  [[nodiscard]] SlidingPath path() const { return kind_; }
  [[nodiscard]] const Vec3& u() const { return u_; }
  void restart_work() { work_ = 0; }

  /// Goes on until the goal is met; false if it never is.
  bool advance(Goal goal, double value) {
    goal_ = goal;
    value_ = value;
    if (c_.friction == 0) return advance_straight({0, 0}, kInfinity);
    if (straight_) return advance_straight(slope_, kInfinity);
    const double slip = u_.head<2>().norm();
    if (slip <= 1e-14 * c_.u.norm()) {
      leave_rest();
      return advance_straight(slope_, kInfinity);
    }
    const Vec2 direction = u_.head<2>() / slip;
    const Vec3 rate = c_.K * impulse_rate(direction);
    const double across = direction.x() * rate.y() - direction.y() * rate.x();
    return std::abs(across) <= 1e-13 * scale_ ? slide_straight(direction, rate) : slide_curved();
  }

 private:
  [[nodiscard]] Vec3 impulse_rate(const Vec2& direction) const {
    return {-c_.friction * direction.x(), -c_.friction * direction.y(), 1};
  }

  void leave_rest() {
    slope_ = minimize_on_disc(c_.K.topLeftCorner<2, 2>(), c_.K.topRightCorner<2, 1>(), c_.friction);
    straight_ = true;
    const bool sticks = slope_.norm() < c_.friction * (1 - 1e-14);
    if (last_direction_.isZero(0)) {
      kind_ = sticks ? SlidingPath::kSticks : SlidingPath::kSlides;
    } else if (sticks) {
      kind_ = SlidingPath::kSticks;
    } else {
      const bool back = slope_.dot(last_direction_) >= (1 - 1e-9) * c_.friction;
      kind_ = back ? SlidingPath::kReverses : SlidingPath::kSticksSlides;
    }
  }

  /// Along the slope f per p_z by at most `limit`. True if the goal is met on the way.
  bool advance_straight(const Vec2& f, double limit) {
    const Vec3 rate(f.x(), f.y(), 1), change = c_.K * rate;
    const double to_goal = distance_to_goal(change.z());
    const double length = std::min(to_goal, limit);
    if (!(length < kInfinity)) return false;
    constexpr int kSamples = 16;
    for (int k = 1; path_ != nullptr && k < kSamples; ++k) {
      const double part = length * k / kSamples;
      path_->push_back({p_.z() + part, u_ + part * change});
    }
    work_ += length * (u_.z() + 0.5 * length * change.z());
    p_ += length * rate;
    u_ += length * change;
    if (to_goal <= limit) {
      sample();
      return true;
    }
    return false;
  }

  [[nodiscard]] double distance_to_goal(double rate) const {
    const double left = value_ - (goal_ == Goal::kImpulse ? p_.z() : work_);
    switch (goal_) {
      case Goal::kCompressed:
        return u_.z() >= 0 ? 0 : rate > 0 ? -u_.z() / rate : kInfinity;
      case Goal::kImpulse:
        return std::max(0.0, left);
      case Goal::kWork:
        break;
    }
    if (left <= 0) return 0;
    const double discriminant = u_.z() * u_.z() + 2 * rate * left;
    if (discriminant < 0) return kInfinity;
    const double root = std::sqrt(discriminant);
    if (u_.z() >= 0) return 2 * left / (u_.z() + root);
    return rate > 0 ? (root - u_.z()) / rate : kInfinity;
  }

  bool slide_straight(const Vec2& direction, const Vec3& rate) {
    const double braking = -direction.dot(rate.head<2>());
    const double until_rest = braking > 0 ? u_.head<2>().norm() / braking : kInfinity;
    if (advance_straight(-c_.friction * direction, until_rest)) return true;
    if (!(until_rest < kInfinity)) return false;
    return go_on_from_rest(direction);
  }

  bool go_on_from_rest(const Vec2& direction) {
    u_.head<2>().setZero();
    last_direction_ = direction;
    sample();
    leave_rest();
    return advance_straight(slope_, kInfinity);
  }

  [[nodiscard]] Polar derivative(const Polar& y) const {
    const Vec2 direction(std::cos(y[0]), std::sin(y[0]));
    const Vec3 dp = impulse_rate(direction), rate = c_.K * dp;
    const double s = std::exp(y[1]), u_z = c_.u.z() + c_.K.row(2).dot(Vec3(y[2], y[3], y[4]));
    return {direction.x() * rate.y() - direction.y() * rate.x(),
            direction.dot(rate.head<2>()),
            s * dp.x(),
            s * dp.y(),
            s,
            s * u_z};
  }

  /// One step of [DormandPrince80]; returns the error over what is allowed.
  double step(const Polar& y, double h, Polar& out) const {
    static constexpr double kA[6][6] = {{1.0 / 5},
                                        {3.0 / 40, 9.0 / 40},
                                        {44.0 / 45, -56.0 / 15, 32.0 / 9},
                                        {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
                                        {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
                                        {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
    static constexpr double kE[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                     -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
    std::array<Polar, 7> k;
    k[0] = derivative(y);
    for (int stage = 0; stage < 6; ++stage) {
      out = y;
      for (int j = 0; j <= stage; ++j) {
        for (int i = 0; i < 6; ++i) out[i] += h * kA[stage][j] * k[j][i];
      }
      k[stage + 1] = derivative(out);
    }
    const double impulse = c_.u.norm() / c_.K(2, 2), energy = impulse * c_.u.norm();
    const double unit[6] = {1, 1, impulse, impulse, impulse, energy};
    double error = 0;
    for (int i = 0; i < 6; ++i) {
      double e = 0;
      for (int j = 0; j < 7; ++j) e += kE[j] * k[j][i];
      error = std::max(error, std::abs(h * e) / (accuracy_ * unit[i]));
    }
    return error;
  }

  /// ≥ 0 once the goal is met.
  [[nodiscard]] double excess(const Polar& y) const {
    switch (goal_) {
      case Goal::kCompressed:
        return c_.u.z() + c_.K.row(2).dot(Vec3(y[2], y[3], y[4]));
      case Goal::kImpulse:
        return y[4] - value_;
      case Goal::kWork:
        break;
    }
    return y[5] - value_;
  }

  bool slide_curved() {
    const double rest = std::log(1e-13 * c_.u.norm());
    Polar y{std::atan2(u_.y(), u_.x()), std::log(u_.head<2>().norm()), p_.x(), p_.y(), p_.z(), work_};
    double h = 0.05 / scale_;
    for (int steps = 0; steps < 5000; ++steps) {
      Polar next;
      const double error = step(y, h, next);
      const double factor = std::clamp(0.9 * std::pow(std::max(error, 1e-10), -0.2), 0.2, 5.0);
      if (!(error <= 1)) {
        h *= std::isfinite(error) ? factor : 0.1;
        continue;
      }
      if (excess(next) >= 0) {
        take(locate(y, h));
        return true;
      }
      y = next;
      take(y);
      h *= factor;
      const Vec2 direction(std::cos(y[0]), std::sin(y[0]));
      if (y[1] < rest) return go_on_from_rest(direction);
      if (const double theta = y[0]; settles(theta)) {
        const Vec2 settled = settled_direction(theta);
        return slide_straight(settled, c_.K * impulse_rate(settled));
      }
    }
    return false;
  }

  /// h and its derivative at θ.
  [[nodiscard]] Vec2 turning(double theta) const {
    const Vec2 r(std::cos(theta), std::sin(theta)), t(-r.y(), r.x());
    const Vec2 rate = (c_.K * impulse_rate(r)).head<2>();
    return {t.dot(rate), -r.dot(rate) - c_.friction * t.dot(c_.K.topLeftCorner<2, 2>() * t)};
  }

  /// Whether sliding has come so close to a direction that it is drawn to that the rest of the turn is below the
  /// accuracy. Following it to the end would take steps of the time it needs to turn, over the time it needs to stop:
  /// stiff.
  [[nodiscard]] bool settles(double theta) const {
    const Vec2 h = turning(theta);
    if (std::abs(h[0]) <= 1e-13 * scale_) return true;
    const double turn = -h[0] / h[1];
    return h[1] < 0 && std::abs(turn) <= 1e-6 && std::abs(turn) * u_.head<2>().norm() <= 0.1 * accuracy_ * c_.u.norm();
  }

  /// The zero of h next to θ, by Newton's method.
  [[nodiscard]] Vec2 settled_direction(double theta) const {
    for (int i = 0; i < 3; ++i) {
      const Vec2 h = turning(theta);
      if (h[1] < 0) theta -= h[0] / h[1];
    }
    return {std::cos(theta), std::sin(theta)};
  }

  /// The point within a step where the goal is met: the Illinois method on the length of the step.
  [[nodiscard]] Polar locate(const Polar& y, double h) const {
    Polar at = y;
    double a = 0, b = h, fa = excess(y);
    static_cast<void>(step(y, b, at));
    double fb = excess(at);
    if (fa >= 0) return y;
    for (int i = 0; i < 60 && fb != 0 && b - a > 1e-15 * h; ++i) {
      const double middle = (a * fb - b * fa) / (fb - fa);
      static_cast<void>(step(y, middle, at));
      const double f = excess(at);
      if (f == 0 || middle == a || middle == b) break;
      if (f > 0) {
        b = middle;
        fb = f;
        fa *= 0.5;
      } else {
        if (a == middle) break;
        a = middle;
        fa = f;
        fb *= 0.5;
      }
    }
    return at;
  }

  void take(const Polar& y) {
    p_ = {y[2], y[3], y[4]};
    work_ = y[5];
    const double s = std::exp(y[1]);
    u_ = {s * std::cos(y[0]), s * std::sin(y[0]), c_.u.z() + c_.K.row(2).dot(p_)};
    sample();
  }

  void sample() {
    if (path_ != nullptr) path_->push_back({p_.z(), u_});
  }

  const TwoBodyCollision& c_;
  Vec3 p_ = Vec3::Zero(), u_;
  double work_ = 0, accuracy_, scale_ = 0, value_ = 0;
  Goal goal_ = Goal::kCompressed;
  bool straight_ = false;  // has been at rest: the path is straight from there on, with slope_ per p_z
  Vec2 slope_ = Vec2::Zero(), last_direction_ = Vec2::Zero();
  SlidingPath kind_ = SlidingPath::kSlides;
  std::vector<MirtichSample>* path_;
};

bool reverse_microcollision(const TwoBodyCollision& c, double speed, MirtichOutcome& outcome) {
  if (-c.u.z() >= speed || !solve_contact_impulse(c.K, -2 * c.u, outcome.p)) return false;
  if (!is_within_cone(outcome.p, c.friction)) return false;
  outcome.u = -c.u;
  outcome.path = SlidingPath::kSticks;
  outcome.microcollision = true;
  return true;
}

/// Compression and restitution, from where the integration stands.
bool rebound(const MirtichLaw& law, double restitution, ImpulseIntegration& integration, MirtichOutcome& outcome) {
  const double start = integration.p().z();
  integration.restart_work();
  if (!integration.advance(Goal::kCompressed, 0)) return false;
  const double compression = integration.p().z() - start, work = integration.work();
  ++outcome.compressions;
  outcome.compression_impulse += compression;
  outcome.compression_work += work;
  if (!(restitution > 0)) return true;
  integration.restart_work();
  return law.hypothesis == RestitutionHypothesis::kPoisson
             ? integration.advance(Goal::kImpulse, start + (1 + restitution) * compression)
             : integration.advance(Goal::kWork, -restitution * restitution * work);
}

}  // namespace

MirtichOutcome collide_mirtich(const TwoBodyCollision& c, const MirtichLaw& law, std::vector<MirtichSample>* path) {
  MirtichOutcome outcome;
  outcome.u = c.u;
  if (!(c.u.z() < 0) || !(c.K(2, 2) > 0)) return outcome;
  if (reverse_microcollision(c, law.microcollision_speed, outcome)) return outcome;
  ImpulseIntegration integration(c, law.accuracy, path);
  bool met = true;
  do {
    met = rebound(law, c.restitution, integration, outcome);
  } while (met && integration.u().z() < -1e-12 * c.u.norm() && outcome.compressions < kMaxCompressions);
  outcome.complete = met;
  outcome.path = integration.path();
  outcome.p = met ? integration.p() : collide_newton(c);
  outcome.u = c.u + c.K * outcome.p;
  return outcome;
}

}  // namespace achilles
