#include "solver/iterative/packed_rows.hpp"

#include <cmath>

namespace achilles {

// Cholesky of a semidefinite matrix: a locked axis has a zero pivot and gets a zero column.
PackedRows::Factor PackedRows::factor(const BodyInverseMass& inverse_mass) {
  Factor out;
  out.linear = inverse_mass.linear.cwiseSqrt();
  const Mat3& A = inverse_mass.angular;
  Mat3& L = out.angular;
  for (int k = 0; k < 3; ++k) {
    double pivot = A(k, k);
    for (int j = 0; j < k; ++j) pivot -= L(k, j) * L(k, j);
    if (!(pivot > 0)) continue;
    L(k, k) = std::sqrt(pivot);
    for (int i = k + 1; i < 3; ++i) {
      double sum = A(i, k);
      for (int j = 0; j < k; ++j) sum -= L(i, j) * L(k, j);
      L(i, k) = sum / L(k, k);
    }
  }
  return out;
}

std::uint32_t PackedRows::slot_of(std::uint32_t body, const RowProblem& problem) {
  if (body == kImmovable) return kImmovable;
  std::uint32_t& slot = slot_[body];
  if (slot == kImmovable) {
    slot = static_cast<std::uint32_t>(bodies_.size());
    bodies_.push_back(Vec6::Zero());
    factors_.push_back(factor(problem.inverse_mass[body]));
    body_of_.push_back(body);
  }
  return slot;
}

void PackedRows::pack(const RowProblem& problem) {
  rows_.resize(problem.rows.size());
  bodies_.clear();
  factors_.clear();
  body_of_.clear();
  if (slot_.size() < problem.velocities.size()) slot_.resize(problem.velocities.size(), kImmovable);
  const auto scale = [this](std::uint32_t slot, const Vec3& linear, const Vec3& angular, Vec6& out) {
    if (slot == kImmovable) {
      out.setZero();
      return;
    }
    out.head<3>() = factors_[slot].linear.cwiseProduct(linear);
    out.tail<3>().noalias() = factors_[slot].angular.transpose() * angular;
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& from = problem.rows[i];
    PackedRow& row = rows_[i];
    row.body_a = slot_of(from.body_a, problem);
    row.body_b = slot_of(from.body_b, problem);
    scale(row.body_a, from.linear_a, from.angular_a, row.a);
    scale(row.body_b, from.linear_b, from.angular_b, row.b);
    row.c = row_velocity(from, problem.velocities) - from.target;
    row.softness = from.softness;
    row.lower = from.lower;
    row.upper = from.upper;
    row.diagonal = from.diagonal;
    row.friction = from.friction;
    row.normal_row = from.normal_row;
  }
  for (const std::uint32_t body : body_of_) slot_[body] = kImmovable;
}

void PackedRows::unpack(const RowProblem& problem) const {
  for (std::size_t slot = 0; slot < bodies_.size(); ++slot) {
    BodyVelocity& u = problem.velocities[body_of_[slot]];
    u.linear += factors_[slot].linear.cwiseProduct(bodies_[slot].head<3>());
    u.angular += factors_[slot].angular * bodies_[slot].tail<3>();
  }
}

}  // namespace achilles
