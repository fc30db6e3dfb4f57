#include "methods/soft_step/soft_couplings.hpp"

#include "constraint/coupling_rows.hpp"
#include "constraint/joint_pose.hpp"

#include <algorithm>

namespace achilles {
namespace {

/// The part of a body, which may belong to several joints of the coupling.
SoftCouplingPart& find_part(SoftCouplings& couplings, const SoftCoupling& coupling, std::uint32_t body,
                            std::int32_t slot) {
  const auto first = couplings.parts.begin() + static_cast<std::ptrdiff_t>(coupling.first);
  const auto found =
      std::find_if(first, couplings.parts.end(), [body](const SoftCouplingPart& part) { return part.body == body; });
  if (found != couplings.parts.end()) return *found;
  SoftCouplingPart part;
  part.body = body;
  part.slot = slot;
  couplings.parts.push_back(part);
  return couplings.parts.back();
}

/// J v.
double measure_rate(const SoftCouplings& couplings, const SoftCoupling& coupling, const SoftBodies& bodies) {
  double rate = 0;
  for (std::uint32_t k = coupling.first; k < coupling.first + coupling.count; ++k) {
    const SoftCouplingPart& part = couplings.parts[k];
    const SoftVelocity& u = bodies.motions[part.slot].velocity;
    for (int i = 0; i < 3; ++i) {
      rate += part.linear[i] * static_cast<double>(u.linear[i]) + part.angular[i] * static_cast<double>(u.angular[i]);
    }
  }
  return rate;
}

void apply(const SoftCouplings& couplings, const SoftCoupling& coupling, double impulse, const SoftBodies& bodies) {
  for (std::uint32_t k = coupling.first; k < coupling.first + coupling.count; ++k) {
    const SoftCouplingPart& part = couplings.parts[k];
    if (part.slot <= 0) continue;
    SoftVelocity& u = bodies.motions[part.slot].velocity;
    for (int i = 0; i < 3; ++i) {
      u.linear[i] += static_cast<float>(impulse * part.linear_change[i]);
      u.angular[i] += static_cast<float>(impulse * part.angular_change[i]);
    }
  }
}

}  // namespace

void list_couplings(const World& world, std::span<const BodyInverseMass> inverse_mass,
                    std::span<const std::int32_t> slot_of, SoftCouplings& couplings) {
  couplings.couplings.clear();
  couplings.parts.clear();
  for (std::uint32_t index = 0; index < world.couplings.size(); ++index) {
    SoftCoupling coupling;
    coupling.first = static_cast<std::uint32_t>(couplings.parts.size());
    const WorldCoupling& described = world.couplings[index];
    for (std::uint32_t k = described.first; k < described.first + described.count; ++k) {
      const WorldCouplingTerm& term = world.coupling_terms[k];
      const WorldJoint& joint = world.joints[term.joint];
      const JointPose pose = place_joint(joint, world.bodies, world.joint_states[term.joint].position);
      const Row row = make_axis_row(joint, world.bodies, pose, term.axis);
      SoftCouplingPart& a = find_part(couplings, coupling, joint.body_a, slot_of[joint.body_a]);
      a.linear += term.coefficient * row.linear_a;
      a.angular += term.coefficient * row.angular_a;
      SoftCouplingPart& b = find_part(couplings, coupling, joint.body_b, slot_of[joint.body_b]);
      b.linear += term.coefficient * row.linear_b;
      b.angular += term.coefficient * row.angular_b;
    }
    coupling.count = static_cast<std::uint32_t>(couplings.parts.size()) - coupling.first;
    double inverse = 0;
    for (std::uint32_t k = coupling.first; k < coupling.first + coupling.count; ++k) {
      SoftCouplingPart& part = couplings.parts[k];
      if (part.slot <= 0) continue;
      const BodyInverseMass& mass = inverse_mass[part.body];
      part.linear_change = mass.linear.cwiseProduct(part.linear);
      part.angular_change = mass.angular * part.angular;
      inverse += part.linear.dot(part.linear_change) + part.angular.dot(part.angular_change);
    }
    coupling.mass = inverse > 0 ? 1 / inverse : 0;
    coupling.error = measure_coupling_error(world, index);
    couplings.couplings.push_back(coupling);
  }
}

void solve_couplings(SoftCouplings& couplings, const SoftBodies& bodies, const Softness& softness) {
  for (SoftCoupling& coupling : couplings.couplings) {
    const double wanted = measure_rate(couplings, coupling, bodies) + softness.bias_rate * coupling.error;
    const double impulse = -coupling.mass * softness.mass_scale * wanted - softness.impulse_scale * coupling.impulse;
    coupling.impulse += impulse;
    apply(couplings, coupling, impulse, bodies);
  }
}

void relax_couplings(SoftCouplings& couplings, const SoftBodies& bodies, double h) {
  for (SoftCoupling& coupling : couplings.couplings) coupling.error += h * measure_rate(couplings, coupling, bodies);
  for (SoftCoupling& coupling : couplings.couplings) {
    const double impulse = -coupling.mass * measure_rate(couplings, coupling, bodies);
    coupling.impulse += impulse;
    apply(couplings, coupling, impulse, bodies);
  }
}

}  // namespace achilles
