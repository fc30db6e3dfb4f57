// One frictional contact problem from a file, solved.
#include "commands.hpp"
#include "terminal.hpp"

#include "solver/fclib.hpp"
#include "solver/solver.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>

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
  for (const std::string& set : arguments.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos) throw BadInput(fmt::format("--set {}: write OPTION=VALUE", set));
    try {
      set_solver_option(options, set.substr(0, equals), parse_value(set.substr(equals + 1)));
    } catch (const std::invalid_argument& error) {
      throw BadInput(fmt::format("--set {}: {}", set, error.what()));
    }
  }
  return options;
}

}  // namespace

int solve_problem(const SolveArguments& arguments) {
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
  if (!arguments.report.empty()) {
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
    std::ofstream file(arguments.report);
    file << json.dump(1) << '\n';
    if (!file.flush()) throw std::runtime_error(arguments.report + ": cannot be written");
  }
  return report.status == SolveStatus::kSolved ? kDone : kStopped;
}

}  // namespace achilles::program
