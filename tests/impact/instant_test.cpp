// The way into this module from a World, and what it costs.
#include "impact/instant.hpp"

#include "impact/random_problems.hpp"
#include "support/allocations.hpp"

namespace achilles::testing {
namespace {

/// Spheres of radius ½ and mass 1 that touch, as a World would hold them. The last body is the floor, fixed.
struct SmallWorld {
  BodyArrays bodies;
  std::vector<BodyInverseMass> inverse_mass;

  void add(BodyKind kind, const Vec3& position, const BodyVelocity& velocity) {
    bodies.kind.push_back(kind);
    bodies.position.push_back(position);
    bodies.velocity.push_back(velocity);
    const bool movable = kind == BodyKind::kDynamic;
    inverse_mass.push_back(movable ? BodyInverseMass{Vec3::Ones(), Mat3::Identity() * 10} : BodyInverseMass{});
  }
};

// A sphere falls on the floor beside a conveyor that runs at 1 m/s: with enough friction it leaves without slip.
TEST(Instant, ConveyorTakesAlongWhatFallsOnIt) {
  SmallWorld world;
  world.add(BodyKind::kScripted, Vec3::Zero(), {{1, 0, 0}, Vec3::Zero()});
  world.add(BodyKind::kDynamic, {0, 0, 0.5}, {{0, 0, -2}, Vec3::Zero()});
  const Contact contact{0, 1, 0, 1, 0, 1};
  const ContactPoint point{Vec3::Zero(), Vec3::UnitZ(), 0, 0};
  ContactLaw law;
  law.friction = 10;
  law.restitution = 0;
  Instant instant;
  ImpactWorkspace scratch;
  for (const char* name : {"mirtich", "inelastic", "newton", "poisson", "guendelman", "generalized-reflections"}) {
    BodyArrays bodies = world.bodies;
    begin_instant(instant);
    const std::uint32_t row = append_contact_point(bodies, world.inverse_mass, contact, point, law, instant);
    const ImpactReport report =
        resolve_instant(*make_impact_law(name), world.inverse_mass, instant, scratch, bodies.velocity);
    EXPECT_EQ(report.status, ImpactStatus::kResolved) << name;
    const BodyVelocity& v = bodies.velocity[1];
    const Vec3 at_contact = v.linear + v.angular.cross(Vec3(0, 0, -0.5));
    EXPECT_NEAR(at_contact.x(), 1, 1e-9) << name;
    EXPECT_NEAR(at_contact.z(), 0, 1e-9) << name;
    // Momentum of the sphere, mass 1, is the impulse it got.
    EXPECT_LE((contact_point_impulse(instant, row) - (v.linear - Vec3(0, 0, -2))).norm(), 1e-9) << name;
  }
}

// Two spheres on a rigid bar, modelled by one bilateral row along it; one of them is struck. The bar keeps its length.
TEST(Instant, JointsHoldThroughAnImpact) {
  for (const char* name : {"gauss-seidel", "generalized-reflections", "inelastic", "newton", "mirtich"}) {
    TouchingBodies bodies;
    for (const Vec3& v : {Vec3(0, 0, 0), Vec3(0, 0, 0), Vec3(1, 0.5, 0)}) bodies.add_ball(1, v);
    bodies.add_row(TouchingBodies::point_row(0, 1, Vec3(1, 1, 0).normalized(), Vec3::Zero(), Vec3::Zero()), 0);
    bodies.add_contact(2, 0, Vec3::UnitX(), 1);
    const std::vector<BodyVelocity> before = bodies.velocities;
    const double energy = bodies.kinetic_energy();
    const ImpactReport report = bodies.resolve(*make_impact_law(name));
    EXPECT_EQ(report.status, ImpactStatus::kResolved) << name;
    EXPECT_NEAR(row_velocity(bodies.rows[0], bodies.velocities), 0, 1e-12) << name;
    EXPECT_LE(bodies.violation(), 1e-9) << name;
    EXPECT_LE(bodies.kinetic_energy(), energy * (1 + 1e-12)) << name;
    EXPECT_LE(bodies.unexplained(before), 1e-12) << name;
  }
}

TEST(Instant, AWarmImpactAllocatesNothing) {
  for (const char* name :
       {"newton", "poisson", "mirtich", "guendelman", "inelastic", "gauss-seidel", "generalized-reflections"}) {
    const ImpactLaw law = *make_impact_law(name);
    TouchingBodies line = make_line({1, 2, 3, 4, 5, 6}, {6, 5, 4, 3, 2, 1}, 0.5);
    for (std::uint32_t r = 0; r < 5; ++r) line.add_friction(r, Vec3::UnitX(), 0.3);
    const std::vector<BodyVelocity> before = line.velocities;
    ASSERT_EQ(line.resolve(law).status, ImpactStatus::kResolved) << name;
    line.velocities = before;
    const std::int64_t count = count_allocations();
    ASSERT_EQ(line.resolve(law).status, ImpactStatus::kResolved) << name;
    EXPECT_EQ(count_allocations() - count, 0) << name;
  }
}

TEST(Instant, NotFiniteInputIsNamedAndLeftAlone) {
  TouchingBodies line = make_line({1, 1}, {1, 0});
  line.velocities[1].linear.y() = std::nan("");
  const ImpactReport report = line.resolve(GaussSeidelLaw{});
  EXPECT_EQ(report.status, ImpactStatus::kNotFinite);
  EXPECT_EQ(line.velocities[0].linear.x(), 1);
}

// Two scripted jaws close on a ball: no velocity of the ball satisfies both.
TEST(Instant, BallBetweenClosingJawsIsReportedAsSqueezed) {
  for (const char* name : {"gauss-seidel", "generalized-reflections", "inelastic", "newton", "mirtich"}) {
    TouchingBodies ball;
    ball.add_ball(1, Vec3::Zero());
    for (const double side : {1.0, -1.0}) {
      const std::uint32_t r = ball.add_contact(TouchingBodies::kWall, 0, side * Vec3::UnitX());
      ball.rows[r].target = 1;
    }
    EXPECT_EQ(ball.resolve(*make_impact_law(name)).status, ImpactStatus::kSqueezed) << name;
  }
}

TEST(ImpactLaws, EveryLawIsFoundByTheNameItIsListedUnder) {
  ASSERT_EQ(impact_infos().size(), std::variant_size_v<ImpactLaw>);
  for (const ImpactInfo& info : impact_infos()) {
    const std::optional<ImpactLaw> law = make_impact_law(info.name);
    ASSERT_TRUE(law.has_value()) << info.name;
    EXPECT_EQ(impact_info(*law).name, info.name);
    EXPECT_FALSE(info.promise.empty());
  }
  EXPECT_FALSE(make_impact_law("magic").has_value());
}

// Every law: nothing approaches afterwards, momentum between free bodies is kept, without friction no energy is gained.
TEST(ImpactLaws, LeaveNothingApproachingAndKeepMomentum) {
  RandomProblems problems(42);
  for (int trial = 0; trial < sized(150, 3000); ++trial) {
    TouchingBodies pile;
    for (int i = 0; i < 8; ++i) pile.add_ball(0.1 + problems.unit(), problems.vector());
    for (std::uint32_t i = 1; i < 8; ++i) {
      pile.add_contact(static_cast<std::uint32_t>(problems.integer(static_cast<int>(i))), i,
                       problems.vector().normalized(), problems.unit());
    }
    const bool rough = trial % 2 == 1;
    for (std::uint32_t r = 0; rough && r < 7; ++r) pile.add_friction(r, pile.rows[r].linear_b, problems.unit());
    for (const ImpactInfo& info : impact_infos()) {
      TouchingBodies copy = pile;
      const double energy = copy.kinetic_energy();
      const ImpactReport report = copy.resolve(*make_impact_law(info.name));
      EXPECT_EQ(report.status, ImpactStatus::kResolved) << info.name;
      const double size = std::sqrt(2 * energy);
      for (std::size_t r = 0; r < 7; ++r) {
        EXPECT_GE(row_velocity(copy.rows[r], copy.velocities) / copy.row_norm(r), -1.1e-9 * size) << info.name;
      }
      EXPECT_LE((copy.momentum() - pile.momentum()).norm(), 1e-12 * size) << info.name;
      EXPECT_LE(copy.unexplained(pile.velocities), 1e-11 * size) << info.name;
      if (!rough || info.name != "newton") {
        EXPECT_LE(copy.kinetic_energy(), energy * (1 + 1e-12)) << info.name;
      }
    }
  }
}

}  // namespace
}  // namespace achilles::testing
