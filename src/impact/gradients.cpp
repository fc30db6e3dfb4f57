#include "impact/gradients.hpp"

#include <cmath>

namespace achilles {
namespace {

using Map = Eigen::Map<Eigen::VectorXd>;
using ConstMap = Eigen::Map<const Eigen::VectorXd>;

Eigen::Map<const Vec6> at(const double* x, std::uint32_t body) { return Eigen::Map<const Vec6>(x + 6 * body); }
Eigen::Map<Vec6> at(double* x, std::uint32_t body) { return Eigen::Map<Vec6>(x + 6 * body); }

Vec6 join(double sign, const Vec3& linear, const Vec3& angular) {
  Vec6 joined;
  joined << sign * linear, sign * angular;
  return joined;
}

}  // namespace

void GradientSet::reset() {
  mass_.clear();
  dimension_ = 0;
  equalities_ = projected_ = 0;
  dense_ = false;
  columns_.clear();
  squared_norm_.clear();
  EJ_.clear();
  ED_.clear();
}

void GradientSet::add_body(const Vec3& mass, const Mat3& inertia) {
  mass_.mass.push_back(mass);
  mass_.inertia.push_back(inertia);
  dimension_ += 6;
}

int GradientSet::add(const Row& row, double sign, std::uint32_t local_a, std::uint32_t local_b) {
  Column column{local_a, local_b, Vec6::Zero(), Vec6::Zero(), Vec6::Zero(), Vec6::Zero(), 0};
  if (local_a != kNone) {
    column.Ja = join(sign, row.linear_a, row.angular_a);
    column.Da = join(sign, row.mass_linear_a, row.mass_angular_a);
    column.squared_norm += column.Ja.dot(column.Da);
  }
  if (local_b != kNone) {
    column.Jb = join(sign, row.linear_b, row.angular_b);
    column.Db = join(sign, row.mass_linear_b, row.mass_angular_b);
    column.squared_norm += column.Jb.dot(column.Db);
  }
  columns_.push_back(column);
  squared_norm_.push_back(column.squared_norm);
  return count() - 1;
}

double GradientSet::velocity_original(int c, const double* x) const {
  const Column& column = columns_[c];
  double sum = 0;
  if (column.a != kNone) sum += column.Ja.dot(at(x, column.a));
  if (column.b != kNone) sum += column.Jb.dot(at(x, column.b));
  return sum;
}

void GradientSet::apply_original(int c, double s, double* x) const {
  const Column& column = columns_[c];
  if (column.a != kNone) at(x, column.a) += s * column.Da;
  if (column.b != kNone) at(x, column.b) += s * column.Db;
}

double GradientSet::gram_original(int i, int j) const {
  const Column &p = columns_[i], &q = columns_[j];
  double sum = 0;
  if (p.a != kNone) {
    if (p.a == q.a) sum += p.Ja.dot(q.Da);
    if (p.a == q.b) sum += p.Ja.dot(q.Db);
  }
  if (p.b != kNone) {
    if (p.b == q.a) sum += p.Jb.dot(q.Da);
    if (p.b == q.b) sum += p.Jb.dot(q.Db);
  }
  return sum;
}

double GradientSet::velocity(int c, const double* x) const {
  if (!dense_) return velocity_original(c, x);
  return ConstMap(J_.data() + static_cast<std::size_t>(c) * dimension_, dimension_).dot(ConstMap(x, dimension_));
}

void GradientSet::apply(int c, double s, double* x) const {
  if (!dense_) return apply_original(c, s, x);
  Map(x, dimension_) += s * ConstMap(D_.data() + static_cast<std::size_t>(c) * dimension_, dimension_);
}

double GradientSet::gram(int i, int j) const {
  if (!dense_) return gram_original(i, j);
  return ConstMap(J_.data() + static_cast<std::size_t>(i) * dimension_, dimension_)
      .dot(ConstMap(D_.data() + static_cast<std::size_t>(j) * dimension_, dimension_));
}

// Twice is enough: the second pass removes what rounding left of the first. A column of which little is left has lost
// digits; J is made from D again so that at least the two agree, on which conservation of energy hangs.
void GradientSet::orthogonalize(double* J, double* D) const {
  Map d(D, dimension_);
  for (int pass = 0; pass < 2; ++pass) {
    for (int e = 0; e < equalities_; ++e) {
      const std::size_t begin = static_cast<std::size_t>(e) * dimension_;
      d -= ConstMap(EJ_.data() + begin, dimension_).dot(d) * ConstMap(ED_.data() + begin, dimension_);
    }
  }
  mass_.multiply(D, J);
}

bool GradientSet::add_equality(std::span<const int> columns, std::span<const double> weights, double least) {
  const std::size_t begin = EJ_.size();
  EJ_.resize(begin + dimension_, 0.0);
  ED_.resize(begin + dimension_, 0.0);
  Map J(EJ_.data() + begin, dimension_), D(ED_.data() + begin, dimension_);
  D.setZero();
  for (std::size_t k = 0; k < columns.size(); ++k) apply(columns[k], weights[k], D.data());
  const double squared_before = mass_.squared_norm(D.data());
  orthogonalize(J.data(), D.data());
  const double squared = J.dot(D);
  if (!(squared > least * least * squared_before)) {
    EJ_.resize(begin);
    ED_.resize(begin);
    return false;
  }
  J /= std::sqrt(squared);
  D /= std::sqrt(squared);
  ++equalities_;
  return true;
}

void GradientSet::project_columns() {
  if (projected_ == equalities_) return;
  const std::size_t n = static_cast<std::size_t>(dimension_);
  if (!dense_) {
    J_.assign(n * count(), 0.0);
    D_.assign(n * count(), 0.0);
    for (int c = 0; c < count(); ++c) apply_original(c, 1, D_.data() + n * c);
    dense_ = true;
  }
  for (int c = 0; c < count(); ++c) {
    double* const J = J_.data() + n * c;
    double* const D = D_.data() + n * c;
    orthogonalize(J, D);
    squared_norm_[c] = ConstMap(J, dimension_).dot(ConstMap(D, dimension_));
  }
  projected_ = equalities_;
}

double GradientSet::project(double* x) const {
  double removed = 0;
  Map velocity(x, dimension_);
  for (int pass = 0; pass < 2; ++pass) {
    for (int e = 0; e < equalities_; ++e) {
      const std::size_t begin = static_cast<std::size_t>(e) * dimension_;
      const double share = ConstMap(EJ_.data() + begin, dimension_).dot(velocity);
      velocity -= share * ConstMap(ED_.data() + begin, dimension_);
      removed += share * share;
    }
  }
  return removed;
}

}  // namespace achilles
