// Frictional contact problems from a file, solved.
#include "commands.hpp"
#include "outputs.hpp"
#include "solve_options.hpp"
#include "terminal.hpp"

#include "record/output_file.hpp"
#include "solver/file/fclib.hpp"
#include "solver/file/problem_collection.hpp"
#include "solver/solver.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace achilles::program {
namespace {

FclibProblem read_problem(const std::string& path) {
  try {
    return read_fclib(path);
  } catch (const ProblemFileError& error) {
    throw BadInput(error.what());
  }
}

/// true, false, a number or a word, as the option takes it.
SolverValue parse_value(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  try {
    std::size_t used = 0;
    const double number = std::stod(text, &used);
    if (used == text.size()) return number;
  } catch (const std::exception&) {
    // Not a number: a word.
  }
  return text;
}

SolverOptions make_solver(const SolveArguments& arguments) {
  const SolverInfo* info = find_solver(arguments.solver);
  if (info == nullptr) {
    throw BadInput(fmt::format("there is no solver '{}'; 'achilles solvers' lists them", arguments.solver));
  }
  SolverOptions options = info->standard;
  apply_sets(arguments.sets, options);
  return options;
}

bool is_collection(const std::string& path) {
  try {
    return is_problem_collection(path);
  } catch (const ProblemFileError& error) {
    throw BadInput(error.what());
  }
}

}  // namespace

void apply_sets(const std::vector<std::string>& sets, SolverOptions& options) {
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos) throw BadInput(fmt::format("--set {}: write OPTION=VALUE", set));
    try {
      set_solver_option(options, set.substr(0, equals), parse_value(set.substr(equals + 1)));
    } catch (const std::invalid_argument& error) {
      throw BadInput(fmt::format("--set {}: {}", set, error.what()));
    }
  }
}

void write_json(const std::string& file, const nlohmann::ordered_json& json) {
  if (file.empty()) return;
  replace_file(file, json.dump(1) + "\n");
}

int solve_problem(const SolveArguments& arguments) {
  const NamedFile output{"--report", arguments.report};
  check_outputs({{"the problem", arguments.file}}, {&output, 1});
  const bool all = arguments.solver == "all";
  if (is_collection(arguments.file)) {
    if (!all) (void)make_solver(arguments);
    return solve_collection(arguments);
  }
  if (all) throw BadInput(fmt::format("{}: one problem takes one solver", arguments.file));
  const SolverOptions options = make_solver(arguments);
  const FclibProblem problem = read_problem(arguments.file);
  std::vector<double> impulses(problem.matrix.size(), 0.0);
  SolverWorkspace workspace;
  const auto start = std::chrono::steady_clock::now();
  const SolveReport report = solve(problem.matrix, options, workspace, impulses);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const double fclib = compute_fclib_residual(problem, impulses);
  fmt::print("{}: {} contacts, {} free rows\n", arguments.file, problem.contacts, problem.equations);
  fmt::print("  {:<12} {} after {} iterations in {}\n", arguments.solver, to_string(report.status), report.iterations,
             show_duration(seconds));
  fmt::print("  residual     {:.3g} (natural map), {:.3g} (FCLIB's measure)\n", report.residual, fclib);
  nlohmann::ordered_json json;
  json["problem"] = arguments.file;
  json["solver"] = arguments.solver;
  json["status"] = std::string(to_string(report.status));
  json["contacts"] = problem.contacts;
  json["residual"] = report.residual;
  json["residual_fclib"] = fclib;
  json["iterations"] = report.iterations;
  json["wall_seconds"] = seconds;
  json["reaction"] = fclib_reactions(problem, impulses);
  write_json(arguments.report, json);
  return report.status == SolveStatus::kSolved ? kDone : kStopped;
}

}  // namespace achilles::program
