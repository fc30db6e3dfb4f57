#include "constraint/contact_rows.hpp"

#include "world/inverse_mass.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace achilles {
namespace {

constexpr double kRadius = 0.5;  // of every ball here

/// Two bodies, each a ball that sits off its centre of mass, so that turning a body moves its surface.
class TwoBalls {
 public:
  explicit TwoBalls(std::uint64_t seed, BodyKind first_kind = BodyKind::kDynamic, std::uint8_t locks = 0)
      : engine_(seed) {
    for (const char* name : {"a", "b"}) {
      BodyDescription body;
      body.name = name;
      body.kind = world.names.empty() ? first_kind : BodyKind::kDynamic;
      body.shape = {Sphere{kRadius}};
      body.mass = 1 + std::abs(number());
      body.center = 0.3 * vector();
      body.inertia = make_inertia();
      body.pose = {0.4 * vector() + (world.names.empty() ? Vec3::Zero() : Vec3(2, 0, 0)), rotation()};
      body.velocity = vector();
      body.spin = vector();
      if (!world.names.empty()) body.locks.bits = locks;
      world.add_body(body);
    }
    for (std::size_t i = 0; i < 2; ++i) inverse_mass.push_back(compute_inverse_mass(world.bodies, i));
    place_contact();
  }

  double number() { return std::normal_distribution<double>()(engine_); }
  Vec3 vector() { return Vec3(number(), number(), number()); }
  Quat rotation() { return Quat(number(), number(), number(), number()).normalized(); }

  [[nodiscard]] double gap() const { return (world.bodies.frame(1).p - world.bodies.frame(0).p).norm() - 2 * kRadius; }

  /// Moves both bodies by their velocities for a time.
  void move(double time) {
    for (std::size_t i = 0; i < 2; ++i) {
      const BodyVelocity& u = world.bodies.velocity[i];
      world.bodies.position[i] += time * u.linear;
      const Quat turn(Eigen::AngleAxisd(time * u.angular.norm(), u.angular.normalized()));
      world.bodies.orientation[i] = turn * world.bodies.orientation[i];
    }
  }

  ContactPointRows build(const ContactRowOptions& options, const CachedPoint* cached = nullptr) {
    rows.clear();
    impulses.clear();
    const StepVelocities velocities{world.bodies.velocity, world.bodies.velocity};
    return append_contact_rows({&contact, &point, &law, cached}, world.bodies, inverse_mass, velocities, options, 0,
                               rows, impulses);
  }

  World world;
  std::vector<BodyInverseMass> inverse_mass;
  Contact contact{0, 1, 0, 1, 0, 1};
  ContactPoint point;
  ContactLaw law;
  std::vector<Row> rows;
  std::vector<double> impulses;

 private:
  Mat3 make_inertia() {
    const Vec3 x = vector();
    return Mat3(0.5 * Mat3::Identity() + x * x.transpose());
  }
  void place_contact() {
    const Vec3 a = world.bodies.frame(0).p;
    const Vec3 b = world.bodies.frame(1).p;
    point.normal = (b - a).normalized();
    point.gap = gap();
    point.position = 0.5 * (a + b);
  }

  std::mt19937_64 engine_;
};

/// All four kinds of rows.
ContactLaw make_rough_law() {
  ContactLaw law;
  law.friction = 0.5;
  law.rolling_friction = 0.01;
  law.torsional_friction = 0.02;
  return law;
}

// J u is the rate of the gap; for a body that cannot be moved its share stands in the target instead. Central
// differences are off by the third derivative: (1e-5)² · |u|³/distance² ~ 1e-9, and by rounding 1e-16/1e-5.
TEST(NormalRow, VelocityIsTheRateOfTheGap) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    for (const BodyKind kind : {BodyKind::kDynamic, BodyKind::kScripted}) {
      TwoBalls balls(seed, kind);
      const ContactPointRows where = balls.build({.h = 1e-3, .touching = 1e9});  // any gap counts as closed: target 0
      const Row& row = balls.rows[static_cast<std::size_t>(where.normal)];
      const double rate = row_velocity(row, balls.world.bodies.velocity) - row.target;
      TwoBalls later = balls;
      later.move(1e-5);
      TwoBalls earlier = balls;
      earlier.move(-1e-5);
      ASSERT_NEAR(rate, (later.gap() - earlier.gap()) / 2e-5, 1e-7) << "seed " << seed;
    }
  }
}

// Friction rows see the velocity of b's material point relative to a's, in the tangent plane; rolling and torsion the
// relative spin across and along the normal.
TEST(FrictionRows, SeeTheSlidingVelocityAndTheRelativeSpin) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    TwoBalls balls(seed);
    balls.law = make_rough_law();
    const ContactPointRows where = balls.build({.h = 1e-3});
    const std::span<const BodyVelocity> u = balls.world.bodies.velocity;
    const Vec3& n = balls.point.normal;
    const auto point_velocity = [&](std::size_t i) {
      return Vec3(u[i].linear + u[i].angular.cross(balls.point.position - balls.world.bodies.position[i]));
    };
    const Vec3 relative = point_velocity(1) - point_velocity(0);
    const auto norm_of_pair = [&](std::int32_t at) {
      const auto first = static_cast<std::size_t>(at);
      return std::hypot(row_velocity(balls.rows[first], u), row_velocity(balls.rows[first + 1], u));
    };
    const Vec3 spin = u[1].angular - u[0].angular;
    ASSERT_NEAR(norm_of_pair(where.friction), (relative - relative.dot(n) * n).norm(), 1e-13);
    ASSERT_NEAR(norm_of_pair(where.rolling), (spin - spin.dot(n) * n).norm(), 1e-13);
    ASSERT_NEAR(norm_of_pair(where.torsion), std::abs(spin.dot(n)), 1e-13);
  }
}

// The diagonal of A = J M⁻¹ Jᵀ against the dense product, locks included, and M⁻¹ Jᵀ with it.
TEST(ContactRows, EffectiveMassIsThatOfTheDenseMatrices) {
  using Dense = Eigen::Matrix<double, 12, 12>;
  using Vector12 = Eigen::Matrix<double, 12, 1>;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    TwoBalls balls(seed, BodyKind::kDynamic, static_cast<std::uint8_t>(seed % 64));
    balls.law = make_rough_law();
    (void)balls.build({.h = 1e-3});
    Dense inverse = Dense::Zero();
    for (int i = 0; i < 2; ++i) {
      inverse.block<3, 3>(6 * i, 6 * i) = balls.inverse_mass[static_cast<std::size_t>(i)].linear.asDiagonal();
      inverse.block<3, 3>(6 * i + 3, 6 * i + 3) = balls.inverse_mass[static_cast<std::size_t>(i)].angular;
    }
    for (const Row& row : balls.rows) {
      Vector12 J;
      J << row.linear_a, row.angular_a, row.linear_b, row.angular_b;
      Vector12 mass;
      mass << row.mass_linear_a, row.mass_angular_a, row.mass_linear_b, row.mass_angular_b;
      const Vector12 expected = inverse * J;
      ASSERT_LT((mass - expected).norm(), 1e-14 * (1 + expected.norm()));
      ASSERT_NEAR(row.diagonal, J.dot(expected), 1e-13 * (1 + row.diagonal));
      ASSERT_GE(row.diagonal, 0);
    }
  }
}

// Newton's third law: whatever impulse a row carries, two free bodies keep their momentum and angular momentum.
TEST(ContactRows, ImpulsesKeepMomentumAndAngularMomentum) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    TwoBalls balls(seed);
    balls.law = make_rough_law();
    (void)balls.build({.h = 1e-3});
    World& world = balls.world;
    const Vec3 momentum = world.linear_momentum();
    const Vec3 angular = world.angular_momentum();
    for (const Row& row : balls.rows) apply_impulse(row, balls.number(), world.bodies.velocity);
    ASSERT_LT((world.linear_momentum() - momentum).norm(), 1e-13 * (1 + momentum.norm()));
    ASSERT_LT((world.angular_momentum() - angular).norm(), 1e-12 * (1 + angular.norm()));
  }
}

// An impulse does the work λ · ½ (J u + J u′): what it adds to the energy is what the row sees of it.
TEST(ContactRows, ImpulsesDoTheWorkTheirRowSees) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    TwoBalls balls(seed);
    balls.law = make_rough_law();
    (void)balls.build({.h = 1e-3});
    World& world = balls.world;
    for (const Row& row : balls.rows) {
      const double energy = world.kinetic_energy();
      const double before = row_velocity(row, world.bodies.velocity);
      const double impulse = balls.number();
      apply_impulse(row, impulse, world.bodies.velocity);
      const double after = row_velocity(row, world.bodies.velocity);
      ASSERT_NEAR(after - before, row.diagonal * impulse, 1e-12 * (1 + std::abs(after)));
      const double work = impulse * 0.5 * (before + after);
      ASSERT_NEAR(world.kinetic_energy() - energy, work, 1e-12 * (1 + energy + std::abs(work)));
    }
  }
}

TEST(ContactRows, AreAsManyAsTheLawSays) {
  TwoBalls balls(1);
  for (const double friction : {0.0, 0.5}) {
    for (const double rolling : {0.0, 0.1}) {
      for (const double torsion : {0.0, 0.1}) {
        balls.law = {};
        balls.law.friction = friction;
        balls.law.rolling_friction = rolling;
        balls.law.torsional_friction = torsion;
        (void)balls.build({.h = 1e-3});
        EXPECT_EQ(balls.rows.size(), count_contact_rows(balls.law));
        EXPECT_EQ(balls.impulses.size(), balls.rows.size());
      }
    }
  }
}

/// Two balls head on, closing with `speed`, `gap` apart.
TwoBalls make_head_on(double speed, double gap) {
  TwoBalls balls(1);
  balls.world.bodies.velocity = {BodyVelocity{speed * balls.point.normal, Vec3::Zero()}, BodyVelocity{}};
  balls.point.gap = gap;
  return balls;
}

// The rows are plastic; what meets fast is marked, with the speed it meets with, for the rebound.
TEST(Restitution, TouchingPointThatApproachesFastIsMarkedWithItsSpeed) {
  const ContactRowOptions options{.h = 0.01, .restitution_threshold = 0.1, .touching = 1e-4};
  for (const double e : {0.0, 0.3, 1.0}) {
    TwoBalls balls = make_head_on(2, 0);
    balls.law.restitution = e;
    const ContactPointRows where = balls.build(options);
    EXPECT_EQ(balls.rows[static_cast<std::size_t>(where.normal)].target, 0);
    EXPECT_NEAR(where.approach, 2, 1e-14);
    EXPECT_EQ(where.restitution, e);
    EXPECT_EQ(where.bounces, e > 0);
  }
}

TEST(Restitution, SlowApproachDoesNotBounce) {
  TwoBalls balls = make_head_on(0.09, 0);
  balls.law.restitution = 1;
  EXPECT_FALSE(balls.build({.h = 0.01, .restitution_threshold = 0.1, .touching = 1e-4}).bounces);
}

// Apart, the step may close the gap and not more: the point lands, and rebounds once the surfaces have met.
TEST(Restitution, PointStillApartClosesItsGapAndIsMarkedWhereItGetsThereInTheStep) {
  const ContactRowOptions options{.h = 0.01, .restitution_threshold = 0.1, .touching = 1e-4};
  for (const double gap : {0.005, 0.05}) {  // 2 m/s cover 0.02 m in the step
    TwoBalls balls = make_head_on(2, gap);
    balls.law.restitution = 0.5;
    const ContactPointRows where = balls.build(options);
    EXPECT_NEAR(balls.rows[static_cast<std::size_t>(where.normal)].target, -gap / 0.01, 1e-12);
    EXPECT_NEAR(where.approach, 2, 1e-14);
    EXPECT_EQ(where.bounces, gap < 0.02);
  }
}

TEST(Restitution, PointsThatPartAreLeftAlone) {
  TwoBalls balls = make_head_on(-3, 0);
  balls.law.restitution = 1;
  const ContactPointRows where = balls.build({.h = 0.01, .restitution_threshold = 0.1, .touching = 1e-4});
  EXPECT_EQ(balls.rows[static_cast<std::size_t>(where.normal)].target, 0);
  EXPECT_FALSE(where.bounces);
}

// λ/h = −k (φ + h w) − d w: solve the row alone and compare with the spring and damper at the end of the step.
TEST(CompliantContact, RowSolvedAloneIsTheImplicitSpringAndDamper) {
  for (const double gap : {-0.01, 0.0, -0.2}) {
    TwoBalls balls = make_head_on(1.5, gap);
    balls.law.stiffness = 2000;
    balls.law.damping = 30;
    const double h = 0.004;
    const ContactPointRows where = balls.build({.h = h});
    const Row& row = balls.rows[static_cast<std::size_t>(where.normal)];
    const double impulse = (row.target - row_velocity(row, balls.world.bodies.velocity)) / row.diagonal;
    apply_impulse(row, impulse, balls.world.bodies.velocity);
    const double w = row_velocity(row, balls.world.bodies.velocity);
    EXPECT_NEAR(impulse / h, -2000 * (gap + h * w) - 30 * w, 1e-9);
  }
}

// The impulse that the step reports acts on b; put together from its rows it changes b's momentum by itself.
TEST(ContactImpulse, IsWhatChangesTheMomentumOfTheSecondBody) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    TwoBalls balls(seed);
    balls.law.friction = 0.8;
    const ContactPointRows where = balls.build({.h = 1e-3});
    for (double& impulse : balls.impulses) impulse = balls.number();
    const BodyVelocity before = balls.world.bodies.velocity[1];
    for (std::size_t i = 0; i < balls.rows.size(); ++i) {
      apply_impulse(balls.rows[i], balls.impulses[i], balls.world.bodies.velocity);
    }
    const Vec3 impulse = contact_impulse(where, balls.rows, balls.impulses, balls.point.normal);
    const Vec3 change = balls.world.bodies.mass[1] * (balls.world.bodies.velocity[1].linear - before.linear);
    ASSERT_LT((change - impulse).norm(), 1e-13 * (1 + impulse.norm()));
  }
}

TEST(WarmStart, GivesBackTheImpulseItWasMadeFromButNeverPulls) {
  TwoBalls balls(4);
  balls.law.friction = 0.8;
  CachedPoint memory;
  memory.impulse = 3 * balls.point.normal + 2 * balls.point.normal.unitOrthogonal();
  ContactPointRows where = balls.build({.h = 1e-3}, &memory);
  EXPECT_LT((contact_impulse(where, balls.rows, balls.impulses, balls.point.normal) - memory.impulse).norm(), 1e-14);
  memory.impulse = -balls.point.normal;
  where = balls.build({.h = 1e-3}, &memory);
  EXPECT_EQ(balls.impulses[static_cast<std::size_t>(where.normal)], 0);
}

}  // namespace
}  // namespace achilles
