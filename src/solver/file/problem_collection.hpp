// Problems of real steps kept in one file: rows and bodies as a step hands them to its solver.
//
//   /problems/{bodies,rows}   how many of each a problem has        /problems/source   which line of /sources it is
//   from /bodies/inverse_mass      9 numbers: linear, then xx xy xz yy yz zz of the angular part /bodies/velocity 6
//   numbers: u* /rows/jacobian            9 numbers: linear of b, angular of a, angular of b; the linear part of a is
//   minus that of b /rows/numbers             5 numbers: target, lower, upper, softness, friction /rows/indices 3
//   integers: bodies a and b (-1: immovable), normal row (-1: none)
#pragma once

#include "solver/file/problem_reader.hpp"
#include "solver/row_problem.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace achilles {

struct StoredProblem {
  int source = 0;  // index into ProblemCollection::sources
  std::vector<BodyInverseMass> inverse_mass;
  std::vector<BodyVelocity> velocities;  // u*
  std::vector<Row> rows;
};

struct ProblemCollection {
  std::vector<std::string> sources;  // scene and method each problem comes from
  std::vector<StoredProblem> problems;
};

/// Variant 0 is the problem as it was recorded. The others have its geometry, masses and bounds, and velocities u* that
/// are changed at random by as much as they are: a normal distribution whose deviation is the root mean square of all
/// linear (angular) velocities of the problem, or 0.1 if they are at rest. The same (problem, variant) gives the same
/// bits everywhere; axes that nothing can move are left alone.
[[nodiscard]] StoredProblem make_variant(const StoredProblem& problem, int variant);

/// Rows `rows` of a larger problem as one of its own, with the bodies they act on.
[[nodiscard]] StoredProblem extract_problem(std::span<const Row> rows, std::span<const BodyVelocity> velocities,
                                            std::span<const BodyInverseMass> inverse_mass);

/// Whether this file holds a collection (and not, for example, a problem of FCLIB).
[[nodiscard]] bool is_problem_collection(const std::filesystem::path& path);
/// Throws ProblemFileError.
[[nodiscard]] ProblemCollection read_problem_collection(const std::filesystem::path& path);
/// Replaces the file. Throws ProblemFileError.
void write_problem_collection(const std::filesystem::path& path, const ProblemCollection& collection);

}  // namespace achilles
