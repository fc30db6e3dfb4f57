// Erleben's chapter 4 and section 6.1: the two balls, the first-order world; the rest is in erleben_time_stepping.cpp.
#include "reproduce/erleben_time_stepping.hpp"
#include "reproduce/experiment.hpp"

#include <achilles/scene.hpp>
#include <achilles/simulation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace achilles::reproduce {
namespace {

struct TwoBallSolve {
  int iterations = 0;
  double residual = 0;  // [m/s]
};

/// The first step of the two balls, with at most so many sweeps; the upper one `aside` [m] of the lower one's top.
TwoBallSolve solve_two_balls(const Setting& setting, const std::string& solver, double sweeps, double tolerance,
                             double aside = 0) {
  Scene scene = load_scene(setting.scenes / "erleben/two_balls.yaml");
  scene.bodies[2].pose.p += Vec3(aside, 0, std::sqrt(2.25 - aside * aside) - 1.5);
  scene.method.name = "lcp-fixed";
  scene.method.solver = solver;
  scene.method.options["iterations"] = sweeps;
  scene.method.options["tolerance"] = tolerance;
  Simulation simulation(scene);
  const StepReport report = simulation.step();
  return {report.iterations, report.residual};
}

Outcome run_two_balls(const Setting& setting) {
  constexpr double kTolerance = 1e-6;
  constexpr double kMost = 1e6;
  Plot plot{"Residual of the first step", "sweeps", "residual [m/s]", true, true, {}};
  std::string table;
  int plain = 0, best = 0;
  for (const char* solver : {"jacobi", "gauss-seidel", "sor", "nonsmooth-cg"}) {
    const TwoBallSolve done = solve_two_balls(setting, solver, kMost, kTolerance);
    Curve curve{solver, {}, {}, false};
    for (double sweeps = 1; sweeps < 2 * done.iterations; sweeps *= 2) {
      curve.x.push_back(sweeps);
      curve.y.push_back(std::max(solve_two_balls(setting, solver, sweeps, 0).residual, 1e-16));
    }
    plot.curves.push_back(curve);
    table.append(fmt::format("{} {}, ", solver, done.iterations));
    if (std::string_view(solver) == "gauss-seidel") plain = done.iterations;
    if (std::string_view(solver) == "nonsmooth-cg") best = done.iterations;
  }
  for (const char* solver : {"newton", "lemke", "dantzig"}) {
    const TwoBallSolve done = solve_two_balls(setting, solver, 1000, kTolerance);
    table.append(fmt::format("{} {}{}", solver, done.iterations, std::string_view(solver) == "dantzig" ? "" : ", "));
  }
  Outcome outcome;
  const int aside = solve_two_balls(setting, "gauss-seidel", kMost, kTolerance, 0.01).iterations;
  outcome.clauses = {
      {"Gauss-Seidel takes about 64,000 sweeps", fmt::format("{} to 1e-6 m/s", plain), plain > 32000 && plain < 128000},
      {"perturbed (upper ball 10 mm aside): as many", fmt::format("{}", aside), aside > 32000 && aside < 128000},
      {"beyond: orders fewer", fmt::format("nonsmooth-cg {}", best), best * 1000 < plain},
  };
  outcome.ours = "sweeps (or pivots, linear systems): " + table;
  outcome.note =
      "Gauss-Seidel gains the factor 8000/8001 a sweep, 18,400 sweeps a digit; the thesis does not state where "
      "it stops. Conjugate directions end after as many steps as there are rows.";
  outcome.plots = {plot};
  return outcome;
}

/// Angle of a box about the vertical.
double heading(const World& world, std::size_t body) {
  const Vec3 x = world.bodies.orientation[body] * Vec3::UnitX();
  return std::atan2(x.y(), x.x());
}

struct Alignment {
  Plot plot;
  double left = 0, right = 0;  // [rad] turned when they first are aligned
  bool aligned = false;
};

/// Figures 4.30-4.31: the left box, turned by 0.2 rad, is pulled to the right against the other one.
Alignment align_boxes(const Setting& setting, const std::string& file, const std::string& title) {
  Scene scene = load_scene(setting.scenes / "erleben" / file);
  scene.bodies[0].pose.q = Quat(Eigen::AngleAxisd(0.2, Vec3::UnitZ()));
  scene.bodies[0].pose.p = Vec3(-0.5, 0, 0);
  scene.bodies[0].force = Vec3(1, 0, 0);
  Simulation simulation(scene);
  const World& world = simulation.world();
  Alignment out;
  Curve left{"left (pulled)", {}, {}, false}, right{"right", {}, {}, false};
  while (world.time < 4 && !out.aligned) {
    (void)simulation.step();
    out.aligned = std::abs(heading(world, 0) - heading(world, 1)) < 1e-3;
    left.x.push_back(world.time);
    right.x.push_back(world.time);
    left.y.push_back(heading(world, 0));
    right.y.push_back(heading(world, 1));
  }
  out.left = std::abs(left.y.back() - 0.2);
  out.right = std::abs(right.y.back());
  out.plot = {title, "time [s]", "angle [rad]", false, false, {left, right}};
  return out;
}

/// Figure 4.32: how far each box is moved to take out an overlap of 0.2 m.
std::pair<double, double> separate_boxes(const Setting& setting, const std::string& file) {
  const Scene scene = load_scene(setting.scenes / "erleben" / file);
  Simulation simulation(scene);
  for (int k = 0; k < 20; ++k) (void)simulation.step();
  const World& world = simulation.world();
  return {scene.bodies[0].pose.p.x() - world.bodies.position[0].x(),
          world.bodies.position[1].x() - scene.bodies[1].pose.p.x()};
}

Outcome run_first_order(const Setting& setting) {
  const Alignment equal = align_boxes(setting, "first_order_equal.yaml", "Two equal boxes, the left one pulled");
  const Alignment unequal = align_boxes(setting, "first_order_unequal.yaml", "The left box a tenth as heavy");
  const auto [left, right] = separate_boxes(setting, "first_order_unequal.yaml");
  Outcome outcome;
  const bool aligned = equal.aligned && unequal.aligned && std::abs(equal.left / equal.right - 1) < 0.2;
  outcome.clauses = {
      {"two boxes are aligned by pulling one against the other",
       fmt::format("equal boxes turn by {:.3f} and {:.3f} rad", equal.left, equal.right), aligned},
      {"of unequal boxes the lighter one moves more", fmt::format("{:.3f} and {:.3f} rad", unequal.left, unequal.right),
       unequal.left > 2 * unequal.right},
      {"penetration is removed, in the ratio of the masses",
       fmt::format("overlap of 0.2 m: the lighter is moved {:.3f} m, the other {:.3f} m", left, right),
       std::abs(left + right - 0.2) < 1e-3 && std::abs(left / right - 10) < 1e-6},
  };
  outcome.plots = {equal.plot, unequal.plot};
  return outcome;
}

}  // namespace

std::vector<Experiment> erleben_complementarity_experiments() {
  return {
      {"E6", "A heavy ball on a light one", "section 6.1.7, figure 6.23",
       "given: radii 0.5 and 1, densities 1 and 1000, no friction, h 0.01", "about 64,000 sweeps of Gauss-Seidel",
       run_two_balls},
      {"E16", "The first-order world", "section 4.16, figures 4.30-4.32",
       "given: two boxes of equal and of unequal mass; chosen: 1 m, 1 and 10 kg, 0.2 rad, 1 N, overlap 0.2 m",
       "the boxes align; the lighter one moves more; penetration is removed", run_first_order},
      {"E17", "Frontispieces", "pages iv-v",
       "given: 128 balls, a robot, 10 jacks; chosen: all sizes, see scenes/erleben/{funnel,robot,ventilator}.yaml",
       "they run: complementarity problems with contacts, joints, motors and stabilization", run_frontispieces},
      {"E18", "Artefacts of time stepping", "section 4.12, figures 4.16-4.25",
       "chosen: ball at 1 m/s and h 0.01; box 0.05 m deep; rod against a box; ball into a groove",
       "objects with a force field; bouncing from stabilization; penetration by tipping and at concave boundaries",
       run_artefacts},
  };
}

}  // namespace achilles::reproduce
