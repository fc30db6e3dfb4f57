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

/// Velocity of the ball after it has met the wall, from scenes/anitescu/wall.yaml with another step, `start` [m]
/// nearer.
double velocity_after_wall(const Setting& setting, double h, double e, bool corrected, double start = 0) {
  Scene scene = load_scene(setting.scenes / "anitescu/wall.yaml");
  scene.step = h;
  scene.bodies[1].pose.p.x() += start;
  for (Material& material : scene.materials) material.law.restitution = e;
  scene.method.options["restitution_from"] = std::string(corrected ? "before" : "after");
  scene.method.options["restitution_threshold"] = 0.0;
  Simulation simulation(scene);
  while (simulation.world().time < 1 + std::abs(start) + 3 * h) (void)simulation.step();
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
  double worst_formula = 0, worst_other = 0, smallest = 1e9, largest = 0;
  for (const double h : wall_steps(setting)) {
    const double after = velocity_after_wall(setting, h, e, false);
    worst_formula = std::max(worst_formula, std::abs(after + e * (1 / h - std::ceil(1 / h) + 1)));
    found.x.push_back(h);
    found.y.push_back(after);
    exact.x.push_back(h);
    exact.y.push_back(-e);
    const double off = 0.0123 * std::sin(1 / h);
    const double steps = (1 - off) / h;
    worst_other = std::max(
        worst_other, std::abs(velocity_after_wall(setting, h, e, false, off) + e * (steps - std::ceil(steps) + 1)));
    if (h < 0.01) smallest = std::min(smallest, after + e), largest = std::max(largest, after + e);
  }
  Outcome outcome;
  outcome.clauses = {
      {"velocity after = -e (1/h - ceil(1/h) + 1)", fmt::format("to {:.1e} at {} steps", worst_formula, found.x.size()),
       worst_formula < 1e-9},
      {"an error anywhere in [0, e) for arbitrarily small h",
       fmt::format("from {:.2f} to {:.2f} for h < 0.01", smallest, largest),
       largest > 0.9 * e && largest < e && smallest < 0.1 * e && smallest >= -1e-9},
      {"other starts: up to 12 mm nearer or farther", fmt::format("the formula to {:.1e}", worst_other),
       worst_other < 1e-9},
  };
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
    for (const double e : {0.4, 1.0}) {
      for (const double start : {0.0, 0.0123 * std::sin(1 / h)}) {
        worst = std::max(worst, std::abs(velocity_after_wall(setting, h, e, true, start) + e));
      }
    }
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
  outcome.clauses = {
      {"exactly -e at the wall", fmt::format("to {:.1e} for every h and start, e 0.4 and 1", worst), worst < 1e-9},
      {"an error of O(h) in general", fmt::format("under gravity at most {:.2f} of 2 g h", worst_share),
       worst_share <= 1},
  };
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

struct Landing {
  double time = -1;  // [s]
  double off = 0;    // [m] off the table afterwards
  Curve height{"height of the lowest point", {}, {}, false};
};

/// The ball dropped from `extra` [m] higher, with a sideways speed [m/s].
Landing land_on_table(const Setting& setting, double extra, double sideways) {
  Scene scene = load_scene(setting.scenes / "anitescu/table.yaml");
  scene.bodies[1].pose.p.z() += extra;
  scene.bodies[1].velocity.x() = sideways;
  Simulation simulation(scene);
  Landing landing;
  while (simulation.world().time < scene.duration - 1e-9) {
    (void)simulation.step();
    const World& world = simulation.world();
    const double gap = world.bodies.position[1].z() - 0.1;
    landing.height.x.push_back(world.time);
    landing.height.y.push_back(gap);
    if (landing.time >= 0) landing.off = std::max(landing.off, std::abs(gap));
    if (landing.time < 0 && gap < 1e-12) landing.time = world.time;
  }
  return landing;
}

Outcome run_table(const Setting& setting) {
  const Landing exact = land_on_table(setting, 0, 0), other = land_on_table(setting, 0.0137, 0.3);
  Outcome outcome;
  outcome.clauses = {
      {"the ball sticks to the table: plastic",
       fmt::format("lands at {:.2f} s (free fall: {:.3f} s) and then stays within {:.1e} m", exact.time,
                   std::sqrt(2 / 9.81), exact.off),
       exact.time >= 0 && exact.off < 1e-12},
      {"perturbed (13.7 mm higher, 0.3 m/s sideways): the same",
       fmt::format("lands at {:.2f} s (free fall: {:.3f} s), stays within {:.1e} m", other.time,
                   std::sqrt(2 * 1.0137 / 9.81), other.off),
       other.time >= 0 && other.off < 1e-12},
  };
  outcome.plots = {{"Ball on a table, e = 0", "time [s]", "height [m]", false, false, {exact.height}}};
  return outcome;
}

Curve make_curve(const std::string& name, const std::vector<double>& x, const std::vector<double>& y) {
  return {name, x, y, false};
}

/// The collapse with every solver, with sweeps for velocities to a few cm/s at speeds of 10 m/s. In short, costly ones
/// are shown at their beginning. The last run starts perturbed.
std::vector<CollapseSetting> list_collapses(const Setting& setting) {
  const std::filesystem::path scene = setting.scenes / "anitescu/disks.yaml";
  const double brief = setting.full ? 20 : 0.5, longer = setting.full ? 20 : 5;
  return {{scene, "lemke", brief},          {scene, "dantzig", brief},
          {scene, "jacobi", brief, 2000},   {scene, "gauss-seidel", longer, 1000},
          {scene, "sor", longer, 1000},     {scene, "newton", brief},
          {scene, "nonsmooth-cg", 20, 300}, {scene, "nonsmooth-cg", 20, 300, 0, 1e-3}};
}

/// Correlation coefficient of two series, from the second value on.
double correlate(const std::vector<double>& x, const std::vector<double>& y) {
  const double n = static_cast<double>(x.size()) - 1;
  double sx = 0, sy = 0, sxx = 0, syy = 0, sxy = 0;
  for (std::size_t i = 1; i < x.size(); ++i) {
    sx += x[i];
    sy += y[i];
    sxx += x[i] * x[i];
    syy += y[i] * y[i];
    sxy += x[i] * y[i];
  }
  return (n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
}

/// How far the violation is corrected after its largest: the median of what is left ten steps after each local maximum
/// above 1e-4 m, as a share of that.
double share_left(const std::vector<double>& violation) {
  std::vector<double> shares;
  for (std::size_t i = 1; i + 10 < violation.size(); ++i) {
    if (violation[i] < 1e-4 || violation[i] < violation[i - 1] || violation[i] < violation[i + 1]) continue;
    shares.push_back(violation[i + 10] / violation[i]);
  }
  if (shares.empty()) return 0;
  std::nth_element(shares.begin(), shares.begin() + static_cast<std::ptrdiff_t>(shares.size() / 2), shares.end());
  return shares[shares.size() / 2];
}

Clause check_energy(const Collapse& run) {
  return {
      "the total energy decreases steadily",
      fmt::format("{:.4g} to {:.4g} J; it rises in {} of {} steps, by {:.2g} J at most (1 step), by {:.1g} J over its "
                  "last three values",
                  run.energy.front(), run.energy.back(), run.rising_steps, run.step.size(), run.step_rise, run.rise),
      run.rising_steps == 0};
}

Outcome run_disks(const Setting& setting) {
  std::vector<Collapse> runs;
  for (const CollapseSetting& collapse : list_collapses(setting)) runs.push_back(run_collapse(collapse));
  Plot contacts{"Contacts per step", "step", "contacts", false, false, {}};
  Plot times{"Time per step", "step", "time [s]", false, true, {}};
  Plot violation{"Constraint violation", "step", "depth [m]", false, false, {}};
  Plot energy{"Total energy", "step", "energy [J]", false, false, {}};
  const Collapse& perturbed = runs.back();
  const Collapse& whole = runs[runs.size() - 2];
  double worst_violation = 0;
  std::string table;
  for (const Collapse& run : runs) {
    const std::string name = run.solver + (&run == &perturbed ? ", perturbed" : "");
    contacts.curves.push_back(make_curve(name, run.step, run.contacts));
    times.curves.push_back(make_curve(name, run.step, run.seconds));
    violation.curves.push_back(make_curve(name, run.step, run.violation));
    energy.curves.push_back(make_curve(name, run.step, run.energy));
    worst_violation = std::max(worst_violation, run.violation_max);
    if (&run == &perturbed) continue;
    table += fmt::format("{}: {:.3g} s in {:.2f} ms a step (worst {:.1f}), residual {:.0e} m/s. ", run.solver,
                         run.duration, 1e3 * run.mean_seconds(), 1e3 * run.worst_seconds(), run.residual);
  }
  const double tracks = correlate(whole.contacts, whole.seconds);
  const double left = share_left(whole.violation);
  Outcome outcome;
  outcome.clauses = {
      {"at most 7 new contacts in a step", fmt::format("{}; perturbed {}", whole.contact_rise, perturbed.contact_rise),
       std::max(whole.contact_rise, perturbed.contact_rise) <= 7},
      check_energy(whole),
      {"constraint violation of at most about 0.08 m",
       fmt::format("{:.4f} m with any solver, perturbed {:.4f} m", worst_violation, perturbed.violation_max),
       worst_violation <= 0.08},
      {"violations are rapidly corrected", fmt::format("half of them to {:.2f} of their size in ten steps", left),
       left < 0.5},
      {"the time of a step tracks its contacts (fig. 2)",
       fmt::format("correlation {:.2f} over 20 s with {}", tracks, whole.solver), tracks > 0.5, true},
      {"less than 0.5 s a step",
       fmt::format("{:.2f} ms on average, {:.1f} at most", 1e3 * whole.mean_seconds(), 1e3 * whole.worst_seconds()),
       whole.worst_seconds() < 0.5, true},
  };
  outcome.note = table +
                 "The model gives back a collision's energy one step after it has taken it, and another may take some "
                 "in that step: energy rises for a step at a time. The paper does not print its energies.";
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
  outcome.clauses = {
      {"velocities stay bounded for e 0 at h up to 0.05",
       fmt::format("h up to 0.1 s: no disk faster than {:.1f} m/s (free fall from the top: {:.1f})", fastest, fall),
       fastest < fall},
      {"and so does the energy", fmt::format("rises by at most {:.0e} of it", rise), rise < 1e-6},
  };
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
  outcome.clauses = {
      {"the friction cone is discretized (eq. 4.11)",
       fmt::format("direction of friction off by {:.3f} rad with 4 facets, {:.4f} with 128, never more than half the "
                   "angle between corners",
                   error.y.front(), error.y.back()),
       within},
      {"beyond: the cone itself", fmt::format("to {:.0e} rad", cone), cone < 1e-6},
  };
  outcome.note = "Not an experiment of the paper, which replaces the cone by a pyramid without stating the cost.";
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
