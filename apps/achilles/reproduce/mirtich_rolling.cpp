// Mirtich and Canny: M8 to M10, rolling on a platter and over a terrain, and what the paper names as future work.
#include "reproduce/mirtich_scene.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

namespace achilles::reproduce {
namespace {

// ---- M8, M9 ---------------------------------------------------------------------------------------------------------

struct PlatterRun {
  static constexpr double kRate = 2;  // [rad/s] of the platter

  Watched run;
  Curve path{"ball", {}, {}, false};
  double rate = 0;             // [rad/s] at which the ball circles
  double first = 0, last = 0;  // [m] mean radius of the first and of the last circle
  Vec2 center = Vec2::Zero();  // [m] of the first circle
  double off_axis() const { return center.norm(); }
};

/// Radius and centre of the circle nearest to the points of [begin, end): x² + y² = 2 c·(x, y) + d, least squares.
double fit_circle(const Curve& path, std::size_t begin, std::size_t end, Vec2& center) {
  Mat3 normal = Mat3::Zero();
  Vec3 right = Vec3::Zero();
  for (std::size_t i = begin; i < end; ++i) {
    const Vec3 row(2 * path.x[i], 2 * path.y[i], 1);
    normal += row * row.transpose();
    right += (path.x[i] * path.x[i] + path.y[i] * path.y[i]) * row;
  }
  const Vec3 solution = normal.ldlt().solve(right);
  center = solution.head<2>();
  return std::sqrt(solution.z() + center.squaredNorm());
}

PlatterRun ride_platter(const Setting& setting, const std::vector<Override>& sets, double tolerance) {
  PlatterRun platter;
  double turned = 0;
  Vec3 last = Vec3::Zero();
  platter.run = watch(
      mirtich_file(setting, "platter"), sets, setting.full ? 20 : 11,
      [&](const Simulation& s) {
        const Vec3 v = motion_of(s, "ball").linear;
        if (s.world().step_index > 0) turned += std::atan2(last.cross(v).z(), last.dot(v));
        last = v;
        append(platter.path, place_of(s, "ball").x(), place_of(s, "ball").y());
      },
      tolerance, true);
  platter.rate = turned / platter.run.time;
  const double circle = 2 * std::numbers::pi / platter.rate;  // [s]
  const std::size_t points = platter.path.x.size();
  const auto one = std::min(
      points, static_cast<std::size_t>(std::lround(circle / platter.run.time * static_cast<double>(points - 1))));
  Vec2 ignored;
  platter.first = fit_circle(platter.path, 0, one, platter.center);
  platter.last = fit_circle(platter.path, points - one, points, ignored);
  return platter;
}

Outcome run_platter(const Setting& setting) {
  const PlatterRun own = ride_platter(setting, {}, 1e-5), paper = ride_platter(setting, as_in_paper(1e-4), 1e-4);
  const PlatterRun other = ride_platter(
      setting, {{"bodies.ball.position", "[1.003, -0.002, 0.1]"}, {"bodies.ball.velocity", "[0, 0.51, 0]"}}, 1e-5);
  const auto rate_off = [](const PlatterRun& run) { return std::abs(run.rate / (2.0 / 7 * PlatterRun::kRate) - 1); };
  Outcome outcome;
  outcome.clauses = {
      {"the ball rolls in circles not centred on the axis",
       fmt::format("radius {:.4f} m about a point {:.3f} m off the axis", own.first, own.off_axis()),
       !own.run.stopped && own.run.violations == 0 && own.off_axis() > 0.05},
      {"ideal: at 2/7 of the platter's rate", fmt::format("{:.5f} (2/7 = 0.28571)", own.rate / PlatterRun::kRate),
       rate_off(own) < 0.005},
      {"the radius grows slowly (experiment and paper; ideal rolling keeps it)",
       fmt::format("{:.5f} to {:.5f} m in {:.0f} s, with the paper's frame and tolerance {:.5f} to {:.5f} m", own.first,
                   own.last, own.run.time, paper.first, paper.last),
       std::max(own.last / own.first, paper.last / paper.first) > 1.001},
      {"at the paper's frame of 1/30 s and 1 mm: circles at that rate",
       fmt::format("rate {:.5f}, radius {:.4f} to {:.4f} m, {:.3f} m off the axis", paper.rate / PlatterRun::kRate,
                   paper.first, paper.last, paper.off_axis()),
       !paper.run.stopped && rate_off(paper) < 0.05 && paper.off_axis() > 0.05},
      {"perturbed (3.6 mm off, slip of 10 mm/s): circles at the same rate",
       fmt::format("rate {:.5f}, radius {:.4f} to {:.4f} m", other.rate / PlatterRun::kRate, other.first, other.last),
       !other.run.stopped && rate_off(other) < 0.02},
  };
  outcome.note =
      "What makes the radius grow is what rolling loses. Here microcollisions of a ball that rolls lose nothing, "
      "whatever "
      "restitution and tolerance, and the circle stays as in the ideal.";
  outcome.plots.push_back(
      {"Ball on a spinning platter, from above", "x [m]", "y [m]", false, false, {own.path, paper.path}});
  outcome.plots.back().curves.back().name = "as in the paper";
  return outcome;
}

struct TerrainRun {
  Watched run;
  Curve path{"ball", {}, {}, false};
  int ramp_bounces = 0, ground_bounces = 0;
  double ramp_rolling = 0, ground_rolling = 0;  // [s]
  double flight = 0;                            // [s] beyond the ramp, before the first touch of the ground
  double slip = 0;                              // share of the speed, at the end

  [[nodiscard]] std::string text() const {
    return fmt::format(
        "{} bounces and {:.2f} s of rolling on the ramp, {:.2f} s of flight, {} bounces and {:.2f} s of rolling on the "
        "ground, "
        "slip {:.1f} % at the end, penetration {:.0e} m",
        ramp_bounces, ramp_rolling, flight, ground_bounces, ground_rolling, 100 * slip, run.penetration);
  }
  [[nodiscard]] bool holds(double tolerance) const {
    return !run.stopped && run.penetration <= tolerance && run.violations == 0 && ramp_rolling > 0.1 && flight > 0.05 &&
           ground_rolling > 0.1 && slip < 0.05;
  }
};

TerrainRun run_over_terrain(const Setting& setting, const std::vector<Override>& sets, double tolerance) {
  constexpr double kAngle = 0.261799387799, kRadius = 0.1;
  const Vec3 up(std::sin(kAngle), 0, std::cos(kAngle));
  TerrainRun terrain;
  const double h = load_scene(mirtich_file(setting, "terrain"), sets).step;
  double last_rise = 0;
  bool touched = false;
  terrain.run = watch(
      mirtich_file(setting, "terrain"), sets, 5,
      [&](const Simulation& s) {
        const Vec3& p = place_of(s, "ball");
        const BodyVelocity& u = motion_of(s, "ball");
        append(terrain.path, p.x(), p.z());
        const bool over_ramp = Vec3(p - Vec3(0, 0, 0.8)).dot(Vec3(up.z(), 0, -up.x())) < 1;
        const Vec3 normal = over_ramp ? up : Vec3::UnitZ();
        const double gap = over_ramp ? up.dot(p - Vec3(0, 0, 0.8)) - 0.05 - kRadius : p.z() - kRadius;
        const double rise = normal.dot(u.linear);
        const Vec3 contact = u.linear + u.angular.cross(-kRadius * normal);
        terrain.slip = contact.norm() / u.linear.norm();
        const bool rolls = gap < 20 * tolerance && terrain.slip < 0.05;
        if (last_rise < -0.05 && rise > 0) ++(over_ramp ? terrain.ramp_bounces : terrain.ground_bounces);
        touched = touched || (!over_ramp && gap < 20 * tolerance);
        if (!over_ramp && !touched) terrain.flight += h;
        if (rolls) (over_ramp ? terrain.ramp_rolling : terrain.ground_rolling) += h;
        last_rise = rise;
      },
      tolerance, true);
  return terrain;
}

Outcome run_terrain(const Setting& setting) {
  const TerrainRun own = run_over_terrain(setting, {}, 1e-5);
  const TerrainRun paper = run_over_terrain(setting, as_in_paper(1e-4), 1e-4);
  const TerrainRun other = run_over_terrain(
      setting, {{"bodies.ball.position", "[-0.713, 0.02, 1.52]"}, {"bodies.ball.spin", "[0, 1, 0.3]"}}, 1e-5);
  Outcome outcome;
  outcome.clauses = {
      {"bounces, rolls, leaves, bounces and rolls on in one run",
       fmt::format("{}, {} events", own.text(), own.run.costs.events),
       own.holds(1e-5) && own.ramp_bounces > 1 && own.ground_bounces > 1},
      {"at the paper's frame of 1/30 s and 0.1 mm: the same", paper.text(), paper.holds(1e-4)},
      {"perturbed (dropped from 20 mm higher, spinning): the same", other.text(),
       other.holds(1e-5) && other.ramp_bounces > 1 && other.ground_bounces > 1},
  };
  outcome.note = "At 30 frames a second bounces are not counted: several fall into one frame.";
  outcome.plots.push_back({"Ball over a ramp", "x [m]", "height [m]", false, false, {own.path, paper.path}});
  outcome.plots.back().curves.back().name = "as in the paper";
  return outcome;
}

// ---- M10 ------------------------------------------------------------------------------------------------------------

struct Settling {
  const char* scene;
  const char* method;
  double tolerance;  // [m]
  double shortened;  // [s] of simulation in the default size
};

Outcome run_hybrid(const Setting& setting) {
  Outcome outcome;
  outcome.plots.push_back({"Coming to rest", "time [s]", "kinetic energy [J]", false, true, {}});
  for (const Settling& one :
       {Settling{"stack_of_ten", "hybrid", 1e-4, 1}, Settling{"arch", "hybrid", 1e-4, 1},
        Settling{"pile", "hybrid", 1e-4, 1}, Settling{"stack_of_ten", "impulse-zeno-free", 1e-7, 1},
        Settling{"arch", "impulse-zeno-free", 1e-7, 1}, Settling{"pile", "impulse-zeno-free", 1e-7, 0.35}}) {
    Curve energy{fmt::format("{}, {}", one.scene, one.method), {}, {}, false};
    const Watched run = watch(
        mirtich_file(setting, one.scene), {{"method", fmt::format("{{name: {}}}", one.method)}},
        setting.full ? 4 : one.shortened,
        [&](const Simulation& s) { append(energy, s.world().time, std::max(1e-12, s.world().kinetic_energy())); },
        one.tolerance, std::string_view(one.method) != "hybrid");
    const double factor = run.time / run.processor_seconds;
    const bool rests = !setting.full || energy.y.back() < 1e-6;
    outcome.clauses.push_back(
        {fmt::format("beyond: {} under {}{}", one.scene, one.method, setting.full ? " comes to rest" : ""),
         fmt::format(
             "penetration {:.0e} m, {} violations between steps, {:.0e} J left after {} s, {:.1f} times real time",
             run.penetration, run.violations, energy.y.back(), setting.full ? 4 : one.shortened, factor),
         !run.stopped && run.penetration <= one.tolerance && run.violations == 0 && rests});
    outcome.plots.front().curves.push_back(energy);
  }
  outcome.note =
      "What the paper names as future work: groups that rest go to a constraint method. Speed by processor time.";
  return outcome;
}

}  // namespace

std::vector<Experiment> mirtich_rolling_experiments() {
  return {
      {"M8", "Ball on a platter", "figure 11",
       "given: high µ, matching contact velocities; chosen: µ 1, 2 rad/s, 0.5 m/s",
       "circles not centred on the axis, slowly growing; ideal: 2/7 of the platter's rate", run_platter},
      {"M9", "Ball over a terrain", "figure 1", "chosen: ramp of 15 degrees, µ 0.4, e 0.5",
       "every transition without a special case", run_terrain},
      {"M10", "Stack, arch and pile", "section 5.2",
       "chosen: ten boxes, seven stones, fifty hulls; hybrid and impulse-zeno-free",
       "future work: constraint-based and impulse-based in one system", run_hybrid},
  };
}

}  // namespace achilles::reproduce
