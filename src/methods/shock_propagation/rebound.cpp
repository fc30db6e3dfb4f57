#include "methods/shock_propagation/rebound.hpp"

#include "methods/shock_propagation/island_energy.hpp"
#include "methods/shock_propagation/sweep_phases.hpp"
#include "methods/shock_propagation/sweeps.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/energy_allowance.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

bool bounces_at(const ContactManifold& manifold, int i, const ShockWorkspace& work) {
  return manifold.rebound[i] > 0 && !work.records[manifold.record + static_cast<std::size_t>(i)].impulse.isZero(0);
}

/// How many contacts met fast enough to bounce, and were pushed.
int count_bounces(const ShockIsland& island, const ShockWorkspace& work) {
  int bounces = 0;
  for (std::size_t block = 0; block < island.blocks.size(); ++block) {
    if (!island.blocks[block].bounces) continue;
    for (const ContactManifold& manifold : island.manifolds_of(block)) {
      for (int i = 0; i < manifold.count; ++i) bounces += bounces_at(manifold, i, work) ? 1 : 0;
    }
  }
  return bounces;
}

void set_rebound_targets(const ShockIsland& island, double slop, const ShockWorkspace& work) {
  for (ContactManifold& manifold : island.manifolds) {
    manifold.moves_a = work.movable[manifold.body_a] != 0;
    manifold.moves_b = work.movable[manifold.body_b] != 0;
    compute_responses(manifold, work.inverse_mass);
    manifold.couple.setZero();
    for (int i = 0; i < manifold.count; ++i) {
      manifold.target[i] = manifold.gap[i] > slop || manifold.softness > 0 ? kInactive : 0.0;
      if (bounces_at(manifold, i, work)) manifold.target[i] = manifold.rebound[i];
      manifold.normal[i] = manifold.slip1[i] = manifold.slip2[i] = 0;
    }
  }
}

/// What the impulses of the rebound may bring [J]: what the step took out of the island so far.
double measure_rebound_budget(const World& world, const ShockIsland& island, double h, const ShockWorkspace& work) {
  double budget =
      measure_energy_lost(world, island, h, work) + std::max(0.0, measure_drive_work(world, island.index, work));
  for_each_body(island, work, [&](std::uint32_t body) { budget += measure_torque_work(world.bodies, body, h, work); });
  return std::max(0.0, budget);
}

/// Velocities and joint impulses before the rebound.
void remember_landing(const World& world, const ShockIsland& island, ShockWorkspace& work) {
  work.landing.velocity.resize(world.bodies.size());
  for_each_body(island, work, [&](std::uint32_t body) { work.landing.velocity[body] = world.bodies.velocity[body]; });
  work.landing.joint_impulses.assign(island.joints.impulses.begin(), island.joints.impulses.end());
}

Vec3 impulse_at(const ContactManifold& manifold, int i) {
  return manifold.normal[i] * manifold.n + manifold.slip1[i] * manifold.t1 + manifold.slip2[i] * manifold.t2;
}

/// Newton's law can bring energy where several contacts meet, or friction acts: of the rebound u → u + d the largest
/// share s ≤ 1 is kept at which E(u + s d) − E(u) = s M u·d + ½ s² M d·d is within the budget.
void limit_rebound(World& world, const ShockIsland& island, double budget, ShockWorkspace& work) {
  BodyArrays& bodies = world.bodies;
  double gain = 0, curve = 0;  // E(u + d) − E(u), M d·d
  for_each_body(island, work, [&](std::uint32_t i) {
    const BodyVelocity& u = work.landing.velocity[i];
    const BodyVelocity d{bodies.velocity[i].linear - u.linear, bodies.velocity[i].angular - u.angular};
    const Quat& q = bodies.orientation[i];
    gain += kinetic_energy(bodies, i, q, bodies.velocity[i]) - kinetic_energy(bodies, i, q, u);
    curve += 2 * kinetic_energy(bodies, i, q, d);
  });
  for (const ContactManifold& manifold : island.manifolds) {
    for (int i = 0; i < manifold.count; ++i) {
      const ContactRecord& record = work.records[manifold.record + static_cast<std::size_t>(i)];
      budget += std::max(0.0, measure_script_work(bodies, record, impulse_at(manifold, i)));
    }
  }
  if (gain <= budget) return;
  const double slope = gain - 0.5 * curve;  // M u·d
  const double share = std::clamp((std::sqrt(slope * slope + 2 * curve * budget) - slope) / curve, 0.0, 1.0);
  for_each_body(island, work, [&](std::uint32_t i) {
    const BodyVelocity& u = work.landing.velocity[i];
    bodies.velocity[i].linear = u.linear + share * (bodies.velocity[i].linear - u.linear);
    bodies.velocity[i].angular = u.angular + share * (bodies.velocity[i].angular - u.angular);
  });
  for (ContactManifold& manifold : island.manifolds) {
    for (double* impulses : {manifold.normal, manifold.slip1, manifold.slip2}) {
      for (int i = 0; i < manifold.count; ++i) impulses[i] *= share;
    }
  }
  for (std::size_t k = 0; k < island.joints.impulses.size(); ++k) {
    const double before = work.landing.joint_impulses[k];
    island.joints.impulses[k] = before + share * (island.joints.impulses[k] - before);
  }
}

void record_rebound(const ShockIsland& island, ShockWorkspace& work) {
  for (const ContactManifold& manifold : island.manifolds) {
    for (int i = 0; i < manifold.count; ++i) {
      work.records[manifold.record + static_cast<std::size_t>(i)].impulse += impulse_at(manifold, i);
    }
  }
}

}  // namespace

void rebound_shocks(World& world, const ShockPropagationOptions& options, double h, ShockWorkspace& work,
                    StepReport& report) {
  for (std::size_t index = 0; index < work.islands.size(); ++index) {
    const ShockIsland island(work, index);
    const int bounces = count_bounces(island, work);
    if (bounces == 0) continue;
    report.impacts += bounces;
    const double budget = measure_rebound_budget(world, island, h, work);
    set_rebound_targets(island, options.slop, work);
    remember_landing(world, island, work);
    Sweeps sweeps({count_sweeps_at_most(options, island), options.tolerance}, island,
                  {work.inverse_mass, world.bodies.velocity}, work);
    run_sweeps(sweeps, kAllSweeps, island, work);
    limit_rebound(world, island, budget, work);
    record_rebound(island, work);
  }
}

}  // namespace achilles
