#include "stepping/overlap_release.hpp"

#include <algorithm>
#include <utility>

namespace achilles {
namespace {

struct IslandRows {
  std::span<Row> rows;
  std::span<const double> impulses;
  std::span<const ContactPointRows> points;
};

IslandRows rows_of(StepWorkspace& scratch, std::size_t island) {
  const std::uint32_t first = scratch.row_start[island], points = scratch.point_rows_start[island];
  return {std::span(scratch.rows).subspan(first, scratch.row_start[island + 1] - first),
          std::span<const double>(scratch.impulses).subspan(first),
          std::span<const ContactPointRows>(scratch.point_rows)
              .subspan(points, scratch.point_rows_start[island + 1] - points)};
}

bool pushes_out(const ContactPointRows& where, const IslandRows& island, const ContactSet& contacts) {
  const auto index = static_cast<std::size_t>(where.normal);
  const Row& normal = island.rows[index];
  return normal.softness == 0 && normal.target > 0 && contacts.points[where.point].gap < 0 &&
         island.impulses[index] > 0;
}

/// Of the contacts on the bodies [J].
double measure_contact_work(const IslandRows& island, std::span<const BodyVelocity> free,
                            std::span<const BodyVelocity> after) {
  double work = 0;
  for (const ContactPointRows& where : island.points) {
    const auto add = [&](std::int32_t row) {
      const Row& one = island.rows[static_cast<std::size_t>(row)];
      work +=
          0.5 * island.impulses[static_cast<std::size_t>(row)] * (row_velocity(one, free) + row_velocity(one, after));
    };
    add(where.normal);
    for (std::int32_t k = 0; where.friction >= 0 && k < 2; ++k) add(where.friction + k);
  }
  return work;
}

void list_bodies(std::span<const Row> rows, std::vector<std::uint32_t>& bodies) {
  for (const Row& row : rows) {
    for (const std::uint32_t body : {row.body_a, row.body_b}) {
      if (body != kImmovable) bodies.push_back(body);
    }
  }
}

}  // namespace

void release_overlaps(World& world, const IslandSolveOptions& options, double share, std::span<const BodyVelocity> free,
                      double h, StepWorkspace& scratch, OverlapRelease& release) {
  std::vector<BodyVelocity>& velocities = world.bodies.velocity;
  release.drift.clear();
  release.bodies.clear();
  for (std::size_t k = 0; k < scratch.islands.size(); ++k) {
    const IslandRows island = rows_of(scratch, k);
    const bool any = std::any_of(island.points.begin(), island.points.end(), [&](const ContactPointRows& where) {
      return pushes_out(where, island, scratch.contacts);
    });
    if (!any || !(measure_contact_work(island, free, velocities) > 0)) continue;
    if (release.drift.empty()) release.drift.assign(velocities.begin(), velocities.end());
    for (const ContactPointRows& where : island.points) {
      Row& normal = island.rows[static_cast<std::size_t>(where.normal)];
      if (normal.softness == 0) normal.target += share * std::min(0.0, scratch.contacts.points[where.point].gap) / h;
    }
    const std::size_t first = release.bodies.size();
    list_bodies(island.rows, release.bodies);
    for (std::size_t b = first; b < release.bodies.size(); ++b) {
      velocities[release.bodies[b]] = free[release.bodies[b]];
    }
    solve_island(world, options, scratch, k);
  }
  std::sort(release.bodies.begin(), release.bodies.end());
  release.bodies.erase(std::unique(release.bodies.begin(), release.bodies.end()), release.bodies.end());
}

void follow_drift(World& world, double h, Integrator integrator, StepWorkspace& scratch, OverlapRelease& release) {
  const auto exchange = [&] {
    for (const std::uint32_t body : release.bodies) std::swap(world.bodies.velocity[body], release.drift[body]);
  };
  for (const std::uint32_t body : release.bodies) {
    const BodyVelocity &stays = world.bodies.velocity[body], &leads = release.drift[body];
    if (stays.linear != leads.linear || stays.angular != leads.angular) scratch.constrained[body] = 1;
  }
  exchange();
  integrate_positions(world, h, integrator, scratch.motion, scratch.constrained);
  exchange();
}

}  // namespace achilles
