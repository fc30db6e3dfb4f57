// Coulomb's law and Newton's impact law in closed forms, at the steps that people use, for every method that has both.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

constexpr double kGravity = 9.81;

class MethodTest : public ::testing::TestWithParam<const char*> {
 protected:
  static Scene make(double step, double friction, double restitution) {
    Scene scene = make_scene(step, friction, restitution);
    scene.method.name = GetParam();
    return scene;
  }
  /// Relative rounding of what the method computes: soft-step sums in single precision over some hundred substeps.
  [[nodiscard]] static double rounding() { return std::string(GetParam()) == "soft-step" ? 2e-5 : 1e-6; }
};

std::string name_of(const ::testing::TestParamInfo<const char*>& tested) {
  std::string name = tested.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Methods are left out that do not reach the closed form; docs/accuracy.md has figures of all.
class SlidingBall : public MethodTest {};
INSTANTIATE_TEST_SUITE_P(Methods, SlidingBall,
                         ::testing::Values("lcp-fixed", "lcp-fixpoint", "lcp-event", "hybrid", "anitescu",
                                           "impulse-zeno-free", "position-optimal", "shock-propagation", "soft-step"),
                         name_of);
class ObliqueBounce : public MethodTest {};
INSTANTIATE_TEST_SUITE_P(Methods, ObliqueBounce,
                         ::testing::Values("lcp-fixed", "lcp-event", "hybrid", "anitescu-potra", "impulse-zeno-free",
                                           "position-optimal", "shock-propagation", "soft-step"),
                         name_of);
class Bounce : public MethodTest {};
INSTANTIATE_TEST_SUITE_P(Methods, Bounce,
                         ::testing::Values("lcp-fixed", "lcp-fixpoint", "lcp-retroactive", "lcp-event", "hybrid",
                                           "anitescu-potra", "impulse-zeno-free", "impulse-conservative",
                                           "shock-propagation", "soft-step"),
                         name_of);
class SlidingBrick : public MethodTest {};
INSTANTIATE_TEST_SUITE_P(Methods, SlidingBrick,
                         ::testing::Values("lcp-fixed", "lcp-fixpoint", "lcp-retroactive", "lcp-event", "hybrid",
                                           "anitescu", "anitescu-potra", "impulse-zeno-free", "position-optimal",
                                           "penalty", "shock-propagation", "soft-step"),
                         name_of);
class RollingCoinCircle : public MethodTest {};
INSTANTIATE_TEST_SUITE_P(Methods, RollingCoinCircle,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "hybrid", "anitescu", "shock-propagation",
                                           "soft-step"),
                         name_of);

Scene put_ball(Scene scene, double height, const Vec3& velocity, const Vec3& spin) {
  BodyDescription ball = make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 0.1 + height));
  ball.mass = 1;
  ball.velocity = velocity;
  ball.spin = spin;
  scene.bodies = {make_ground(), ball};
  return scene;
}

// A ball that slides at v₀ = 5 m/s is slowed by µ g until it rolls at 5/7 v₀, after 2 v₀/(7 µ g) = 0.73 s. It turns so
// fast meanwhile (ω² r = 125 m/s², thirteen times g) that it leaves the ground if the gap of its contact is that of a
// point fixed to it. It starts 0.1 mm above the ground: friction acts one step later at most, µ g h.
TEST_P(SlidingBall, IsSlowedByMuGAndRollsAtFiveSevenths) {
  const double mu = 0.2;
  for (const double h : {0.01, 0.002}) {
    Simulation simulation(put_ball(make(h, mu, 0), 1e-4, Vec3(3, 4, 0), Vec3::Zero()));
    run_to(simulation, 0.1);
    const double early = velocity_of(simulation, "ball").linear.norm();
    EXPECT_NEAR(early, 5 - mu * kGravity * 0.1, mu * kGravity * h) << h;
    run_to(simulation, 0.5);
    const BodyVelocity& u = velocity_of(simulation, "ball");
    EXPECT_NEAR(early - u.linear.norm(), mu * kGravity * 0.4, 1e-3 * mu * kGravity * 0.4) << h;
    EXPECT_NEAR(u.linear.x() / u.linear.y(), 0.75, 1e-4) << h;
    double highest = 0;
    while (simulation.world().time < 1.5) {
      (void)simulation.step();
      highest = std::max(highest, std::abs(velocity_of(simulation, "ball").linear.z()));
    }
    EXPECT_LT(highest, 1e-3) << h;
    EXPECT_NEAR(velocity_of(simulation, "ball").linear.norm(), 25.0 / 7, 1e-3) << h;
    EXPECT_NEAR(velocity_of(simulation, "ball").angular.norm(), 250.0 / 7, 1e-2) << h;
  }
}

// A ball meets the ground at w = 3 m/s with slip s = v + ω r along x. The impulse along the normal is (1 + e) m w, that
// of friction µ times it, or 2/7 m s if that is enough to stop the slip (a ball gives way by 1/m + r²/I = 7/(2 m)).
// It meets it at several instants within the step. Methods that treat a contact ahead of its time have it between the
// two surfaces, at half the gap, at most w h/2 too far from the ball's centre: moments are off by that over r.
TEST_P(ObliqueBounce, HasCoulombsImpulse) {
  const double e = 0.8, w = 3, v = 2, spin = -30, r = 0.1, h = 0.01;
  const std::string name = GetParam();
  const bool ahead = name == "lcp-fixed" || name == "hybrid" || name == "shock-propagation";
  const double lever = ahead ? 0.5 * w * h / r : 0;
  for (const double mu : {0.1, 0.2, 0.5}) {
    for (const double height : {0.0102, 0.0171, 0.0235, 0.05}) {
      Scene scene = put_ball(make(h, mu, e), height, Vec3(v, 0, -w), Vec3(0, spin, 0));
      scene.gravity = Vec3::Zero();
      Simulation simulation(scene);
      run_to(simulation, 0.1);
      const BodyVelocity& u = velocity_of(simulation, "ball");
      const double friction = std::min(mu * (1 + e) * w, 2.0 / 7 * (v - spin * r));
      EXPECT_NEAR(u.linear.z(), e * w, rounding() * w) << mu << " " << height;
      EXPECT_NEAR(u.linear.x(), v - friction, rounding() * w + lever * friction) << mu << " " << height;
      EXPECT_NEAR(r * u.angular.y(), r * spin + 2.5 * friction, 10 * rounding() * w + 2.5 * lever * friction)
          << mu << " " << height;
      EXPECT_NEAR(u.linear.y(), 0, rounding() * w) << mu << " " << height;
    }
  }
}

// A brick longer than wide gives way to friction more along than across. Friction is against its motion all the same:
// it slides straight for v²/(2 µ g), short by half a step's travel, and does not turn but for what its load shifts.
TEST_P(SlidingBrick, SlidesStraightAskewToItsAxes) {
  const double mu = 0.3, h = 0.002;
  Scene scene = make(h, mu, 0);
  BodyDescription brick = make_body("brick", {Box{Vec3(1, 0.2, 0.04)}}, Vec3(0, 0, 0.02 + 1e-5));
  brick.velocity = Vec3(std::numbers::sqrt2, std::numbers::sqrt2, 0);
  scene.bodies = {make_ground(), brick};
  Simulation simulation(scene);
  run_to(simulation, 1);
  const double distance = 4 / (2 * mu * kGravity);
  const Vec3 at = position_of(simulation, "brick");
  EXPECT_NEAR((at.x() + at.y()) / std::numbers::sqrt2, distance, 2 * h);
  EXPECT_NEAR(at.x() - at.y(), 0, 0.01 * distance);
}

// A thin square of edge a that spins on its four corners, ρ = a/√2 from the centre, I = m a²/6: the moment µ m g ρ
// slows it by µ g ρ 6/a² until it stops.
TEST_P(SlidingBrick, IsSlowedInItsSpinByTheMomentOfItsCorners) {
  const double mu = 0.3, a = 0.4, spin = 10;
  Scene scene = make(0.002, mu, 0);
  BodyDescription square = make_body("square", {Box{Vec3(a, a, 0.02)}}, Vec3(0, 0, 0.01 + 1e-5));
  square.spin = Vec3(0, 0, spin);
  scene.bodies = {make_ground(), square};
  Simulation simulation(scene);
  const double slowing = mu * kGravity * a / std::numbers::sqrt2 * 6 / (a * a);
  run_to(simulation, 0.5 * spin / slowing);
  EXPECT_NEAR(velocity_of(simulation, "square").angular.z(), 0.5 * spin, 0.01 * spin);
  run_to(simulation, 1.1 * spin / slowing);
  EXPECT_LT(velocity_of(simulation, "square").angular.norm(), 1e-4);
  EXPECT_LT(position_of(simulation, "square").head<2>().norm(), 1e-4);
}

// Heights follow e²: what leaves the ground at e w rises to e² of the height that gave it w, whatever the step, and
// nothing is gained on the way. soft-step falls its last step in substeps, which are of first order: h²g/16 each time.
TEST_P(Bounce, ReachesESquaredOfTheHeight) {
  for (const double e : {0.3, 0.6, 0.9, 1.0}) {
    for (const double drop : {1.0, 1.0371, 0.9618}) {
      Simulation simulation(put_ball(make(0.01, 0, e), drop, Vec3::Zero(), Vec3::Zero()));
      run_to(simulation, std::sqrt(2 * drop / kGravity) + 0.03);
      double highest = 0;
      while (velocity_of(simulation, "ball").linear.z() > 0) {
        (void)simulation.step();
        const double v = velocity_of(simulation, "ball").linear.z();
        // Between two steps: what is left of its speed lifts it by v²/(2 g).
        highest = position_of(simulation, "ball").z() - 0.1 + v * v / (2 * kGravity);
      }
      EXPECT_NEAR(highest, e * e * drop, 1e-3 * drop) << e << " " << drop;
    }
  }
}

// An elastic ball that spins and bounces on rough ground loses energy in every blow to slip, and never gains any.
TEST_P(Bounce, OfASpinningBallNeverGainsEnergy) {
  const double h = 0.01;
  Simulation simulation(put_ball(make(h, 0.3, 1), 0.5, Vec3(2, 1, 0), Vec3(20, -40, 10)));
  const double start = simulation.world().kinetic_energy() + simulation.world().potential_energy();
  double lowest = start, worst = 0;
  while (simulation.world().time < 5) {
    (void)simulation.step();
    const double energy = simulation.world().kinetic_energy() + simulation.world().potential_energy();
    worst = std::max(worst, energy - lowest);
    lowest = std::min(lowest, energy);
  }
  EXPECT_LT(worst, 1e-4 * start);
}

/// A coin that rolls steadily on a circle: its axis e₃ leans by θ from the vertical z, e₂ points up within it and e₁
/// along its way. It turns with ω = Ω sin θ e₂ + ω₃ e₃ and Ω about the vertical; its contact is at r.
struct RollingCoin {
  double radius = 0.1, half = 0.002, lean = 1.2, turn = 4;  // [m], [rad], [rad/s]
  double spin = 0;                                          // [rad/s] ω₃

  Vec3 e1 = Vec3::UnitX(), e2 = Vec3(0, std::cos(lean), std::sin(lean)), e3 = e1.cross(e2);

  [[nodiscard]] Vec3 angular() const { return turn * e2.z() * e2 + spin * e3; }
  [[nodiscard]] Vec3 arm() const { return -radius * e2 - half * e3; }
  [[nodiscard]] Vec3 velocity() const { return -angular().cross(arm()); }
  /// Of the angular momentum about e₁, by mass: Ω × L − r × F with F = g z + Ω × v. Linear in ω₃.
  [[nodiscard]] double imbalance(double omega) const {
    RollingCoin coin = *this;
    coin.spin = omega;
    const double across = radius * radius / 4 + half * half / 3, along = radius * radius / 2;
    const Vec3 momentum = across * coin.angular().dot(e2) * e2 + along * omega * e3;
    const Vec3 precession = turn * Vec3::UnitZ();
    const Vec3 force = kGravity * Vec3::UnitZ() + precession.cross(coin.velocity());
    return (precession.cross(momentum) - arm().cross(force)).dot(e1);
  }
  void balance() {
    const double at0 = imbalance(0), at1 = imbalance(1);
    spin = -at0 / (at1 - at0);
  }
};

/// How far the coin is from its circle after a turn, by the radius of the circle.
double measure_coin(Scene scene, const RollingCoin& coin) {
  BodyDescription body = make_body("coin", {Cylinder{coin.radius, 2 * coin.half}}, -coin.arm());
  Mat3 R;
  R << coin.e1, coin.e2, coin.e3;
  body.pose.q = Quat(R);
  body.pose.p.z() += 1e-6;
  body.velocity = coin.velocity();
  body.spin = coin.angular();
  scene.bodies = {make_ground(), body};
  Simulation simulation(scene);
  // v = Ω z × (p − centre)
  const Vec3 center = body.pose.p + Vec3::UnitZ().cross(coin.velocity()) / coin.turn;
  const double radius = coin.velocity().norm() / std::abs(coin.turn);
  double worst = 0;
  while (simulation.world().time < 2 * std::numbers::pi / std::abs(coin.turn)) {
    (void)simulation.step();
    worst = std::max(worst, std::abs((position_of(simulation, "coin") - center).head<2>().norm() - radius));
  }
  return worst / radius;
}

// Steady rolling is an exact solution. With a quarter of the step a method of first order has a quarter of the error,
// and what is left of the second order on the coarse side.
TEST_P(RollingCoinCircle, IsThatOfSteadyRolling) {
  RollingCoin coin;
  coin.balance();
  const double coarse = measure_coin(make(0.002, 0.8, 0), coin), fine = measure_coin(make(0.0005, 0.8, 0), coin);
  EXPECT_LT(fine, 0.1);
  EXPECT_LT(fine, 0.4 * coarse);
}

}  // namespace
}  // namespace achilles
