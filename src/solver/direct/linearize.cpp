#include "solver/direct/linearize.hpp"

#include "solver/access.hpp"
#include "solver/iterative/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace achilles {
namespace {

using Kind = LinearizedRow::Kind;

double scale_of(double diagonal) { return diagonal > 0 ? 1 / std::sqrt(diagonal) : 1.0; }

bool has_unknown(Kind kind) { return kind == Kind::kLower || kind == Kind::kUpper || kind == Kind::kBox; }

LinearizedRow classify_box(const MatrixRow& row, double b) {
  LinearizedRow out;
  out.scale = scale_of(row.diagonal);
  const bool has_lower = std::isfinite(row.lower), has_upper = std::isfinite(row.upper);
  out.base = has_lower ? row.lower : has_upper ? row.upper : 0.0;
  if (!(row.diagonal > 0)) {
    out.base = settle_immovable(0, b, row.lower, row.upper);
  } else if (!has_lower && !has_upper) {
    out.kind = Kind::kFree;
  } else if (row.lower < row.upper) {
    out.kind = has_lower && has_upper ? Kind::kBox : has_lower ? Kind::kLower : Kind::kUpper;
  }
  return out;
}

LinearizedRow classify_pair(const MatrixRow& first, const MatrixRow& second, int facets) {
  LinearizedRow out;
  const double largest = std::max(first.diagonal, second.diagonal);
  if (!(first.friction > 0) || !(largest > 0)) return out;
  out.kind = Kind::kPair;
  out.scale = scale_of(largest);
  out.facets = first.diagonal > 0 && second.diagonal > 0 ? static_cast<std::uint32_t>(facets) : 2;
  return out;
}

// Corners of the polygon of the pair at row i, then its limit. Two corners lie on the one tangent that can move.
void add_corners(std::size_t i, const LinearizedRow& row, bool on_first, std::vector<Generator>& generators) {
  const auto at = static_cast<std::uint32_t>(i);
  for (std::uint32_t k = 0; k < row.facets; ++k) {
    const double direction = 2 * std::numbers::pi * k / row.facets;
    const double sign = k == 0 ? 1 : -1;
    if (row.facets > 2) {
      generators.push_back({at, row.scale * std::cos(direction), row.scale * std::sin(direction)});
    } else {
      generators.push_back({at, on_first ? sign * row.scale : 0, on_first ? 0 : sign * row.scale});
    }
  }
  generators.push_back({});
}

// The interval of one row of a box, then its limit.
void add_interval(std::size_t i, const MatrixRow& from, Linearized& out) {
  LinearizedRow& row = out.rows[i];
  row.first = static_cast<std::uint32_t>(out.generators.size());
  if (!(from.friction > 0) || !(from.diagonal > 0)) return;
  row.kind = Kind::kPair;
  row.scale = scale_of(from.diagonal);
  row.facets = 2;
  for (const double sign : {1.0, -1.0}) out.generators.push_back({static_cast<std::uint32_t>(i), sign * row.scale, 0});
  out.generators.push_back({});
}

void list_unknowns(const MatrixProblem& problem, int facets, Linearized& out) {
  out.rows.assign(problem.size(), LinearizedRow{});
  out.generators.clear();
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const MatrixRow& from = problem.rows[i];
    LinearizedRow& row = out.rows[i];
    if (from.normal_row >= 0 && facets == kBoxFriction) {
      add_interval(i, from, out);
      continue;
    }
    if (from.normal_row >= 0) {
      row = classify_pair(from, problem.rows[i + 1], facets);
      row.first = static_cast<std::uint32_t>(out.generators.size());
      if (row.kind == Kind::kPair) {
        add_corners(i, row, from.diagonal > 0, out.generators);
        out.rows[i + 1].kind = Kind::kPairSecond;
      }
      ++i;
      continue;
    }
    row = classify_box(from, problem.b[static_cast<Eigen::Index>(i)]);
    row.first = static_cast<std::uint32_t>(out.generators.size());
    const double sign = row.kind == Kind::kUpper ? -1 : 1;
    if (has_unknown(row.kind)) out.generators.push_back({static_cast<std::uint32_t>(i), sign * row.scale, 0});
    if (row.kind == Kind::kBox) out.generators.push_back({});
  }
}

// What an impulse of unknown v does to the row of unknown u, and the same against the right-hand side.
double response(const Dictionary& T, const Generator& u, const Generator& v) {
  double sum = u.g * T(u.row, v.row) * v.g;
  if (v.g_next != 0) sum += u.g * T(u.row, v.row + 1) * v.g_next;
  if (u.g_next != 0) sum += u.g_next * T(u.row + 1, v.row) * v.g;
  if (u.g_next != 0 && v.g_next != 0) sum += u.g_next * T(u.row + 1, v.row + 1) * v.g_next;
  return sum;
}

// Gᵀ T G and Gᵀ rhs, where λ = base + G z.
void fill_responses(Linearized& out) {
  const std::size_t n = out.generators.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Generator& u = out.generators[i];
    if (u.g == 0 && u.g_next == 0) continue;
    out.lcp.q[i] = u.g * out.free.rhs()[u.row];
    if (u.g_next != 0) out.lcp.q[i] += u.g_next * out.free.rhs()[u.row + 1];
    for (std::size_t j = 0; j < n; ++j) {
      const Generator& v = out.generators[j];
      if (v.g != 0 || v.g_next != 0) out.lcp.at(i, j) = response(out.free, u, v);
    }
  }
}

// λ_n of a disc as an affine function of the unknowns, times `factor`, added to row u.
void add_normal_impulse(Linearized& out, std::size_t normal, double factor, std::size_t u) {
  const LinearizedRow& row = out.rows[normal];
  if (row.kind != Kind::kEliminated) {
    out.lcp.q[u] += factor * row.base;
    if (has_unknown(row.kind)) out.lcp.at(u, row.first) += factor * out.generators[row.first].g;
    return;
  }
  out.lcp.q[u] += factor * out.free.rhs()[normal];
  for (std::size_t j = 0; j < out.generators.size(); ++j) {
    const Generator& v = out.generators[j];
    if (v.g != 0) out.lcp.at(u, j) += factor * out.free(normal, v.row) * v.g;
    if (v.g_next != 0) out.lcp.at(u, j) += factor * out.free(normal, v.row + 1) * v.g_next;
  }
}

void fill_limits(const MatrixProblem& problem, Linearized& out) {
  for (std::size_t i = 0; i < out.rows.size(); ++i) {
    const LinearizedRow& row = out.rows[i];
    if (row.kind == Kind::kBox) {
      const std::uint32_t sigma = row.first + 1;
      out.lcp.at(row.first, sigma) = 1;
      out.lcp.at(sigma, row.first) = -1;
      out.lcp.q[sigma] = (problem.rows[i].upper - problem.rows[i].lower) / row.scale;
    } else if (row.kind == Kind::kPair) {
      const std::uint32_t sigma = row.first + row.facets;
      for (std::uint32_t k = 0; k < row.facets; ++k) {
        out.lcp.at(row.first + k, sigma) = 1;
        out.lcp.at(sigma, row.first + k) = -1;
      }
      const auto normal = static_cast<std::size_t>(problem.rows[i].normal_row);
      add_normal_impulse(out, normal, problem.rows[i].friction / row.scale, sigma);
    }
  }
}

void set_unit(Linearized& out) {
  out.unit = 0;
  for (const double q : out.lcp.q) out.unit = std::max(out.unit, std::abs(q));
  if (!(out.unit > 0) || !std::isfinite(out.unit)) out.unit = 1;
  for (double& q : out.lcp.q) q /= out.unit;
}

}  // namespace

void eliminate_free_rows(const MatrixProblem& problem, std::vector<LinearizedRow>& rows, Dictionary& dictionary) {
  constexpr double kDependent = 1e-11;  // of the row's diagonal: what the others leave of it is rounding
  const std::size_t n = problem.size();
  dictionary.resize(n, n);
  using Column = Eigen::SparseMatrix<double>::InnerIterator;
  for (std::size_t j = 0; j < n; ++j) {
    dictionary.rhs()[j] += problem.b[static_cast<Eigen::Index>(j)];
    for (Column it(problem.A, static_cast<Eigen::Index>(j)); it; ++it) {
      const auto i = static_cast<std::size_t>(it.row());
      dictionary(i, j) = it.value();
      dictionary.rhs()[i] += it.value() * rows[j].base;
    }
  }
  while (true) {
    std::size_t best = n;
    double best_share = kDependent;
    for (std::size_t i = 0; i < n; ++i) {
      if (rows[i].kind != Kind::kFree) continue;
      const double share = dictionary(i, i) / problem.rows[i].diagonal;
      if (share > best_share) best = i, best_share = share;
    }
    if (best == n) return;
    dictionary.exchange(best, best);
    rows[best].kind = Kind::kEliminated;
  }
}

void linearize(const MatrixProblem& problem, int facets, Linearized& out) {
  list_unknowns(problem, facets, out);
  eliminate_free_rows(problem, out.rows, out.free);
  out.lcp.resize(out.generators.size());
  fill_responses(out);
  fill_limits(problem, out);
  out.weight.assign(out.generators.size(), 1.0);
  for (const LinearizedRow& row : out.rows) {
    const std::uint32_t count = row.kind == Kind::kPair  ? row.facets + 1
                                : row.kind == Kind::kBox ? 2
                                                         : (has_unknown(row.kind) ? 1 : 0);
    for (std::uint32_t k = 0; k < count; ++k) out.weight[row.first + k] = 1 / row.scale;
  }
  set_unit(out);
}

void recover_impulses(const MatrixProblem& problem, const Linearized& linearized, std::span<const double> z,
                      std::span<double> impulses) {
  const std::size_t n = linearized.rows.size();
  for (std::size_t i = 0; i < n; ++i) impulses[i] = linearized.rows[i].base;
  for (std::size_t u = 0; u < linearized.generators.size(); ++u) {
    const Generator& generator = linearized.generators[u];
    const double value = z[u] * linearized.unit;
    if (generator.g != 0) impulses[generator.row] += generator.g * value;
    if (generator.g_next != 0) impulses[generator.row + 1] += generator.g_next * value;
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (!has_unknown(linearized.rows[i].kind)) continue;
    impulses[i] = std::max(problem.rows[i].lower, std::min(problem.rows[i].upper, impulses[i]));
  }
  const Dictionary& free = linearized.free;
  for (std::size_t i = 0; i < n; ++i) {
    if (linearized.rows[i].kind != Kind::kEliminated) continue;
    impulses[i] = free.rhs()[i];
    for (std::size_t j = 0; j < n; ++j) {
      if (linearized.rows[j].kind == Kind::kEliminated) continue;
      // The right-hand side already holds the bases.
      impulses[i] += free(i, j) * (impulses[j] - linearized.rows[j].base);
    }
  }
}

double compute_linearized_residual(const MatrixProblem& problem, const Linearized& linearized,
                                   std::span<const double> z, std::span<const double> impulses, std::span<double> w) {
  double largest = 0;
  for (std::size_t u = 0; u < linearized.lcp.size(); ++u) {
    const double entry = std::min(linearized.lcp.velocity(u, z), z[u]);
    keep_largest(largest, std::abs(entry) * linearized.weight[u] * linearized.unit);
  }
  const MatrixAccess access(problem, w);
  for (std::size_t i = 0; i < linearized.rows.size(); ++i) {
    const Kind kind = linearized.rows[i].kind;
    const bool outside = kind == Kind::kFree || kind == Kind::kEliminated || kind == Kind::kFixed;
    if (outside && problem.rows[i].normal_row < 0) keep_largest(largest, box_residual(access, i, impulses[i]));
  }
  return largest;
}

}  // namespace achilles
