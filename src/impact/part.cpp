#include "impact/part.hpp"

#include "math/disjoint_sets.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

bool can_move(const BodyInverseMass& m) { return !m.linear.isZero(0) || !m.angular.isZero(0); }

// The inverse on the axes that can turn, 0 along the locked ones.
Mat3 inertia_from_inverse(const Mat3& inverse) {
  if (inverse.isDiagonal(0)) {
    return Vec3(inverse.diagonal().unaryExpr([](double d) { return d > 0 ? 1 / d : 0; })).asDiagonal();
  }
  Eigen::SelfAdjointEigenSolver<Mat3> solver;
  solver.computeDirect(inverse);
  const double least = 1e-12 * solver.eigenvalues().maxCoeff();
  if (solver.eigenvalues().minCoeff() > least) return inverse.inverse();
  const Vec3 turned = solver.eigenvalues().unaryExpr([least](double d) { return d > least ? 1 / d : 0; });
  return solver.eigenvectors() * turned.asDiagonal() * solver.eigenvectors().transpose();
}

struct RowEnds {
  std::uint32_t a, b;
};

RowEnds movable_ends(const Row& row, const PartSplit& split) {
  RowEnds ends{row.body_a, row.body_b};
  if (ends.a != kImmovable && !split.movable[ends.a]) ends.a = kImmovable;
  if (ends.b != kImmovable && !split.movable[ends.b]) ends.b = kImmovable;
  return ends;
}

double response(const Row& row, const RowEnds& ends) {
  double sum = 0;
  if (ends.a != kImmovable) sum += row.linear_a.dot(row.mass_linear_a) + row.angular_a.dot(row.mass_angular_a);
  if (ends.b != kImmovable) sum += row.linear_b.dot(row.mass_linear_b) + row.angular_b.dot(row.mass_angular_b);
  return sum;
}

std::uint32_t owner(const RowEnds& ends) { return ends.a != kImmovable ? ends.a : ends.b; }

}  // namespace

double ImpactPart::approach(int contact, const double* x) const {
  if (removed[contact]) return 0;
  return -gradients.velocity(contact, x) / std::sqrt(gradients.squared_norm(contact));
}

RowRole row_role(const Row& row) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (row.normal_row >= 0) return RowRole::kFriction;
  if (row.lower == 0 && row.upper == kInfinity) return RowRole::kUnilateral;
  if (row.lower == -kInfinity && row.upper == 0) return RowRole::kMirrored;
  if (row.lower == -kInfinity && row.upper == kInfinity) return RowRole::kBilateral;
  return RowRole::kIgnored;
}

void split_parts(const ImpactProblem& problem, PartSplit& split) {
  const std::uint32_t bodies = static_cast<std::uint32_t>(problem.inverse_mass.size());
  const std::uint32_t rows = static_cast<std::uint32_t>(problem.rows.size());
  split.movable.resize(bodies);
  split.parent.resize(bodies);
  split.local.assign(bodies, -1);
  split.part_of.assign(bodies, -1);
  split.roles.resize(rows);
  split.ignored = 0;
  for (std::uint32_t i = 0; i < bodies; ++i) {
    split.movable[i] = can_move(problem.inverse_mass[i]);
    split.parent[i] = i;
  }
  for (std::uint32_t r = 0; r < rows; ++r) {
    const Row& row = problem.rows[r];
    const RowEnds ends = movable_ends(row, split);
    split.roles[r] = row_role(row);
    const Row& judge = split.roles[r] == RowRole::kFriction ? problem.rows[row.normal_row] : row;
    if (row_role(judge) == RowRole::kIgnored || !(response(judge, ends) > 0)) split.roles[r] = RowRole::kIgnored;
    if (split.roles[r] == RowRole::kIgnored) {
      ++split.ignored;
    } else if (ends.a != kImmovable && ends.b != kImmovable) {
      join_sets(split.parent, ends.a, ends.b);
    }
  }
  // Counting sort of the rows by part; parts are numbered by their first row.
  split.row_begin.assign(1, 0);
  for (std::uint32_t r = 0; r < rows; ++r) {
    if (split.roles[r] == RowRole::kIgnored) continue;
    std::int32_t& part = split.part_of[find_root(split.parent, owner(movable_ends(problem.rows[r], split)))];
    if (part < 0) {
      part = static_cast<std::int32_t>(split.row_begin.size()) - 1;
      split.row_begin.push_back(0);
    }
    ++split.row_begin[part + 1];
  }
  for (std::size_t p = 1; p < split.row_begin.size(); ++p) split.row_begin[p] += split.row_begin[p - 1];
  split.rows.resize(split.row_begin.back());
  for (std::uint32_t r = rows; r-- > 0;) {
    if (split.roles[r] == RowRole::kIgnored) continue;
    const std::int32_t part = split.part_of[find_root(split.parent, owner(movable_ends(problem.rows[r], split)))];
    split.rows[--split.row_begin[part + 1]] = r;
  }
  // Filling from the back moved each end down to its part's begin: shift the table back by one.
  split.row_begin.erase(split.row_begin.begin());
  split.row_begin.push_back(static_cast<std::uint32_t>(split.rows.size()));
}

bool part_moves(const ImpactProblem& problem, const PartSplit& split, int part,
                std::span<const BodyVelocity> velocities) {
  for (const std::uint32_t r : split.rows_of(part)) {
    const Row& row = problem.rows[r];
    if (split.roles[r] == RowRole::kFriction) continue;
    const double w = row_velocity(row, velocities) - row.target;
    if (split.roles[r] == RowRole::kUnilateral && w < 0) return true;
    if (split.roles[r] == RowRole::kMirrored && w > 0) return true;
    if (split.roles[r] != RowRole::kBilateral) continue;
    double scale = std::abs(row.target);
    if (row.body_a != kImmovable) {
      scale += row.linear_a.norm() * velocities[row.body_a].linear.norm() +
               row.angular_a.norm() * velocities[row.body_a].angular.norm();
    }
    if (row.body_b != kImmovable) {
      scale += row.linear_b.norm() * velocities[row.body_b].linear.norm() +
               row.angular_b.norm() * velocities[row.body_b].angular.norm();
    }
    if (std::abs(w) > 1e-9 * scale) return true;
  }
  return false;
}

namespace {

std::uint32_t local_number(std::uint32_t body, PartSplit& split, ImpactPart& part) {
  if (body == kImmovable) return GradientSet::kNone;
  if (split.local[body] < 0) {
    split.local[body] = static_cast<std::int32_t>(part.bodies.size());
    part.bodies.push_back(body);
  }
  return static_cast<std::uint32_t>(split.local[body]);
}

void number_bodies(const ImpactProblem& problem, PartSplit& split, int index, ImpactPart& part) {
  part.bodies.clear();
  for (const std::uint32_t r : split.rows_of(index)) {
    const RowEnds ends = movable_ends(problem.rows[r], split);
    local_number(ends.a, split, part);
    local_number(ends.b, split, part);
  }
  part.gradients.reset();
  for (const std::uint32_t body : part.bodies) {
    const BodyInverseMass& m = problem.inverse_mass[body];
    part.gradients.add_body(m.linear.unaryExpr([](double inverse) { return inverse > 0 ? 1 / inverse : 0; }),
                            inertia_from_inverse(m.angular));
  }
}

void add_column(const ImpactProblem& problem, PartSplit& split, std::uint32_t r, double sign, ImpactPart& part) {
  const RowEnds ends = movable_ends(problem.rows[r], split);
  part.gradients.add(problem.rows[r], sign, local_number(ends.a, split, part), local_number(ends.b, split, part));
}

void add_contacts(const ImpactProblem& problem, PartSplit& split, int index, ImpactPart& part) {
  for (const std::uint32_t r : split.rows_of(index)) {
    if (split.roles[r] != RowRole::kUnilateral && split.roles[r] != RowRole::kMirrored) continue;
    ImpactContact contact;
    contact.row = r;
    contact.sign = split.roles[r] == RowRole::kUnilateral ? 1 : -1;
    contact.target = contact.sign * problem.rows[r].target;
    contact.restitution = problem.restitution.empty() ? 0 : std::clamp(problem.restitution[r], 0.0, 1.0);
    add_column(problem, split, r, contact.sign, part);
    part.contacts.push_back(contact);
  }
}

void add_tangents(const ImpactProblem& problem, PartSplit& split, int index, ImpactPart& part) {
  const std::span<const std::uint32_t> rows = split.rows_of(index);
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
    const Row& row = problem.rows[rows[k]];
    if (split.roles[rows[k]] != RowRole::kFriction || rows[k + 1] != rows[k] + 1 ||
        problem.rows[rows[k + 1]].normal_row != row.normal_row) {
      continue;
    }
    const std::uint32_t normal = static_cast<std::uint32_t>(row.normal_row);
    const auto contact = std::lower_bound(part.contacts.begin(), part.contacts.end(), normal,
                                          [](const ImpactContact& c, std::uint32_t r) { return c.row < r; });
    if (contact == part.contacts.end() || contact->row != normal) continue;
    // Rolling and torsional resistance act on spins; over an instant they are left out, as are further pairs.
    if (contact->tangent >= 0 || (row.linear_a.isZero(0) && row.linear_b.isZero(0))) continue;
    contact->tangent = part.gradients.count();
    contact->tangent_row = rows[k];
    contact->friction = row.friction;
    contact->tangent_target = {row.target, problem.rows[rows[k + 1]].target};
    add_column(problem, split, rows[k], 1, part);
    add_column(problem, split, rows[k] + 1, 1, part);
    ++k;
  }
}

}  // namespace

void link_neighbours(ImpactPart& part) {
  part.neighbour_begin.assign(part.bodies.size() + 1, 0);
  for (int c = 0; c < part.contact_count(); ++c) {
    part.gradients.for_each_body(c, [&](std::uint32_t body) { ++part.neighbour_begin[body + 1]; });
  }
  for (std::size_t i = 1; i < part.neighbour_begin.size(); ++i) part.neighbour_begin[i] += part.neighbour_begin[i - 1];
  part.neighbours.resize(part.neighbour_begin.back());
  for (int c = part.contact_count(); c-- > 0;) {
    part.gradients.for_each_body(c, [&](std::uint32_t body) { part.neighbours[--part.neighbour_begin[body + 1]] = c; });
  }
  part.neighbour_begin.erase(part.neighbour_begin.begin());
  part.neighbour_begin.push_back(static_cast<int>(part.neighbours.size()));
}

void build_part(const ImpactProblem& problem, PartSplit& split, int index, ImpactPart& part) {
  number_bodies(problem, split, index, part);
  part.contacts.clear();
  part.joint_rows.clear();
  part.joint_targets.clear();
  add_contacts(problem, split, index, part);
  add_tangents(problem, split, index, part);
  part.first_joint = part.gradients.count();
  for (const std::uint32_t r : split.rows_of(index)) {
    if (split.roles[r] != RowRole::kBilateral) continue;
    add_column(problem, split, r, 1, part);
    part.joint_rows.push_back(r);
    part.joint_targets.push_back(problem.rows[r].target);
  }
  part.opposed = false;
  part.removed.assign(part.contacts.size(), 0);
  link_neighbours(part);
}

void gather(const ImpactPart& part, std::span<const BodyVelocity> velocities, std::span<double> x) {
  for (std::size_t i = 0; i < part.bodies.size(); ++i) {
    Eigen::Map<Vec3>(x.data() + 6 * i) = velocities[part.bodies[i]].linear;
    Eigen::Map<Vec3>(x.data() + 6 * i + 3) = velocities[part.bodies[i]].angular;
  }
}

void scatter(const ImpactPart& part, std::span<const double> x, std::span<const double> x_before,
             std::span<BodyVelocity> velocities) {
  for (std::size_t i = 0; i < part.bodies.size(); ++i) {
    BodyVelocity& v = velocities[part.bodies[i]];
    for (int k = 0; k < 3; ++k) {
      if (x[6 * i + k] != x_before[6 * i + k]) v.linear[k] = x[6 * i + k];
      if (x[6 * i + 3 + k] != x_before[6 * i + 3 + k]) v.angular[k] = x[6 * i + 3 + k];
    }
  }
}

bool find_resting_frame(const ImpactPart& part, bool with_contacts, NonnegativeQpWorkspace& scratch,
                        std::vector<double>& matrix, std::span<double> u) {
  std::fill(u.begin(), u.end(), 0.0);
  const int contacts = with_contacts ? part.contact_count() : 0, n = contacts + part.joint_count();
  const auto column = [&](int i) { return i < contacts ? i : part.first_joint + i - contacts; };
  const auto target = [&](int i) { return i < contacts ? part.contacts[i].target : part.joint_targets[i - contacts]; };
  double largest = 0;
  for (int i = 0; i < n; ++i) largest = std::max(largest, std::abs(target(i)));
  if (largest == 0) return true;

  matrix.resize(static_cast<std::size_t>(n) * n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      matrix[static_cast<std::size_t>(i) * n + j] = part.gradients.gram_original(column(i), column(j));
    }
  }
  NonnegativeQp problem;
  problem.size = n;
  problem.A = matrix;
  scratch.factor.reset(n);
  scratch.passive.clear();
  for (int i = 0; i < n; ++i) {
    if (scratch.factor.append(problem, scratch.passive, i)) scratch.passive.push_back(i);
  }
  scratch.target.resize(n);
  const std::span<double> y(scratch.target.data(), scratch.passive.size());
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = target(scratch.passive[k]);
  scratch.factor.solve(y);
  for (std::size_t k = 0; k < y.size(); ++k) part.gradients.apply_original(column(scratch.passive[k]), y[k], u.data());
  for (int i = 0; i < n; ++i) {
    if (std::abs(part.gradients.velocity_original(column(i), u.data()) - target(i)) > 1e-9 * largest) return false;
  }
  return true;
}

}  // namespace achilles
