// Operators that break a desideratum are caught in the act, by what debug builds do to every application.
//
// Each operator below is plugged into the real iteration, [Vouga17, alg. 1], on figure 7's ball in a corner, and breaks
// one desideratum as in section 5.3. With checks on, the iteration stops at the first application and names it.
#include "impact/touching_bodies.hpp"

#include <stdexcept>

namespace achilles::testing {
namespace {

TouchingBodies make_corner(ImpactOperator operation) {
  TouchingBodies corner;
  corner.add_ball(1, {2, -1, 0});
  corner.add_contact(TouchingBodies::kWall, 0, Vec3(0, 1, 0));
  corner.add_contact(TouchingBodies::kWall, 0, Vec3(-1, 0, 0));
  corner.scratch.propagation.operation = std::move(operation);
  return corner;
}

/// Strikes all approaching contacts, each by `share` of what its own reflection would take.
ImpactOperator make_reflection(double share) {
  return [share](const ImpactPart& part, std::span<const int> violated, std::span<double> x, std::vector<int>& struck,
                 std::vector<double>& strikes) {
    for (const int i : violated) {
      struck.push_back(i);
      strikes.push_back(-2 * share * part.gradients.velocity(i, x.data()) / part.gradients.squared_norm(i));
      part.gradients.apply(i, strikes.back(), x.data());
    }
  };
}

/// λ = (∓1, ±1): (2, −1) ↔ (1, −2).
ImpactOperator make_pulling() {
  return [sign = -1.0](const ImpactPart& part, std::span<const int>, std::span<double> x, std::vector<int>& struck,
                       std::vector<double>& strikes) mutable {
    struck = {0, 1};
    strikes = {sign, -sign};
    for (int i = 0; i < 2; ++i) part.gradients.apply(i, strikes[i], x.data());
    sign = -sign;
  };
}

ImpactOperator make_idle() {
  return [](const ImpactPart&, std::span<const int>, std::span<double>, std::vector<int>&, std::vector<double>&) {};
}

/// Reflects at the floor and turns the ball's sideways velocity as well, of which no impulse tells.
ImpactOperator make_swerving() {
  return [](const ImpactPart& part, std::span<const int>, std::span<double> x, std::vector<int>& struck,
            std::vector<double>& strikes) {
    struck = {0};
    strikes = {-2 * part.gradients.velocity(0, x.data())};
    part.gradients.apply(0, strikes[0], x.data());
    x[0] = -x[0];
  };
}

std::string complaint_about(ImpactOperator operation, const Vec3& velocity = {2, -1, 0}) {
  TouchingBodies corner = make_corner(std::move(operation));
  corner.velocities[0].linear = velocity;
  GaussSeidelLaw law;
  law.options.check = true;
  try {
    static_cast<void>(corner.resolve(law));
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return {};
}

TEST(OperatorChecks, AnOperatorThatKeepsAllPassesAndEnds) {
  EXPECT_EQ(complaint_about(make_reflection(1)), "");
  TouchingBodies corner = make_corner(make_reflection(1));
  EXPECT_EQ(corner.resolve(GaussSeidelLaw{}).status, ImpactStatus::kResolved);
  EXPECT_LE((corner.velocities[0].linear - Vec3(-2, 1, 0)).norm(), 1e-15);
}

TEST(OperatorChecks, PullingBreaksOne) {
  EXPECT_EQ(complaint_about(make_pulling()), "the impact operator breaks (ONE) in application 1");
}

TEST(OperatorChecks, LosingEnergyBreaksKin) {
  EXPECT_EQ(complaint_about(make_reflection(0.75)), "the impact operator breaks (KIN) in application 1");
}

TEST(OperatorChecks, DoingNothingBreaksMod) {
  EXPECT_EQ(complaint_about(make_idle()), "the impact operator breaks (MOD) in application 1");
}

TEST(OperatorChecks, VelocityThatNoImpulseExplainsBreaksNorm) {
  EXPECT_EQ(complaint_about(make_swerving()), "the impact operator breaks (NORM) in application 1");
}

// A reflection of all contacts, whether they approach or not.
TEST(OperatorChecks, StrikingWhatSeparatesBreaksVio) {
  const ImpactOperator all = [](const ImpactPart& part, std::span<const int>, std::span<double> x,
                                std::vector<int>& struck, std::vector<double>& strikes) {
    for (int i = 0; i < part.contact_count(); ++i) {
      struck.push_back(i);
      strikes.push_back(2 * std::abs(part.gradients.velocity(i, x.data())));
      part.gradients.apply(i, strikes.back(), x.data());
    }
  };
  EXPECT_EQ(complaint_about(all, {-2, -1, 0}), "the impact operator breaks (VIO) in application 1");
}

// Without the checks the same operators run, and do not end: each desideratum is needed, [Vouga17, sec. 5.3].
TEST(OperatorChecks, WithoutThemOperatorsThatPullOrIdleDoNotEnd) {
  for (const ImpactOperator& operation : {make_pulling(), make_idle()}) {
    TouchingBodies corner = make_corner(operation);
    GaussSeidelLaw law;
    law.options.check = false;
    law.options.max_iterations = 1000;
    EXPECT_NE(corner.resolve(law).status, ImpactStatus::kResolved);
    EXPECT_GT(corner.violation(), 0.4);
  }
}

}  // namespace
}  // namespace achilles::testing
