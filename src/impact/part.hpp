// Independent parts of an impact problem. Bodies that no row connects, directly or through other movable bodies, cannot
// feel each other at this instant; each part is resolved alone, so that a large scene pays for its contacts only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "impact/gradients.hpp"
#include "impact/impact_problem.hpp"
#include "impact/nonnegative_qp.hpp"

namespace achilles {

struct ImpactContact {
  std::uint32_t row = 0;               // of the problem
  std::uint32_t tangent_row = 0;       // first of two, if tangent ≥ 0
  std::int32_t tangent = -1;           // first of two columns
  double sign = 1;                     // −1 for a row whose impulse is bounded from above by 0
  double target = 0;                   // [m/s], sign included
  Vec2 tangent_target = Vec2::Zero();  // [m/s] of the surface, as a conveyor has it
  double restitution = 0;
  double friction = 0;
};

/// One part in local numbers. Contact i has normal column i; then come the friction columns, then the joints'.
struct ImpactPart {
  std::vector<std::uint32_t> bodies;  // global numbers
  std::vector<ImpactContact> contacts;
  std::vector<std::uint32_t> joint_rows;
  std::vector<double> joint_targets;
  int first_joint = 0;
  GradientSet gradients;
  std::vector<int> neighbour_begin, neighbours;  // contacts that move each body, ascending
  bool opposed = false;                          // some of the equality constraints are contacts that oppose each other
  std::vector<char> removed;  // contact lies within the equality constraints: nothing of its gradient is left

  [[nodiscard]] int contact_count() const { return static_cast<int>(contacts.size()); }
  [[nodiscard]] int joint_count() const { return static_cast<int>(joint_rows.size()); }
  [[nodiscard]] int dimension() const { return 6 * static_cast<int>(bodies.size()); }
  /// ‖x‖_M², twice the kinetic energy.
  [[nodiscard]] double squared_norm(const double* x) const { return gradients.mass().squared_norm(x); }
  [[nodiscard]] double squared_distance(const double* x, const double* y) const {
    return gradients.mass().squared_distance(x, y);
  }
  /// −w_i / ‖n_i‖, positive while approaching, 0 for a removed contact.
  [[nodiscard]] double approach(int contact, const double* x) const;
};

enum class RowRole { kUnilateral, kMirrored, kBilateral, kFriction, kIgnored };

[[nodiscard]] RowRole row_role(const Row& row);

/// Which rows belong together.
struct PartSplit {
  std::vector<std::uint32_t> parent;     // union-find over bodies
  std::vector<std::int32_t> part_of;     // per body
  std::vector<std::uint32_t> rows;       // all rows with a meaning, sorted by part, ascending within
  std::vector<std::uint32_t> row_begin;  // per part, and one past the last
  std::vector<RowRole> roles;            // per row
  std::vector<char> movable;             // per body
  std::vector<std::int32_t> local;       // per body, number within the part being built
  int ignored = 0;

  [[nodiscard]] int count() const { return static_cast<int>(row_begin.size()) - 1; }
  [[nodiscard]] std::span<const std::uint32_t> rows_of(int part) const {
    return std::span(rows).subspan(row_begin[part], row_begin[part + 1] - row_begin[part]);
  }
};

void split_parts(const ImpactProblem& problem, PartSplit& split);

/// Whether any contact approaches at all or any joint is violated.
[[nodiscard]] bool part_moves(const ImpactProblem& problem, const PartSplit& split, int part,
                              std::span<const BodyVelocity> velocities);

void build_part(const ImpactProblem& problem, PartSplit& split, int index, ImpactPart& part);

/// Lists the contacts that each body takes part in; again when equality constraints have been removed.
void link_neighbours(ImpactPart& part);

void gather(const ImpactPart& part, std::span<const BodyVelocity> velocities, std::span<double> x);
/// Writes x where it differs from x_before: what no impulse reached stays bit for bit.
void scatter(const ImpactPart& part, std::span<const double> x, std::span<const double> x_before,
             std::span<BodyVelocity> velocities);

/// A velocity u with n_iᵀ u = target_i for every joint and, if requested, contact, the smallest one in the mass metric:
/// seen from it, all scripted motion stands still. False when the targets contradict each other. u is zero when all
/// targets are.
[[nodiscard]] bool find_resting_frame(const ImpactPart& part, bool with_contacts, NonnegativeQpWorkspace& scratch,
                                      std::vector<double>& matrix, std::span<double> u);

}  // namespace achilles
