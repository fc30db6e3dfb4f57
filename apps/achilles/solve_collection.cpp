// All problems of a collection, solved by one solver or by all: residual, iterations and time as a table.
#include "commands.hpp"
#include "solve_options.hpp"
#include "terminal.hpp"

#include "solver/file/problem_collection.hpp"
#include "solver/solver.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>

namespace achilles::program {
namespace {

constexpr int kVariants = 5;         // of each problem: as recorded, and with four other sets of velocities
constexpr double kTolerance = 1e-9;  // [m/s] for all, that they can be compared
constexpr double kSweeps = 10000;    // at most

struct Tally {
  std::vector<double> residuals, seconds;  // residuals of the model that the solver solves
  long iterations = 0;
  int iterations_max = 0;
  std::map<std::string, int> statuses;
};

Tally solve_all(const ProblemCollection& collection, const SolverOptions& options) {
  Tally tally;
  SolverWorkspace workspace;
  std::vector<double> impulses;
  for (const StoredProblem& recorded : collection.problems) {
    for (int variant = 0; variant < kVariants; ++variant) {
      StoredProblem problem = make_variant(recorded, variant);
      impulses.assign(problem.rows.size(), 0.0);
      const auto start = std::chrono::steady_clock::now();
      const SolveReport report =
          solve({problem.rows, problem.velocities, problem.inverse_mass}, options, workspace, impulses);
      tally.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
      tally.residuals.push_back(report.model_residual);
      tally.iterations += report.iterations;
      tally.iterations_max = std::max(tally.iterations_max, report.iterations);
      ++tally.statuses[std::string(to_string(report.status))];
    }
  }
  std::sort(tally.residuals.begin(), tally.residuals.end());
  std::sort(tally.seconds.begin(), tally.seconds.end());
  return tally;
}

/// The value that the given share of a sorted list does not exceed.
double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[std::min(sorted.size() - 1, static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

double mean(const std::vector<double>& all) {
  double sum = 0;
  for (const double x : all) sum += x;
  return all.empty() ? 0 : sum / static_cast<double>(all.size());
}

nlohmann::ordered_json describe(const Tally& tally) {
  nlohmann::ordered_json json;
  json["status"] = tally.statuses;
  json["residual"] = {{"median", quantile(tally.residuals, 0.5)},
                      {"p99", quantile(tally.residuals, 0.99)},
                      {"max", quantile(tally.residuals, 1)}};
  json["iterations"] = {{"mean", static_cast<double>(tally.iterations) / static_cast<double>(tally.seconds.size())},
                        {"max", tally.iterations_max}};
  json["wall_seconds"] = {{"mean", mean(tally.seconds)}, {"max", quantile(tally.seconds, 1)}};
  return json;
}

void print_line(std::string_view name, const Tally& tally) {
  std::string statuses;
  for (const auto& [status, count] : tally.statuses) statuses.append(fmt::format("{} {}  ", count, status));
  fmt::print(
      "{:<13} {:9.1e} {:9.1e} {:9.1e}  {:8.1f} {:7}  {:8.1f} {:9.0f}  {}\n", name, quantile(tally.residuals, 0.5),
      quantile(tally.residuals, 0.99), quantile(tally.residuals, 1),
      static_cast<double>(tally.iterations) / static_cast<double>(std::max<std::size_t>(1, tally.seconds.size())),
      tally.iterations_max, 1e6 * mean(tally.seconds), 1e6 * quantile(tally.seconds, 1), statuses);
}

}  // namespace

int solve_collection(const SolveArguments& arguments) {
  const ProblemCollection collection = read_problem_collection(arguments.file);
  fmt::print("{}: {} problems from {} runs, each with {} sets of velocities\n", arguments.file,
             collection.problems.size(), collection.sources.size(), kVariants);
  fmt::print("{:<13} {:^29}  {:^16}  {:^18}\n", "", "residual [m/s]", "iterations", "time [us]");
  fmt::print("{:<13} {:>9} {:>9} {:>9}  {:>8} {:>7}  {:>8} {:>9}  ended\n", "solver", "median", "99 %", "worst", "mean",
             "most", "mean", "worst");
  nlohmann::ordered_json json;
  json["problem"] = arguments.file;
  json["problems"] = collection.problems.size() * kVariants;
  for (const SolverInfo& info : solver_infos()) {
    if (arguments.solver != "all" && arguments.solver != info.name) continue;
    SolverOptions options = info.standard;
    set_solver_option(options, "tolerance", kTolerance);
    if (!info.direct && info.name != "newton") set_solver_option(options, "iterations", kSweeps);
    apply_sets(arguments.sets, options);
    const Tally tally = solve_all(collection, options);
    print_line(info.name, tally);
    json["solvers"][std::string(info.name)] = describe(tally);
  }
  write_json(arguments.report, json);
  return kDone;
}

}  // namespace achilles::program
