#include "methods/reflections/instant_rows.hpp"

#include <algorithm>

namespace achilles {
namespace {

/// Appends the contacts of an island in the first pass, its joints in the second.
void append_island(World& world, const TouchOptions& touch, double h, std::size_t island, ReflectionsScratch& scratch) {
  const auto contact_count = static_cast<std::uint32_t>(scratch.contacts.contacts.size());
  const std::size_t start = scratch.rows.size();
  for (const std::uint32_t edge : scratch.islands.edges_of(island)) {
    if (edge < contact_count) {
      append_touch_contact(world, touch, scratch.contacts.contacts[edge], start, scratch);
    }
  }
  scratch.impulses.resize(scratch.rows.size(), 0.0);
  const JointRowInput input{scratch.inverse_mass, scratch.velocity_before, scratch.reflections.free, world.time, h};
  for (const std::uint32_t edge : scratch.islands.edges_of(island)) {
    if (edge < contact_count) continue;
    scratch.joint_rows.push_back(
        append_joint_rows(world, edge - contact_count, input, start, scratch.rows, scratch.impulses));
  }
  scratch.touch.restitution.resize(scratch.rows.size(), 0.0);
}

/// How far a limit of a joint is from being reached [rad], [m].
double limit_gap(const World& world, const JointRows& where, std::size_t slot) {
  const std::size_t axis = (slot - JointState::kStructural) / JointState::kPerAxis;
  const JointDrive& drive = world.joints[where.joint].drives[axis];
  const double position = world.joint_states[where.joint].position[axis];
  return (slot - JointState::kStructural) % JointState::kPerAxis == 0 ? position - drive.lower : drive.upper - position;
}

bool is_limit(std::size_t slot) {
  return slot >= JointState::kStructural && (slot - JointState::kStructural) % JointState::kPerAxis < 2;
}

}  // namespace

void build_instant_rows(World& world, const TouchOptions& touch, double h, ReflectionsScratch& scratch) {
  begin_touch_rows(scratch);
  scratch.impulses.clear();
  scratch.joint_rows.clear();
  scratch.row_start.clear();
  scratch.joint_rows_start.clear();
  scratch.coupling_rows.clear();
  scratch.coupling_rows_start.clear();
  const auto mark = [&] {
    scratch.row_start.push_back(static_cast<std::uint32_t>(scratch.rows.size()));
    scratch.joint_rows_start.push_back(static_cast<std::uint32_t>(scratch.joint_rows.size()));
    scratch.coupling_rows_start.push_back(0);  // couplings are refused
  };
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    mark();
    append_island(world, touch, h, island, scratch);
  }
  mark();
}

void list_impact_rows(const World& world, double tolerance, ReflectionsScratch& scratch) {
  std::vector<Row>& rows = scratch.reflections.impact_rows;
  rows.assign(scratch.rows.begin(), scratch.rows.end());
  for (std::size_t island = 0; island < scratch.islands.size(); ++island) {
    const std::uint32_t first = scratch.row_start[island];
    for (std::uint32_t r = first; r < scratch.row_start[island + 1]; ++r) {
      if (rows[r].normal_row >= 0) rows[r].normal_row += static_cast<std::int32_t>(first);
    }
    for (std::uint32_t k = scratch.joint_rows_start[island]; k < scratch.joint_rows_start[island + 1]; ++k) {
      const JointRows& where = scratch.joint_rows[k];
      for (std::uint32_t r = 0; r < where.count; ++r) {
        Row& row = rows[first + where.first + r];
        const bool reached = !is_limit(where.slot[r]) || limit_gap(world, where, where.slot[r]) <= tolerance;
        if (row.softness > 0 || !reached) row.lower = row.upper = 0;
      }
    }
  }
}

}  // namespace achilles
