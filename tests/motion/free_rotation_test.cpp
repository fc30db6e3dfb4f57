// The integrator of a body that nothing touches: what it keeps, how fast it converges, and that no step is too long.
#include "motion/free_rotation.hpp"
#include "support/full_size.hpp"

#include <Eigen/LU>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace achilles {
namespace {

constexpr double kPi = std::numbers::pi;

/// A free body: orientation and spin in body axes.
struct Spinning {
  Mat3 inertia;
  Quat q = Quat::Identity();
  Vec3 w_B;

  void step(double h) {
    const FreeRotation free = advance_free_rotation(inertia, w_B, Vec3::Zero(), h);
    q = (q * cayley_rotation(h * free.spin_mean_B)).normalized();
    w_B = free.spin_end_B;
  }
  [[nodiscard]] double energy() const { return 0.5 * w_B.dot(inertia * w_B); }
  [[nodiscard]] Vec3 momentum() const { return q * (inertia * w_B); }
};

/// The classical fourth-order rule on (q, ω), for a reference with steps so short that its own error does not matter.
void step_runge_kutta(Spinning& body, double h) {
  const Mat3 inverse = body.inertia.inverse();
  struct Rate {
    Eigen::Vector4d q;
    Vec3 w;
  };
  const auto rate = [&](const Eigen::Vector4d& q, const Vec3& w) -> Rate {
    const Quat turn = Quat(q) * Quat(0, 0.5 * w.x(), 0.5 * w.y(), 0.5 * w.z());
    return {turn.coeffs(), inverse * (body.inertia * w).cross(w)};
  };
  const Eigen::Vector4d q = body.q.coeffs();
  const Vec3 w = body.w_B;
  const Rate k1 = rate(q, w);
  const Rate k2 = rate(q + 0.5 * h * k1.q, w + 0.5 * h * k1.w);
  const Rate k3 = rate(q + 0.5 * h * k2.q, w + 0.5 * h * k2.w);
  const Rate k4 = rate(q + h * k3.q, w + h * k3.w);
  body.q = Quat(q + h / 6 * (k1.q + 2 * k2.q + 2 * k3.q + k4.q)).normalized();
  body.w_B = w + h / 6 * (k1.w + 2 * k2.w + 2 * k3.w + k4.w);
}

double angle_between(const Quat& a, const Quat& b) { return a.angularDistance(b); }

/// Inertias from needles to plates, all that a solid can have (triangle inequality), turned against the body axes.
std::vector<Mat3> make_inertias() {
  const Mat3 tilt = Quat(0.4, 0.1, -0.7, 0.3).normalized().toRotationMatrix();
  std::vector<Mat3> inertias;
  for (const Vec3& moments :
       {Vec3(1, 2, 2.5), Vec3(1, 1, 1), Vec3(1, 1, 2 - 1e-9), Vec3(1, 1, 1e-4), Vec3(1, 1 + 1e-9, 1),
        Vec3(1, 1.999, 2.998), Vec3(1e-3, 1, 1.0005), Vec3(1e-7, 2e-7, 2.5e-7)}) {
    inertias.emplace_back(tilt * moments.asDiagonal() * tilt.transpose());
  }
  return inertias;
}

// The rule keeps quadratic invariants exactly; what is left is the rounding of the spin. It may have the same sign in
// every step where the spin hardly changes (a body that is nearly a sphere), so it adds up to at most ε per step.
TEST(TorqueFreeBody, KeepsEnergyAndAngularMomentumForEveryInertiaOverALongRun) {
  const int steps = is_full() ? 1000000 : 50000;
  double worst_energy = 0;
  double worst_momentum = 0;
  for (const Mat3& inertia : make_inertias()) {
    for (const double speed : {1.0, 300.0}) {
      Spinning body{inertia, Quat::Identity(), speed * Vec3(0.3, 1, -0.2)};
      const double energy = body.energy();
      const Vec3 momentum = body.momentum();
      for (int k = 0; k < steps; ++k) body.step(0.001);
      worst_energy = std::max(worst_energy, std::abs(body.energy() / energy - 1));
      worst_momentum = std::max(worst_momentum, (body.momentum() - momentum).norm() / momentum.norm());
    }
  }
  const double bound = 2.2e-16 * steps;
  EXPECT_LT(worst_energy, bound);
  EXPECT_LT(worst_momentum, bound);
}

// A symmetric top: in body axes the spin turns about the axis of symmetry with (I₃/I₁ − 1) ω₃, in world axes the axis
// turns about L with |L|/I₁, at a fixed angle. Second order: error (hω)²/12 times the phase.
TEST(SymmetricTop, PrecessesWithTheClosedFormRate) {
  for (const double ratio : {0.3, 0.9, 1.5, 1.99}) {
    const double h = 1e-4;
    Spinning body{Vec3(1, 1, ratio).asDiagonal(), Quat::Identity(), Vec3(0.8, 0, 3)};
    const Vec3 start = body.w_B;
    const Vec3 momentum = body.momentum();
    const double rate = (ratio - 1) * start.z();
    const double precession = momentum.norm();  // I₁ = 1
    const Vec3 axis_start = body.q * Vec3::UnitZ();
    const int steps = 20000;
    for (int k = 0; k < steps; ++k) body.step(h);
    const double t = h * steps;
    const double bound = std::pow(h * start.norm(), 2) / 12 * start.norm() * t * 4;
    const Vec3 expected = Eigen::AngleAxisd(rate * t, Vec3::UnitZ()) * start;
    EXPECT_LT((body.w_B - expected).norm(), bound * start.norm()) << ratio;
    const Vec3 axis = Eigen::AngleAxisd(precession * t, momentum.normalized()) * axis_start;
    EXPECT_LT((body.q * Vec3::UnitZ() - axis).norm(), bound + 1e-11) << ratio;
    // Nutation angle: L · axis = I₃ ω₃ stays, up to the rounding of all those steps.
    EXPECT_NEAR(body.w_B.z(), start.z(), 1e-12) << ratio;
  }
}

TEST(FreeRotation, ConvergesWithSecondOrder) {
  const Spinning start{Vec3(1, 2, 2.7).asDiagonal(), Quat::Identity(), Vec3(0.7, 2.1, -0.4)};
  const double t = 2;
  Spinning reference = start;
  for (int k = 0; k < 20000; ++k) step_runge_kutta(reference, t / 20000);  // its error: (1e-4 · 3)⁴ ~ 1e-14
  const auto error = [&](int steps) {
    Spinning body = start;
    for (int k = 0; k < steps; ++k) body.step(t / steps);
    return Vec2((body.w_B - reference.w_B).norm(), angle_between(body.q, reference.q));
  };
  for (const int steps : {100, 200, 400}) {
    const Vec2 ratio = error(steps).cwiseQuotient(error(2 * steps));
    EXPECT_NEAR(ratio[0], 4, 0.1) << steps;
    EXPECT_NEAR(ratio[1], 4, 0.1) << steps;
  }
}

// With explicit Euler, energy grows by (h |ω̇|)² per step: near hω ~ 1 it explodes within a few steps. The conserving
// rule stays on the energy ellipsoid for steps of any length, also of many turns.
TEST(GyroscopicTerm, StaysBoundedWhereAnExplicitOneBlowsUp) {
  const Mat3 inertia = Vec3(1, 2, 2.7).asDiagonal();
  const Vec3 start(0.5, 1, -0.4);
  Vec3 explicit_spin = start;
  for (int k = 0; k < 100 && explicit_spin.norm() < 1e6; ++k) {
    explicit_spin += inertia.inverse() * (inertia * explicit_spin).cross(explicit_spin);  // h = 1
  }
  EXPECT_GE(explicit_spin.norm(), 1e6) << "the comparison shows nothing unless this blows up";
  for (const double h : {0.1, 1.0, 3.0, 10.0, 100.0}) {
    Spinning body{inertia, Quat::Identity(), start};
    const double energy = body.energy();
    const Vec3 momentum = body.momentum();
    for (int k = 0; k < 1000; ++k) body.step(h);
    EXPECT_NEAR(body.energy(), energy, 1e-11 * energy) << "h = " << h;
    EXPECT_LT((body.momentum() - momentum).norm(), 1e-11 * momentum.norm()) << "h = " << h;
  }
}

TEST(GyroscopicTerm, KeepsTheEnergyFromRestToAThousandRadiansPerStep) {
  std::mt19937_64 engine(5);
  std::normal_distribution<double> normal;
  double worst = 0;
  const int rounds = is_full() ? 1000000 : 20000;
  for (int round = 0; round < rounds; ++round) {
    const Vec3 edges = Vec3(normal(engine), normal(engine), normal(engine)).cwiseAbs() + Vec3::Constant(0.05);
    const Vec3 squares = edges.cwiseProduct(edges);
    const Mat3 inertia =
        Vec3(squares.y() + squares.z(), squares.z() + squares.x(), squares.x() + squares.y()).asDiagonal();
    const double turns = std::pow(10.0, std::uniform_real_distribution<double>(-6, 3)(engine));
    const Vec3 spin = turns * Vec3(normal(engine), normal(engine), normal(engine));
    const FreeRotation free = advance_free_rotation(inertia, spin, Vec3::Zero(), 1);
    const double energy = spin.dot(inertia * spin);
    worst = std::max(worst, std::abs(free.spin_end_B.dot(inertia * free.spin_end_B) / energy - 1));
  }
  EXPECT_LT(worst, 1e-9);
}

// A torque about a principal axis: ω = τ t / I exactly, for any step.
TEST(FreeRotation, SpinsUpUniformlyUnderATorqueAboutAPrincipalAxis) {
  const Mat3 inertia = Vec3(1, 2, 3).asDiagonal();
  Vec3 spin = Vec3::Zero();
  for (int k = 0; k < 100; ++k) spin = advance_free_rotation(inertia, spin, Vec3(0, 0, 6), 0.01).spin_end_B;
  EXPECT_LT((spin - Vec3(0, 0, 2)).norm(), 1e-14);
}

TEST(CayleyRotation, TurnsByTwiceTheArcTangentOfHalfTheVector) {
  for (const double size : {1e-9, 0.1, 2.0, 50.0}) {
    const Vec3 axis = Vec3(1, -2, 2) / 3;
    const Quat expected(Eigen::AngleAxisd(2 * std::atan(size / 2), axis));
    EXPECT_LT(angle_between(cayley_rotation(size * axis), expected), 1e-14 + 1e-15 * size) << size;
  }
}

// Constant spin: the finite update lands where the closed form does, whatever the step, [Erleben04, sec. 4.14].
TEST(FiniteRotation, IsExactForConstantSpin) {
  const Vec3 spin(1, -3, 2);
  for (const double h : {1e-12, 1e-3, 0.1, 1.0, 5.0}) {
    Quat q(0.5, 0.5, -0.5, 0.5);
    const Quat start = q;
    for (int k = 0; k < 50; ++k) q = update_orientation(q, spin, h, RotationUpdate::kFinite, Vec3::UnitX());
    const double angle = std::remainder(50 * h * spin.norm(), 2 * kPi);
    const Quat expected = Quat(Eigen::AngleAxisd(angle, spin.normalized())) * start;
    EXPECT_LT(angle_between(q, expected), 1e-12) << h;
  }
}

// The patch of the sine near zero joins without a step: series and sine differ by less than rounding where they meet.
TEST(FiniteRotation, HasUnitLengthAndTheRightAngleOnBothSidesOfTheSeries) {
  for (double angle = 1e-10; angle < 3; angle *= 1.37) {
    const Quat q = finite_rotation(angle * Vec3(2, 1, -2) / 3);
    EXPECT_NEAR(q.norm(), 1, 4e-16) << angle;
    EXPECT_NEAR(2 * std::atan2(q.vec().norm(), q.w()), angle, 4e-16 * angle) << angle;
  }
  EXPECT_EQ(finite_rotation(Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
}

// The first-order update turns by 2 atan(h|ω|/2) instead of h|ω|: short by (h|ω|)³/12 per step.
TEST(InfinitesimalRotation, FallsShortByTheCubeOfTheAngleOverTwelve) {
  for (const double angle : {0.01, 0.02, 0.05}) {
    const Quat q =
        update_orientation(Quat::Identity(), Vec3(0, 0, angle), 1, RotationUpdate::kInfinitesimal, Vec3::UnitX());
    const double turned = 2 * std::atan2(q.z(), q.w());
    EXPECT_NEAR((angle - turned) / (std::pow(angle, 3) / 12), 1, angle * angle) << angle;
  }
}

// Partial: what turns about the chosen axis is exact, however fast (a wheel); the rest is of first order.
TEST(PartialRotation, IsExactAboutItsAxisAndInfinitesimalAboutTheOthers) {
  const Vec3 axis = Vec3(1, 2, -2) / 3;
  const Quat start = Quat(0.3, -0.2, 0.9, 0.1).normalized();
  const Vec3 axis_W = start * axis;
  const double h = 0.1;
  const auto turn = [&](const Vec3& spin, RotationUpdate rule) {
    return update_orientation(start, spin, h, rule, axis);
  };
  const Vec3 along = 40 * axis_W;  // four radians in the step
  EXPECT_LT(angle_between(turn(along, RotationUpdate::kPartial), turn(along, RotationUpdate::kFinite)), 1e-14);
  const Vec3 across = 3 * axis_W.unitOrthogonal();
  EXPECT_LT(angle_between(turn(across, RotationUpdate::kPartial), turn(across, RotationUpdate::kInfinitesimal)), 1e-14);
  // Both together: the axis of the wheel ends where the infinitesimal part alone takes it.
  const Quat both = turn(along + across, RotationUpdate::kPartial);
  const Vec3 expected = turn(across, RotationUpdate::kInfinitesimal) * axis;
  EXPECT_LT((both * axis - expected).norm(), 1e-14);
}

// All rules agree as the step shrinks: they differ by O((hω)²) or less in one step.
TEST(UpdateOrientation, RulesAgreeToFirstOrderAndKeepUnitLength) {
  const Quat start = Quat(0.3, -0.2, 0.9, 0.1).normalized();
  const Vec3 spin(2, -1, 0.5);
  double last = 0;
  for (const double h : {0.01, 0.005}) {
    const Quat finite = update_orientation(start, spin, h, RotationUpdate::kFinite, Vec3::UnitX());
    const Quat partial = update_orientation(start, spin, h, RotationUpdate::kPartial, Vec3::UnitX());
    const Quat infinitesimal = update_orientation(start, spin, h, RotationUpdate::kInfinitesimal, Vec3::UnitX());
    for (const Quat& q : {finite, partial, infinitesimal}) EXPECT_NEAR(q.norm(), 1, 4e-16);
    const double difference = angle_between(finite, partial);
    // Second order in one step: the two turns of the partial rule do not commute.
    if (last > 0) {
      EXPECT_NEAR(last / difference, 4, 0.1);
    }
    last = difference;
    EXPECT_LT(angle_between(finite, infinitesimal), std::pow(h * spin.norm(), 3));
  }
}

}  // namespace
}  // namespace achilles
