#include "methods/soft_step/soft_couplings.hpp"

#include "constraint/coupling_rows.hpp"
#include "constraint/joint_pose.hpp"
#include "methods/soft_step/joints.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <optional>

namespace achilles {
namespace {

std::span<const SoftCouplingRotor> rotors_of(const SoftCouplings& couplings, const SoftCoupling& coupling) {
  return std::span(couplings.rotors).subspan(coupling.first_rotor, coupling.rotor_count);
}

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

/// J' v + yᵀ s.
double measure_held_rate(const SoftCouplings& couplings, const SoftCoupling& coupling, const JointBatches& joints,
                         const SoftBodies& bodies) {
  double rate = 0;
  for (std::uint32_t k = coupling.first; k < coupling.first + coupling.count; ++k) {
    const SoftCouplingPart& part = couplings.parts[k];
    const SoftVelocity& u = bodies.motions[part.slot].velocity;
    for (int i = 0; i < 3; ++i) {
      rate += part.linear_held[i] * static_cast<double>(u.linear[i]) +
              part.angular_held[i] * static_cast<double>(u.angular[i]);
    }
  }
  for (const SoftCouplingRotor& rotor : rotors_of(couplings, coupling)) {
    const JointRowBatch& row = joints.rows[rotor.place.row];
    const std::uint32_t lane = rotor.place.lane;
    rate += rotor.share * static_cast<double>(row.target[lane] - row.softness[lane] * row.impulse[lane]);
  }
  return rate;
}

void apply(const SoftCouplings& couplings, const SoftCoupling& coupling, double impulse, JointBatches& joints,
           const SoftBodies& bodies) {
  for (std::uint32_t k = coupling.first; k < coupling.first + coupling.count; ++k) {
    const SoftCouplingPart& part = couplings.parts[k];
    if (part.slot <= 0) continue;
    SoftVelocity& u = bodies.motions[part.slot].velocity;
    for (int i = 0; i < 3; ++i) {
      u.linear[i] += static_cast<float>(impulse * part.linear_change[i]);
      u.angular[i] += static_cast<float>(impulse * part.angular_change[i]);
    }
  }
  for (const SoftCouplingRotor& rotor : rotors_of(couplings, coupling)) {
    joints.rows[rotor.place.row].impulse[rotor.place.lane] -= static_cast<float>(impulse * rotor.share);
  }
}

/// G M⁻¹ Gᵀ between two rotors.
double couple(const Row& p, const Row& q) {
  double sum = 0;
  const auto add = [&](const Vec3& linear, const Vec3& angular, const Vec3& mass_linear, const Vec3& mass_angular) {
    sum += linear.dot(mass_linear) + angular.dot(mass_angular);
  };
  if (p.body_a == q.body_a) add(p.linear_a, p.angular_a, q.mass_linear_a, q.mass_angular_a);
  if (p.body_a == q.body_b) add(p.linear_a, p.angular_a, q.mass_linear_b, q.mass_angular_b);
  if (p.body_b == q.body_a) add(p.linear_b, p.angular_b, q.mass_linear_a, q.mass_angular_a);
  if (p.body_b == q.body_b) add(p.linear_b, p.angular_b, q.mass_linear_b, q.mass_angular_b);
  return sum;
}

/// y of each rotor, and J' of each part, which has J.
void hold_rotors(std::span<const BodyInverseMass> inverse_mass, const SoftCoupling& coupling,
                 SoftCouplings& couplings) {
  const auto parts = std::span(couplings.parts).subspan(coupling.first, coupling.count);
  for (SoftCouplingPart& part : parts) {
    part.linear_held = part.linear;
    part.angular_held = part.angular;
  }
  const auto part_of = [parts](std::uint32_t body) -> SoftCouplingPart& {
    return *std::ranges::find(parts, body, &SoftCouplingPart::body);
  };
  const auto rotors = std::span(couplings.rotors).subspan(coupling.first_rotor, coupling.rotor_count);
  const std::size_t count = rotors.size();
  if (count == 0) return;
  couplings.matrix.resize(count * count);
  couplings.shares.resize(count);
  Eigen::Map<Eigen::MatrixXd> matrix(couplings.matrix.data(), static_cast<Eigen::Index>(count),
                                     static_cast<Eigen::Index>(count));
  Eigen::Map<Eigen::VectorXd> shares(couplings.shares.data(), static_cast<Eigen::Index>(count));
  for (SoftCouplingRotor& rotor : rotors) finish_row(rotor.row, inverse_mass);
  for (std::size_t i = 0; i < count; ++i) {
    const Row& row = rotors[i].row;
    const SoftCouplingPart &a = part_of(row.body_a), &b = part_of(row.body_b);
    const auto at = static_cast<Eigen::Index>(i);
    shares[at] = a.linear.dot(row.mass_linear_a) + a.angular.dot(row.mass_angular_a) + b.linear.dot(row.mass_linear_b) +
                 b.angular.dot(row.mass_angular_b);
    for (std::size_t j = 0; j < count; ++j) matrix(at, static_cast<Eigen::Index>(j)) = couple(row, rotors[j].row);
    matrix(at, at) = row.diagonal;
  }
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(matrix).solveInPlace(shares);
  for (std::size_t i = 0; i < count; ++i) {
    const Row& row = rotors[i].row;
    rotors[i].share = couplings.shares[i];
    part_of(row.body_a).linear_held -= rotors[i].share * row.linear_a;
    part_of(row.body_a).angular_held -= rotors[i].share * row.angular_a;
    part_of(row.body_b).linear_held -= rotors[i].share * row.linear_b;
    part_of(row.body_b).angular_held -= rotors[i].share * row.angular_b;
  }
}

/// The parts and rotors of one coupling.
void list_parts(const World& world, std::uint32_t index, std::span<const std::int32_t> slot_of, SoftCoupling& coupling,
                SoftJointWorkspace& joints) {
  SoftCouplings& couplings = joints.couplings;
  const WorldCoupling& described = world.couplings[index];
  for (std::uint32_t k = described.first; k < described.first + described.count; ++k) {
    const WorldCouplingTerm& term = world.coupling_terms[k];
    const WorldJoint& joint = world.joints[term.joint];
    const JointPose pose = place_joint(joint, world.bodies, world.joint_states[term.joint].position);
    Row row = make_axis_row(joint, world.bodies, pose, term.axis);
    SoftCouplingPart& a = find_part(couplings, coupling, joint.body_a, slot_of[joint.body_a]);
    a.linear += term.coefficient * row.linear_a;
    a.angular += term.coefficient * row.angular_a;
    SoftCouplingPart& b = find_part(couplings, coupling, joint.body_b, slot_of[joint.body_b]);
    b.linear += term.coefficient * row.linear_b;
    b.angular += term.coefficient * row.angular_b;
    const std::optional<RotorPlace> place = find_rotor(joints, term.joint, term.axis);
    if (!place) continue;
    row.body_a = joint.body_a;
    row.body_b = joint.body_b;
    row.softness = 1 / joint.drives[term.axis].armature;
    couplings.rotors.push_back({row, *place, 0});
  }
  coupling.count = static_cast<std::uint32_t>(couplings.parts.size()) - coupling.first;
  coupling.rotor_count = static_cast<std::uint32_t>(couplings.rotors.size()) - coupling.first_rotor;
}

}  // namespace

void list_couplings(const World& world, std::span<const BodyInverseMass> inverse_mass,
                    std::span<const std::int32_t> slot_of, SoftJointWorkspace& joints) {
  SoftCouplings& couplings = joints.couplings;
  couplings.couplings.clear();
  couplings.parts.clear();
  couplings.rotors.clear();
  for (std::uint32_t index = 0; index < world.couplings.size(); ++index) {
    SoftCoupling coupling;
    coupling.first = static_cast<std::uint32_t>(couplings.parts.size());
    coupling.first_rotor = static_cast<std::uint32_t>(couplings.rotors.size());
    list_parts(world, index, slot_of, coupling, joints);
    hold_rotors(inverse_mass, coupling, couplings);
    double inverse = 0;
    for (std::uint32_t k = coupling.first; k < coupling.first + coupling.count; ++k) {
      SoftCouplingPart& part = couplings.parts[k];
      if (part.slot <= 0) continue;
      const BodyInverseMass& mass = inverse_mass[part.body];
      part.linear_change = mass.linear.cwiseProduct(part.linear_held);
      part.angular_change = mass.angular * part.angular_held;
      inverse += part.linear.dot(part.linear_change) + part.angular.dot(part.angular_change);
    }
    coupling.mass = inverse > 0 ? 1 / inverse : 0;
    coupling.error = measure_coupling_error(world, index);
    couplings.couplings.push_back(coupling);
  }
}

void solve_couplings(SoftCouplings& couplings, JointBatches& joints, const SoftBodies& bodies,
                     const Softness& softness) {
  for (SoftCoupling& coupling : couplings.couplings) {
    const double wanted = measure_held_rate(couplings, coupling, joints, bodies) + softness.bias_rate * coupling.error;
    const double impulse = -coupling.mass * softness.mass_scale * wanted - softness.impulse_scale * coupling.impulse;
    coupling.impulse += impulse;
    apply(couplings, coupling, impulse, joints, bodies);
  }
}

void relax_couplings(SoftCouplings& couplings, JointBatches& joints, const SoftBodies& bodies, double h) {
  for (SoftCoupling& coupling : couplings.couplings) coupling.error += h * measure_rate(couplings, coupling, bodies);
  for (SoftCoupling& coupling : couplings.couplings) {
    const double impulse = -coupling.mass * measure_held_rate(couplings, coupling, joints, bodies);
    coupling.impulse += impulse;
    apply(couplings, coupling, impulse, joints, bodies);
  }
}

}  // namespace achilles
