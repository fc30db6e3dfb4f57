#include "commands.hpp"
#include "load.hpp"
#include "outputs.hpp"
#include "recording_file.hpp"
#include "terminal.hpp"

#include <achilles/run.hpp>

#include "methods/capabilities.hpp"
#include "methods/method.hpp"
#include "record/output_file.hpp"
#include "record/run_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>
#include <vector>

namespace achilles::program {
namespace {

void print_written(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  fmt::print("  wrote        {}{}\n", path, error ? "" : fmt::format(" ({})", show_size(static_cast<double>(size))));
}

void print_summary(const RunReport& r) {
  fmt::print("{}: {}", r.scene.empty() ? "scene" : show_text(r.scene), show_text(r.method));
  if (!r.solver.empty()) fmt::print(", solver {}", r.solver);
  if (!r.impact.empty()) fmt::print(", impact {}", r.impact);
  fmt::print("\n  simulated    {:g} s in {} ({:.3g} x real time), {} steps, {} bodies\n", r.time,
             show_duration(r.wall_seconds), r.real_time_factor, r.steps, r.bodies.size());
  fmt::print("  contacts     {:.1f} on average, {} at most\n", r.contacts_mean, r.contacts_max);
  fmt::print("  solver       {:.1f} iterations on average, {} at most; residual at most {:.2g} m/s\n",
             r.iterations_mean, r.iterations_max, r.residual_max);
  if (r.impacts > 0) fmt::print("  impacts      {}\n", r.impacts);
  fmt::print("  penetration  {:.2g} m at most, {:.2g} m at the end\n", r.penetration.max, r.penetration.final);
  if (r.joint_error_max > 0) fmt::print("  joints       {:.2g} m apart at most\n", r.joint_error_max);
  fmt::print("  energy       {:.6g} J at the start, {:.6g} J at the end; unexplained gain {:.2g} J\n", r.energy.initial,
             r.energy.final, r.energy.max_gain);
}

void print_profile(const Profile& profile) {
  double total = 0;
  for (const Profile::Stage& stage : profile.stages()) total += stage.seconds;
  const auto steps = static_cast<double>(std::max<std::int64_t>(profile.steps(), 1));
  fmt::print("  stage                    ms per step   share\n");
  for (const Profile::Stage& stage : profile.stages()) {
    fmt::print("  {:<22} {:>13.4f} {:>6.1f}%\n", stage.name, 1e3 * stage.seconds / steps,
               total > 0 ? 100 * stage.seconds / total : 0);
  }
  for (const Profile::Counter& counter : profile.counters()) {
    fmt::print("  {:<22} {:>13.6g} on average, {:g} at most\n", counter.name,
               counter.sum / static_cast<double>(counter.steps), counter.largest);
  }
}

/// Fails before the run rather than after it. Leaves nothing.
void check_writable(const std::string& path) {
  if (!path.empty()) const OutputFile probe(path);
}

/// Inputs and outputs apart, and the outputs writable: before the run rather than after it.
void prepare_outputs(const RunArguments& arguments, const Scene& scene) {
  std::vector<NamedFile> inputs = list_inputs(scene);
  if (!arguments.resume.empty()) inputs.front() = {"the recording to resume", arguments.resume};
  const NamedFile outputs[] = {{"--record", arguments.record},
                               {"--csv", arguments.csv},
                               {"--report", arguments.report},
                               {"--trace", arguments.trace}};
  check_outputs(std::move(inputs), outputs);
  check_writable(arguments.report);
  check_writable(arguments.trace);
}

}  // namespace

int find_exit_status(const RunReport& report) {
  if (!report.stopped) return kDone;
  return report.stopped->reason == "interrupted" ? kFailed : kStopped;
}

int run(const RunArguments& arguments) {
  if (!arguments.resume.empty() && !std::filesystem::exists(arguments.resume)) {
    throw BadInput(arguments.resume + ": there is no such file");
  }
  RunOptions options;
  options.duration = arguments.duration;
  options.every = arguments.every;
  options.threads = arguments.threads;
  options.record_path = arguments.record;
  options.csv_path = arguments.csv;
  options.checkpoint_seconds = arguments.checkpoint;
  options.durable = arguments.durable;
  Profile profile(!arguments.trace.empty());
  if (arguments.profile || !arguments.trace.empty()) options.profile = &profile;
  catch_interrupts("interrupted inside a step; a recording holds what came before, see: achilles run --resume");
  ProgressBar bar(!arguments.quiet);
  options.progress = [&bar](const RunProgress& progress) {
    bar.show(progress);
    return !is_interrupted();
  };

  RunReport report;
  std::size_t known_warnings = 0;  // printed before the run
  if (arguments.resume.empty()) {
    options.overrides = parse_sets(arguments.scene);
    const Scene scene = load(arguments.scene);
    prepare_outputs(arguments, scene);
    if (!arguments.quiet) print_warnings(scene);
    known_warnings = scene.warnings.size();
    report = run_scene(scene, options);
  } else {
    const Scene scene = open_recording(arguments.resume).scene();
    prepare_outputs(arguments, scene);
    if (!arguments.quiet) print_warnings(scene);
    known_warnings = scene.warnings.size();
    report = resume_run(arguments.resume, options);
  }
  bar.clear();
  if (!arguments.report.empty()) write_report(report, arguments.report);
  if (!arguments.trace.empty()) replace_file(arguments.trace, profile.write_trace());

  const std::string recording = arguments.resume.empty() ? arguments.record : arguments.resume;
  if (!arguments.quiet) {
    print_summary(report);
    for (std::size_t k = known_warnings; k < report.warnings.size(); ++k) {
      fmt::print(stderr, "achilles: warning: {}\n", show_text(report.warnings[k]));
    }
    if (arguments.profile) print_profile(profile);
    for (const std::string& path : {recording, arguments.csv, arguments.report, arguments.trace}) {
      if (!path.empty()) print_written(path);
    }
  }
  const int status = find_exit_status(report);
  if (status == kDone) return status;
  const bool interrupted = status == kFailed;
  fmt::print(stderr, "achilles: {} at {:g} s: {}\n",
             interrupted ? "interrupted" : "stopped (" + report.stopped->reason + ")", report.stopped->time,
             show_text(report.stopped->message));
  if (!interrupted) return status;
  if (!recording.empty()) fmt::print(stderr, "achilles: go on with: achilles run --resume {}\n", recording);
  return status;
}

int check(const SceneArguments& arguments) {
  const Scene scene = load(arguments);
  print_warnings(scene);
  (void)make_method_for(scene);
  for (const std::string& sentence : find_ignored(*find_method(scene.method.name), scene)) {
    fmt::print(stderr, "{}: warning: {}\n", arguments.file, show_text(sentence));
  }
  fmt::print("{}: no errors. {} bodies, {} joints, method {}, {:g} s in steps of {:g} s\n", arguments.file,
             scene.bodies.size(), scene.joints.size(), scene.method.name, scene.duration, scene.step);
  return kDone;
}

}  // namespace achilles::program
