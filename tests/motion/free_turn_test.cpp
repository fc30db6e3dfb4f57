// Free turns of bodies, and the steady turns that continuous detection sees in their place.
#include "motion/free_turn.hpp"

#include "motion/free_rotation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace achilles {
namespace {

/// A box alone in its world.
World make_world(const Vec3& size, const Quat& q, const Vec3& spin, const Vec3& torque = Vec3::Zero()) {
  World world;
  BodyDescription body;
  body.name = "body";
  body.shape = {Box{size}};
  body.mass = 1;
  body.pose.q = q;
  body.spin = spin;
  body.torque = torque;
  world.add_body(body);
  return world;
}

struct Draw {
  Vec3 size, spin;
  Quat q;
};

Draw draw_body(std::mt19937& engine) {
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3(normal(engine), normal(engine), normal(engine)); };
  const Vec3 size = vector().cwiseAbs() + Vec3::Constant(0.01);
  const double speed = std::pow(10.0, std::uniform_real_distribution<double>(-2, 3)(engine));
  const Quat q(normal(engine), normal(engine), normal(engine), normal(engine));
  return {size, speed * vector(), q.normalized()};
}

// Energy and angular momentum are quadratic in what the midpoint rule integrates: kept at every time, not at the ends
// of steps alone. Rounding: some ε for each of at most a thousand parts.
TEST(FreeTurn, KeepsEnergyAndAngularMomentumWheneverItIsInterrupted) {
  std::mt19937 engine(1);
  for (int round = 0; round < 300; ++round) {
    const Draw draw = draw_body(engine);
    World world = make_world(draw.size, draw.q, draw.spin);
    const double energy = world.kinetic_energy();
    const Vec3 momentum = world.angular_momentum();
    const double turns = std::uniform_real_distribution<double>(0, 100)(engine);
    const TurnState state = rotate_freely(world.bodies, 0, turns / draw.spin.norm());
    world.bodies.orientation[0] = state.q_WB;
    world.bodies.velocity[0].angular = state.spin;
    EXPECT_NEAR(world.kinetic_energy(), energy, 1e-11 * energy) << turns << " rad";
    EXPECT_LT((world.angular_momentum() - momentum).norm(), 1e-11 * momentum.norm()) << turns << " rad";
  }
}

// The angle is |w| t for any t, however long, to the rounding of the angle.
TEST(FreeTurn, OfASteadySpinIsExactForAnyTime) {
  const Vec3 spin(0, 0, 7);  // about a principal axis
  const World world = make_world(Vec3(1, 0.1, 0.3), Quat::Identity(), spin);
  for (const double t : {1e-6, 0.01, 0.3, 5.0, 40.0}) {
    const Quat expected(Eigen::AngleAxisd(std::remainder(7 * t, 2 * M_PI), Vec3::UnitZ()));
    EXPECT_LT(rotate_freely(world.bodies, 0, t).q_WB.angularDistance(expected), 1e-12 * (1 + 7 * t)) << t;
  }
}

// Between the ends of a span the free turn is off the steady one by at most the bound; and the bound is not empty: for
// some of the bodies at least a tenth of it is used.
TEST(SteadyTurn, DeviatesFromTheFreeTurnByAtMostItsBound) {
  std::mt19937 engine(2);
  double most = 0;
  for (int round = 0; round < 500; ++round) {
    const Draw draw = draw_body(engine);
    const bool driven = round % 3 == 0;
    const double inertia = (draw.size.squaredNorm() - draw.size.cwiseAbs2().maxCoeff()) / 12;
    const Vec3 torque = driven ? Vec3(0.3 * inertia * draw.spin.squaredNorm() * Vec3(1, -1, 0.5)) : Vec3(Vec3::Zero());
    const World world = make_world(draw.size, draw.q, draw.spin, torque);
    const double part = free_turn_part(draw.spin);
    const double since = part * std::uniform_real_distribution<double>(0, 0.9)(engine);
    const double span = (part - since) * std::pow(10.0, std::uniform_real_distribution<double>(-3, 0)(engine));
    const TurnState from = rotate_freely(world.bodies, 0, since);
    const SteadyTurn turn = find_steady_turn(world.bodies, 0, from, rotate_freely(world.bodies, 0, since + span), span);
    for (const double share : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      const Quat steady = finite_rotation(share * span * turn.spin) * from.q_WB;
      const double off = rotate_freely(world.bodies, 0, since + share * span).q_WB.angularDistance(steady);
      EXPECT_LE(off, turn.deviation + 1e-15) << "share " << share << " of " << span << " s at " << draw.spin.norm();
      if (turn.deviation > 1e-9) most = std::max(most, off / turn.deviation);
    }
  }
  EXPECT_GT(most, 0.1);
}

// The longest span for a deviation is the one whose steady turn has it.
TEST(SteadyTurn, SpanForADeviationHasThatDeviation) {
  const World world = make_world(Vec3(1, 0.2, 0.4), Quat(0.5, 0.1, -0.8, 0.3).normalized(), Vec3(3, -2, 1));
  const TurnState from = rotate_freely(world.bodies, 0, 0);
  for (const double deviation : {1e-9, 1e-6, 1e-4}) {
    const double span = find_steady_span(world.bodies, 0, from, deviation);
    const TurnState to = rotate_freely(world.bodies, 0, span);
    EXPECT_NEAR(find_steady_turn(world.bodies, 0, from, to, span).deviation, deviation, 1e-12 * deviation);
  }
  const World round = make_world(Vec3(1, 1, 1), Quat::Identity(), Vec3(3, -2, 1));
  EXPECT_TRUE(std::isinf(find_steady_span(round.bodies, 0, rotate_freely(round.bodies, 0, 0), 1e-9)));
}

}  // namespace
}  // namespace achilles
