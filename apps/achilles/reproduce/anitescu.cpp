// Anitescu: one complementarity problem per fixed step, with restitution from the velocity before the collision.
#include "reproduce/disks.hpp"
#include "reproduce/experiment.hpp"

#include <achilles/scene.hpp>
#include <achilles/simulation.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace achilles::reproduce {
namespace {

/// Velocity of the ball after it has met the wall, from scenes/anitescu/wall.yaml with another step.
double velocity_after_wall(const Setting& setting, double h, double e, bool corrected) {
  Scene scene = load_scene(setting.scenes / "anitescu/wall.yaml");
  scene.step = h;
  for (Material& material : scene.materials) material.law.restitution = e;
  scene.method.options["restitution_from"] = std::string(corrected ? "before" : "after");
  scene.method.options["restitution_threshold"] = 0.0;
  Simulation simulation(scene);
  while (simulation.world().time < 1 + 3 * h) (void)simulation.step();
  return simulation.world().bodies.velocity[1].linear.x();
}

std::vector<double> wall_steps(const Setting& setting) {
  const int count = setting.full ? 600 : 200;
  std::vector<double> steps;
  for (int k = 0; k < count; ++k) steps.push_back(0.0999 * std::pow(0.02, static_cast<double>(k) / (count - 1)));
  return steps;
}

Outcome run_wall(const Setting& setting) {
  const double e = 1;
  Curve found{"uncorrected", {}, {}, true}, exact{"exact", {}, {}, false};
  double worst_formula = 0, smallest = 1e9, largest = 0;
  for (const double h : wall_steps(setting)) {
    const double after = velocity_after_wall(setting, h, e, false);
    worst_formula = std::max(worst_formula, std::abs(after + e * (1 / h - std::ceil(1 / h) + 1)));
    found.x.push_back(h);
    found.y.push_back(after);
    exact.x.push_back(h);
    exact.y.push_back(-e);
    if (h < 0.01) smallest = std::min(smallest, after + e), largest = std::max(largest, after + e);
  }
  Outcome outcome;
  outcome.verdict = worst_formula < 1e-9 && largest > 0.9 * e && smallest < 0.1 * e ? Verdict::holds : Verdict::differs;
  outcome.ours = fmt::format("differs from the formula by at most {:.1e}; error from {:.2f} to {:.2f} for h < 0.01",
                             worst_formula, smallest, largest);
  outcome.plots = {
      {"Velocity after the collision, e = 1", "time step [s]", "velocity [m/s]", true, false, {found, exact}}};
  return outcome;
}

/// Error of the first rebound of a ball dropped from 1 m, e = 0.7.
double rebound_error(const Setting& setting, double h, bool corrected) {
  const double e = 0.7;
  Scene scene = load_scene(setting.scenes / "anitescu/table.yaml");
  scene.step = h;
  for (Material& material : scene.materials) material.law.restitution = e;
  scene.method.options["restitution_from"] = std::string(corrected ? "before" : "after");
  scene.method.options["restitution_threshold"] = 0.0;
  Simulation simulation(scene);
  double rebound = 0;
  while (rebound <= 0 && simulation.world().time < 1) {
    (void)simulation.step();
    rebound = simulation.world().bodies.velocity[1].linear.z();
  }
  return std::abs(rebound - e * std::sqrt(2 * 9.81));
}

Outcome run_corrected(const Setting& setting) {
  double worst = 0;
  for (const double h : wall_steps(setting)) {
    for (const double e : {0.4, 1.0}) worst = std::max(worst, std::abs(velocity_after_wall(setting, h, e, true) + e));
  }
  Curve before{"from the velocity before (corrected)", {}, {}, true}, after{"from the velocity after", {}, {}, true};
  Curve bound{"2 g h", {}, {}, false};
  double worst_share = 0;
  for (int k = 0; k < (setting.full ? 120 : 40); ++k) {
    const double h = 0.05 * std::pow(0.9, k);
    for (Curve* curve : {&before, &after, &bound}) curve->x.push_back(h);
    before.y.push_back(rebound_error(setting, h, true));
    after.y.push_back(rebound_error(setting, h, false));
    bound.y.push_back(2 * 9.81 * h);
    worst_share = std::max(worst_share, before.y.back() / bound.y.back());
  }
  Outcome outcome;
  outcome.verdict = worst < 1e-9 && worst_share <= 1 ? Verdict::holds : Verdict::differs;
  outcome.ours =
      fmt::format("wall: within {:.1e} of -e for every h; under gravity at most {:.2f} of 2 g h", worst, worst_share);
  outcome.note =
      "Under gravity the velocity before is at most g h from that of the impact, and one step of gravity acts "
      "before the rebound: the bound is 2 g h.";
  outcome.plots = {{"Error of the first rebound, ball dropped from 1 m, e = 0.7",
                    "time step [s]",
                    "error [m/s]",
                    true,
                    true,
                    {before, after, bound}}};
  return outcome;
}

Outcome run_table(const Setting& setting) {
  const Scene scene = load_scene(setting.scenes / "anitescu/table.yaml");
  Simulation simulation(scene);
  Curve height{"height of the lowest point", {}, {}, false};
  double landed = -1, off = 0;
  while (simulation.world().time < scene.duration - 1e-9) {
    (void)simulation.step();
    const World& world = simulation.world();
    const double gap = world.bodies.position[1].z() - 0.1;
    height.x.push_back(world.time);
    height.y.push_back(gap);
    if (landed >= 0) off = std::max(off, std::abs(gap));
    if (landed < 0 && gap < 1e-12) landed = world.time;
  }
  Outcome outcome;
  outcome.verdict = landed >= 0 && off < 1e-12 ? Verdict::holds : Verdict::differs;
  outcome.ours = fmt::format("lands at {:.2f} s (free fall: {:.3f} s) and then stays within {:.1e} m", landed,
                             std::sqrt(2 / 9.81), off);
  outcome.plots = {{"Ball on a table, e = 0", "time [s]", "height [m]", false, false, {height}}};
  return outcome;
}

Curve make_curve(const std::string& name, const std::vector<double>& x, const std::vector<double>& y) {
  return {name, x, y, false};
}

/// The collapse with every solver, with sweeps for velocities to a few cm/s at speeds of 10 m/s. In short, costly ones
/// are shown at their beginning.
std::vector<CollapseSetting> list_collapses(const Setting& setting) {
  const std::filesystem::path scene = setting.scenes / "anitescu/disks.yaml";
  const double brief = setting.full ? 20 : 0.5, longer = setting.full ? 20 : 5;
  return {{scene, "lemke", brief},        {scene, "dantzig", brief},
          {scene, "jacobi", brief, 2000}, {scene, "gauss-seidel", longer, 1000},
          {scene, "sor", longer, 1000},   {scene, "nonsmooth-cg", 20, 300},
          {scene, "newton", brief}};
}

Outcome run_disks(const Setting& setting) {
  std::vector<Collapse> runs;
  for (const CollapseSetting& collapse : list_collapses(setting)) runs.push_back(run_collapse(collapse));
  Plot contacts{"Contacts per step", "step", "contacts", false, false, {}};
  Plot times{"Time per step", "step", "time [s]", false, true, {}};
  Plot violation{"Constraint violation", "step", "depth [m]", false, false, {}};
  Plot energy{"Total energy", "step", "energy [J]", false, false, {}};
  std::string table;
  const Collapse* fastest = nullptr;  // over the whole 20 s
  bool holds = true;
  for (const Collapse& run : runs) {
    contacts.curves.push_back(make_curve(run.solver, run.step, run.contacts));
    times.curves.push_back(make_curve(run.solver, run.step, run.seconds));
    violation.curves.push_back(make_curve(run.solver, run.step, run.violation));
    energy.curves.push_back(make_curve(run.solver, run.step, run.energy));
    holds = holds && run.violation_max <= 0.08 && run.rise <= 1e-6 * run.energy.front();
    if (run.duration > 19 && (fastest == nullptr || run.mean_seconds() < fastest->mean_seconds())) fastest = &run;
    table.append(
        fmt::format("{}: {:.3g} s in {:.2f} ms a step (worst {:.1f}), residual {:.0e} m/s, violation {:.4f} m, "
                    "rise {:.0e} J. ",
                    run.solver, run.duration, 1e3 * run.mean_seconds(), 1e3 * run.worst_seconds(), run.residual,
                    run.violation_max, run.rise));
  }
  Outcome outcome;
  holds = holds && fastest->mean_seconds() <= 0.005;
  outcome.verdict = holds ? Verdict::holds : Verdict::differs;
  outcome.ours = fmt::format(
      "fastest {}: {:.2f} ms a step, {:.0f} times the paper's 0.5 s; violation {:.4f} m; most new "
      "contacts in a step {}",
      fastest->solver, 1e3 * fastest->mean_seconds(), 0.5 / fastest->mean_seconds(), fastest->violation_max,
      fastest->contact_rise);
  outcome.note = table +
                 "The model gives back a collision's energy one step after it has taken it, and another may take some "
                 "in that step: rise is the most by which energy exceeds its last three values.";
  outcome.plots = {contacts, times, violation, energy};
  return outcome;
}

Outcome run_large_steps(const Setting& setting) {
  Plot speed{"Largest speed of a disk, e = 0", "time [s]", "speed [m/s]", false, false, {}};
  Plot violation{"Largest violation against the step, e = 0", "time step [s]", "depth [m]", true, true, {}};
  Curve depth{"violation", {}, {}, true};
  double fastest = 0, rise = 0;
  for (const double h : {0.05, 0.1, 0.025}) {
    if (h < 0.05 && !setting.full) continue;
    const Collapse run = run_collapse(
        {setting.scenes / "anitescu/disks_large_step.yaml", "nonsmooth-cg", setting.full ? 20.0 : 8.0, 0, h});
    Curve curve{fmt::format("h = {} s", h), {}, run.speed, false};
    for (const double step : run.step) curve.x.push_back(h * step);
    speed.curves.push_back(curve);
    depth.x.push_back(h);
    depth.y.push_back(std::max(run.violation_max, 1e-12));
    fastest = std::max(fastest, *std::max_element(run.speed.begin(), run.speed.end()));
    rise = std::max(rise, run.rise / run.energy.front());
  }
  violation.curves = {depth};
  const double fall = std::sqrt(2 * 9.81 * 55);  // of the topmost disk, all its height
  Outcome outcome;
  outcome.verdict = fastest < fall && rise < 1e-6 ? Verdict::holds : Verdict::differs;
  outcome.ours = fmt::format(
      "h up to 0.1 s: no disk faster than {:.1f} m/s (free fall from the top: {:.1f}), energy "
      "rises by at most {:.0e} of it",
      fastest, fall, rise);
  outcome.plots = {speed, violation};
  return outcome;
}

/// Largest angle between the slip of a sliding block and the friction it feels, over many directions.
double worst_friction_angle(const std::string& solver, int facets) {
  double worst = 0;
  constexpr int kDirections = 24;
  for (int k = 0; k < kDirections; ++k) {
    const double direction = 2 * std::numbers::pi * (k + 0.37) / kDirections;
    Scene scene;
    scene.step = 0.001;
    scene.materials = {Material{"default", {}}};
    scene.materials[0].law.friction = 0.3;
    scene.method.solver = solver;
    if (solver == "lemke") scene.method.options["facets"] = static_cast<double>(facets);
    BodyDescription ground, block;
    ground.name = "ground";
    ground.kind = BodyKind::kFixed;
    ground.shape = {Plane{Vec3::UnitZ(), 0}};
    block.name = "block";
    block.shape = {Sphere{0.1}};
    block.pose.p = Vec3(0, 0, 0.1);
    block.velocity = Vec3(std::cos(direction), std::sin(direction), 0);
    block.locks.bits = Locks::kRx | Locks::kRy | Locks::kRz;
    scene.bodies = {ground, block};
    Simulation simulation(scene);
    (void)simulation.step();
    const Vec3 change = simulation.world().bodies.velocity[1].linear - block.velocity;
    worst = std::max(worst, std::atan2(change.cross(block.velocity).norm(), -change.dot(block.velocity)));
  }
  return worst;
}

Outcome run_pyramid(const Setting&) {
  Curve error{"pyramid (lemke)", {}, {}, true}, bound{"half the angle between corners", {}, {}, false};
  bool within = true;
  for (int facets = 4; facets <= 128; facets *= 2) {
    error.x.push_back(facets);
    bound.x.push_back(facets);
    error.y.push_back(worst_friction_angle("lemke", facets));
    bound.y.push_back(std::numbers::pi / facets);
    within = within && error.y.back() <= bound.y.back() + 1e-9;
  }
  double cone = 0;
  for (const char* solver : {"nonsmooth-cg", "newton"}) cone = std::max(cone, worst_friction_angle(solver, 0));
  Outcome outcome;
  outcome.verdict = within && cone < 1e-6 ? Verdict::holds : Verdict::differs;
  outcome.ours =
      fmt::format("direction of friction off by {:.3f} rad with 4 facets, {:.4f} with 128; the cone itself: {:.0e}",
                  error.y.front(), error.y.back(), cone);
  outcome.note = "Not an experiment of the paper, which replaces the cone by a pyramid without saying what that costs.";
  outcome.plots = {{"Direction error of friction", "facets", "angle [rad]", true, true, {error, bound}}};
  return outcome;
}

}  // namespace

std::vector<Experiment> anitescu_experiments() {
  return {
      {"A1", "Ball against a wall, uncorrected", "section III-D, figure 1",
       "given: x 0, v 1, wall at 1, no gravity, e 1; h from 0.002 to 0.1",
       "velocity after -e (1/h - ceil(1/h) + 1): an error in [0, e) for arbitrarily small h", run_wall},
      {"A2", "Restitution from the velocity before", "section IV",
       "as A1 with e 0.4 and 1; chosen: ball dropped from 1 m, e 0.7, for the error under forces",
       "exactly -e; O(h) in general", run_corrected},
      {"A3", "Ball on a table", "section III-C", "given: no restitution; chosen: radius 0.1 m, from 1 m, h 0.01",
       "the ball sticks to the table: plastic", run_table},
      {"A4", "66 disks", "section V, figures 2-4",
       "given: radius 3, friction 0.15, e 0.4, h 0.05, 20 s; chosen: mass 1, gravity 9.81, walls at 30 degrees, eps "
       "0.01, "
       "TOL 0.05",
       "time follows contacts, under 0.5 s each; at most 7 new contacts a step; energy falls; violation about 0.08",
       run_disks},
      {"A5", "Large steps", "section IV-A", "the 66 disks with e 0, h 0.05 and 0.1", "velocities stay bounded for e 0",
       run_large_steps},
      {"A6", "From the friction pyramid to the cone", "section IV-A, eq. 4.11",
       "chosen: a block that slides in 24 directions", "the friction cone is discretized", run_pyramid},
  };
}

}  // namespace achilles::reproduce
