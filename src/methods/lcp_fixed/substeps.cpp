#include "methods/lcp_fixed/substeps.hpp"

#include "methods/lcp_fixed/lcp_fixed.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/joint_check.hpp"

#include <algorithm>

namespace achilles {
namespace {

/// Rows of a contact point: its normal row and those that follow it.
std::size_t count_rows(const ContactPointRows& where) {
  return 1U + (where.friction >= 0 ? 2U : 0U) + (where.rolling >= 0 ? 2U : 0U) + (where.torsion >= 0 ? 2U : 0U);
}

}  // namespace

void fix_points_to_bodies(const World& world, LcpFixedWorkspace& scratch) {
  const BodyArrays& bodies = world.bodies;
  scratch.carried.resize(scratch.contacts.points.size());
  for (const Contact& contact : scratch.contacts.contacts) {
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      const ContactPoint& point = scratch.contacts.points[p];
      const Vec3 half = 0.5 * point.gap * point.normal;
      const auto place = [&](std::uint32_t body, const Vec3& x) {
        return Vec3(bodies.orientation[body].conjugate() * (x - bodies.position[body]));
      };
      scratch.carried[p] = {place(contact.body_a, point.position - half), place(contact.body_b, point.position + half)};
    }
  }
}

void carry_contacts(const World& world, LcpFixedWorkspace& scratch) {
  const BodyArrays& bodies = world.bodies;
  for (const Contact& contact : scratch.contacts.contacts) {
    for (std::uint32_t p = contact.first; p < contact.first + contact.count; ++p) {
      ContactPoint& point = scratch.contacts.points[p];
      const auto place = [&](std::uint32_t body, const Vec3& x) {
        return Vec3(bodies.position[body] + bodies.orientation[body] * x);
      };
      const Vec3 on_a = place(contact.body_a, scratch.carried[p].on_a);
      const Vec3 on_b = place(contact.body_b, scratch.carried[p].on_b);
      // Where one body slides along another that cannot move, the arm is that of the first.
      const bool a_moves = bodies.is_movable(contact.body_a), b_moves = bodies.is_movable(contact.body_b);
      point.position = a_moves == b_moves ? Vec3(0.5 * (on_a + on_b)) : a_moves ? on_a : on_b;
      point.gap = point.normal.dot(on_b - on_a);
    }
  }
  island_contacts(world, scratch);
}

StepReport repeat_forces(World& world, const LcpFixedOptions& options, LcpFixedWorkspace& scratch, StepSpan step) {
  const double h = step.h;
  StepReport report;
  const double joint_error = measure_relative_joint_error(world);
  prepare_bodies(world, step, scratch);
  damp_velocities(world, options.speed_ups.damping, h);
  integrate_velocities(world, scratch.inverse_mass, h, scratch.motion);
  const double free = 2 * h * world.gravity.norm();
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    const std::uint32_t first = scratch.row_start[island], last = scratch.row_start[island + 1];
    std::vector<double>& impulses = scratch.impulses;
    for (std::uint32_t k = scratch.point_rows_start[island]; k < scratch.point_rows_start[island + 1]; ++k) {
      const ContactPointRows& where = scratch.point_rows[k];
      if (where.approach <= free) continue;
      for (std::size_t row = 0; row < count_rows(where); ++row) {
        impulses[first + static_cast<std::size_t>(where.normal) + row] = 0;
      }
      scratch.records[where.point].impulse.setZero();
    }
    for (std::uint32_t row = first; row < last; ++row) {
      apply_impulse(scratch.rows[row], impulses[row], world.bodies.velocity);
    }
  }
  for (const ContactRecord& record : scratch.records) {
    report.external_work += measure_script_work(world.bodies, record, record.impulse);
    if (record.impulse.isZero(0)) continue;
    scratch.constrained[record.body_a] = scratch.constrained[record.body_b] = 1;
  }
  report.contacts = static_cast<int>(scratch.records.size());
  integrate_positions(world, h, options.integrator, scratch.motion, scratch.constrained);
  check_joints(world, step, joint_error, report);
  return report;
}

void collect_part(const StepReport& part, StepReport& whole, LcpFixedWorkspace& scratch) {
  whole.contacts = std::max(whole.contacts, part.contacts);
  whole.islands = std::max(whole.islands, part.islands);
  whole.iterations = std::max(whole.iterations, part.iterations);
  whole.residual = std::max(whole.residual, part.residual);
  whole.impacts += part.impacts;
  whole.new_contacts += part.new_contacts;
  whole.lost_contacts += part.lost_contacts;
  whole.joint_error = part.joint_error;
  whole.external_work += part.external_work;
  whole.costs += part.costs;
  whole.stopped = part.stopped;
  scratch.collected.insert(scratch.collected.end(), scratch.records.begin(), scratch.records.end());
}

}  // namespace achilles
