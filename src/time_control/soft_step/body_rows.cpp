#include "time_control/soft_step/body_rows.hpp"

#include "motion/integrate.hpp"
#include "time_control/contact_stage.hpp"

#include <cmath>

namespace achilles {
namespace {

constexpr std::size_t kFetchAhead = 24;  // bodies

/// To single precision, impulses turn the body alike about all axes and push it alike along them.
bool is_round(const BodyInverseMass& inverse) {
  const double size = inverse.angular(0, 0), most = 1e-7 * size;
  return (inverse.angular - size * Mat3::Identity()).cwiseAbs().maxCoeff() <= most &&
         inverse.linear.x() == inverse.linear.y() && inverse.linear.y() == inverse.linear.z();
}

/// q ← q + ½ h ω q, and back to unit length.
void move_row(SoftMotion& row, float h) {
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

}  // namespace

void BodyRows::draft(std::size_t first, std::size_t last) const {
  for (std::size_t body = first; body < last; ++body) {
    prepare_body(world_.bodies, body, scratch_);
    integrate_velocity(world_, body, scratch_.inverse_mass, h_, scratch_.motion);
    draft_body(body);
  }
}

/// The velocity before the step, and what the forces of the step add to it per second.
void BodyRows::draft_body(std::size_t body) const {
  const BodyInverseMass& inverse = scratch_.inverse_mass[body];
  soft_.round[body] = is_round(inverse) ? 1 : 0;
  const BodyVelocity& after = world_.bodies.velocity[body];
  const BodyVelocity& before = scratch_.movable[body] != 0 ? scratch_.velocity_before[body] : after;
  BodyDraft& to = soft_.body_drafts[body] = {};
  for (int k = 0; k < 3; ++k) {
    to.velocity.linear[k] = static_cast<float>(before.linear[k]);
    to.velocity.angular[k] = static_cast<float>(before.angular[k]);
    to.acceleration.linear[k] = static_cast<float>((after.linear[k] - before.linear[k]) / h_);
    to.acceleration.angular[k] = static_cast<float>((after.angular[k] - before.angular[k]) / h_);
  }
  to.velocity.inverse_mass = static_cast<float>(inverse.linear.x());
  to.velocity.inverse_inertia = static_cast<float>(inverse.angular(0, 0));
}

void BodyRows::prepare(bool any_masses) const {
  const std::size_t rows = soft_.body_of.size();
  soft_.motions.resize(rows);
  soft_.unpushed.resize(rows);
  soft_.accelerations.resize(rows);
  soft_.masses.resize(any_masses ? rows : soft_.watched + 1);
}

/// Rows are not in the order of the bodies: what later ones need is asked for in time.
void BodyRows::load(std::size_t first, std::size_t last) const {
  for (std::size_t row = first; row < last; ++row) {
    if (row + kFetchAhead < soft_.body_of.size())
      __builtin_prefetch(&soft_.body_drafts[soft_.body_of[row + kFetchAhead]], 0, 2);
    const BodyDraft draft = row == soft_.watched ? BodyDraft{} : soft_.body_drafts[soft_.body_of[row]];
    soft_.motions[row] = {draft.velocity, {{0, 0, 0}, {0, 0, 0, 1}, 0}};
    soft_.accelerations[row] = draft.acceleration;
    if (row < soft_.masses.size()) load_mass(row);
  }
}

void BodyRows::load_mass(std::size_t row) const {
  SoftMass& mass = soft_.masses[row] = {};
  if (row == soft_.watched) return;
  const BodyInverseMass& inverse = scratch_.inverse_mass[soft_.body_of[row]];
  for (int k = 0; k < 3; ++k) {
    mass.inverse_mass[k] = static_cast<float>(inverse.linear[k]);
    mass.inverse_inertia[k] = static_cast<float>(inverse.angular(k, k));
  }
  mass.inverse_inertia[3] = static_cast<float>(inverse.angular(0, 1));
  mass.inverse_inertia[4] = static_cast<float>(inverse.angular(0, 2));
  mass.inverse_inertia[5] = static_cast<float>(inverse.angular(1, 2));
}

void BodyRows::accelerate(std::size_t first, std::size_t last, float h) const {
  for (std::size_t row = first; row < last; ++row) {
    SoftVelocity& u = soft_.motions[row].velocity;
    for (int k = 0; k < 3; ++k) {
      u.linear[k] += h * soft_.accelerations[row].linear[k];
      u.angular[k] += h * soft_.accelerations[row].angular[k];
    }
    soft_.unpushed[row] = u;
  }
}

/// What the impulses of the substep before do is M⁻¹ Jᵀ λ = u − unpushed at its end.
void BodyRows::accelerate_on(std::size_t first, std::size_t last, float h) const {
  for (std::size_t row = first; row < last; ++row) {
    SoftVelocity &u = soft_.motions[row].velocity, &unpushed = soft_.unpushed[row];
    const SoftVelocity& acceleration = soft_.accelerations[row];
    for (int k = 0; k < 3; ++k) {
      const float linear = u.linear[k] - unpushed.linear[k], angular = u.angular[k] - unpushed.angular[k];
      unpushed.linear[k] = u.linear[k] + h * acceleration.linear[k];
      unpushed.angular[k] = u.angular[k] + h * acceleration.angular[k];
      u.linear[k] = unpushed.linear[k] + linear;
      u.angular[k] = unpushed.angular[k] + angular;
    }
  }
}

void BodyRows::move(std::size_t first, std::size_t last, float h) const {
  for (std::size_t row = first; row < last; ++row) move_row(soft_.motions[row], h);
}

void BodyRows::unload(std::size_t first, std::size_t last) const {
  const auto row_of = [&](std::size_t body) { return soft_.watched + static_cast<std::size_t>(soft_.slot_of[body]); };
  for (std::size_t body = first; body < last; ++body) {
    const std::size_t later = body + kFetchAhead;
    if (later < soft_.slot_of.size() && soft_.slot_of[later] > 0)
      __builtin_prefetch(&soft_.motions[row_of(later)], 0, 2);
    unload_body(body);
  }
}

void BodyRows::unload_body(std::size_t body) const {
  if (soft_.slot_of[body] <= 0) {
    integrate_position(world_, body, h_, true, scratch_.motion);
    return;
  }
  BodyArrays& bodies = world_.bodies;
  const SoftMotion& row = soft_.motions[soft_.watched + static_cast<std::size_t>(soft_.slot_of[body])];
  const SoftVelocity& u = row.velocity;
  const SoftDisplacement& d = row.displacement;
  bodies.velocity[body] = {Vec3(u.linear[0], u.linear[1], u.linear[2]), Vec3(u.angular[0], u.angular[1], u.angular[2])};
  bodies.position[body] += Vec3(d.linear[0], d.linear[1], d.linear[2]);
  const Quat turn(d.rotation[3], d.rotation[0], d.rotation[1], d.rotation[2]);
  bodies.orientation[body] = (turn * bodies.orientation[body]).normalized();
}

}  // namespace achilles
