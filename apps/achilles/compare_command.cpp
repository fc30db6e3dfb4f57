// One scene under several methods, side by side.
#include "commands.hpp"
#include "load.hpp"
#include "outputs.hpp"
#include "terminal.hpp"

#include <achilles/run.hpp>

#include "methods/method_spec.hpp"
#include "record/certify/certify.hpp"
#include "record/page.hpp"
#include "record/recording.hpp"
#include "record/run_report.hpp"

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
  std::string recording;            // empty: none
  std::string certified;            // "yes", or what does not hold; empty: not recorded
};

/// "yes", or the properties that do not hold.
std::string describe(const Certificate& certificate) {
  std::string failing;
  for (const Verdict& verdict : certificate.verdicts) {
    if (verdict.finding == Finding::kFails) failing += (failing.empty() ? "" : ", ") + verdict.property;
  }
  return failing.empty() ? "yes" : "NO: " + failing;
}

/// All runs that there are recordings of, on one page.
void write_comparison(const std::vector<Row>& rows, const std::string& path) {
  std::vector<Recording> recordings;
  std::vector<const Row*> shown;
  for (const Row& row : rows) {
    if (!row.report || row.recording.empty()) continue;
    recordings.emplace_back(row.recording);
    shown.push_back(&row);
  }
  std::vector<ComparedRun> runs;
  for (std::size_t k = 0; k < shown.size(); ++k)
    runs.push_back({shown[k]->method, shown[k]->certified, &recordings[k]});
  if (!runs.empty()) export_comparison(runs, path);
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
    const Scene scene = load(scene_arguments);
    std::vector<NamedFile> outputs;
    for (const char* ending : {".h5", ".json", ".html"}) {
      if (!arguments.report.empty()) outputs.push_back({"--report", (folder / (method + ending)).string()});
    }
    check_outputs(list_inputs(scene), outputs);
    row.report = run_scene(scene, options);
  } catch (const SceneError& error) {
    // A scene that this method cannot run is a result of the comparison; one that none can is found out below.
    row.note = error.diagnostics().empty() ? error.what() : error.diagnostics().front().message;
    return row;
  }
  bar.clear();
  row.recording = options.record_path;
  if (row.report->stopped)
    row.note = fmt::format("{} at {:g} s", row.report->stopped->reason, row.report->stopped->time);
  if (!arguments.report.empty()) {
    write_report(*row.report, (folder / (method + ".json")).string());
    if (is_interrupted()) return row;
    const Recording recording(options.record_path);
    export_page(recording, (folder / (method + ".html")).string());
    row.certified = describe(certify(recording, {arguments.threads, {}}));
  }
  return row;
}

void print_table(const std::vector<Row>& rows) {
  const auto show = [](const std::optional<double>& error) { return error ? fmt::format("{:.2g}", *error) : "-"; };
  fmt::print("{:<20} {:>9} {:>9} {:>11} {:>11} {:>9} {:>9} {:>9} {:>9} {:>7} {:>8}\n", "method", "wall", "x real",
             "penetration", "energy", "gain", "momentum", "angular", "residual", "iter.", "impacts");
  for (const Row& row : rows) {
    if (!row.report) {
      fmt::print("{:<20} refused: {}\n", row.method, row.note);
      continue;
    }
    const RunReport& r = *row.report;
    fmt::print("{:<20} {:>9} {:>9.3g} {:>11.3g} {:>+11.5g} {:>9.2g} {:>9} {:>9} {:>9.2g} {:>7.1f} {:>8}", row.method,
               show_duration(r.wall_seconds), r.real_time_factor, r.penetration.max, r.energy.final - r.energy.initial,
               r.energy.max_gain, show(r.momentum.linear_error), show(r.momentum.angular_error), r.residual_max,
               r.iterations_mean, r.impacts);
    if (!row.certified.empty()) fmt::print("  certified: {}", row.certified);
    if (!row.note.empty()) fmt::print("  stopped: {}", row.note);
    fmt::print("\n");
  }
  fmt::print(
      "\npenetration: deepest [m]; energy: change over the run [J]; gain: rise that nothing explains [J];\n"
      "momentum, angular: what gravity and the impulses of contacts leave unexplained, as a share of what is in play\n"
      "(-: joints or locks take up momentum that is not recorded); residual: largest [m/s]; iter.: solver iterations\n"
      "per step, on average\n");
}

}  // namespace

std::vector<std::string> list_methods_to_run(const std::string& list) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= list.size()) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string name = list.substr(begin, end - begin);
    begin = end + 1;
    if (name.empty()) continue;
    if (name == "all") {
      for (const MethodSpec& method : method_specs()) names.emplace_back(method.name);
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
  fmt::print("{}: {:g} s in steps of {:g} s, {} bodies\n\n",
             scene.name.empty() ? arguments.scene.file : show_text(scene.name),
             arguments.duration.value_or(scene.duration), scene.step, scene.bodies.size());
  print_table(rows);
  if (!arguments.report.empty()) {
    const std::filesystem::path page = std::filesystem::path(arguments.report) / "compare.html";
    if (!is_interrupted()) write_comparison(rows, page.string());
    fmt::print("\nall side by side: {}; recordings, reports and single pages are beside it\n", page.string());
  }
  if (is_interrupted()) return kFailed;
  const bool any = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.report.has_value(); });
  return any ? kDone : kBadInput;
}

}  // namespace achilles::program
