#include "solver/patch/patch.hpp"

#include "math/tangents.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>
#include <tuple>
#include <vector>

namespace achilles {
namespace {

/// Two free bodies and a fixed one between which patches push.
struct Problem {
  std::vector<BodyInverseMass> inverse_mass;
  std::vector<BodyVelocity> u;
  std::vector<Patch> patches;
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
    Patch patch;
    patch.body_a = a;
    patch.body_b = b;
    patch.moves_a = a != 2;
    patch.moves_b = true;
    patch.count = static_cast<std::uint8_t>(1 + engine() % 4);
    patch.friction = std::abs(draw());
    patch.n = vector().normalized();
    std::tie(patch.t1, patch.t2) = make_tangents(patch.n);
    for (int i = 0; i < patch.count; ++i) {
      const Vec3 r_a = vector(), r_b = vector();
      for (int axis = 0; axis < 3; ++axis) {
        patch.arm_a[axis][i] = r_a[axis];
        patch.arm_b[axis][i] = r_b[axis];
        patch.turn_a[axis][i] = r_a.cross(patch.n)[axis];
        patch.turn_b[axis][i] = r_b.cross(patch.n)[axis];
      }
    }
    weigh_patch(patch, problem.inverse_mass);
    problem.patches.push_back(patch);
  }
  return problem;
}

Vec3 arm(const Patch::Lane (&lanes)[3], int i) { return {lanes[0][i], lanes[1][i], lanes[2][i]}; }

/// Velocity of b's point as seen from a's.
Vec3 point_velocity(const Patch& patch, int i, const std::vector<BodyVelocity>& u) {
  const BodyVelocity &a = u[patch.body_a], &b = u[patch.body_b];
  return b.linear + b.angular.cross(arm(patch.arm_b, i)) - a.linear - a.angular.cross(arm(patch.arm_a, i));
}

// Judged by velocities computed here: no approach, no pull, no push where it parts, Coulomb's cone, and slip that
// friction opposes.
RC_GTEST_PROP(PatchSweeps, EndInTheComplementarityOfContactAndCoulombsLaw, (std::uint64_t seed)) {
  Problem problem = make_problem(seed);
  const PatchBodies bodies{problem.inverse_mass, problem.u};
  for (int k = 0; k < 20000; ++k) {
    const SweepDirection direction = k % 2 == 0 ? SweepDirection::kUp : SweepDirection::kDown;
    if (sweep_patches(problem.patches, bodies, direction) < 1e-13) break;
  }
  for (const Patch& patch : problem.patches) {
    for (int i = 0; i < patch.count; ++i) {
      const Vec3 v = point_velocity(patch, i, problem.u);
      const double w = patch.n.dot(v);
      const Vec2 slip(patch.t1.dot(v), patch.t2.dot(v)), rub(patch.slip1[i], patch.slip2[i]);
      const double limit = patch.friction * patch.normal[i];
      RC_ASSERT(patch.normal[i] >= 0 && w > -1e-6);
      RC_ASSERT(std::min(patch.normal[i], w) < 1e-6);
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
  (void)sweep_patches(problem.patches, {problem.inverse_mass, problem.u}, SweepDirection::kUp);
  for (const Patch& patch : problem.patches) apply_patch(patch, {problem.inverse_mass, expected});
  for (std::size_t body = 0; body < 3; ++body) {
    RC_ASSERT((problem.u[body].linear - expected[body].linear).norm() < 1e-9);
    RC_ASSERT((problem.u[body].angular - expected[body].angular).norm() < 1e-9);
  }
}

}  // namespace
}  // namespace achilles
