#include "methods/shock_propagation/island_energy.hpp"

#include "stepping/contact_stage.hpp"
#include "stepping/energy_allowance.hpp"

namespace achilles {
namespace {

/// Work of scripts in the step [J].
double sum_script_work(const BodyArrays& bodies, const ShockIsland& island, const ShockWorkspace& work) {
  const auto is_scripted = [&](std::uint32_t body) { return bodies.kind[body] == BodyKind::kScripted; };
  double sum = 0;
  for (const ContactManifold& manifold : island.manifolds) {
    if (!is_scripted(manifold.body_a) && !is_scripted(manifold.body_b)) continue;
    for (std::uint32_t i = 0; i < manifold.count; ++i) {
      const ContactRecord& record = work.records[manifold.record + i];
      sum += measure_script_work(bodies, record, record.impulse);
    }
  }
  return sum;
}

}  // namespace

double measure_energy_lost(const World& world, const ShockIsland& island, double h, const ShockWorkspace& work) {
  const BodyArrays& bodies = world.bodies;
  double lost = sum_script_work(bodies, island, work);
  for_each_body(island, work, [&](std::uint32_t i) {
    const Vec3 way = bodies.position[i] - work.rebound.start.position[i];
    lost += kinetic_energy(bodies, i, work.rebound.start.orientation[i], work.velocity_before[i]) -
            kinetic_energy(bodies, i, bodies.orientation[i], bodies.velocity[i]) +
            mean_force(bodies, i, h, work).dot(way);
  });
  return lost;
}

}  // namespace achilles
