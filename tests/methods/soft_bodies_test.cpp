// Rows of bodies in soft-step, and the spring that its contacts and joints are.
#include "methods/soft_step/stages.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace achilles {
namespace {

constexpr float kH = 1.0F / 480;  // [s]

/// Bodies: 0 fixed, 1 scripted, the others dynamic; the last one touches nothing.
struct Rows {
  World world;
  BodyWorkspace step;
  SoftBodyWorkspace work;

  explicit Rows(std::uint32_t count) {
    std::mt19937 random(31);
    std::uniform_real_distribution<double> unit(-1, 1);
    const auto draw = [&] { return Vec3(unit(random), unit(random), unit(random)); };
    for (std::uint32_t body = 0; body < count; ++body) {
      const bool is_dynamic = body > 1;
      world.bodies.kind.push_back(is_dynamic ? BodyKind::kDynamic : body == 1 ? BodyKind::kScripted : BodyKind::kFixed);
      world.bodies.position.push_back(draw());
      world.bodies.orientation.push_back(Quat(Eigen::AngleAxisd(unit(random), draw().normalized())));
      world.bodies.velocity.push_back({draw(), draw()});
      step.velocity_before.push_back({draw(), draw()});
      step.movable.push_back(is_dynamic ? 1 : 0);
      BodyInverseMass inverse;
      inverse.linear = is_dynamic ? Vec3(draw().cwiseAbs()) : Vec3(Vec3::Zero());
      inverse.angular = is_dynamic ? Mat3(draw().cwiseAbs().asDiagonal()) : Mat3(Mat3::Zero());
      step.inverse_mass.push_back(inverse);
    }
    work.is_round.resize(count);
    work.staged.resize(count);
    for (std::uint32_t body = 0; body < count; ++body) stage_body(world, 0.01, body, step, work);
    work.slot_of.assign(count, 1);
    work.slot_of.back() = 0;
    KeySortWorkspace sort;
    assign_slots(world, step.movable, work, sort);
    resize_rows(true, work);
    load_bodies({0, work.body_of.size()}, step, work);
  }

  SoftMotion& row_of(std::uint32_t body) { return work.rows().motions[work.slot_of[body]]; }
};

TEST(SoftBodies, RowsHaveVelocitiesBeforeTheStepAndAccelerationsOfItsForces) {
  Rows rows(20);
  for (std::uint32_t body = 2; body < 19; ++body) {
    const BodyVelocity &before = rows.step.velocity_before[body], &after = rows.world.bodies.velocity[body];
    const SoftVelocity& acceleration = rows.work.rows().accelerations[rows.work.slot_of[body]];
    const SoftMass& mass = rows.work.rows().masses[rows.work.slot_of[body]];
    for (int k = 0; k < 3; ++k) {
      EXPECT_FLOAT_EQ(rows.row_of(body).velocity.linear[k], static_cast<float>(before.linear[k]));
      EXPECT_FLOAT_EQ(acceleration.angular[k], static_cast<float>((after.angular[k] - before.angular[k]) / 0.01));
      EXPECT_FLOAT_EQ(mass.inverse_mass[k], static_cast<float>(rows.step.inverse_mass[body].linear[k]));
      EXPECT_FLOAT_EQ(mass.inverse_inertia[k], static_cast<float>(rows.step.inverse_mass[body].angular(k, k)));
      EXPECT_EQ(mass.inverse_inertia[3 + k], 0);
    }
  }
  // A script moves its body: no force does; and what never moves has a row of zeros.
  for (int k = 0; k < 3; ++k) {
    EXPECT_FLOAT_EQ(rows.row_of(1).velocity.linear[k], static_cast<float>(rows.world.bodies.velocity[1].linear[k]));
    EXPECT_EQ(rows.work.rows().accelerations[rows.work.slot_of[1]].linear[k], 0);
    EXPECT_EQ(rows.row_of(0).velocity.linear[k], 0);
  }
}

// With the impulses of every substep changing velocities by Δ, n substeps change them by n (h a + Δ), whether Δ is
// applied by a sweep over the contacts or by the integration.
TEST(SoftBodies, IntegrationAppliesTheImpulsesOfThePreviousSubstepAgain) {
  Rows rows(10);
  const Elements all{0, rows.work.body_of.size()};
  const auto first = rows.work.scripted + std::size_t{1};
  std::vector<SoftMotion> start(rows.work.motions.begin(), rows.work.motions.end());
  integrate_row_velocities(all, kH, rows.work);
  for (std::size_t row = first; row < all.last; ++row) rows.work.motions[row].velocity.linear[1] += 0.25F;
  for (int k = 1; k < 5; ++k) integrate_warm_velocities(all, kH, rows.work);
  for (std::size_t row = first; row < all.last; ++row) {
    const double gained = 5 * (static_cast<double>(kH) * rows.work.accelerations[row].linear[1] + 0.25);
    EXPECT_NEAR(rows.work.motions[row].velocity.linear[1], start[row].velocity.linear[1] + gained, 1e-5);
  }
}

// q + ½ h ω q, normalized, is a rotation by 2 atan(½ h |ω|) about ω.
TEST(SoftBodies, SteadySpinTurnsByTwiceTheArcTangentOfHalfTheAnglePerSubstep) {
  Rows rows(4);
  SoftMotion& row = rows.row_of(2);
  const Vec3 spin(3, -4, 12);  // |spin| = 13
  for (int k = 0; k < 3; ++k) row.velocity.angular[k] = static_cast<float>(spin[k]);
  for (int k = 0; k < 40; ++k) integrate_displacements({0, rows.work.body_of.size()}, kH, rows.work);
  const double angle = 40 * 2 * std::atan(0.5 * static_cast<double>(kH) * 13);
  const float* q = row.displacement.rotation;
  EXPECT_NEAR(q[3], std::cos(angle / 2), 2e-6);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(q[k], std::sin(angle / 2) * spin[k] / 13, 2e-6);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(row.displacement.linear[k], 40 * kH * row.velocity.linear[k], 1e-6);
}

TEST(SoftBodies, StoredBodiesAreMovedByTheirRowsInTheWorldFrame) {
  Rows rows(6);
  const BodyArrays before = rows.world.bodies;
  for (std::uint32_t body = 2; body < 5; ++body) {
    SoftMotion& row = rows.row_of(body);
    row.displacement = {{0.5F, -1, 2}, {0, 0, std::sqrt(0.5F), std::sqrt(0.5F)}, 0};  // a right angle about z
  }
  store_bodies(rows.world, 0.01, {2, 5}, rows.step, rows.work);
  for (std::uint32_t body = 2; body < 5; ++body) {
    EXPECT_LT((rows.world.bodies.position[body] - before.position[body] - Vec3(0.5, -1, 2)).norm(), 1e-12);
    const Vec3 x = before.orientation[body] * Vec3::UnitX();
    EXPECT_LT((rows.world.bodies.orientation[body] * Vec3::UnitX() - Vec3(-x.y(), x.x(), x.z())).norm(), 1e-6);
  }
}

// A soft constraint is a damped spring integrated implicitly [Catto11, p. 43]: v' = (v − h ω² x)/(1 + 2 ζ ω h + h² ω²).
TEST(SoftBodies, SoftnessIsADampedSpringIntegratedImplicitly) {
  for (const double frequency : {1.0, 30.0, 96.0}) {
    for (const double damping : {0.1, 0.5, 2.0}) {
      const double h = 1.0 / 480, x = -0.01, v = 0.3, omega = 2 * std::numbers::pi * frequency;
      const Softness soft = make_softness(frequency, damping, h);
      const double after = v - static_cast<double>(soft.mass_scale) * (v + static_cast<double>(soft.bias_rate) * x);
      const double expected = (v - h * omega * omega * x) / (1 + 2 * damping * omega * h + h * h * omega * omega);
      EXPECT_NEAR(after, expected, 1e-6 * std::abs(v));
      // Held against a constant force the impulse settles where bias and leak balance: λ (1 − mass_scale) is what
      // leaks.
      EXPECT_NEAR(soft.impulse_scale, 1 - soft.mass_scale, 1e-6);
    }
  }
}

}  // namespace
}  // namespace achilles
