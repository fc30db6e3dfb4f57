#include "methods/shock_propagation/least_energy.hpp"

#include "solver/row_problem.hpp"

#include <algorithm>
#include <numeric>

namespace achilles {

LeastEnergy::LeastEnergy(const ShockIsland& island, std::span<const BodyVelocity> free, const ManifoldBodies& bodies,
                         ShockWorkspace& work)
    : island_(island),
      free_(free),
      bodies_(bodies),
      partition_(work.partition),
      slope_(island.part_of(work.results.slope)),
      curve_(island.part_of(work.results.curve)) {}

void LeastEnergy::run(const Phase& phase, std::size_t k) {
  if (phase.work == Phase::Work::kMeasure) {
    measure(k);
  } else if (phase.work == Phase::Work::kChooseShare) {
    choose_share();
  } else if (share_ != 1) {
    scale(k);
  }
}

void LeastEnergy::measure(std::size_t block) const {
  double slope = 0, curve = 0;
  for (const ContactManifold& manifold : island_.manifolds_of(block)) {
    const double power = measure_power(manifold, free_);
    slope += power;
    curve += measure_power(manifold, bodies_.u) - power;
    for (int i = 0; i < manifold.count; ++i) {
      slope -= manifold.normal[i] * manifold.target[i];
      curve += manifold.softness * manifold.normal[i] * manifold.normal[i];
    }
  }
  slope_[block] = slope;
  curve_[block] = curve;
}

void LeastEnergy::choose_share() {
  double slope = std::accumulate(slope_.begin(), slope_.end(), 0.0);
  double curve = std::accumulate(curve_.begin(), curve_.end(), 0.0);
  const JointSweep& joints = island_.joints;
  for (std::size_t k = 0; k < joints.rows.size(); ++k) {
    const Row& row = joints.rows[k];
    const double impulse = joints.impulses[k], speed = row_velocity(row, free_);
    slope += impulse * (speed - row.target);
    curve += impulse * (row_velocity(row, bodies_.u) - speed + row.softness * impulse);
  }
  const bool is_lower = slope + 0.5 * curve <= 0;
  share_ = !is_lower ? 0 : curve > 0 ? std::clamp(-slope / curve, 0.0, 1.0) : 1;
}

void LeastEnergy::scale(std::size_t block) const {
  for (ContactManifold& manifold : island_.manifolds_of(block)) {
    for (double* impulses : {manifold.normal, manifold.slip1, manifold.slip2}) {
      for (int i = 0; i < manifold.count; ++i) impulses[i] *= share_;
    }
    manifold.couple *= share_;
  }
  const ManifoldBlock& of = island_.blocks[block];
  for (std::uint32_t k = of.first_body; k < of.last_body; ++k) {
    const std::uint32_t body = partition_.bodies[k];
    const BodyVelocity& free = free_[body];
    BodyVelocity& u = bodies_.u[body];
    u.linear = free.linear + share_ * (u.linear - free.linear);
    u.angular = free.angular + share_ * (u.angular - free.angular);
  }
  if (block > 0) return;
  for (double& impulse : island_.joints.impulses) impulse *= share_;
}

}  // namespace achilles
