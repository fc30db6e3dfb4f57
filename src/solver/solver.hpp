// One entry to all complementarity solvers, and the table of what there is.
#pragma once

#include "solver/direct/dantzig.hpp"
#include "solver/direct/lemke.hpp"
#include "solver/elimination/elimination.hpp"
#include "solver/elimination/merge_parts.hpp"
#include "solver/gauss_seidel.hpp"
#include "solver/iterative/jacobi.hpp"
#include "solver/iterative/nonsmooth_cg.hpp"
#include "solver/iterative/sor.hpp"
#include "solver/newton/newton.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace achilles {

using SolverOptions = std::variant<LemkeOptions, DantzigOptions, JacobiOptions, GaussSeidelOptions, SorOptions,
                                   NonsmoothCgOptions, NewtonOptions>;

struct SolverWorkspace {
  IterativeWorkspace iterative;
  LemkeWorkspace lemke;
  DantzigWorkspace dantzig;
  NewtonWorkspace newton;
  AssembleWorkspace assemble;
  MatrixProblem matrix;  // what the direct solvers and Newton see of rows
  PartMerge parts;
  MatrixProblem merged;          // `matrix` with one row per constraint, where some have several parts
  std::vector<double> combined;  // impulses of `merged`
  Elimination elimination;
  MatrixProblem reduced;     // what is left of `matrix` without its equalities
  std::vector<double> rest;  // impulses of `reduced`
  std::vector<double> w;     // velocities of `matrix`
};

/// Solves rows with the solver the options belong to. `impulses` in is the warm start (zero for a cold one), out the
/// result; `problem.velocities` in is u*, out u* + M⁻¹ Jᵀ λ. Solvers that need a matrix get one assembled. The same
/// input gives the same bits. Allocates only while growing.
[[nodiscard]] SolveReport solve(const RowProblem& problem, const SolverOptions& options, SolverWorkspace& scratch,
                                std::span<double> impulses);

/// The same with all equalities fulfilled exactly (elimination.hpp): the solver of the options sees the other rows
/// alone, as they move with the mechanisms they belong to. Without equalities this is solve(). The residual is that of
/// all rows. Rows that share an impulse (row.hpp) are solved here alone.
[[nodiscard]] SolveReport solve_eliminating(const RowProblem& problem, const SolverOptions& options,
                                            SolverWorkspace& scratch, std::span<double> impulses);

/// The same as solve() for an assembled problem.
[[nodiscard]] SolveReport solve(const MatrixProblem& problem, const SolverOptions& options, SolverWorkspace& scratch,
                                std::span<double> impulses);

/// Value of a solver option, as a scene or a command line gives it.
using SolverValue = std::variant<bool, double, std::string>;

/// One option of a solver.
struct SolverOptionInfo {
  enum class Type { kNumber, kInteger, kBoolean, kWord };
  std::string_view name;
  Type type = Type::kNumber;
  SolverValue standard;  // the default
  double minimum = 0;    // allowed range of a number or an integer, ends included
  double maximum = 0;
  std::vector<std::string_view> words;  // allowed words, for kWord
  std::string_view meaning;             // one line, with the unit
};

/// What a solver does to Coulomb's law.
enum class FrictionModel {
  kCone,       // solves the true, round cone
  kLinearized  // a polygon or a box in place of the disc
};

struct SolverInfo {
  std::string_view name;
  std::string_view source;
  std::string_view summary;  // one line
  FrictionModel friction = FrictionModel::kCone;
  bool direct = false;  // ends in finitely many pivots, dense O(n³)
  SolverOptions standard;
  std::vector<SolverOptionInfo> options;
};

/// Every solver, in the order of DESIGN section 4.
[[nodiscard]] std::span<const SolverInfo> solver_infos();

/// The entry of a solver, or nullptr.
[[nodiscard]] const SolverInfo* find_solver(std::string_view name);

/// Name of the solver that options belong to.
[[nodiscard]] std::string_view solver_name(const SolverOptions& options);

/// Sets one option by name. Throws std::invalid_argument for an option this solver does not have, a value of the wrong
/// type or out of range; the text states what is allowed.
void set_solver_option(SolverOptions& options, std::string_view name, const SolverValue& value);

/// Present value of an option; throws as above for a name this solver does not have.
[[nodiscard]] SolverValue get_solver_option(const SolverOptions& options, std::string_view name);

}  // namespace achilles
