#include "constraint/coupling_rows.hpp"

#include "constraint/joint_pose.hpp"
#include "constraint/point_row.hpp"

namespace achilles {
namespace {

std::span<const WorldCouplingTerm> terms_of(const World& world, std::uint32_t coupling) {
  return std::span(world.coupling_terms).subspan(world.couplings[coupling].first, world.couplings[coupling].count);
}

JointPose place_term(const World& world, const WorldCouplingTerm& term) {
  return place_joint(world.joints[term.joint], world.bodies, world.joint_states[term.joint].position);
}

/// c J of one term.
Row make_part(const World& world, const WorldCouplingTerm& term) {
  Row row = make_axis_row(world.joints[term.joint], world.bodies, place_term(world, term), term.axis);
  for (Vec3* part : {&row.linear_a, &row.angular_a, &row.linear_b, &row.angular_b}) *part *= term.coefficient;
  return row;
}

}  // namespace

double measure_coupling_error(const World& world, std::uint32_t coupling) {
  double error = -world.couplings[coupling].offset;
  for (const WorldCouplingTerm& term : terms_of(world, coupling)) {
    error += term.coefficient * place_term(world, term).position[term.axis];
  }
  return error;
}

CouplingRows append_coupling_rows(const World& world, std::uint32_t coupling,
                                  std::span<const BodyInverseMass> inverse_mass, std::size_t island_start,
                                  std::vector<Row>& rows, std::vector<double>& impulses) {
  CouplingRows where{coupling, static_cast<std::uint32_t>(rows.size() - island_start), 0};
  for (const WorldCouplingTerm& term : terms_of(world, coupling)) {
    const WorldJoint& joint = world.joints[term.joint];
    Row row = make_part(world, term);
    row.continues = where.count > 0 ? 1 : 0;
    place_row(row, {joint.body_a, joint.body_b, {}, {}}, world.bodies, inverse_mass);
    rows.push_back(row);
    impulses.push_back(0);
    ++where.count;
  }
  return where;
}

void stabilize_coupling_rows(const World& world, const CouplingRows& where, double rate, std::span<Row> island_rows) {
  island_rows[where.first].target -= rate * measure_coupling_error(world, where.coupling);
}

void append_coupling_correction(const World& world, std::uint32_t coupling,
                                std::span<const BodyInverseMass> inverse_mass, std::vector<Row>& rows) {
  const std::size_t first = rows.size();
  for (const WorldCouplingTerm& term : terms_of(world, coupling)) {
    const WorldJoint& joint = world.joints[term.joint];
    Row row = make_part(world, term);
    row.continues = rows.size() > first ? 1 : 0;
    if (world.bodies.is_movable(joint.body_a)) row.body_a = joint.body_a;
    if (world.bodies.is_movable(joint.body_b)) row.body_b = joint.body_b;
    finish_row(row, inverse_mass);
    rows.push_back(row);
  }
  rows[first].target = -measure_coupling_error(world, coupling);
}

}  // namespace achilles
