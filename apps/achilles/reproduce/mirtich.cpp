// Mirtich and Canny: Impulse-based dynamic simulation. The simulations of section 5 and of section 4.5; M8 to M10 are
// in mirtich_rolling.cpp.
#include "reproduce/mirtich_scene.hpp"

#include <array>
#include <cmath>
#include <ctime>
#include <numbers>

namespace achilles::reproduce {
namespace {

constexpr double kGravity = 9.81;

// ---- M4 -------------------------------------------------------------------------------------------------------------

struct RampRun {
  Watched run;
  double way = 0, bounce = 0;  // [m] along the ramp, and off it
  Curve curve;
};

RampRun run_ramp(const std::string& file, bool rule, double duration, const std::vector<Override>& more) {
  constexpr double kAngle = 0.349065850399;
  const Vec3 normal(std::sin(kAngle), 0, std::cos(kAngle));
  std::vector<Override> sets{{"method.static_friction", rule ? "true" : "false"}};
  sets.insert(sets.end(), more.begin(), more.end());
  RampRun ramp;
  Vec3 start = Vec3::Zero();
  ramp.run = watch(
      file, sets, duration,
      [&](const Simulation& s) {
        if (s.world().step_index == 0) start = place_of(s, "block");
        const Vec3 shift = place_of(s, "block") - start;
        const double moved = (shift - normal.dot(shift) * normal).norm();
        ramp.way = std::max(ramp.way, moved);
        ramp.bounce = std::max(ramp.bounce, std::abs(normal.dot(shift)));
        append(ramp.curve, s.world().time, std::max(moved, 1e-12));
      },
      1e-6);
  return ramp;
}

Outcome run_block_on_ramp(const Setting& setting) {
  const double duration = setting.full ? 60 : 6;
  const std::string file = mirtich_file(setting, "block_on_ramp");
  RampRun rule = run_ramp(file, true, duration, {}), without = run_ramp(file, false, duration, {});
  // Lifted by 12 µm, so that the tilted block starts clear of the ramp.
  const RampRun tilted = run_ramp(file, true, duration,
                                  {{"bodies.block.axis_angle", "{axis: [0, 1, 0], angle: 0.349}"},
                                   {"bodies.block.position", "[0.017105111408, 0, 0.046995907351]"}});
  rule.curve.name = "with the rule";
  without.curve.name = "without";
  Outcome outcome;
  outcome.clauses = {
      {"with the microcollision rule the block does not creep",
       fmt::format("{:.1e} m along the ramp in {} s, {:.1e} m off it, {} violations", rule.way, duration, rule.bounce,
                   rule.run.violations),
       !rule.run.stopped && rule.run.violations == 0 && rule.way < 1e-6},
      {"without it, it does", fmt::format("{:.1e} m", without.way), without.way > 100 * rule.way},
      {"perturbed (tilted by 66 µrad, dropped from 12 µm): it does not creep",
       fmt::format("{:.1e} m along the ramp, {:.1e} m off it", tilted.way, tilted.bounce),
       !tilted.run.stopped && tilted.run.violations == 0 && tilted.way < 1e-4},
  };
  outcome.note =
      "All points that touch are reversed together, and as far as the friction cone allows where it does not allow "
      "all: "
      "with one point at a time a block that lies on four begins to turn, and one that was stopped once creeps for "
      "ever.";
  outcome.plots.push_back({"Block on a ramp below the angle of friction",
                           "time [s]",
                           "way along the ramp [m]",
                           false,
                           true,
                           {rule.curve, without.curve}});
  return outcome;
}

// ---- M5 -------------------------------------------------------------------------------------------------------------

struct CoinRun {
  Watched run;
  double tolerance = 0;  // [m]
  double weight = 0;     // [N] of all coins
  int moving = 0, off = 0;
  Curve energy{"total energy", {}, {}, false};

  /// Coins that lie still bounce within the tolerance; what keeps that going is up to m g ε each way and coin.
  [[nodiscard]] bool holds() const {
    return !run.stopped && moving == 0 && run.violations == 0 && run.rise <= 2 * weight * tolerance;
  }
  [[nodiscard]] std::string text() const {
    return fmt::format(
        "{} still moving, {} off the table after {:.2g} s, {} violations, energy rises by {:.0e} J of {:.2f} J "
        "at most",
        moving, off, run.time, run.violations, run.rise, energy.y.front());
  }
};

CoinRun toss_coins(const Setting& setting, const std::vector<Override>& sets, double tolerance) {
  CoinRun coins;
  coins.tolerance = tolerance;
  coins.run = watch(
      mirtich_file(setting, "coins"), sets, setting.full ? 5 : 2.5,
      [&](const Simulation& s) {
        const World& world = s.world();
        append(coins.energy, world.time, world.kinetic_energy() + world.potential_energy());
        coins.moving = coins.off = 0;
        coins.weight = 0;
        for (std::size_t i = 0; i < world.bodies.size(); ++i) {
          if (!world.bodies.is_movable(i)) continue;
          coins.weight += world.bodies.mass[i] * kGravity;
          if (world.bodies.position[i].z() < 0) {
            ++coins.off;
          } else if (world.bodies.velocity[i].linear.norm() > std::sqrt(4 * kGravity * tolerance)) {
            ++coins.moving;
          }
        }
      },
      tolerance, true);
  return coins;
}

Outcome run_coins(const Setting& setting) {
  const CoinRun own = toss_coins(setting, {}, 1e-5), paper = toss_coins(setting, as_in_paper(1e-5), 1e-5);
  const CoinRun other = toss_coins(setting, {{"bodies.coin.spin", "[3.1, -4.9, 2.2]"}}, 1e-5);
  Outcome outcome;
  outcome.clauses = {
      {"complex interaction", fmt::format("{} collisions and microcollisions", own.run.costs.events),
       own.run.costs.events > 1000},
      {"then all settle or roll off", own.text(), own.holds()},
      {"at the paper's frame of 1/30 s and 10 µm: the same", paper.text(), paper.holds()},
      {"perturbed (spins 2 to 10 % off): the same", other.text(), other.holds()},
      {"5 s in less than 15 s",
       fmt::format("{:.2g} s in {:.2f} s, frame {:.3g} s: {:.2f} s", own.run.time, own.run.wall_seconds, 1.0 / 30,
                   paper.run.wall_seconds),
       own.run.wall_seconds < 3 * own.run.time, true},
  };
  outcome.note = "The energy that rises keeps coins bouncing within the tolerance, at most 2 m g ε per coin.";
  outcome.plots.push_back({"Energy of eight coins", "time [s]", "energy [J]", false, false, {own.energy}});
  return outcome;
}

// ---- M6 -------------------------------------------------------------------------------------------------------------

/// A pin as one convex polyhedron of 162 facets: 16 around, 10 bands, foot and head.
Hull make_pin() {
  constexpr std::array<std::array<double, 2>, 11> kProfile{{{0.028, 0},
                                                            {0.04, 0.03},
                                                            {0.052, 0.07},
                                                            {0.059, 0.11},
                                                            {0.0595, 0.14},
                                                            {0.057, 0.19},
                                                            {0.053, 0.25},
                                                            {0.048, 0.31},
                                                            {0.042, 0.37},
                                                            {0.034, 0.425},
                                                            {0.02, 0.4572}}};
  Hull pin;
  for (const auto& [radius, height] : kProfile) {
    for (int k = 0; k < 16; ++k) {
      const double angle = 2 * std::numbers::pi * k / 16;
      pin.points.emplace_back(radius * std::cos(angle), radius * std::sin(angle), height);
    }
  }
  return pin;
}

struct BowlingRun {
  static constexpr double kMu = 0.15, kRadius = 0.108;

  Watched run;
  Curve hook{"ball", {}, {}, false}, slip{"slip", {}, {}, false}, closed{"closed form", {}, {}, false};
  double slip_start = 0, reaches = 0, rolls = 0;  // [m/s], [s], [s]
  int standing = 0;

  [[nodiscard]] double expected() const { return slip_start / (3.5 * kMu * kGravity); }
  [[nodiscard]] double aside() const { return hook.y.back() - hook.y.front(); }
};

BowlingRun bowl(const Setting& setting, const std::vector<Override>& sets, double tolerance, bool faceted) {
  Scene scene = load_scene(mirtich_file(setting, "bowling"), sets);
  for (BodyDescription& body : scene.bodies) {
    if (faceted && body.name.starts_with("pin")) body.shape = {make_pin()};
  }
  Simulation simulation(scene);
  BowlingRun bowling;
  Vec2 early = Vec2::Zero(), late = Vec2::Zero();  // time and slip: the line through the two meets zero where it rolls
  bowling.run = watch(
      simulation, 5,
      [&](const Simulation& s) {
        const World& world = s.world();
        const BodyVelocity& u = motion_of(s, "ball");
        const Vec3 contact = u.linear + u.angular.cross(Vec3(0, 0, -BowlingRun::kRadius));
        const double speed = contact.head<2>().norm();
        if (world.step_index == 0) bowling.slip_start = speed;
        const Vec3& p = place_of(s, "ball");
        if (p.x() < 18.1) {
          bowling.reaches = world.time;
          if (speed > 0.9 * bowling.slip_start) early = {world.time, speed};
          if (speed > 0.1 * bowling.slip_start) late = {world.time, speed};
          append(bowling.hook, p.x(), p.y());
          append(bowling.slip, world.time, speed);
          append(bowling.closed, world.time,
                 std::max(0.0, bowling.slip_start - 3.5 * BowlingRun::kMu * kGravity * world.time));
        }
        bowling.standing = 0;
        for (int k = 1; k <= 10; ++k) {
          const Quat& q = world.bodies.orientation[index_of(s, fmt::format("pin{}", k))];
          bowling.standing += (q * Vec3::UnitZ()).z() > 0.9 ? 1 : 0;
        }
      },
      tolerance, true);
  bowling.rolls = late.x() + late.y() * (late.x() - early.x()) / (early.y() - late.y());
  return bowling;
}

Clause check_bowling(const std::string& claim, const BowlingRun& bowling, int most_standing) {
  return {claim,
          fmt::format("rolls after {:.3f} s, {:.2f} m aside, {} pins fall, penetration {:.0e} m, {} violations",
                      bowling.rolls, bowling.aside(), 10 - bowling.standing, bowling.run.penetration,
                      bowling.run.violations),
          !bowling.run.stopped && bowling.rolls < bowling.reaches &&
              std::abs(bowling.rolls / bowling.expected() - 1) < 0.02 && bowling.standing <= most_standing};
}

Outcome run_bowling(const Setting& setting) {
  const BowlingRun own = bowl(setting, {}, 1e-4, false);
  const BowlingRun paper = bowl(setting, as_in_paper(1e-3), 1e-3, true);
  const BowlingRun other = bowl(setting, {{"bodies.ball.position", "[0.01, -0.463, 0.108]"}}, 1e-4, false);
  Outcome outcome;
  outcome.clauses = {
      {"slides at first, with the hook",
       fmt::format("slip falls by 7/2 µ g: rolls after {:.3f} s (closed form {:.3f} s), {:.2f} m aside", own.rolls,
                   own.expected(), own.aside()),
       std::abs(own.rolls / own.expected() - 1) < 0.01 && std::abs(own.aside()) > 0.2},
      {"rolls when it reaches the pins", fmt::format("reaches them at {:.2f} s", own.reaches), own.rolls < own.reaches},
      {"strike", fmt::format("{} of 10 pins fall", 10 - own.standing), own.standing == 0},
      {"no collision is missed",
       fmt::format("penetration {:.0e} m, {} violations between steps", own.run.penetration, own.run.violations),
       !own.run.stopped && own.run.violations == 0},
      check_bowling("pins of 162 facets, frame 1/30 s, tolerance 1 mm: hooks and rolls, pins fall", paper, 9),
      check_bowling("perturbed (3 mm aside, 10 mm nearer): hooks and rolls, whatever falls", other, 9),
  };
  outcome.note =
      "Slip goes down in stairs, one per microcollision: that is what the time is good to. The pin of 162 facets is "
      "convex, ours of round parts has the waist; how many fall depends on that, and on the aim.";
  outcome.plots.push_back(
      {"Hook of the ball", "along the alley [m]", "across [m]", false, false, {own.hook, paper.hook}});
  outcome.plots.back().curves.back().name = "as in the paper";
  outcome.plots.push_back({"From sliding to rolling", "time [s]", "slip [m/s]", false, false, {own.slip, own.closed}});
  return outcome;
}

// ---- M7 -------------------------------------------------------------------------------------------------------------

struct MarbleCost {
  double seconds = 0;    // of processor time per simulated second
  double distances = 0;  // distance calls per simulated second
};

/// Marbles dispersed over space, at speeds that differ.
MarbleCost measure_marbles(int count) {
  Scene scene;
  scene.name = "dispersed marbles";
  scene.step = 1.0 / 30;
  scene.gravity.setZero();
  scene.materials = {{"default", {}}};
  scene.materials[0].law.friction = 0.2;
  scene.materials[0].law.restitution = 0.9;
  scene.method.name = "impulse-conservative";
  const int side = static_cast<int>(std::ceil(std::cbrt(count)));
  for (int k = 0; k < count; ++k) {
    BodyDescription marble;
    marble.name = fmt::format("marble{}", k);
    marble.shape = {Sphere{0.01}};
    marble.density = 2500;
    const int row = k / side;
    const int layer = row / side;
    marble.pose.p = 0.2 * Vec3(k % side, row % side, layer);
    marble.velocity = 0.3 * Vec3(std::sin(3.7 * k), std::cos(5.1 * k), std::sin(2.3 * k + 1));
    scene.bodies.push_back(marble);
  }
  Simulation simulation(scene);
  MarbleCost cost;
  const std::clock_t start = std::clock();
  for (int k = 0; k < 30; ++k) cost.distances += static_cast<double>(simulation.step().costs.distance_calls);
  cost.seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return cost;
}

/// A ball as a polyhedron of 5,050 facets: 101 around, 48 bands between two caps of triangles.
Hull make_marble(double radius) {
  Hull marble;
  marble.points = {radius * Vec3::UnitZ(), -radius * Vec3::UnitZ()};
  for (int j = 1; j < 50; ++j) {
    for (int k = 0; k < 101; ++k) {
      const double u = 2 * std::numbers::pi * k / 101, v = std::numbers::pi * j / 50;
      marble.points.emplace_back(radius * Vec3(std::cos(u) * std::sin(v), std::sin(u) * std::sin(v), std::cos(v)));
    }
  }
  return marble;
}

struct MarbleRun {
  Watched run;
  std::array<Curve, 5> speeds;
  double before = 0;           // [m/s] of the shooter, last before the chain moves
  double far = 0, others = 0;  // [m/s] of the last marble, and the fastest other, when that has left
};

MarbleRun roll_marbles(const Setting& setting, const std::vector<Override>& sets, bool faceted) {
  Scene scene = load_scene(mirtich_file(setting, "marbles"), sets);
  for (BodyDescription& body : scene.bodies) {
    if (faceted && body.kind == BodyKind::kDynamic) body.shape = {make_marble(0.01)};
  }
  Simulation simulation(scene);
  MarbleRun marbles;
  const std::array<const char*, 5> names{"shooter", "marble[0,0,0]", "marble[1,0,0]", "marble[2,0,0]", "marble[3,0,0]"};
  for (std::size_t k = 0; k < 5; ++k) marbles.speeds[k].name = k == 0 ? "shooter" : fmt::format("marble {}", k);
  marbles.run = watch(simulation, 0.2, [&](const Simulation& s) {
    for (std::size_t k = 0; k < 5; ++k) append(marbles.speeds[k], s.world().time, motion_of(s, names[k]).linear.x());
    if (marbles.far > 0) return;
    const double last = motion_of(s, names[4]).linear.x();
    if (last < 0.5) {
      if (std::abs(last) < 0.01) marbles.before = motion_of(s, names[0]).linear.x();
      return;
    }
    marbles.far = last;
    for (std::size_t k = 0; k < 4; ++k) {
      marbles.others = std::max(marbles.others, std::abs(motion_of(s, names[k]).linear.x()));
    }
  });
  return marbles;
}

Clause check_marbles(const std::string& claim, const MarbleRun& marbles) {
  return {claim,
          fmt::format("it leaves with {:.3f} of the speed, the others have at most {:.3f} then",
                      marbles.far / marbles.before, marbles.others / marbles.before),
          !marbles.run.stopped && marbles.far > 0.8 * marbles.before && marbles.others < 0.15 * marbles.before};
}

Outcome run_marbles(const Setting& setting) {
  const MarbleRun own = roll_marbles(setting, {}, false);
  const MarbleRun paper = roll_marbles(setting, as_in_paper(1e-5), true);
  const MarbleRun other = roll_marbles(setting, {{"bodies.shooter.position", "[-0.1003, 0.0001, 0.01]"}}, false);
  Curve cost{"processor seconds", {}, {}, true}, distances{"distance calls", {}, {}, true};
  for (const int count : setting.full ? std::vector<int>{10, 30, 100, 300, 1000} : std::vector<int>{10, 30, 100}) {
    const MarbleCost measured = measure_marbles(count);
    append(cost, count, measured.seconds);
    append(distances, count, std::max(1.0, measured.distances));
  }
  const double exponent = std::log(cost.y.back() / cost.y.front()) / std::log(cost.x.back() / cost.x.front());
  Outcome outcome;
  outcome.clauses = {
      check_marbles("the last of four leaves, the others stay nearly at rest", own),
      check_marbles("polyhedra of 5,050 facets, frame 1/30 s, tolerance 10 µm: the same", paper),
      check_marbles("perturbed (0.1 mm aside): the same", other),
      {"the cost of dispersed bodies is linear in their number",
       fmt::format("grows like n^{:.2f} from {} to {}", exponent, cost.x.front(), cost.x.back()), exponent < 1.3, true},
  };
  outcome.note =
      "e = 0.95: in exact terms ((1 + e)/2)^4 = 0.904 leaves. The spin of the rolling shooter is not passed on: it "
      "accelerates again, by a thirtieth of a second with the paper's frame.";
  outcome.plots.push_back({"A marble hits a line of four",
                           "time [s]",
                           "speed [m/s]",
                           false,
                           false,
                           {own.speeds.begin(), own.speeds.end()}});
  outcome.plots.push_back(
      {"Cost of dispersed marbles", "marbles", "per simulated second", true, true, {cost, distances}});
  return outcome;
}

}  // namespace

std::vector<Experiment> mirtich_experiments() {
  std::vector<Experiment> all = mirtich_collision_experiments();
  const std::vector<Experiment> simulations{
      {"M4", "Block on a ramp", "section 4.5", "chosen: 20 degrees, µ 0.5, ε 1 µm; frame 1/30 s",
       "creeps without the microcollision rule, does not with it", run_block_on_ramp},
      {"M5", "Coins", "figure 8", "given: 8 moving and 5 fixed bodies, 5 s; chosen: µ 0.3, e 0.5, ε 10 µm",
       "complex interaction, then settling or rolling off; 5 s in under 15 s", run_coins},
      {"M6", "Bowling", "figure 9", "given: alley of 60 ft, pins of 18 in; chosen: 8 m/s, side spin 8 rad/s, µ 0.15",
       "the ball slides, hooks, rolls when it reaches the pins; strike", run_bowling},
      {"M7", "Marbles", "figure 10", "given: one rolls into four at rest; chosen: e 0.95, true spheres",
       "the last leaves, the others stay nearly at rest; marbles of over 5,000 facets", run_marbles},
  };
  all.insert(all.end(), simulations.begin(), simulations.end());
  for (Experiment& experiment : mirtich_rolling_experiments()) all.push_back(std::move(experiment));
  return all;
}

}  // namespace achilles::reproduce
