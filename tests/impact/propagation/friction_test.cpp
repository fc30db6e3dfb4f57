// Friction over an instant: after the normal response, and coupled with it.                       [Vouga17, sec. 6.3,
// 8]
#include "impact/random_problems.hpp"

#include <numbers>

namespace achilles::testing {
namespace {

PropagationOptions with_friction(ImpactFriction friction) {
  PropagationOptions options;
  options.friction = friction;
  options.check = true;
  return options;
}

/// A ball (without rotation) that hits the floor at an angle.
TouchingBodies make_skid(double mu, double e) {
  TouchingBodies skid;
  skid.add_ball(2, {3, 0, -1});
  skid.add_friction(skid.add_contact(TouchingBodies::kWall, 0, Vec3::UnitZ(), e), Vec3::UnitZ(), mu);
  return skid;
}

// The normal impulse is m (1 + e) |v_z|, so friction takes µ (1 + e) |v_z| of the slip, or all of it.
TEST(ImpactFriction, SlipLosesMuTimesTheNormalVelocityChange) {
  for (const ImpactFriction friction : {ImpactFriction::kAfter, ImpactFriction::kCoupled}) {
    for (const auto& [name, law] : make_operators(with_friction(friction))) {
      for (const double mu : {0.1, 0.5, 1.0, 2.0}) {
        for (const double e : {0.0, 1.0}) {
          TouchingBodies skid = make_skid(mu, e);
          ASSERT_EQ(skid.resolve(law).status, ImpactStatus::kResolved);
          EXPECT_NEAR(skid.velocities[0].linear.x(), std::max(0.0, 3 - mu * (1 + e)), 1e-12) << name;
          EXPECT_NEAR(skid.velocities[0].linear.z(), e, 1e-12) << name;
        }
      }
    }
  }
}

/// Random bodies in contact, with friction at every contact.
TouchingBodies make_rough(RandomProblems& random, double most) {
  TouchingBodies rough;
  const int count = 1 + random.integer(6);
  for (int i = 0; i < count; ++i) {
    const double mass = std::pow(10.0, 2 * random.unit() - 1);
    rough.add_body(mass, 0.4 * mass * Mat3::Identity(), random.vector(), random.vector());
  }
  const int contacts = 1 + random.integer(2 * count);
  const double e = 0.5 * random.integer(3);
  for (int k = 0; k < contacts; ++k) {
    const std::uint32_t b = static_cast<std::uint32_t>(random.integer(count));
    std::uint32_t a = static_cast<std::uint32_t>(random.integer(count));
    if (a == b) a = TouchingBodies::kWall;
    const Vec3 n = random.vector().normalized(), r_a = n, r_b = -n;
    rough.add_friction(rough.add_contact(a, b, n, e, r_a, r_b), n, most * random.unit(), r_a, r_b);
  }
  return rough;
}

/// Impulses within Coulomb's cones, nothing approaching, no energy gained.
void judge(const TouchingBodies& before, const TouchingBodies& after, const std::string& where) {
  EXPECT_LE(after.kinetic_energy(), before.kinetic_energy() * (1 + 1e-12)) << where;
  const double size = std::sqrt(before.kinetic_energy() / std::max(after.kinetic_energy(), 1e-300));
  EXPECT_LE(after.violation(), 1.1e-9 * size) << where;
  for (std::size_t r = 0; r < after.rows.size(); r += 3) {
    const double normal = after.impulses[r], slip = std::hypot(after.impulses[r + 1], after.impulses[r + 2]);
    EXPECT_GE(normal, 0) << where;
    EXPECT_LE(slip, after.rows[r + 1].friction * normal * (1 + 1e-9) + 1e-12) << where;
  }
}

// Once after the normal response it cannot keep anything from ending.
TEST(ImpactFriction, AfterTheNormalResponseEveryImpactEnds) {
  RandomProblems random(61);
  const auto operators = make_operators(with_friction(ImpactFriction::kAfter));
  for (int trial = 0; trial < sized(1000, 50000); ++trial) {
    const TouchingBodies before = make_rough(random, 1.5);
    const auto& one = operators[static_cast<std::size_t>(trial) % operators.size()];
    TouchingBodies after = before;
    const ImpactReport report = after.resolve(one.second);
    EXPECT_EQ(to_string(report.status), "resolved") << one.first << ", trial " << trial;
    if (report.lineality == 0) judge(before, after, one.first + ", trial " + std::to_string(trial));
    if (HasFailure()) break;
  }
}

// Coupled, it ends wherever all friction cones together are pointed, which is computed beforehand; elsewhere it may
// not, and then it is said.
TEST(ImpactFriction, CoupledItEndsWhereAllConesTogetherArePointed) {
  RandomProblems random(62);
  const auto operators = make_operators(with_friction(ImpactFriction::kCoupled));
  int pointed = 0, blunt = 0, unended = 0;
  for (int trial = 0; trial < sized(1000, 50000); ++trial) {
    const TouchingBodies before = make_rough(random, trial % 2 == 0 ? 0.5 : 1.5);
    const auto& one = operators[static_cast<std::size_t>(trial) % operators.size()];
    TouchingBodies after = before;
    const ImpactReport report = after.resolve(one.second);
    if (report.friction_pointed) {
      ++pointed;
      EXPECT_EQ(to_string(report.status), "resolved") << one.first << ", trial " << trial;
      EXPECT_GT(report.friction_margin, 0);
    } else {
      ++blunt;
      unended += report.status != ImpactStatus::kResolved;
    }
    if (report.status == ImpactStatus::kResolved && report.lineality == 0) {
      judge(before, after, one.first + ", trial " + std::to_string(trial));
    }
    if (HasFailure()) break;
  }
  std::printf("coupled friction: %d pointed, all ended; %d not, of which %d did not end\n", pointed, blunt, unended);
  EXPECT_GT(pointed, 100);
  EXPECT_GT(blunt, 100);
}

// A ball in a rough wedge of half angle β: the cones of half angle arctan µ reach across each other, so that it can
// jam, as soon as arctan µ ≥ β. The detector knows the two sides of that line.
TEST(ImpactFriction, WedgeIsPointedUntilTheFrictionAngleReachesItsHalfAngle) {
  for (const double degrees : {10.0, 20.0, 30.0, 40.0}) {
    const double beta = degrees * std::numbers::pi / 180;
    for (const double share : {0.5, 0.8, 1.2, 1.5}) {
      TouchingBodies wedge;
      wedge.add_ball(1, {-1, 0, 0.1});
      for (const double side : {1.0, -1.0}) {
        const Vec3 n(std::sin(beta), 0, side * std::cos(beta));
        wedge.add_friction(wedge.add_contact(TouchingBodies::kWall, 0, n), n, std::tan(share * beta));
      }
      const ImpactReport report =
          wedge.resolve(GaussSeidelLaw{Selection::kLexicographic, 1, with_friction(ImpactFriction::kCoupled)});
      EXPECT_EQ(report.friction_pointed, share < 1) << degrees << " degrees, share " << share;
      if (share < 1) {
        EXPECT_EQ(report.status, ImpactStatus::kResolved);
      }
    }
  }
}

}  // namespace
}  // namespace achilles::testing
