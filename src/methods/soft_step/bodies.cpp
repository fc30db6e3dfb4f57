#include "methods/soft_step/stages.hpp"
#include "motion/integrate.hpp"
#include "stepping/contact_stage.hpp"

#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kFetchAhead = 24;  // bodies

/// Whether, to single precision, inverse mass and inertia are alike in all directions.
bool is_round(const BodyInverseMass& inverse) {
  const double size = inverse.angular(0, 0), most = 1e-7 * size;
  return (inverse.angular - size * Mat3::Identity()).cwiseAbs().maxCoeff() <= most &&
         inverse.linear.x() == inverse.linear.y() && inverse.linear.y() == inverse.linear.z();
}

/// q ← q + ½ h ω q, and back to unit length.
void integrate_displacement(SoftMotion& row, float h) {
  const SoftVelocity& u = row.velocity;
  SoftDisplacement& d = row.displacement;
  for (int k = 0; k < 3; ++k) d.linear[k] += h * u.linear[k];
  const float wx = 0.5f * h * u.angular[0], wy = 0.5f * h * u.angular[1], wz = 0.5f * h * u.angular[2];
  const float x = d.rotation[0], y = d.rotation[1], z = d.rotation[2], w = d.rotation[3];
  const float turned[4] = {x + (wx * w + wy * z - wz * y), y + (wy * w + wz * x - wx * z),
                           z + (wz * w + wx * y - wy * x), w - (wx * x + wy * y + wz * z)};
  const float length =
      std::sqrt(turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2] + turned[3] * turned[3]);
  for (int k = 0; k < 4; ++k) d.rotation[k] = turned[k] / length;
}

SoftMass make_mass(const BodyInverseMass& inverse) {
  SoftMass mass = {};
  for (int k = 0; k < 3; ++k) {
    mass.inverse_mass[k] = static_cast<float>(inverse.linear[k]);
    mass.inverse_inertia[k] = static_cast<float>(inverse.angular(k, k));
  }
  mass.inverse_inertia[3] = static_cast<float>(inverse.angular(0, 1));
  mass.inverse_inertia[4] = static_cast<float>(inverse.angular(0, 2));
  mass.inverse_inertia[5] = static_cast<float>(inverse.angular(1, 2));
  return mass;
}

void store_body(World& world, double h, std::size_t body, BodyWorkspace& step, const SoftBodyWorkspace& work) {
  if (work.slot_of[body] <= 0) {
    integrate_position(world, body, h, true, step.motion);
    return;
  }
  BodyArrays& bodies = world.bodies;
  const SoftMotion& row = work.motions[work.scripted + static_cast<std::size_t>(work.slot_of[body])];
  const SoftVelocity& u = row.velocity;
  const SoftDisplacement& d = row.displacement;
  bodies.velocity[body] = {Vec3(u.linear[0], u.linear[1], u.linear[2]), Vec3(u.angular[0], u.angular[1], u.angular[2])};
  bodies.position[body] += Vec3(d.linear[0], d.linear[1], d.linear[2]);
  const Quat turn(d.rotation[3], d.rotation[0], d.rotation[1], d.rotation[2]);
  bodies.orientation[body] = (turn * bodies.orientation[body]).normalized();
}

}  // namespace

void stage_bodies(World& world, double h, Elements bodies, BodyWorkspace& step, SoftBodyWorkspace& work) {
  for (std::size_t body = bodies.first; body < bodies.last; ++body) {
    prepare_body(world.bodies, body, step);
    integrate_velocity(world, body, step.inverse_mass, h, step.motion);
    stage_body(world, h, body, step, work);
  }
}

/// The velocity before the step, and what the forces of the step add to it per second.
void stage_body(const World& world, double h, std::size_t body, const BodyWorkspace& step, SoftBodyWorkspace& work) {
  const BodyInverseMass& inverse = step.inverse_mass[body];
  work.is_round[body] = is_round(inverse) ? 1 : 0;
  const BodyVelocity& after = world.bodies.velocity[body];
  const BodyVelocity& before = step.movable[body] != 0 ? step.velocity_before[body] : after;
  StagedBody& to = work.staged[body] = {};
  for (int k = 0; k < 3; ++k) {
    to.velocity.linear[k] = static_cast<float>(before.linear[k]);
    to.velocity.angular[k] = static_cast<float>(before.angular[k]);
    to.acceleration.linear[k] = static_cast<float>((after.linear[k] - before.linear[k]) / h);
    to.acceleration.angular[k] = static_cast<float>((after.angular[k] - before.angular[k]) / h);
  }
  to.velocity.inverse_mass = static_cast<float>(inverse.linear.x());
  to.velocity.inverse_inertia = static_cast<float>(inverse.angular(0, 0));
}

void resize_rows(bool any_masses, SoftBodyWorkspace& work) {
  const std::size_t rows = work.body_of.size();
  work.motions.resize(rows);
  work.unpushed.resize(rows);
  work.accelerations.resize(rows);
  work.masses.resize(any_masses ? rows : work.scripted + 1);
}

/// Rows are not in the order of the bodies: records of later rows are prefetched.
void load_bodies(Elements rows, const BodyWorkspace& step, SoftBodyWorkspace& work) {
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    if (row + kFetchAhead < work.body_of.size())
      __builtin_prefetch(&work.staged[work.body_of[row + kFetchAhead]], 0, 2);
    const bool is_body = row != work.scripted;  // slot 0 stands for all that never moves
    const StagedBody from = is_body ? work.staged[work.body_of[row]] : StagedBody{};
    work.motions[row] = {from.velocity, {{0, 0, 0}, {0, 0, 0, 1}, 0}};
    work.accelerations[row] = from.acceleration;
    if (row < work.masses.size())
      work.masses[row] = is_body ? make_mass(step.inverse_mass[work.body_of[row]]) : SoftMass{};
  }
}

void integrate_row_velocities(Elements rows, float h, SoftBodyWorkspace& work) {
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    SoftVelocity& u = work.motions[row].velocity;
    for (int k = 0; k < 3; ++k) {
      u.linear[k] += h * work.accelerations[row].linear[k];
      u.angular[k] += h * work.accelerations[row].angular[k];
    }
    work.unpushed[row] = u;
  }
}

/// The impulses of the previous substep change velocities by M⁻¹ Jᵀ λ = u − unpushed at its end.
void integrate_warm_velocities(Elements rows, float h, SoftBodyWorkspace& work) {
  for (std::size_t row = rows.first; row < rows.last; ++row) {
    SoftVelocity &u = work.motions[row].velocity, &unpushed = work.unpushed[row];
    const SoftVelocity& acceleration = work.accelerations[row];
    for (int k = 0; k < 3; ++k) {
      const float linear = u.linear[k] - unpushed.linear[k], angular = u.angular[k] - unpushed.angular[k];
      unpushed.linear[k] = u.linear[k] + h * acceleration.linear[k];
      unpushed.angular[k] = u.angular[k] + h * acceleration.angular[k];
      u.linear[k] = unpushed.linear[k] + linear;
      u.angular[k] = unpushed.angular[k] + angular;
    }
  }
}

void integrate_displacements(Elements rows, float h, SoftBodyWorkspace& work) {
  for (std::size_t row = rows.first; row < rows.last; ++row) integrate_displacement(work.motions[row], h);
}

void store_bodies(World& world, double h, Elements bodies, BodyWorkspace& step, const SoftBodyWorkspace& work) {
  const auto row_of = [&](std::size_t body) { return work.scripted + static_cast<std::size_t>(work.slot_of[body]); };
  for (std::size_t body = bodies.first; body < bodies.last; ++body) {
    const std::size_t later = body + kFetchAhead;
    if (later < work.slot_of.size() && work.slot_of[later] > 0) __builtin_prefetch(&work.motions[row_of(later)], 0, 2);
    store_body(world, h, body, step, work);
  }
}

}  // namespace achilles
