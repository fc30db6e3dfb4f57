#include "solver/file/fclib.hpp"

#include "solver/file/problem_reader.hpp"

#include <Eigen/SparseCholesky>
#include <Eigen/SparseLU>

#include <cmath>
#include <utility>

namespace achilles {
namespace {

using Sparse = Eigen::SparseMatrix<double>;

// A matrix is as large as the vectors that it stands between: checked before memory is taken for the sizes it claims.
// nz = -1: compressed columns, p their starts; -2: compressed rows, p their starts; else triplets, i rows and p
// columns.
Sparse read_matrix(const ProblemReader& reader, const std::string& group, std::size_t row_count,
                   std::size_t column_count) {
  const int rows = reader.integer(group + "/m"), columns = reader.integer(group + "/n");
  if (!std::cmp_equal(rows, row_count) || !std::cmp_equal(columns, column_count)) {
    reader.fail(group, "is " + std::to_string(rows) + " x " + std::to_string(columns) + ", but the vectors need " +
                           std::to_string(row_count) + " x " + std::to_string(column_count));
  }
  const int kind = reader.integer(group + "/nz");
  const std::vector<int> p = reader.ints(group + "/p"), i = reader.ints(group + "/i");
  const std::vector<double> x = reader.doubles(group + "/x");
  if (kind < -2) reader.fail(group + "/nz", "out of range");
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](int row, int column, double value) {
    if (row < 0 || row >= rows || column < 0 || column >= columns) reader.fail(group, "an index is out of range");
    if (!std::isfinite(value)) reader.fail(group + "/x", "an entry is not finite");
    entries.emplace_back(row, column, value);
  };
  if (kind >= 0) {
    const auto count = static_cast<std::size_t>(kind);
    if (p.size() < count || i.size() < count || x.size() < count) reader.fail(group, "fewer entries than nz states");
    for (std::size_t k = 0; k < count; ++k) add(i[k], p[k], x[k]);
  } else {
    const auto outer = static_cast<std::size_t>(kind == -1 ? columns : rows);
    if (p.size() < outer + 1) reader.fail(group + "/p", "too short");
    for (std::size_t line = 0; line < outer; ++line) {
      // Entries that several lines claim would make many of few.
      if (p[line] > p[line + 1]) reader.fail(group + "/p", "does not ascend");
      for (int k = p[line]; k < p[line + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        if (k < 0 || at >= i.size() || at >= x.size()) reader.fail(group + "/p", "points outside the entries");
        const int other = static_cast<int>(line);
        kind == -1 ? add(i[at], other, x[at]) : add(other, i[at], x[at]);
      }
    }
  }
  Sparse matrix(rows, columns);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

Eigen::VectorXd read_vector(const ProblemReader& reader, const std::string& item, Eigen::Index size) {
  const std::vector<double> values = reader.doubles(item);
  if (static_cast<Eigen::Index>(values.size()) != size) {
    reader.fail(item, "expected " + std::to_string(size) + " numbers, found " + std::to_string(values.size()));
  }
  Eigen::VectorXd vector = Eigen::Map<const Eigen::VectorXd>(values.data(), size);
  if (!vector.allFinite()) reader.fail(item, "an entry is not finite");
  return vector;
}

// A and b over contact rows as in the file, then free rows.
struct Reduced {
  Sparse A;
  Eigen::VectorXd b;
  Eigen::Index contact_rows = 0;
};

void add_block(const Sparse& block, Eigen::Index row, Eigen::Index column, bool transposed,
               std::vector<Eigen::Triplet<double>>& entries) {
  for (Eigen::Index k = 0; k < block.outerSize(); ++k) {
    for (Sparse::InnerIterator it(block, k); it; ++it) {
      const auto i = static_cast<int>(row + (transposed ? it.col() : it.row()));
      const auto j = static_cast<int>(column + (transposed ? it.row() : it.col()));
      entries.emplace_back(i, j, it.value());
    }
  }
}

Reduced read_local(const ProblemReader& reader) {
  const std::size_t contact_rows = reader.count("/fclib_local/vectors/q");
  const Sparse W = read_matrix(reader, "/fclib_local/W", contact_rows, contact_rows);
  Reduced out;
  out.contact_rows = W.rows();
  std::vector<Eigen::Triplet<double>> entries;
  add_block(W, 0, 0, false, entries);
  Eigen::Index equations = 0;
  if (reader.has("/fclib_local/V")) {
    const std::size_t count = reader.count("/fclib_local/vectors/s");
    const Sparse V = read_matrix(reader, "/fclib_local/V", contact_rows, count);
    const Sparse R = read_matrix(reader, "/fclib_local/R", count, count);
    equations = V.cols();
    add_block(V, 0, W.rows(), false, entries);
    add_block(V, W.rows(), 0, true, entries);
    add_block(R, W.rows(), W.rows(), false, entries);
  }
  out.A.resize(W.rows() + equations, W.rows() + equations);
  out.A.setFromTriplets(entries.begin(), entries.end());
  out.b.resize(out.A.rows());
  out.b.head(W.rows()) = read_vector(reader, "/fclib_local/vectors/q", W.rows());
  if (equations > 0) out.b.tail(equations) = read_vector(reader, "/fclib_local/vectors/s", equations);
  return out;
}

Reduced read_global(const ProblemReader& reader) {
  const std::size_t freedoms = reader.count("/fclib_global/vectors/f");
  const Sparse M = read_matrix(reader, "/fclib_global/M", freedoms, freedoms);
  const Sparse H = read_matrix(reader, "/fclib_global/H", freedoms, reader.count("/fclib_global/vectors/w"));
  Reduced out;
  out.contact_rows = H.cols();
  Sparse all = H;
  const bool joints = reader.has("/fclib_global/G");
  if (joints) {
    const Sparse G = read_matrix(reader, "/fclib_global/G", freedoms, reader.count("/fclib_global/vectors/b"));
    std::vector<Eigen::Triplet<double>> entries;
    add_block(H, 0, 0, false, entries);
    add_block(G, 0, H.cols(), false, entries);
    all.resize(M.rows(), H.cols() + G.cols());
    all.setFromTriplets(entries.begin(), entries.end());
  }
  Eigen::SparseLU<Sparse> factor(M);
  if (factor.info() != Eigen::Success) reader.fail("/fclib_global/M", "singular");
  const Sparse image = factor.solve(all);
  out.A = all.transpose() * image;
  out.b = all.transpose() * factor.solve(read_vector(reader, "/fclib_global/vectors/f", M.rows()));
  out.b.head(H.cols()) += read_vector(reader, "/fclib_global/vectors/w", H.cols());
  const Eigen::Index equations = all.cols() - H.cols();
  if (joints) out.b.tail(equations) += read_vector(reader, "/fclib_global/vectors/b", equations);
  return out;
}

// Row of the solver's problem for row k of the file.
Eigen::Index solver_row(const FclibProblem& problem, Eigen::Index k) {
  const Eigen::Index in_contacts = static_cast<Eigen::Index>(problem.contacts) * problem.dimension;
  if (k >= in_contacts) return k - in_contacts + 3 * static_cast<Eigen::Index>(problem.contacts);
  return k / problem.dimension * 3 + k % problem.dimension;
}

void fill(const Reduced& reduced, const Eigen::VectorXd& friction, FclibProblem& problem) {
  const Eigen::Index size = 3 * static_cast<Eigen::Index>(problem.contacts) + problem.equations;
  MatrixProblem& matrix = problem.matrix;
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index k = 0; k < reduced.A.outerSize(); ++k) {
    for (Sparse::InnerIterator it(reduced.A, k); it; ++it) {
      entries.emplace_back(static_cast<int>(solver_row(problem, it.row())),
                           static_cast<int>(solver_row(problem, it.col())), it.value());
    }
  }
  for (Eigen::Index i = 0; i < size; ++i) entries.emplace_back(static_cast<int>(i), static_cast<int>(i), 0.0);
  matrix.A.resize(size, size);
  matrix.A.setFromTriplets(entries.begin(), entries.end());
  matrix.b = Eigen::VectorXd::Zero(size);
  for (Eigen::Index k = 0; k < reduced.b.size(); ++k) matrix.b[solver_row(problem, k)] = reduced.b[k];
  matrix.rows.assign(static_cast<std::size_t>(size), MatrixRow{});
  for (Eigen::Index i = 0; i < size; ++i) {
    MatrixRow& row = matrix.rows[static_cast<std::size_t>(i)];
    row.diagonal = matrix.A.coeff(i, i);
    if (i >= 3 * static_cast<Eigen::Index>(problem.contacts)) continue;
    if (i % 3 == 0) {
      row.lower = 0;
    } else {
      row.normal_row = static_cast<std::int32_t>(i - i % 3);
      row.friction = friction[i / 3];
    }
  }
}

Vec3 project_on_cone(const Vec3& r, double friction) {
  const double tangential = std::hypot(r.y(), r.z());
  if (tangential <= friction * r.x()) return r;
  if (friction * tangential <= -r.x()) return Vec3::Zero();
  const double normal = (friction * tangential + r.x()) / (friction * friction + 1);
  const double scale = friction * normal / tangential;
  return {normal, scale * r.y(), scale * r.z()};
}

}  // namespace

FclibProblem read_fclib(const std::filesystem::path& path) {
  const ProblemReader reader(path);
  FclibProblem problem;
  problem.is_global = reader.has("/fclib_global");
  if (!problem.is_global && !reader.has("/fclib_local")) {
    reader.fail("/", "holds neither fclib_local nor fclib_global");
  }
  const std::string root = problem.is_global ? "/fclib_global" : "/fclib_local";
  problem.title = reader.text(root + "/info/title");
  problem.dimension = reader.integer(root + "/spacedim");
  if (problem.dimension != 2 && problem.dimension != 3) reader.fail(root + "/spacedim", "must be 2 or 3");
  const Reduced reduced = problem.is_global ? read_global(reader) : read_local(reader);
  if (reduced.contact_rows % problem.dimension != 0) {
    reader.fail(root, "the number of contact rows is not a multiple of spacedim");
  }
  problem.contacts = static_cast<int>(reduced.contact_rows / problem.dimension);
  problem.equations = static_cast<int>(reduced.b.size() - reduced.contact_rows);
  const Eigen::VectorXd friction = read_vector(reader, root + "/vectors/mu", problem.contacts);
  if (friction.size() > 0 && friction.minCoeff() < 0) reader.fail(root + "/vectors/mu", "negative");
  fill(reduced, friction, problem);
  return problem;
}

double compute_fclib_residual(const FclibProblem& problem, std::span<const double> impulses) {
  const MatrixProblem& matrix = problem.matrix;
  const Eigen::Map<const Eigen::VectorXd> r(impulses.data(), static_cast<Eigen::Index>(impulses.size()));
  const Eigen::VectorXd u = matrix.A * r + matrix.b;
  double sum = 0;
  const Eigen::Index contact_rows = 3 * static_cast<Eigen::Index>(problem.contacts);
  for (Eigen::Index i = 0; i < contact_rows; i += 3) {
    const double friction = matrix.rows[static_cast<std::size_t>(i + 1)].friction;
    Vec3 velocity = u.segment<3>(i);
    velocity.x() += friction * velocity.tail<2>().norm();
    const Vec3 reaction = r.segment<3>(i);
    sum += (reaction - project_on_cone(reaction - velocity, friction)).squaredNorm();
  }
  double residual = std::sqrt(sum) / (1 + std::sqrt(matrix.b.head(contact_rows).norm()));
  if (problem.equations > 0) {
    residual += u.tail(problem.equations).norm() / (1 + matrix.b.tail(problem.equations).norm());
  }
  return residual;
}

std::vector<double> fclib_reactions(const FclibProblem& problem, std::span<const double> impulses) {
  const Eigen::Index count = static_cast<Eigen::Index>(problem.contacts) * problem.dimension;
  std::vector<double> reactions;
  for (Eigen::Index k = 0; k < count; ++k) {
    reactions.push_back(impulses[static_cast<std::size_t>(solver_row(problem, k))]);
  }
  return reactions;
}

}  // namespace achilles
