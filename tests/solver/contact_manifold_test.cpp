#include "solver/manifold/contact_manifold.hpp"

#include "math/tangents.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>
#include <tuple>
#include <vector>

namespace achilles {
namespace {

/// Two free bodies and a fixed one between which manifolds push.
struct Problem {
  std::vector<BodyInverseMass> inverse_mass;
  std::vector<BodyVelocity> u;
  std::vector<ContactManifold> manifolds;
};

Problem make_problem(std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&] { return std::uniform_real_distribution<double>(-1, 1)(engine); };
  const auto vector = [&] { return Vec3(draw(), draw(), draw()); };
  Problem problem;
  problem.inverse_mass.resize(3);
  problem.u.resize(3);
  for (std::size_t body = 0; body < 2; ++body) {
    problem.inverse_mass[body].linear.setConstant(1.5 + draw());
    Mat3 root;
    for (int k = 0; k < 3; ++k) root.col(k) = vector();
    problem.inverse_mass[body].angular = root * root.transpose() + 0.5 * Mat3::Identity();
    problem.u[body] = {vector(), vector()};
  }
  for (const auto& [a, b] : {std::pair(2U, 0U), std::pair(0U, 1U)}) {
    ContactManifold manifold;
    manifold.body_a = a;
    manifold.body_b = b;
    manifold.moves_a = a != 2;
    manifold.moves_b = true;
    manifold.count = static_cast<std::uint8_t>(1 + engine() % 4);
    manifold.friction = std::abs(draw());
    manifold.n = vector().normalized();
    std::tie(manifold.t1, manifold.t2) = make_tangents(manifold.n);
    for (int i = 0; i < manifold.count; ++i) {
      const Vec3 r_a = vector(), r_b = vector();
      for (int axis = 0; axis < 3; ++axis) {
        manifold.arm_a[axis][i] = r_a[axis];
        manifold.arm_b[axis][i] = r_b[axis];
        manifold.turn_a[axis][i] = r_a.cross(manifold.n)[axis];
        manifold.turn_b[axis][i] = r_b.cross(manifold.n)[axis];
      }
    }
    compute_responses(manifold, problem.inverse_mass);
    problem.manifolds.push_back(manifold);
  }
  return problem;
}

Vec3 arm(const ContactManifold::PerPoint (&lanes)[3], int i) { return {lanes[0][i], lanes[1][i], lanes[2][i]}; }

/// Velocity of b's point as seen from a's.
Vec3 point_velocity(const ContactManifold& manifold, int i, const std::vector<BodyVelocity>& u) {
  const BodyVelocity &a = u[manifold.body_a], &b = u[manifold.body_b];
  return b.linear + b.angular.cross(arm(manifold.arm_b, i)) - a.linear - a.angular.cross(arm(manifold.arm_a, i));
}

// Judged by velocities computed here: no approach, no pull, no push where it parts, Coulomb's cone, and slip that
// friction opposes. Without friction the impulses minimize a convex function, and sweeps always lead there; with it
// they may go round in a circle, rarely, and then there is nothing to judge.
RC_GTEST_PROP(PatchSweeps, EndInTheComplementarityOfContactAndCoulombsLaw, (std::uint64_t seed)) {
  Problem problem = make_problem(seed);
  const bool is_smooth = seed % 4 == 0;
  for (ContactManifold& manifold : problem.manifolds) {
    if (is_smooth) manifold.friction = 0;
  }
  const ManifoldBodies bodies{problem.inverse_mass, problem.u};
  double change = 1;
  for (int k = 0; k < 20000 && change >= 1e-13; ++k) {
    change = sweep_manifolds(problem.manifolds, bodies, k % 2 == 0 ? SweepDirection::kUp : SweepDirection::kDown);
  }
  RC_PRE(is_smooth || change < 1e-9);
  for (const ContactManifold& manifold : problem.manifolds) {
    for (int i = 0; i < manifold.count; ++i) {
      const Vec3 v = point_velocity(manifold, i, problem.u);
      const double w = manifold.n.dot(v);
      const Vec2 slip(manifold.t1.dot(v), manifold.t2.dot(v)), rub(manifold.slip1[i], manifold.slip2[i]);
      const double limit = manifold.friction * manifold.normal[i];
      RC_ASSERT(manifold.normal[i] >= 0 && w > -1e-6);
      RC_ASSERT(std::min(manifold.normal[i], w) < 1e-6);
      RC_ASSERT(rub.norm() <= limit * (1 + 1e-12) + 1e-15);
      if (rub.norm() < limit * (1 - 1e-6)) RC_ASSERT(slip.norm() < 1e-5);
      RC_ASSERT(rub.dot(slip) <= -rub.norm() * slip.norm() * (1 - 1e-4) + 1e-6);
    }
  }
}

// Impulses are equal and opposite: what the free pair gains is what the fixed body gave.
RC_GTEST_PROP(PatchSweeps, GiveEachBodyTheImpulsesOfItsPatches, (std::uint64_t seed)) {
  Problem problem = make_problem(seed);
  std::vector<BodyVelocity> expected = problem.u;
  (void)sweep_manifolds(problem.manifolds, {problem.inverse_mass, problem.u}, SweepDirection::kUp);
  for (const ContactManifold& manifold : problem.manifolds)
    apply_manifold_impulses(manifold, {problem.inverse_mass, expected});
  for (std::size_t body = 0; body < 3; ++body) {
    RC_ASSERT((problem.u[body].linear - expected[body].linear).norm() < 1e-9);
    RC_ASSERT((problem.u[body].angular - expected[body].angular).norm() < 1e-9);
  }
}

}  // namespace
}  // namespace achilles
