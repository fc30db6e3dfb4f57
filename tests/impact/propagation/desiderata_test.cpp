// What an impact operator must satisfy, and why each of it is needed.                       [Vouga17, sec. 2 and 5.3]
//
// The operators below break one desideratum each and keep all others. The checker must name the one they break, and
// iterating them must not end; the operator that breaks none must.
#include "impact/propagation/desiderata.hpp"

#include "impact/touching_bodies.hpp"

namespace achilles::testing {
namespace {

/// One part, ready for the checker, from bodies that form one.
ImpactPart make_part(const TouchingBodies& bodies) {
  PartSplit split;
  ImpactPart part;
  const ImpactProblem problem{bodies.rows, bodies.inverse_mass, bodies.restitution};
  split_parts(problem, split);
  EXPECT_EQ(split.count(), 1);
  build_part(problem, split, 0, part);
  return part;
}

std::string_view judge(const ImpactPart& part, const std::vector<double>& before, const std::vector<double>& after,
                       const std::vector<int>& struck, const std::vector<double>& impulses) {
  std::vector<double> scratch;
  const double threshold = 1e-12 * std::sqrt(part.squared_norm(before.data()));
  return violated_desideratum(part, {before, after, struck, impulses, threshold, true}, scratch);
}

std::vector<double> apply(const ImpactPart& part, std::vector<double> x, const std::vector<int>& struck,
                          const std::vector<double>& impulses) {
  for (std::size_t k = 0; k < struck.size(); ++k) part.gradients.apply(struck[k], impulses[k], x.data());
  return x;
}

/// A ball flying into a corner with normals (0, 1) and (−1, 0), figure 7.
TouchingBodies make_corner() {
  TouchingBodies corner;
  corner.add_ball(1, Vec3::Zero());
  corner.add_contact(TouchingBodies::kWall, 0, Vec3(0, 1, 0));
  corner.add_contact(TouchingBodies::kWall, 0, Vec3(-1, 0, 0));
  return corner;
}

TEST(Desiderata, AReflectionSatisfiesAll) {
  const ImpactPart part = make_part(make_corner());
  const std::vector<double> before = {2, -1, 0, 0, 0, 0};
  EXPECT_EQ(judge(part, before, apply(part, before, {0}, {2}), {0}, {2}), "");
  EXPECT_EQ(judge(part, before, apply(part, before, {0, 1}, {2, 4}), {0, 1}, {2, 4}), "");
}

// λ₁ = −1, λ₂ = 1 and back: (2, −1) ↔ (1, −2), both of the same energy, both violating both walls, for ever.
TEST(Desiderata, PullingWallsCycleWithoutOne) {
  const ImpactPart part = make_part(make_corner());
  std::vector<double> x = {2, -1, 0, 0, 0, 0};
  for (int i = 0; i < 100; ++i) {
    const std::vector<double> impulses = i % 2 == 0 ? std::vector<double>{-1, 1} : std::vector<double>{1, -1};
    const std::vector<double> after = apply(part, x, {0, 1}, impulses);
    EXPECT_EQ(judge(part, x, after, {0, 1}, impulses), "ONE");
    EXPECT_DOUBLE_EQ(part.squared_norm(after.data()), 5);
    EXPECT_GT(part.approach(0, after.data()), 0.5);
    EXPECT_GT(part.approach(1, after.data()), 0.5);
    x = after;
  }
  EXPECT_EQ(x, (std::vector<double>{2, -1, 0, 0, 0, 0}));
}

// Three balls at 0, 1, 0. If the left contact, which does not approach, may push as well, ever smaller pushes keep the
// energy and never resolve the right one. With impulses a on the left and b on the right contact of unit balls the
// velocity is (−a, 1 + a − b, b); its energy is that before for a² + a (1 − b) + b² − b = 0, which has a root a > 0 for
// small b.
TEST(Desiderata, SmallPushesConvergeToAnInfeasibleVelocityWithoutVio) {
  const ImpactPart part = make_part(make_line({1, 1, 1}, {0, 1, 0}));
  std::vector<double> x(18, 0.0);
  x[6] = 1;
  double share = 0.1;
  for (int i = 0; i < 40; ++i, share *= 0.5) {
    // ⟨x + D λ, x + D λ⟩ = ⟨x, x⟩ with λ = (a, b), solved for a.
    const double u = part.gradients.velocity(0, x.data()), w = part.gradients.velocity(1, x.data()), b = share * -w;
    // 2 a u + 2 b w + 2 a² + 2 b² − 2 a b = 0
    const double p = u - b, q = b * w + b * b;
    const double a = 0.5 * (-p + std::sqrt(p * p - 4 * q));
    ASSERT_GT(a, 0);
    const std::vector<double> after = apply(part, x, {0, 1}, {a, b});
    EXPECT_NEAR(part.squared_norm(after.data()), 1, 1e-14);
    EXPECT_EQ(judge(part, x, after, {0, 1}, {a, b}), "VIO");
    x = after;
  }
  EXPECT_GT(part.approach(1, x.data()), 0.3);  // still approaching, and the pushes are below rounding by now
}

TEST(Desiderata, LeavingAnInfeasibleVelocityAloneBreaksMod) {
  const ImpactPart part = make_part(make_corner());
  const std::vector<double> x = {2, -1, 0, 0, 0, 0};
  EXPECT_EQ(judge(part, x, x, {}, {}), "MOD");
  const std::vector<double> feasible = {-2, 1, 0, 0, 0, 0};
  EXPECT_EQ(judge(part, feasible, feasible, {}, {}), "");
}

TEST(Desiderata, LosingEnergyBreaksKin) {
  const ImpactPart part = make_part(make_corner());
  const std::vector<double> x = {2, -1, 0, 0, 0, 0};
  EXPECT_EQ(judge(part, x, apply(part, x, {0}, {1}), {0}, {1}), "KIN");
}

TEST(Desiderata, TouchingTheTangentialVelocityBreaksNorm) {
  const ImpactPart part = make_part(make_corner());
  const std::vector<double> x = {0, -1, 0, 0, 0, 0}, turned = {0.6, 0.8, 0, 0, 0, 0};
  EXPECT_EQ(judge(part, x, turned, {0}, {1.8}), "NORM");
}

// (KIN) gone: five balls, restitution 0 in every application. Each strike halves one relative velocity, a Zeno point in
// velocity space that no number of strikes reaches.   [Vouga17, fig. 8]
TEST(InelasticCollapse, FiveBallCradleNeverBecomesFeasibleUnderPerImpactDissipation) {
  for (const std::int64_t strikes : {10, 100, 1000}) {
    TouchingBodies line = make_line({1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, 0);
    GaussSeidelLaw law;
    law.options.restitution = ImpactRestitution::kPerImpact;
    law.options.tolerance = 0;
    law.options.max_iterations = strikes;
    const ImpactReport report = line.resolve(law);
    EXPECT_EQ(report.status, ImpactStatus::kIterationLimit);
    EXPECT_EQ(report.iterations, strikes);
    // Feasible would be ascending; the order of the velocities is still descending overall, and momentum is all there.
    EXPECT_NEAR(line.momentum().x(), 1, 1e-14);
  }
}

// Lexicographic order goes back and forth between the first two contacts, each strike stops half of the approach that
// the strike before made: impulses of 1/2, 1/4, 1/8, … exactly, and in exact arithmetic the fourth ball is never
// reached.
TEST(InelasticCollapse, EveryStrikeHalvesTheApproachAchillesAndTheTortoise) {
  TouchingBodies line = make_line({1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, 0);
  GaussSeidelLaw law;
  law.options.restitution = ImpactRestitution::kPerImpact;
  law.options.tolerance = 0;
  law.options.max_iterations = 40;
  double expected = 1;
  line.scratch.propagation.observer = [&](const ImpactApplication& application) {
    expected *= 0.5;
    ASSERT_EQ(application.impulses.size(), 1U);
    EXPECT_EQ(application.impulses[0], expected);
    EXPECT_LE(application.rows[0], 1U);
  };
  EXPECT_EQ(line.resolve(law).iterations, 40);
  EXPECT_EQ(line.velocities[3].linear.x(), 0);
}

// With a tolerance the collapse ends, at a cost that grows with the digits asked for.
TEST(InelasticCollapse, CostGrowsWithTheDigitsAskedFor) {
  std::int64_t last = 0;
  for (const double tolerance : {1e-3, 1e-6, 1e-9, 1e-12}) {
    TouchingBodies line = make_line({1, 1, 1, 1, 1}, {1, 0, 0, 0, 0}, 0);
    GaussSeidelLaw law;
    law.options.restitution = ImpactRestitution::kPerImpact;
    law.options.tolerance = tolerance;
    const ImpactReport report = line.resolve(law);
    EXPECT_EQ(report.status, ImpactStatus::kResolved);
    EXPECT_GT(report.iterations, last + 10);
    last = report.iterations;
  }
}

}  // namespace
}  // namespace achilles::testing
