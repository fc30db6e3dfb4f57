// One scene under several methods, side by side.
#include "commands.hpp"
#include "load.hpp"
#include "terminal.hpp"

#include <achilles/run.hpp>

#include "record/page.hpp"
#include "record/recording.hpp"
#include "record/run_report.hpp"
#include "time_control/method.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

namespace achilles::program {
namespace {

struct Row {
  std::string method;
  std::optional<RunReport> report;  // none: refused
  std::string note;                 // why it was refused, or stopped
};

/// The methods asked for; `all` stands for every one there is.
std::vector<std::string> list_methods_to_run(const std::string& list) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string name = list.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    if (name == "all") {
      for (const MethodInfo& method : method_infos()) names.emplace_back(method.name);
      continue;
    }
    if (find_method(name) == nullptr) {
      throw BadInput(fmt::format("there is no method '{}'; 'achilles methods' lists them", name));
    }
    names.push_back(std::move(name));
  }
  if (names.empty()) throw BadInput("--methods needs at least one method, e.g. --methods lcp-fixed,impulse-zeno-free");
  return names;
}

Row run_one(const CompareArguments& arguments, const std::string& method, ProgressBar& bar) {
  Row row;
  row.method = method;
  SceneArguments scene_arguments = arguments.scene;
  scene_arguments.method = method;
  RunOptions options;
  options.duration = arguments.duration;
  options.threads = arguments.threads;
  options.overrides = parse_sets(scene_arguments);
  options.progress = [&bar](const RunProgress& progress) {
    bar.show(progress);
    return !is_interrupted();
  };
  const std::filesystem::path folder = arguments.report;
  if (!arguments.report.empty()) options.record_path = (folder / (method + ".h5")).string();
  try {
    row.report = run_scene(load(scene_arguments), options);
  } catch (const SceneError& error) {
    // A scene that this method cannot run is a result of the comparison; one that none can is found out below.
    row.note = error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
    return row;
  }
  bar.clear();
  if (row.report->stopped)
    row.note = fmt::format("{} at {:g} s", row.report->stopped->reason, row.report->stopped->time);
  if (!arguments.report.empty()) {
    write_report(*row.report, (folder / (method + ".json")).string());
    if (!is_interrupted()) export_page(Recording(options.record_path), (folder / (method + ".html")).string());
  }
  return row;
}

void print_table(const std::vector<Row>& rows) {
  fmt::print("{:<20} {:>10} {:>10} {:>12} {:>12} {:>10} {:>10} {:>8} {:>8}\n", "method", "wall", "x real",
             "penetration", "energy", "gain [J]", "residual", "iter.", "impacts");
  for (const Row& row : rows) {
    if (!row.report) {
      fmt::print("{:<20} refused: {}\n", row.method, row.note);
      continue;
    }
    const RunReport& r = *row.report;
    const double change = r.energy.final - r.energy.initial;
    fmt::print("{:<20} {:>10} {:>10.3g} {:>12.3g} {:>+12.5g} {:>10.2g} {:>10.2g} {:>8.1f} {:>8}  {}\n", row.method,
               show_duration(r.wall_seconds), r.real_time_factor, r.penetration.max, change, r.energy.max_gain,
               r.residual_max, r.iterations_mean, r.impacts, row.note);
  }
  fmt::print(
      "\npenetration: deepest [m]; energy: change over the run [J]; gain: rise that nothing explains [J];\n"
      "residual: largest [m/s]; iter.: solver iterations per step, on average\n");
}

}  // namespace

int compare(const CompareArguments& arguments) {
  const std::vector<std::string> methods = list_methods_to_run(arguments.methods);
  // Errors of the scene itself, before anything runs.
  const Scene scene = load(arguments.scene);
  print_warnings(scene);
  if (!arguments.report.empty()) std::filesystem::create_directories(arguments.report);
  catch_interrupts();
  ProgressBar bar;
  std::vector<Row> rows;
  for (const std::string& method : methods) {
    if (is_interrupted()) break;
    rows.push_back(run_one(arguments, method, bar));
  }
  bar.clear();
  fmt::print("{}: {:g} s in steps of {:g} s, {} bodies\n\n", scene.name.empty() ? arguments.scene.file : scene.name,
             arguments.duration.value_or(scene.duration), scene.step, scene.bodies.size());
  print_table(rows);
  if (!arguments.report.empty()) fmt::print("\nrecordings, reports and pages are in {}\n", arguments.report);
  if (is_interrupted()) return kFailed;
  const bool any = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.report.has_value(); });
  return any ? kDone : kBadInput;
}

}  // namespace achilles::program
