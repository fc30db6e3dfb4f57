// Mirtich and Canny: Impulse-based dynamic simulation. The simulations of section 5 and of section 4.5.
#include "reproduce/experiment.hpp"
#include "reproduce/watch.hpp"

#include <array>
#include <cmath>
#include <ctime>
#include <numbers>
#include <string_view>

namespace achilles::reproduce {
namespace {

constexpr double kGravity = 9.81;

void append(Curve& curve, double x, double y) {
  curve.x.push_back(x);
  curve.y.push_back(y);
}

std::string file_of(const Setting& setting, const std::string& name) {
  return (setting.scenes / "mirtich" / (name + ".yaml")).string();
}

Verdict judge(bool holds) { return holds ? Verdict::holds : Verdict::differs; }

// ---- M4 -------------------------------------------------------------------------------------------------------------

Outcome run_block_on_ramp(const Setting& setting) {
  const double duration = setting.full ? 60 : 6;
  const std::string file = file_of(setting, "block_on_ramp");
  constexpr double kAngle = 0.349065850399;
  std::array<double, 2> way{0, 0};
  double bounce = 0;
  std::array<Curve, 2> curves;
  std::array<Watched, 2> runs;
  for (std::size_t k = 0; k < 2; ++k) {
    curves[k].name = k == 0 ? "with the rule" : "without";
    Vec3 start = Vec3::Zero();
    runs[k] = watch(
        file, {{"method.static_friction", k == 0 ? "true" : "false"}}, duration,
        [&](const Simulation& s) {
          if (s.world().step_index == 0) start = place_of(s, "block");
          const Vec3 normal(std::sin(kAngle), 0, std::cos(kAngle));
          const Vec3 shift = place_of(s, "block") - start;
          const double moved = (shift - normal.dot(shift) * normal).norm();
          way[k] = std::max(way[k], moved);
          if (k == 0) bounce = std::max(bounce, std::abs(normal.dot(shift)));
          append(curves[k], s.world().time, std::max(moved, 1e-12));
        },
        1e-6);
  }
  Outcome outcome;
  outcome.verdict = judge(!runs[0].stopped && runs[0].violations == 0 && way[0] < 1e-6 && way[1] > 100 * way[0]);
  outcome.ours = fmt::format("in {} s: {:.1e} m along the ramp with the rule, {:.1e} m without; off it {:.1e} m",
                             duration, way[0], way[1], bounce);
  outcome.note =
      "All points that touch are reversed together, and as far as the friction cone allows where it does not "
      "allow all: with one point at a time a block that lies on four begins to turn, and one that was stopped "
      "once creeps for ever.";
  outcome.plots.push_back({"Block on a ramp below the angle of friction",
                           "time [s]",
                           "way along the ramp [m]",
                           false,
                           true,
                           {curves[0], curves[1]}});
  return outcome;
}

// ---- M5 -------------------------------------------------------------------------------------------------------------

Outcome run_coins(const Setting& setting) {
  const double duration = setting.full ? 5 : 2.5;
  Curve energy{"total energy", {}, {}, false};
  double weight = 0;
  int moving = 0, off = 0;
  const Watched run = watch(
      file_of(setting, "coins"), {}, duration,
      [&](const Simulation& s) {
        const World& world = s.world();
        append(energy, world.time, world.kinetic_energy() + world.potential_energy());
        moving = off = 0;
        weight = 0;
        for (std::size_t i = 0; i < world.bodies.size(); ++i) {
          if (!world.bodies.is_movable(i)) continue;
          weight += world.bodies.mass[i] * kGravity;
          if (world.bodies.position[i].z() < 0) {
            ++off;
          } else if (world.bodies.velocity[i].linear.norm() > std::sqrt(4 * kGravity * 1e-5)) {
            ++moving;
          }
        }
      },
      1e-5);
  Outcome outcome;
  outcome.verdict = judge(!run.stopped && moving == 0 && run.violations == 0 && run.rise <= 2 * weight * 1e-5);
  outcome.ours = fmt::format(
      "{} s in {:.2f} s, {} collisions and microcollisions; {} coins still moving, {} off the table; "
      "energy rises by {:.0e} J of {:.2f} J at most",
      duration, run.wall_seconds, run.costs.events, moving, off, run.rise, energy.y.front());
  outcome.note =
      "Paper: 5 s in under 15 s, in 1994. Coins that lie still bounce within the tolerance of 10 µm; the rise is "
      "what keeps that going, at most 2 m g ε per coin.";
  outcome.plots.push_back({"Energy of eight coins", "time [s]", "energy [J]", false, false, {energy}});
  return outcome;
}

// ---- M6 -------------------------------------------------------------------------------------------------------------

Outcome run_bowling(const Setting& setting) {
  constexpr double kMu = 0.15, kRadius = 0.108;
  Curve hook{"ball", {}, {}, false}, slip{"slip", {}, {}, false}, closed{"closed form", {}, {}, false};
  double slip_start = 0, reaches = 0;
  Vec2 early = Vec2::Zero(), late = Vec2::Zero();  // time and slip: the line through the two meets zero where it rolls
  int standing = 0;
  const Watched run = watch(
      file_of(setting, "bowling"), {}, 5,
      [&](const Simulation& s) {
        const World& world = s.world();
        const BodyVelocity& u = motion_of(s, "ball");
        const Vec3 contact = u.linear + u.angular.cross(Vec3(0, 0, -kRadius));
        const double speed = contact.head<2>().norm();
        if (world.step_index == 0) slip_start = speed;
        const Vec3& p = place_of(s, "ball");
        if (p.x() < 18.1) {
          reaches = world.time;
          if (speed > 0.9 * slip_start) early = {world.time, speed};
          if (speed > 0.1 * slip_start) late = {world.time, speed};
          append(hook, p.x(), p.y());
          append(slip, world.time, speed);
          append(closed, world.time, std::max(0.0, slip_start - 3.5 * kMu * kGravity * world.time));
        }
        standing = 0;
        for (int k = 1; k <= 10; ++k) {
          const Quat& q = world.bodies.orientation[index_of(s, fmt::format("pin{}", k))];
          standing += (q * Vec3::UnitZ()).z() > 0.9 ? 1 : 0;
        }
      },
      1e-4);
  const double expected = slip_start / (3.5 * kMu * kGravity);
  const double rolls = late.x() + late.y() * (late.x() - early.x()) / (early.y() - late.y());
  Outcome outcome;
  outcome.verdict =
      judge(!run.stopped && standing < 10 && run.violations == 0 && std::abs(rolls / expected - 1) < 0.01);
  outcome.ours = fmt::format(
      "rolls after {:.3f} s (closed form {:.3f} s), reaches the pins at {:.2f} s, {:.2f} m to the side "
      "of its aim; {} pins fall; penetration {:.0e} m, {} violations between steps",
      rolls, expected, reaches, hook.y.back() - hook.y.front(), 10 - standing, run.penetration, run.violations);
  outcome.note =
      "Slip goes down by 7/2 µ g along a fixed direction: the way is a parabola until the ball rolls. It "
      "goes in stairs, one per microcollision every 8 ms: that is what the time is good to.";
  outcome.plots.push_back({"Hook of the ball", "along the alley [m]", "across [m]", false, false, {hook}});
  outcome.plots.push_back({"From sliding to rolling", "time [s]", "slip [m/s]", false, false, {slip, closed}});
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
    marble.pose.p = 0.2 * Vec3(k % side, k / side % side, k / side / side);
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

Outcome run_marbles(const Setting& setting) {
  std::array<Curve, 5> speeds;
  const std::array<const char*, 5> names{"shooter", "marble[0,0,0]", "marble[1,0,0]", "marble[2,0,0]", "marble[3,0,0]"};
  for (std::size_t k = 0; k < 5; ++k) speeds[k].name = k == 0 ? "shooter" : fmt::format("marble {}", k);
  double before = 1, far = 0, others = 0;
  const Watched run = watch(file_of(setting, "marbles"), {}, 0.2, [&](const Simulation& s) {
    for (std::size_t k = 0; k < 5; ++k) append(speeds[k], s.world().time, motion_of(s, names[k]).linear.x());
    if (motion_of(s, names[4]).linear.x() == 0) before = motion_of(s, names[0]).linear.x();
    if (far > 0) return;
    far = motion_of(s, names[4]).linear.x();
    others = 0;
    for (std::size_t k = 0; k < 4; ++k) others = std::max(others, std::abs(motion_of(s, names[k]).linear.x()));
    if (far < 0.5) far = 0;
  });
  Curve cost{"processor seconds", {}, {}, true}, distances{"distance calls", {}, {}, true};
  for (const int count : setting.full ? std::vector<int>{10, 30, 100, 300, 1000} : std::vector<int>{10, 30, 100}) {
    const MarbleCost measured = measure_marbles(count);
    append(cost, count, measured.seconds);
    append(distances, count, std::max(1.0, measured.distances));
  }
  const double exponent = std::log(cost.y.back() / cost.y.front()) / std::log(cost.x.back() / cost.x.front());
  Outcome outcome;
  outcome.verdict = judge(!run.stopped && far > 0.8 * before && others < 0.15 * before);
  outcome.ours = fmt::format(
      "the last leaves with {:.3f} of the speed, the others have at most {:.3f} right after; cost of "
      "dispersed marbles grows like n^{:.2f} from {} to {}",
      far / before, others / before, exponent, cost.x.front(), cost.x.back());
  outcome.note =
      "e = 0.95: in exact terms ((1 + e)/2)^4 = 0.904 leaves. The spin of the rolling shooter is not passed on: "
      "it accelerates again.";
  outcome.plots.push_back(
      {"A marble hits a line of four", "time [s]", "speed [m/s]", false, false, {speeds.begin(), speeds.end()}});
  outcome.plots.push_back(
      {"Cost of dispersed marbles", "marbles", "per simulated second", true, true, {cost, distances}});
  return outcome;
}

// ---- M8, M9 ---------------------------------------------------------------------------------------------------------

Outcome run_platter(const Setting& setting) {
  constexpr double kRate = 2;
  const double duration = setting.full ? 20 : 11;
  Curve path{"ball", {}, {}, false};
  double turned = 0, reach = 0, nearest = 10;
  Vec3 last = Vec3::UnitY();
  const Watched run = watch(
      file_of(setting, "platter"), {}, duration,
      [&](const Simulation& s) {
        const Vec3 v = motion_of(s, "ball").linear;
        turned += std::atan2(last.cross(v).z(), last.dot(v));
        last = v;
        const Vec3& p = place_of(s, "ball");
        append(path, p.x(), p.y());
        const double from_center = (p.head<2>() - Vec2(1 - 0.5 / (2.0 / 7 * kRate), 0)).norm();
        reach = std::max(reach, from_center);
        nearest = std::min(nearest, from_center);
      },
      1e-5);
  const double rate = turned / run.time;
  Outcome outcome;
  outcome.verdict = judge(!run.stopped && run.violations == 0 && std::abs(rate / (2.0 / 7 * kRate) - 1) < 0.005);
  outcome.ours = fmt::format(
      "circles at {:.5f} of the platter's rate (2/7 = 0.28571), radius {:.4f} to {:.4f} m about a "
      "point {:.3f} m off the axis",
      rate / kRate, nearest, reach, 1 - 0.5 / (2.0 / 7 * kRate));
  outcome.note = "In the paper the radius slowly grows; ideal rolling keeps 0.875 m.";
  outcome.plots.push_back({"Ball on a spinning platter, from above", "x [m]", "y [m]", false, false, {path}});
  return outcome;
}

Outcome run_terrain(const Setting& setting) {
  Curve path{"ball", {}, {}, false};
  double last_height = 0;
  double slip = 0;
  const Watched run = watch(
      file_of(setting, "terrain"), {}, 5,
      [&](const Simulation& s) {
        const Vec3& p = place_of(s, "ball");
        append(path, p.x(), p.z());
        last_height = p.z();
        const BodyVelocity& u = motion_of(s, "ball");
        slip = std::abs(u.linear.x() - 0.1 * u.angular.y()) / u.linear.norm();
      },
      1e-5);
  Outcome outcome;
  outcome.verdict = judge(!run.stopped && run.penetration <= 1e-5 && run.violations == 0 &&
                          std::abs(last_height - 0.1) < 2e-5 && slip < 0.05);
  outcome.ours = fmt::format(
      "bounces, rolls, leaves the ramp, bounces and rolls on (slip {:.1f} % of its speed) in one run of "
      "{} events; penetration {:.0e} m",
      100 * slip, run.costs.events, run.penetration);
  outcome.plots.push_back({"Ball over a ramp", "x [m]", "height [m]", false, false, {path}});
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
  bool holds = true;
  for (const Settling& one :
       {Settling{"stack_of_ten", "hybrid", 1e-4, 1}, Settling{"arch", "hybrid", 1e-4, 1},
        Settling{"pile", "hybrid", 1e-4, 1}, Settling{"stack_of_ten", "impulse-zeno-free", 1e-7, 1},
        Settling{"arch", "impulse-zeno-free", 1e-7, 1}, Settling{"pile", "impulse-zeno-free", 1e-7, 0.35}}) {
    Curve energy{fmt::format("{}, {}", one.scene, one.method), {}, {}, false};
    const Watched run = watch(
        file_of(setting, one.scene), {{"method", fmt::format("{{name: {}}}", one.method)}},
        setting.full ? 4 : one.shortened,
        [&](const Simulation& s) { append(energy, s.world().time, std::max(1e-12, s.world().kinetic_energy())); },
        one.tolerance, std::string_view(one.method) != "hybrid");
    const double factor = run.time / run.processor_seconds;
    const bool fast = factor > 0.1 || std::string_view(one.method) != "hybrid";
    const bool rests = !setting.full || energy.y.back() < 1e-6;
    holds = holds && !run.stopped && run.penetration <= one.tolerance && run.violations == 0 && fast && rests;
    outcome.ours += fmt::format(
        "{}{} under {}: penetration {:.0e} m, {} violations between steps, {:.0e} J left after {} s, {:.1f} times real "
        "time",
        outcome.ours.empty() ? "" : "; ", one.scene, one.method, run.penetration, run.violations, energy.y.back(),
        setting.full ? 4 : one.shortened, factor);
    outcome.plots.front().curves.push_back(energy);
  }
  outcome.verdict = judge(holds);
  outcome.note =
      "What the paper names as future work: groups that rest go to a constraint method. Speed by processor time.";
  return outcome;
}

}  // namespace

std::vector<Experiment> mirtich_experiments() {
  std::vector<Experiment> all = mirtich_collision_experiments();
  const std::vector<Experiment> simulations{
      {"M4", "Block on a ramp", "section 4.5", "chosen: 20 degrees, µ 0.5, ε 1 µm, frame 1/30 s",
       "creeps without the microcollision rule, does not with it", run_block_on_ramp},
      {"M5", "Coins", "figure 8", "given: 8 moving and 5 fixed bodies, 5 s; chosen: µ 0.3, e 0.5, ε 10 µm",
       "complex interaction, then settling or rolling off; 5 s in under 15 s", run_coins},
      {"M6", "Bowling", "figure 9", "given: alley of 60 ft, pins of 18 in; chosen: 8 m/s, side spin 8 rad/s, µ 0.15",
       "the ball slides, hooks, rolls when it reaches the pins; strike", run_bowling},
      {"M7", "Marbles", "figure 10", "given: one rolls into four at rest; chosen: e 0.95, true spheres",
       "the last leaves, the others stay nearly at rest", run_marbles},
      {"M8", "Ball on a platter", "figure 11",
       "given: high µ, matching contact velocities; chosen: µ 1, 2 rad/s, 0.5 m/s",
       "circles not centred on the axis; ideal: 2/7 of the platter's rate", run_platter},
      {"M9", "Ball over a terrain", "figure 1", "chosen: ramp of 15 degrees, µ 0.4, e 0.5",
       "every transition without a special case", run_terrain},
      {"M10", "Stack, arch and pile", "section 5.2",
       "chosen: ten boxes, seven stones, fifty hulls; hybrid and impulse-zeno-free",
       "future work: constraint-based and impulse-based in one system", run_hybrid},
  };
  all.insert(all.end(), simulations.begin(), simulations.end());
  return all;
}

}  // namespace achilles::reproduce
