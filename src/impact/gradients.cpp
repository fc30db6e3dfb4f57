#include "impact/gradients.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

// Components along an equality below this share of a vector are rounding; they would fill the vector up.
constexpr double kNoComponent = 1e-15;

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
  has_projected_ = false;
  columns_.clear();
  squared_norm_.clear();
  equality_blocks_.clear();
  equality_begin_.assign(1, 0);
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

bool GradientSet::share_face(int c, int d) const {
  constexpr double kParallel = 1e-9;  // of unit normals
  const Column &p = columns_[c], &q = columns_[d];
  if (p.a != q.a || p.b != q.b) return false;
  const auto along = [](const Column& column) -> Vec3 {
    return column.a != kNone ? column.Ja.head<3>() : column.Jb.head<3>();
  };
  if (along(p).isZero(0) || (along(p) - along(q)).norm() > kParallel) return false;
  // The same point again adds nothing.
  return (p.Ja - q.Ja).norm() + (p.Jb - q.Jb).norm() > kParallel;
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
  if (!has_projected_) return velocity_original(c, x);
  double sum = 0;
  for (const Block& block : blocks_of(c)) sum += block.J.dot(at(x, block.body));
  return sum;
}

void GradientSet::apply(int c, double s, double* x) const {
  if (!has_projected_) return apply_original(c, s, x);
  for (const Block& block : blocks_of(c)) at(x, block.body) += s * block.D;
}

double GradientSet::gram(int i, int j) const {
  if (!has_projected_) return gram_original(i, j);
  const std::span<const Block> p = blocks_of(i), q = blocks_of(j);
  double sum = 0;
  for (std::size_t k = 0, l = 0; k < p.size() && l < q.size();) {
    if (p[k].body == q[l].body) {
      sum += p[k++].J.dot(q[l++].D);
    } else {
      ++(p[k].body < q[l].body ? k : l);
    }
  }
  return sum;
}

void GradientSet::touch(std::uint32_t body) {
  if (accumulator_.touched[body]) return;
  accumulator_.touched[body] = 1;
  accumulator_.bodies.push_back(body);
}

void GradientSet::accumulate(int c, double s) {
  accumulator_.D.resize(dimension_, 0.0);
  accumulator_.touched.resize(mass_.bodies(), 0);
  for_each_body(c, [this](std::uint32_t body) { touch(body); });
  apply(c, s, accumulator_.D.data());
}

double GradientSet::accumulated_norm() const {
  double sum = 0;
  for (const std::uint32_t body : accumulator_.bodies) {
    const Vec6 d = at(accumulator_.D.data(), body);
    sum += d.head<3>().cwiseAbs2().dot(mass_.mass[body]) + d.tail<3>().dot(mass_.inertia[body] * d.tail<3>());
  }
  return sum;
}

// Twice is enough: the second pass removes what rounding left of the first.
void GradientSet::orthogonalize() {
  Accumulator& d = accumulator_;
  for (int pass = 0; pass < 2; ++pass) {
    const double negligible = kNoComponent * std::sqrt(accumulated_norm());
    for (int e = 0; e < equalities_; ++e) {
      double share = 0;
      for (const Block& block : equality(e)) {
        if (d.touched[block.body]) share += block.J.dot(at(d.D.data(), block.body));
      }
      if (std::abs(share) <= negligible) continue;
      for (const Block& block : equality(e)) {
        touch(block.body);
        at(d.D.data(), block.body) -= share * block.D;
      }
    }
  }
}

// A column of which little is left has lost digits; J is made from D again so that at least the two agree, on which
// conservation of energy hangs.
void GradientSet::flush(double s, std::vector<Block>& blocks) {
  Accumulator& d = accumulator_;
  std::sort(d.bodies.begin(), d.bodies.end());
  for (const std::uint32_t body : d.bodies) {
    const Vec6 D = s * at(d.D.data(), body);
    Vec6 J;
    J << mass_.mass[body].cwiseProduct(D.head<3>()), mass_.inertia[body] * D.tail<3>();
    blocks.push_back({body, J, D});
    at(d.D.data(), body).setZero();
    d.touched[body] = 0;
  }
  d.bodies.clear();
}

bool GradientSet::add_equality(std::span<const int> columns, std::span<const double> weights, double least) {
  for (std::size_t k = 0; k < columns.size(); ++k) accumulate(columns[k], weights[k]);
  const double squared_before = accumulated_norm();
  orthogonalize();
  const double squared = accumulated_norm();
  const bool is_new = squared > least * least * squared_before;
  flush(is_new ? 1 / std::sqrt(squared) : 0, equality_blocks_);
  if (!is_new) {
    equality_blocks_.resize(equality_begin_.back());
    return false;
  }
  equality_begin_.push_back(equality_blocks_.size());
  ++equalities_;
  return true;
}

void GradientSet::project_columns() {
  if (projected_ == equalities_) return;
  next_blocks_.clear();
  next_begin_.assign(1, 0);
  for (int c = 0; c < count(); ++c) {
    accumulate(c, 1);
    orthogonalize();
    squared_norm_[c] = accumulated_norm();
    flush(1, next_blocks_);
    next_begin_.push_back(next_blocks_.size());
  }
  blocks_.swap(next_blocks_);
  block_begin_.swap(next_begin_);
  has_projected_ = true;
  projected_ = equalities_;
}

double GradientSet::project(double* x) const {
  double removed = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int e = 0; e < equalities_; ++e) {
      double share = 0;
      for (const Block& block : equality(e)) share += block.J.dot(at(static_cast<const double*>(x), block.body));
      for (const Block& block : equality(e)) at(x, block.body) -= share * block.D;
      removed += share * share;
    }
  }
  return removed;
}

}  // namespace achilles
