// M1 to M3: one collision with friction, integrated over the normal impulse.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "impact/law/two_body.hpp"
#include "reproduce/experiment.hpp"

namespace achilles::reproduce {
namespace {

/// The response matrix of M1 and M3. The paper does not give its own; this one is much stiffer along y than along x, as
/// the end of a lying rod is, and pushes sideways, so that paths bend, stop and go on.
Mat3 chosen_response() {
  Mat3 K;
  K << 10, 0.5, 0.6, 0.5, 1, 1, 0.6, 1, 2.5;
  return K;
}

double slip_of(const MirtichSample& sample) { return sample.u.head<2>().norm(); }

Curve tangential_curve(const std::string& name, const std::vector<MirtichSample>& path) {
  Curve curve{name, {}, {}, false};
  for (const MirtichSample& sample : path) {
    curve.x.push_back(sample.u.x());
    curve.y.push_back(sample.u.y());
  }
  return curve;
}

/// How far the direction of sliding turns from the first to the last sample that slides, before a stop [rad].
double turn_of(const std::vector<MirtichSample>& path) {
  double turn = 0, last = 0;
  bool first = true;
  for (const MirtichSample& sample : path) {
    if (slip_of(sample) < 1e-9) break;
    const double angle = std::atan2(sample.u.y(), sample.u.x());
    if (!first) turn += std::remainder(angle - last, 2 * std::numbers::pi);
    first = false;
    last = angle;
  }
  return std::abs(turn);
}

/// Directions in which sliding leaves rest: zeros of the turning rate h(θ) at which the speed grows, g(θ) > 0.
int count_outgoing(const Mat3& K, double mu) {
  const auto rate = [&](double theta) {
    const Vec2 r(std::cos(theta), std::sin(theta));
    const Vec3 u = K * Vec3(-mu * r.x(), -mu * r.y(), 1);
    return std::pair(r.x() * u.y() - r.y() * u.x(), r.dot(u.head<2>()));
  };
  constexpr int kSteps = 3600;
  int count = 0;
  for (int k = 0; k < kSteps; ++k) {
    const double a = 2 * std::numbers::pi * k / kSteps, b = 2 * std::numbers::pi * (k + 1) / kSteps;
    count += rate(a).first * rate(b).first < 0 && rate(0.5 * (a + b)).second > 0;
  }
  return count;
}

// ---- M1 -------------------------------------------------------------------------------------------------------------

Outcome run_trajectories(const Setting&) {
  constexpr double kFriction = 0.55;
  TwoBodyCollision c;
  c.K = chosen_response();
  c.friction = kFriction;
  c.restitution = 0.5;
  Outcome outcome;
  Plot plot{"sliding velocity during collisions, friction 0.55", "u_x [m/s]", "u_y [m/s]", false, false, {}};
  Curve starts{"starts", {}, {}, true};
  int faster = 0, stopped = 0;
  double most_turn = 0, spread = 0;
  Vec2 outgoing = Vec2::Zero();
  for (int k = 0; k < 24; ++k) {
    const double angle = 2 * std::numbers::pi * k / 24, speed = k % 2 == 0 ? 1 : 0.5;
    c.u = {speed * std::cos(angle), speed * std::sin(angle), -2};
    std::vector<MirtichSample> path;
    const MirtichOutcome result = collide_mirtich(c, MirtichLaw{}, &path);
    starts.x.push_back(c.u.x());
    starts.y.push_back(c.u.y());
    plot.curves.push_back(tangential_curve(fmt::format("{:.0f} degrees", angle * 180 / std::numbers::pi), path));
    most_turn = std::max(most_turn, turn_of(path));
    faster += std::any_of(path.begin(), path.end(),
                          [&](const MirtichSample& sample) { return slip_of(sample) > 1.001 * speed; });
    if (result.path != SlidingPath::kSticksSlides) continue;
    const Vec2 direction = result.u.head<2>().normalized();
    if (stopped++ == 0) outgoing = direction;
    spread = std::max(spread, (direction - outgoing).norm());
  }
  plot.curves.push_back(std::move(starts));
  const int directions = count_outgoing(c.K, kFriction);
  outcome.clauses = {
      {"sliding may speed up", fmt::format("{} of 24 paths do", faster), faster > 0},
      {"paths never spiral around the origin",
       fmt::format("none turns by more than {:.0f} degrees", most_turn * 180 / std::numbers::pi),
       most_turn < std::numbers::pi},
      {"one outgoing direction",
       fmt::format("{}, taken by all {} paths that stop and go on, to {:.0e}", directions, stopped, spread),
       directions == 1 && spread <= 1e-9 && stopped > 0},
  };
  outcome.note =
      "the direction out of rest minimizes a strictly convex function, so that there is always exactly one: the "
      "conjecture "
      "of section 4.4";
  outcome.plots.push_back(std::move(plot));
  return outcome;
}

// ---- M2 -------------------------------------------------------------------------------------------------------------

Outcome run_rod(const Setting&) {
  // A rod of mass 1 and half length 0.5 whose lower end meets the floor at 45 degrees, falling straight.
  constexpr double m = 1, l = 0.5, I = m * l * l / 3;
  const double arm = l * std::sqrt(0.5);
  TwoBodyCollision c;
  c.K = Mat3::Identity() / m;
  c.K(0, 0) += arm * arm / I;
  c.K(1, 1) += l * l / I;
  c.K(2, 2) += arm * arm / I;
  c.K(0, 2) = c.K(2, 0) = arm * arm / I;
  c.u = {0, 0, -1};
  c.restitution = 0.5;
  Outcome outcome;
  Plot plot{"tangential velocity of the rod's end", "normal impulse p_z [N s]", "u_x [m/s]", false, false, {}};
  double worst = 0, final_slip = 0;
  for (const double mu : {0.0, 0.2, 0.4}) {
    c.friction = mu;
    std::vector<MirtichSample> path;
    const MirtichOutcome result = collide_mirtich(c, MirtichLaw{}, &path);
    Curve curve{fmt::format("friction {}", mu), {}, {}, false};
    for (const MirtichSample& sample : path) {
      curve.x.push_back(sample.p_z);
      curve.y.push_back(sample.u.x());
      worst = std::max(worst, std::abs(sample.u.x() - (c.K(0, 2) - mu * c.K(0, 0)) * sample.p_z));
    }
    if (mu == 0.2) final_slip = result.u.x();
    plot.curves.push_back(std::move(curve));
  }
  outcome.clauses = {
      {"tangential velocity grows from zero although friction resists",
       fmt::format("with friction 0.2 from 0 to {:.3f} m/s", final_slip), final_slip > 0},
      {"beyond: u_x = (K_xz - mu K_xx) p_z", fmt::format("to {:.0e} m/s for friction 0, 0.2 and 0.4", worst),
       worst <= 1e-12},
  };
  outcome.plots.push_back(std::move(plot));
  return outcome;
}

// ---- M3 -------------------------------------------------------------------------------------------------------------

Outcome run_paths(const Setting&) {
  TwoBodyCollision c;
  c.K = chosen_response();
  c.u = {0.05, -0.3, -2};
  c.restitution = 0.5;
  const double sticking = (c.K.topLeftCorner<2, 2>().inverse() * c.K.topRightCorner<2, 1>()).norm();
  struct Case {
    const char* name;
    double mu;
    SlidingPath expected;
  };
  const Case cases[] = {{"A", 0.01, SlidingPath::kSlides},
                        {"B", 0.5 * sticking, SlidingPath::kSticksSlides},
                        {"C", 1.2 * sticking, SlidingPath::kSticks}};
  Outcome outcome;
  Plot flat{"paths A, B and C", "u_x [m/s]", "u_y [m/s]", false, false, {}};
  Plot speed{"sliding speed over the collision", "normal impulse p_z [N s]", "|u_t| [m/s]", false, false, {}};
  const char* const claims[] = {"slides throughout", "sticks and slides again", "sticks"};
  for (const Case& one : cases) {
    c.friction = one.mu;
    std::vector<MirtichSample> path;
    const MirtichOutcome result = collide_mirtich(c, MirtichLaw{}, &path);
    double least = 1;
    Curve curve{one.name, {}, {}, false};
    for (const MirtichSample& sample : path) {
      least = std::min(least, slip_of(sample));
      curve.x.push_back(sample.p_z);
      curve.y.push_back(slip_of(sample));
    }
    flat.curves.push_back(tangential_curve(one.name, path));
    speed.curves.push_back(std::move(curve));
    outcome.clauses.push_back(
        {fmt::format("{} {}", one.name, claims[outcome.clauses.size()]),
         fmt::format("friction {:.2f}: slowest {:.1e}, leaves at {:.2f} m/s", one.mu, least, result.u.head<2>().norm()),
         result.path == one.expected});
  }
  outcome.note = "one response matrix for all three; only friction differs";
  outcome.plots = {std::move(flat), std::move(speed)};
  return outcome;
}

}  // namespace

std::vector<Experiment> mirtich_collision_experiments() {
  return {
      {"M1", "collision trajectories", "figure 5", "friction 0.55; chosen: response matrix, 24 starts, e 0.5",
       "sliding may speed up; paths never spiral around the origin; one outgoing direction", run_trajectories},
      {"M2", "rod", "figure 6", "chosen: rod of 1 m at 45 degrees, falling straight at 1 m/s, e 0.5",
       "tangential velocity grows from zero although friction resists", run_rod},
      {"M3", "paths A, B, C", "figure 7", "chosen: one response matrix, friction 0.01, 0.50 and 1.19",
       "A slides throughout, B sticks and slides again, C sticks", run_paths},
  };
}

}  // namespace achilles::reproduce
