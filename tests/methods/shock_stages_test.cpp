// The stages of `shock-propagation`, each on its own: loads, the share of least energy, correction.
#include "methods/shock_propagation/correction.hpp"
#include "methods/shock_propagation/find_layers.hpp"
#include "methods/shock_propagation/least_energy.hpp"
#include "methods/shock_propagation/loads.hpp"
#include "methods/shock_propagation/manifolds.hpp"
#include "methods/shock_propagation/records.hpp"
#include "methods/shock_propagation/shock_workspace.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/rebound.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;

constexpr double h = 0.01;  // [s]

Scene make_column(int boxes, double spacing) {
  Scene scene = make_scene(h, 0.5, 0);
  scene.bodies = {make_ground()};
  for (int k = 0; k < boxes; ++k) {
    const Vec3 at(0, 0, 0.5 * spacing + spacing * k);
    scene.bodies.push_back(make_body("box" + std::to_string(k), {Box{Vec3(1, 1, 1)}}, at));
    scene.bodies.back().density = 1 + k;
  }
  return scene;
}

/// A step up to where its impulses are found: manifolds without a warm start, bodies with u* = u + h M⁻¹ f.
struct Stages {
  World world;
  ShockPropagationOptions options;
  ShockWorkspace work;

  explicit Stages(const Scene& scene) : world(scene) {
    options.warm_start = false;
    make_room_for_bodies(world, {world.time, h}, work);
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      prepare_body(world.bodies, i, work);
      integrate_velocity(world, i, work.inverse_mass, h, work.motion);
    }
    remember_free_motion(world, work);
    find_contacts_with_reuse(world, options.speculative_distance, h, 0, work);
    find_layers(world, options, work);
    build_manifolds(world, options, h, work);
    build_joint_rows(world, h, false, work);
    work.loads.pushes.resize(work.manifolds.size());
    work.loads.bodies.resize(world.bodies.size());
    ++work.loads.step;
  }

  [[nodiscard]] double kinetic() const { return world.kinetic_energy(); }
};

// In a column of boxes every contact carries the weight of all boxes above it over the step, and nothing moves: one
// pass from the top down is the equilibrium of the whole column. The impulse grows from contact to contact by m g h.
// With G Gᵀ = diag(4, 1, 1) of four corners the regularization, 1e-9 of the trace, leaves 1.5e-9 of the impulse below a
// box: at most 1.5e-9 · 78 kg g h on the lightest, 1 kg.
TEST(ShockLoads, OnePassIsTheEquilibriumOfAColumn) {
  constexpr int kBoxes = 12;
  Stages stages(make_column(kBoxes, 1));
  const ShockIsland island(stages.work, 0);
  propagate_loads(stages.world, {stages.options.slop, 1}, island, stages.work);
  constexpr double kLeft = 1.5e-9 * 78 * 9.81 * h;  // [m/s]
  for (std::size_t i = 0; i < stages.world.bodies.size(); ++i) {
    EXPECT_LT(stages.world.bodies.velocity[i].linear.norm(), kLeft) << i;
    EXPECT_LT(stages.world.bodies.velocity[i].angular.norm(), kLeft) << i;
  }
  ASSERT_EQ(island.manifolds.size(), static_cast<std::size_t>(kBoxes));
  double weight = 0;  // [N s] above the contact
  for (std::size_t k = kBoxes; k-- > 0;) {
    weight += (1.0 + static_cast<double>(k)) * 9.81 * h;
    double normal = 0;
    for (int i = 0; i < island.manifolds[k].count; ++i) normal += island.manifolds[k].normal[i];
    EXPECT_NEAR(normal, weight, 1e-7 * weight) << k;
  }
}

// A box that overhangs the edge of the one below by more than half tips: no push of the contact can hold it. The share
// of least energy takes no energy from nowhere, and no point pulls.
TEST(ShockLoads, WhatTipsIsNotHeldAndNothingPulls) {
  Scene scene = make_column(2, 1);
  scene.bodies[2].pose.p.x() = 0.7;
  Stages stages(scene);
  const double before = stages.kinetic();
  const ShockIsland island(stages.work, 0);
  propagate_loads(stages.world, {stages.options.slop, 1}, island, stages.work);
  EXPECT_LE(stages.kinetic(), before);
  for (const ContactManifold& manifold : island.manifolds) {
    for (int i = 0; i < manifold.count; ++i) EXPECT_GE(manifold.normal[i], 0);
  }
  EXPECT_GT((stages.world.bodies.velocity[2].linear - stages.world.bodies.velocity[1].linear).norm() +
                stages.world.bodies.velocity[2].angular.norm(),
            0.1 * 9.81 * h);
}

// A column in free fall is at rest in its own frame: its impulses would only make it slower, which the ground alone
// may. Nothing carries it, and the share taken lowers the energy of no body by pushing at the ground.
TEST(ShockLoads, ColumnInFreeFallIsNotHeld) {
  Scene scene = make_column(3, 1);
  for (BodyDescription& body : scene.bodies) {
    if (body.name != "ground") body.pose.p.z() += 5;
  }
  Stages stages(scene);
  for (std::size_t index = 0; index < stages.work.islands.size(); ++index) {
    const ShockIsland island(stages.work, index);
    propagate_loads(stages.world, {stages.options.slop, 1}, island, stages.work);
  }
  for (std::size_t i = 1; i < stages.world.bodies.size(); ++i) {
    EXPECT_NEAR(stages.world.bodies.velocity[i].linear.z(), -9.81 * h, 1e-12) << i;
  }
}

/// f(λ) = ½ |u|²_M − τᵀλ of the bodies and impulses as they are.
double measure_objective(const Stages& stages, const ShockIsland& island) {
  double objective = stages.kinetic();
  for (const ContactManifold& manifold : island.manifolds) {
    for (int i = 0; i < manifold.count; ++i) objective -= manifold.target[i] * manifold.normal[i];
  }
  return objective;
}

// Whatever impulses sweeps leave, here random ones: the share s that is taken has f(sλ) no higher than any other share
// of [0, 1] that was tried, cones are kept because all is scaled alike, and λᵀ(w − τ) ≤ 0, so that the contacts do no
// work.
RC_GTEST_PROP(ShockLeastEnergy, NoOtherShareHasLessAndContactsDoNoPositiveWork, (std::uint64_t seed)) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Stages stages(make_column(4, 1));
  const ShockIsland island(stages.work, 0);
  const double size = std::pow(10.0, 2 * uniform(engine) - 1) * 9.81 * h;
  for (ContactManifold& manifold : island.manifolds) {
    for (int i = 0; i < manifold.count; ++i) {
      manifold.normal[i] = size * uniform(engine);
      manifold.slip1[i] = 0.3 * manifold.normal[i] * uniform(engine);
      manifold.target[i] = -0.1 * uniform(engine);
    }
  }
  const std::vector<BodyVelocity> free = stages.work.rebound.free;
  const auto apply = [&](double share, ContactManifold manifold) {
    for (double* impulses : {manifold.normal, manifold.slip1, manifold.slip2}) {
      for (int i = 0; i < manifold.count; ++i) impulses[i] *= share;
    }
    return manifold;
  };
  const std::vector<ContactManifold> all(island.manifolds.begin(), island.manifolds.end());
  const ManifoldBodies bodies{stages.work.inverse_mass, stages.world.bodies.velocity};
  const auto evaluate = [&](double share) {
    std::copy(free.begin(), free.end(), stages.world.bodies.velocity.begin());
    for (std::size_t k = 0; k < all.size(); ++k) {
      island.manifolds[k] = apply(share, all[k]);
      (void)apply_manifold_impulses(island.manifolds[k], bodies);
    }
    return measure_objective(stages, island);
  };
  double least_tried = evaluate(0);
  const double whole = evaluate(1), none = least_tried;
  for (int k = 1; k <= 100; ++k) least_tried = std::min(least_tried, evaluate(0.01 * k));
  (void)evaluate(1);
  LeastEnergy least(island, free, bodies, stages.work);
  take_least_energy(least, island, stages.work);
  const double taken = measure_objective(stages, island);
  const double rounding = 1e-12 * (std::abs(none) + std::abs(whole));
  RC_ASSERT(taken <= none + rounding);
  if (whole <= none) RC_ASSERT(taken <= least_tried + rounding);
  double work = 0;
  for (const ContactManifold& manifold : island.manifolds) {
    work += measure_power(manifold, stages.world.bodies.velocity);
    for (int i = 0; i < manifold.count; ++i) work -= manifold.normal[i] * manifold.target[i];
  }
  RC_ASSERT(work <= rounding);
}

/// Potential energy that a correction gives to a column of boxes. Velocities are those before the step, as if contacts
/// had balanced all forces and taken no energy out.
double correct(int boxes, bool loads_known, Stages& stages) {
  const double gravity = 9.81;
  for (std::size_t i = 0; i < stages.world.bodies.size(); ++i) {
    stages.world.bodies.velocity[i] = stages.work.velocity_before[i];
  }
  double weight = 0;
  for (std::size_t k = static_cast<std::size_t>(boxes); k-- > 0;) {
    weight += (1.0 + static_cast<double>(k)) * gravity * h;
    ContactManifold& manifold = stages.work.manifolds[k];
    for (int i = 0; i < manifold.count; ++i) {
      manifold.normal[i] = weight / manifold.count;
      manifold.remembered[i] = true;
    }
  }
  for (BlockPart& part : stages.work.partition.parts) part.remembered = part.touching;
  StepReport report;
  conclude_sweeps(stages.world, stages.options, h, stages.work, report);
  stages.work.solves.assign(stages.work.islands.size(), SolveReport{});
  stages.work.solves[0].residual = loads_known ? 0 : 1;
  const double before = stages.world.potential_energy();
  correct_shocks(stages.world, stages.options, h, stages.work);
  return stages.world.potential_energy() - before;
}

// Bodies that have sunk in are lifted by no more energy than sinking gave: with contacts that took nothing out of the
// island and loads that are not known, by none.
TEST(ShockCorrection, WithoutLostEnergyOrKnownLoadsNothingIsLifted) {
  constexpr int kBoxes = 4;
  Stages stages(make_column(kBoxes, 0.99));
  EXPECT_LT(std::abs(correct(kBoxes, false, stages)), 1e-9);
}

// With known loads f the energy Σ f d of the depths d is what gravity did while they sank in; it lifts them by as much
// and not more: in a column every box rises by the depths below it, less the slop.
TEST(ShockCorrection, KnownLoadsLiftByWhatSinkingTookAndNotMore) {
  constexpr int kBoxes = 4;
  constexpr double kDepth = 0.005;
  Scene scene = make_column(kBoxes, 1);
  for (int k = 0; k < kBoxes; ++k) scene.bodies[static_cast<std::size_t>(k) + 1].pose.p.z() -= kDepth * (k + 1);
  Stages stages(scene);
  double most = 0;  // [J] Σ f d
  for (int k = 0; k < kBoxes; ++k) most += (1.0 + k) * 9.81 * kDepth * (k + 1);
  const double gained = correct(kBoxes, true, stages);
  EXPECT_GT(gained, 0.5 * most);
  EXPECT_LE(gained, most);
}

}  // namespace
}  // namespace achilles
