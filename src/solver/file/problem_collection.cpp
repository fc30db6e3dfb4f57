#include "solver/file/problem_collection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace achilles {
namespace {

constexpr std::size_t kMass = 9, kVelocity = 6, kJacobian = 9, kNumbers = 5, kIndices = 3;

/// The arrays of a file.
struct Arrays {
  std::vector<int> bodies, rows, source;  // per problem
  std::vector<double> mass, velocity;     // per body
  std::vector<double> jacobian, numbers;  // per row
  std::vector<int> indices;
};

void put(std::vector<double>& out, const Vec3& v) { out.insert(out.end(), v.data(), v.data() + 3); }

Vec3 take(const double*& at) {
  const Vec3 v(at[0], at[1], at[2]);
  at += 3;
  return v;
}

int as_index(std::uint32_t body) { return body == kImmovable ? -1 : static_cast<int>(body); }

void append(const StoredProblem& problem, Arrays& arrays) {
  arrays.bodies.push_back(static_cast<int>(problem.velocities.size()));
  arrays.rows.push_back(static_cast<int>(problem.rows.size()));
  arrays.source.push_back(problem.source);
  for (std::size_t k = 0; k < problem.velocities.size(); ++k) {
    const Mat3& A = problem.inverse_mass[k].angular;
    put(arrays.mass, problem.inverse_mass[k].linear);
    put(arrays.mass, Vec3(A(0, 0), A(0, 1), A(0, 2)));
    put(arrays.mass, Vec3(A(1, 1), A(1, 2), A(2, 2)));
    put(arrays.velocity, problem.velocities[k].linear);
    put(arrays.velocity, problem.velocities[k].angular);
  }
  for (const Row& row : problem.rows) {
    put(arrays.jacobian, row.body_b == kImmovable ? Vec3(-row.linear_a) : row.linear_b);
    put(arrays.jacobian, row.angular_a);
    put(arrays.jacobian, row.angular_b);
    for (const double x : {row.target, row.lower, row.upper, row.softness, row.friction}) arrays.numbers.push_back(x);
    for (const int i : {as_index(row.body_a), as_index(row.body_b), row.normal_row}) arrays.indices.push_back(i);
  }
}

/// Walks through the arrays problem by problem.
class Unpacker {
 public:
  Unpacker(const ProblemReader& reader, const Arrays& arrays)
      : reader_(reader),
        mass_(arrays.mass.data()),
        velocity_(arrays.velocity.data()),
        jacobian_(arrays.jacobian.data()),
        numbers_(arrays.numbers.data()),
        indices_(arrays.indices.data()) {}

  StoredProblem next(int bodies, int rows) {
    StoredProblem problem;
    for (int k = 0; k < bodies; ++k) take_body(problem);
    for (int i = 0; i < rows; ++i) take_row(problem, rows);
    return problem;
  }

 private:
  void take_body(StoredProblem& problem) {
    BodyInverseMass mass;
    mass.linear = take(mass_);
    const Vec3 first = take(mass_), second = take(mass_);
    mass.angular << first[0], first[1], first[2], first[1], second[0], second[1], first[2], second[1], second[2];
    problem.inverse_mass.push_back(mass);
    BodyVelocity u;
    u.linear = take(velocity_);
    u.angular = take(velocity_);
    problem.velocities.push_back(u);
  }

  std::uint32_t take_index(int limit) {
    const int index = *indices_++;
    if (index < -1 || index >= limit) reader_.fail("/rows/indices", "an index is out of range");
    return index < 0 ? kImmovable : static_cast<std::uint32_t>(index);
  }

  void take_row(StoredProblem& problem, int rows) {
    const int bodies = static_cast<int>(problem.velocities.size());
    Row row;
    const Vec3 linear = take(jacobian_);
    row.angular_a = take(jacobian_);
    row.angular_b = take(jacobian_);
    row.target = *numbers_++;
    row.lower = *numbers_++;
    row.upper = *numbers_++;
    row.softness = *numbers_++;
    row.friction = *numbers_++;
    row.body_a = take_index(bodies);
    row.body_b = take_index(bodies);
    row.normal_row = static_cast<std::int32_t>(take_index(rows));
    if (row.body_a != kImmovable) row.linear_a = -linear;
    if (row.body_b != kImmovable) row.linear_b = linear;
    finish_row(row, problem.inverse_mass);
    problem.rows.push_back(row);
  }

  const ProblemReader& reader_;
  const double *mass_, *velocity_, *jacobian_, *numbers_;
  const int* indices_;
};

void check_sizes(const ProblemReader& reader, const Arrays& arrays) {
  std::size_t bodies = 0, rows = 0;
  if (arrays.bodies.size() != arrays.rows.size() || arrays.source.size() != arrays.rows.size()) {
    reader.fail("/problems", "bodies, rows and source have different lengths");
  }
  for (std::size_t k = 0; k < arrays.rows.size(); ++k) {
    if (arrays.bodies[k] < 0 || arrays.rows[k] < 0) reader.fail("/problems", "a count is negative");
    bodies += static_cast<std::size_t>(arrays.bodies[k]);
    rows += static_cast<std::size_t>(arrays.rows[k]);
  }
  if (arrays.mass.size() != kMass * bodies || arrays.velocity.size() != kVelocity * bodies) {
    reader.fail("/bodies", "not as many as the problems have");
  }
  if (arrays.jacobian.size() != kJacobian * rows || arrays.numbers.size() != kNumbers * rows ||
      arrays.indices.size() != kIndices * rows) {
    reader.fail("/rows", "not as many as the problems have");
  }
}

class Writer {
 public:
  explicit Writer(const std::filesystem::path& path)
      : path_(path.string()), file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), H5Fclose) {
    if (!file_.valid()) throw ProblemFileError(path_ + ": cannot be written");
  }
  void group(const char* name) {
    const ProblemHandle made(H5Gcreate2(file_.get(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
  }
  /// A table with so many numbers per line, compressed.
  void table(const std::string& name, hid_t stored, hid_t native, std::size_t count, std::size_t width,
             const void* data) {
    const std::array<hsize_t, 2> size{count / width, width};
    const std::array<hsize_t, 2> chunk{std::clamp<hsize_t>(size[0], 1, 8192), width};
    const ProblemHandle space(H5Screate_simple(2, size.data(), nullptr), H5Sclose);
    const ProblemHandle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(how.get(), 2, chunk.data());
    H5Pset_shuffle(how.get());
    H5Pset_deflate(how.get(), 9);
    const ProblemHandle set(
        H5Dcreate2(file_.get(), name.c_str(), stored, space.get(), H5P_DEFAULT, how.get(), H5P_DEFAULT), H5Dclose);
    if (!set.valid() || H5Dwrite(set.get(), native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0) {
      throw ProblemFileError(path_ + ": " + name + ": cannot be written");
    }
  }
  void text(const char* name, const std::string& value) {
    const ProblemHandle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.get(), value.size() + 1);
    const ProblemHandle space(H5Screate(H5S_SCALAR), H5Sclose);
    const ProblemHandle set(
        H5Dcreate2(file_.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Dclose);
    H5Dwrite(set.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str());
  }

 private:
  std::string path_;
  ProblemHandle file_;
};

/// Normally distributed numbers that do not depend on the standard library.
class NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed) : random_(seed) {}
  double next() {
    // Irwin and Hall: twelve uniform numbers, less six.
    double sum = -6;
    for (int k = 0; k < 12; ++k) sum += static_cast<double>(random_() >> 11) * 0x1p-53;
    return sum;
  }
  Vec3 vector() {
    const double x = next(), y = next(), z = next();
    return {x, y, z};
  }

 private:
  std::mt19937_64 random_;
};

double root_mean_square(const StoredProblem& problem, Vec3 BodyVelocity::*part) {
  constexpr double kAtRest = 0.1;  // [m/s], [rad/s]
  double sum = 0;
  for (const BodyVelocity& u : problem.velocities) sum += (u.*part).squaredNorm();
  const double mean = std::sqrt(sum / (3 * std::max<double>(1, static_cast<double>(problem.velocities.size()))));
  return mean > 0 ? mean : kAtRest;
}

}  // namespace

StoredProblem make_variant(const StoredProblem& problem, int variant) {
  StoredProblem out = problem;
  if (variant == 0) return out;
  NormalNumbers normal(static_cast<std::uint64_t>(variant) + 1000 * problem.rows.size());
  const double linear = root_mean_square(problem, &BodyVelocity::linear);
  const double angular = root_mean_square(problem, &BodyVelocity::angular);
  for (std::size_t k = 0; k < out.velocities.size(); ++k) {
    const Vec3 push = linear * normal.vector(), turn = angular * normal.vector();
    for (int i = 0; i < 3; ++i) {
      if (problem.inverse_mass[k].linear[i] > 0) out.velocities[k].linear[i] += push[i];
      if (problem.inverse_mass[k].angular(i, i) > 0) out.velocities[k].angular[i] += turn[i];
    }
  }
  return out;
}

StoredProblem extract_problem(std::span<const Row> rows, std::span<const BodyVelocity> velocities,
                              std::span<const BodyInverseMass> inverse_mass) {
  StoredProblem out;
  std::vector<std::uint32_t> bodies;
  for (const Row& row : rows) {
    for (const std::uint32_t body : {row.body_a, row.body_b}) {
      if (body != kImmovable) bodies.push_back(body);
    }
  }
  std::sort(bodies.begin(), bodies.end());
  bodies.erase(std::unique(bodies.begin(), bodies.end()), bodies.end());
  for (const std::uint32_t body : bodies) {
    out.velocities.push_back(velocities[body]);
    out.inverse_mass.push_back(inverse_mass[body]);
  }
  const auto place = [&](std::uint32_t body) {
    if (body == kImmovable) return body;
    return static_cast<std::uint32_t>(std::lower_bound(bodies.begin(), bodies.end(), body) - bodies.begin());
  };
  out.rows.assign(rows.begin(), rows.end());
  for (Row& row : out.rows) {
    row.body_a = place(row.body_a);
    row.body_b = place(row.body_b);
  }
  return out;
}

bool is_problem_collection(const std::filesystem::path& path) { return ProblemReader(path).has("/problems/rows"); }

ProblemCollection read_problem_collection(const std::filesystem::path& path) {
  const ProblemReader reader(path);
  Arrays arrays;
  arrays.bodies = reader.ints("/problems/bodies");
  arrays.rows = reader.ints("/problems/rows");
  arrays.source = reader.ints("/problems/source");
  arrays.mass = reader.doubles("/bodies/inverse_mass");
  arrays.velocity = reader.doubles("/bodies/velocity");
  arrays.jacobian = reader.doubles("/rows/jacobian");
  arrays.numbers = reader.doubles("/rows/numbers");
  arrays.indices = reader.ints("/rows/indices");
  check_sizes(reader, arrays);
  ProblemCollection out;
  const std::string sources = reader.text("/sources");
  for (std::size_t at = 0; at < sources.size();) {
    const std::size_t end = std::min(sources.find('\n', at), sources.size());
    out.sources.push_back(sources.substr(at, end - at));
    at = end + 1;
  }
  Unpacker unpacker(reader, arrays);
  for (std::size_t k = 0; k < arrays.rows.size(); ++k) {
    out.problems.push_back(unpacker.next(arrays.bodies[k], arrays.rows[k]));
    out.problems.back().source = arrays.source[k];
  }
  return out;
}

void write_problem_collection(const std::filesystem::path& path, const ProblemCollection& collection) {
  Arrays arrays;
  for (const StoredProblem& problem : collection.problems) append(problem, arrays);
  std::string sources;
  for (const std::string& source : collection.sources) sources.append(source).append("\n");
  Writer writer(path);
  for (const char* group : {"/problems", "/bodies", "/rows"}) writer.group(group);
  const auto put_ints = [&](const std::string& name, const std::vector<int>& values, std::size_t width) {
    writer.table(name, H5T_STD_I32LE, H5T_NATIVE_INT, values.size(), width, values.data());
  };
  const auto put_doubles = [&](const std::string& name, const std::vector<double>& values, std::size_t width) {
    writer.table(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), width, values.data());
  };
  put_ints("/problems/bodies", arrays.bodies, 1);
  put_ints("/problems/rows", arrays.rows, 1);
  put_ints("/problems/source", arrays.source, 1);
  put_doubles("/bodies/inverse_mass", arrays.mass, kMass);
  put_doubles("/bodies/velocity", arrays.velocity, kVelocity);
  put_doubles("/rows/jacobian", arrays.jacobian, kJacobian);
  put_doubles("/rows/numbers", arrays.numbers, kNumbers);
  put_ints("/rows/indices", arrays.indices, kIndices);
  writer.text("/sources", sources);
}

}  // namespace achilles
