#include "motion/integrate.hpp"

#include "world/inverse_mass.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace achilles {
namespace {

/// Steps a world without contacts.
class Flight {
 public:
  explicit Flight(const BodyDescription& body, const Vec3& gravity = Vec3(0, 0, -9.81)) {
    world.gravity = gravity;
    world.add_body(body);
  }

  void step(double h, Integrator integrator, bool constrained = false) {
    const std::vector<BodyInverseMass> inverse{compute_inverse_mass(world.bodies, 0)};
    std::vector<FreeMotion> motion(1);
    const std::vector<std::uint8_t> touched{constrained ? std::uint8_t{1} : std::uint8_t{0}};
    integrate_velocities(world, inverse, h, motion);
    integrate_positions(world, h, integrator, motion, touched);
  }

  World world;
};

BodyDescription make_box() {
  BodyDescription box;
  box.name = "box";
  box.shape = {Box{Vec3(0.2, 0.5, 1)}};
  box.velocity = Vec3(3, -1, 7);
  return box;
}

// s⁺ = s + h u⁺ with u⁺ = u + h g: the fall is too deep by g h t / 2, exactly.
TEST(SemiImplicitEuler, IsOffTheParabolaByHalfGravityTimesStepTimesTime) {
  for (const double h : {0.01, 0.002}) {
    Flight flight(make_box());
    const int steps = 500;
    for (int k = 0; k < steps; ++k) flight.step(h, Integrator::kSemiImplicit);
    const double t = steps * h;
    const Vec3 parabola = Vec3(3, -1, 7) * t + 0.5 * t * t * flight.world.gravity;
    const Vec3 error = flight.world.bodies.position[0] - parabola;
    EXPECT_LT((error - 0.5 * h * t * flight.world.gravity).norm(), 1e-12 * (1 + t * t * 9.81)) << h;
  }
}

TEST(ConservingIntegrator, FliesOnTheParabolaAndKeepsTheEnergy) {
  BodyDescription box = make_box();
  box.spin = Vec3(4, 5, -3);
  Flight flight(box, Vec3(1, 2, -9));
  const double energy = flight.world.kinetic_energy() + flight.world.potential_energy();
  for (int k = 0; k < 1000; ++k) flight.step(0.01, Integrator::kConserving);
  const Vec3 parabola = Vec3(3, -1, 7) * 10 + 50 * flight.world.gravity;
  EXPECT_LT((flight.world.bodies.position[0] - parabola).norm(), 1e-11 * parabola.norm());
  EXPECT_NEAR(flight.world.kinetic_energy() + flight.world.potential_energy(), energy,
              1e-11 * flight.world.kinetic_energy());
}

// The infinitesimal update turns by 2 atan(h |ω|/2), as the midpoint rule does: with the mean spin nothing is lost, at
// turns of 2 rad in a step either.
TEST(ConservingIntegrator, KeepsEnergyAndAngularMomentumUnderTheInfinitesimalUpdate) {
  BodyDescription box = make_box();
  box.spin = Vec3(120, 150, -90);
  box.rotation = RotationUpdate::kInfinitesimal;
  Flight flight(box, Vec3::Zero());
  const double energy = flight.world.kinetic_energy();
  const Vec3 momentum = flight.world.angular_momentum();
  for (int k = 0; k < 1000; ++k) flight.step(0.01, Integrator::kConserving);
  EXPECT_NEAR(flight.world.kinetic_energy(), energy, 1e-10 * energy);
  EXPECT_LT((flight.world.angular_momentum() - momentum).norm(), 1e-10 * momentum.norm());
}

TEST(Integrator, MovesABodyThatAnImpulseActedOnByItsVelocityAfterIt) {
  Flight flight(make_box());
  const Vec3 start = flight.world.bodies.position[0];
  flight.step(0.01, Integrator::kConserving, true);
  const Vec3 expected = start + 0.01 * flight.world.bodies.velocity[0].linear;
  EXPECT_LT((flight.world.bodies.position[0] - expected).norm(), 1e-16);
}

// f = m a and τ = I α about a principal axis.
TEST(ExternalForces, AccelerateAndTurnWithTheClosedForms) {
  BodyDescription box = make_box();
  box.velocity = Vec3::Zero();
  box.mass = 2;
  box.force = Vec3(6, 0, 0);
  box.torque = Vec3(0, 0, 0.5);
  Flight flight(box, Vec3::Zero());
  for (int k = 0; k < 200; ++k) flight.step(0.01, Integrator::kConserving);
  const double t = 2;
  const double inertia = flight.world.bodies.inertia_B[0](2, 2);
  const BodyVelocity& u = flight.world.bodies.velocity[0];
  EXPECT_NEAR(u.linear.x(), 3 * t, 1e-12);
  EXPECT_NEAR(flight.world.bodies.position[0].x(), 1.5 * t * t, 1e-12);
  EXPECT_NEAR(u.angular.z(), 0.5 / inertia * t, 1e-11);
}

TEST(ExternalForces, AppliedByHandActForOneStepOnly) {
  BodyDescription box = make_box();
  box.velocity = Vec3::Zero();
  box.mass = 2;
  Flight flight(box, Vec3::Zero());
  flight.world.apply_force(flight.world.handle_of(0), Vec3(4, 0, 0), Vec3::Zero());
  for (int k = 0; k < 10; ++k) flight.step(0.5, Integrator::kConserving);
  EXPECT_DOUBLE_EQ(flight.world.bodies.velocity[0].linear.x(), 1);
}

TEST(Locks, HoldTheirDegreesOfFreedomAtZeroAgainstForcesAndLeaveTheOthersFree) {
  for (std::uint8_t bits = 0; bits < 64; ++bits) {
    BodyDescription box = make_box();
    box.mass = 2;
    box.locks.bits = bits;
    box.spin = Vec3(1, 1, 1);
    box.force = Vec3(2, 2, 2);
    box.torque = Vec3(1, 1, 1);
    Flight flight(box, Vec3::Zero());
    for (int k = 0; k < 10; ++k) flight.step(0.1, Integrator::kConserving);
    for (int axis = 0; axis < 3; ++axis) {
      const double v = flight.world.bodies.velocity[0].linear[axis];
      const double w = flight.world.bodies.velocity[0].angular[axis];
      if ((bits & (1U << axis)) != 0) {
        EXPECT_EQ(v, 0);
        EXPECT_EQ(flight.world.bodies.position[0][axis], 0);
      } else {
        EXPECT_NEAR(v, box.velocity[axis] + 1, 1e-14);
      }
      if ((bits & (8U << axis)) != 0) {
        EXPECT_EQ(w, 0);
      }
    }
  }
}

// Rotation about one world axis only: I_W about it follows the orientation, and I_W ω̇ = τ with the constraint torque
// taking the gyroscopic part. About a principal axis this is ω = τ t / I.
TEST(Locks, BodyThatMayTurnAboutOneAxisOnlyFollowsTheTorqueAboutIt) {
  BodyDescription box = make_box();
  box.mass = 1;
  box.locks.bits = Locks::kRx | Locks::kRz;
  box.torque = Vec3(5, 0.3, -7);
  Flight flight(box, Vec3::Zero());
  for (int k = 0; k < 100; ++k) flight.step(0.01, Integrator::kConserving);
  const double inertia = (0.2 * 0.2 + 1) / 12;
  EXPECT_NEAR(flight.world.bodies.velocity[0].angular.y(), 0.3 / inertia, 1e-11);
  const double angle = 0.5 * 0.3 / inertia;
  const Quat expected(Eigen::AngleAxisd(angle, Vec3::UnitY()));
  // The Cayley rotation of each step falls short of its angle by a twelfth of its cube.
  EXPECT_LT(flight.world.bodies.orientation[0].angularDistance(expected), 100 * std::pow(0.01 * 0.3 / inertia, 3) / 12);
}

TEST(BodyKinds, FixedStaysScriptedMovesByItsVelocityAndNeitherFeelsForces) {
  for (const BodyKind kind : {BodyKind::kFixed, BodyKind::kScripted}) {
    BodyDescription box = make_box();
    box.kind = kind;
    box.force = Vec3(1, 1, 1);
    box.spin = Vec3(0, 0, 2);
    Flight flight(box);
    for (int k = 0; k < 100; ++k) flight.step(0.01, Integrator::kConserving);
    const bool moves = kind == BodyKind::kScripted;
    const Vec3 expected = moves ? Vec3(3, -1, 7) : Vec3(0, 0, 0);
    EXPECT_LT((flight.world.bodies.position[0] - expected).norm(), 1e-13);
    const Quat turned(Eigen::AngleAxisd(moves ? 2.0 : 0.0, Vec3::UnitZ()));
    EXPECT_LT(flight.world.bodies.orientation[0].angularDistance(turned), 1e-13);
  }
}

TEST(Sleep, SleepingBodyNeitherFallsNorTurns) {
  BodyDescription box = make_box();
  box.spin = Vec3(1, 2, 3);
  Flight flight(box);
  flight.world.bodies.asleep[0] = 1;
  const std::uint64_t hash = flight.world.state_hash();
  flight.step(0.1, Integrator::kConserving);
  EXPECT_EQ(flight.world.state_hash(), hash);
}

}  // namespace
}  // namespace achilles
