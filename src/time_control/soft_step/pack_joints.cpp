#include "time_control/soft_step/pack_joints.hpp"

#include "math/refill.hpp"
#include "time_control/soft_step/soft_workspace.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace achilles {
namespace {

template <std::size_t kCount>
void store(const float (&from)[kCount], Lane (&to)[kCount], std::size_t lane) {
  for (std::size_t k = 0; k < kCount; ++k) to[k][lane] = from[k];
}
template <std::size_t kCount>
void load(const Lane (&from)[kCount], std::size_t lane, float (&to)[kCount]) {
  for (std::size_t k = 0; k < kCount; ++k) to[k] = from[k][lane];
}

void pack_row(const SoftJointRow& row, JointRowLanes& to, std::size_t lane) {
  store(row.linear_a, to.linear_a, lane);
  store(row.angular_a, to.angular_a, lane);
  store(row.linear_b, to.linear_b, lane);
  store(row.angular_b, to.angular_b, lane);
  to.error[lane] = row.error;
  to.target[lane] = row.target;
  to.reads[lane] = row.reads;
  to.softness[lane] = row.softness;
  to.lower[lane] = row.lower;
  to.upper[lane] = row.upper;
  to.impulse[lane] = row.impulse;
  to.total[lane] = 0;
  to.is_point[lane] = row.is_point ? 1.0f : 0.0f;
  to.is_limit[lane] = row.kind == SoftJointRow::Kind::kLimit ? 1.0f : 0.0f;
  to.plain[lane] = row.kind == SoftJointRow::Kind::kPlain ? 1.0f : 0.0f;
}

/// Where row k of a joint lies among the rows of its lanes: all of these hold as many rigid ones as the richest joint.
std::uint32_t place_of(const SoftJoint& joint, const JointLanes& c, std::uint32_t k) {
  return c.first + (k < joint.rigid ? k : c.rigid + k - joint.rigid);
}

void pack_lane(const SoftJoints& joints, const SoftJoint& joint, const SoftMass* masses, SoftJointLanes& lanes,
               JointLanes& c, std::size_t lane) {
  c.slot_a[lane] = joint.slot_a;
  c.slot_b[lane] = joint.slot_b;
  store(joint.arm_a, c.arm_a, lane);
  store(joint.arm_b, c.arm_b, lane);
  store(masses[joint.slot_a].inverse_mass, c.inverse_mass_a, lane);
  store(masses[joint.slot_b].inverse_mass, c.inverse_mass_b, lane);
  store(masses[joint.slot_a].inverse_inertia, c.inverse_inertia_a, lane);
  store(masses[joint.slot_b].inverse_inertia, c.inverse_inertia_b, lane);
  for (std::uint32_t k = 0; k < joint.count; ++k) {
    pack_row(joints.rows[joint.first + k], lanes.rows[place_of(joint, c, k)], lane);
  }
}

std::pair<std::uint32_t, std::uint32_t> rows_of(const SoftJoint& joint) { return {joint.rigid, joint.count}; }

/// Whether the lanes are those of these joints already.
bool is_laid_out(const SoftWorkspace& soft) {
  return soft.joint_coloring.kept && std::ranges::equal(soft.joints.joints, soft.joint_lanes.known_rows, {}, rows_of);
}

}  // namespace

void assign_joint_lanes(SoftWorkspace& soft) {
  SoftJointLanes& lanes = soft.joint_lanes;
  Coloring& coloring = soft.joint_coloring;
  const std::vector<SoftJoint>& joints = soft.joints.joints;
  if (std::exchange(lanes.known, false) && is_laid_out(soft)) {
    lanes.known = true;
    return;
  }
  lanes.joints.clear();
  lanes.joint_at.clear();
  lanes.start.clear();
  list_by_color(coloring);
  std::uint32_t rows = 0;
  for (std::size_t color = 0; color <= coloring.colors(); ++color) {
    lanes.start.push_back(static_cast<std::uint32_t>(lanes.joints.size()));
    const auto all = std::span(coloring.order).subspan(coloring.start[color], coloring.edges_of(color).size());
    const bool overflow = color == coloring.colors();
    // Alike ones together, so that few rows are empty.
    if (!overflow) {
      std::sort(all.begin(), all.end(), [&](std::uint32_t a, std::uint32_t b) {
        return std::tuple(joints[a].rigid, joints[a].count, a) < std::tuple(joints[b].rigid, joints[b].count, b);
      });
    }
    const std::size_t most = overflow ? 1 : kLanes;
    for (std::size_t k = 0; k < all.size(); k += most) {
      JointLanes& c = lanes.joints.emplace_back();
      std::uint32_t others = 0;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const bool present = lane < most && k + lane < all.size();
        lanes.joint_at.push_back(present ? static_cast<std::int32_t>(all[k + lane]) : -1);
        if (!present) continue;
        c.rigid = std::max(c.rigid, joints[all[k + lane]].rigid);
        others = std::max(others, joints[all[k + lane]].count - joints[all[k + lane]].rigid);
      }
      c.first = rows;
      c.count = c.rigid + others;
      rows += c.count;
    }
  }
  lanes.start.push_back(static_cast<std::uint32_t>(lanes.joints.size()));
  lanes.rows.resize(rows);
  lanes.known_rows.resize(joints.size());
  std::ranges::transform(joints, lanes.known_rows.begin(), rows_of);
  lanes.known = true;
}

void pack_joints(const SoftJoints& joints, LaneRange range, const SoftMass* masses, SoftJointLanes& lanes) {
  for (std::size_t index = range.first; index < range.last; ++index) {
    JointLanes& c = lanes.joints[index];
    std::fill_n(lanes.rows.begin() + c.first, c.count, JointRowLanes{});
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::int32_t joint = lanes.joint_at[index * kLanes + lane];
      static const SoftJoint none;
      pack_lane(joints, joint < 0 ? none : joints.joints[static_cast<std::size_t>(joint)], masses, lanes, c, lane);
    }
  }
}

void unpack_joints(const SoftJointLanes& lanes, LaneRange range, SoftJoints& joints) {
  for (std::size_t index = range.first; index < range.last; ++index) {
    const JointLanes& c = lanes.joints[index];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::int32_t at = lanes.joint_at[index * kLanes + lane];
      if (at < 0) continue;
      const SoftJoint& joint = joints.joints[static_cast<std::size_t>(at)];
      for (std::uint32_t k = 0; k < joint.count; ++k) {
        const JointRowLanes& row = lanes.rows[place_of(joint, c, k)];
        SoftJointRow& to = joints.rows[joint.first + k];
        to.total = row.total[lane];
        load(row.angular_a, lane, to.angular_a);
        load(row.angular_b, lane, to.angular_b);
      }
    }
  }
}

}  // namespace achilles
