#include <achilles/run.hpp>

#include <achilles/simulation.hpp>

#include "record/csv.hpp"
#include "record/recorder.hpp"
#include "record/recording.hpp"
#include "record/run_report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace achilles {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr double kMostSteps = 1e18;  // what is asked for beyond is never reached

/// Steps that cover a time, the last of them whole; a time that is a multiple of h up to rounding takes no extra step.
std::int64_t count_steps(double time, double h) {
  const double steps = std::min(time / h, kMostSteps);
  const double nearest = std::round(steps);
  return static_cast<std::int64_t>(std::abs(steps - nearest) < 1e-6 * std::max(1.0, nearest) ? nearest
                                                                                             : std::ceil(steps));
}

/// One run: the simulation, and what watches it.
class Run {
 public:
  Run(const Scene& scene, const RunOptions& options)
      : options_(options), simulation_(scene, options.threads), h_(scene.step) {
    simulation_.set_profile(options.profile);
    duration_ = options.duration.value_or(scene.duration);
    last_step_ = count_steps(duration_, h_);
    every_ = std::max<std::int64_t>(1, std::llround(std::min(options.every.value_or(1.0 / 60) / h_, kMostSteps)));
    report_.begin(simulation_.world(), scene);
  }

  Simulation& simulation() { return simulation_; }
  ReportBuilder& report() { return report_; }

  void record_to(const std::string& path) {
    RecorderOptions options;
    options.threads = options_.threads;
    options.overrides = options_.overrides;
    options.every = static_cast<double>(every_) * h_;
    Scene scene = simulation_.scene();
    scene.duration = duration_;  // of this run: where a resumed one ends
    recorder_ = std::make_unique<Recorder>(path, simulation_.world(), scene, options);
  }
  void write_csv_to(const std::string& path) { csv_ = std::make_unique<CsvWriter>(path); }
  Recorder& recorder() { return *recorder_; }

  /// Records the present state.
  void instant() {
    const double penetration = simulation_.penetration();
    report_.instant(simulation_.world(), penetration);
    if (recorder_) recorder_->instant(simulation_.world(), simulation_.contacts(), penetration);
    if (csv_) csv_->instant(simulation_.world());
    instant_step_ = simulation_.world().step_index;
  }

  /// The run goes on after an instant that was recorded earlier.
  void resume_after(const Instant& last) { instant_step_ = last.step; }

  /// Saves the world in the recording, to resume from.
  void checkpoint() {
    if (recorder_) recorder_->append_checkpoint(simulation_.world());
  }

  /// Steps to the end, or to where the run stops itself or is interrupted.
  RunReport finish() {
    std::optional<Stop> stopped;
    last_checkpoint_ = Clock::now();
    while (simulation_.world().step_index < last_step_ && !stopped) stopped = step();
    const bool interrupted = stopped && stopped->reason == "interrupted";
    // An interrupted run goes on later as if nothing had happened: no instant that it would not have had.
    if (!interrupted && instant_step_ != simulation_.world().step_index) instant();
    if (recorder_ && !interrupted) recorder_->append_checkpoint(simulation_.world());
    RunReport report = report_.finish(simulation_.world(), seconds_since(start_));
    if (stopped) report.stopped = stopped;
    if (csv_) csv_->close();
    if (recorder_) interrupted ? recorder_->commit() : recorder_->finish(report);
    return report;
  }

 private:
  std::optional<Stop> step() {
    const Clock::time_point before = Clock::now();
    const StepReport step = simulation_.step();
    const double seconds = seconds_since(before);
    const World& world = simulation_.world();
    report_.after_step(world, step);
    report_.contacts(world, simulation_.contacts());
    if (recorder_) recorder_->after_step(world, step, seconds, simulation_.contacts(), simulation_.events());
    if (step.stopped) return step.stopped;
    ++steps_;
    if (world.step_index % every_ == 0) instant();
    if (recorder_ && seconds_since(last_checkpoint_) > options_.checkpoint_seconds) {
      recorder_->append_checkpoint(world);
      last_checkpoint_ = Clock::now();
    }
    const bool goes_on =
        !options_.progress || options_.progress({world.time, duration_, steps_, seconds_since(start_)});
    if (goes_on || world.step_index >= last_step_) return std::nullopt;
    if (recorder_) recorder_->append_checkpoint(world);
    return Stop{"interrupted", world.time, "the run was interrupted"};
  }

  const RunOptions& options_;
  Simulation simulation_;
  double h_ = 0;         // [s]
  double duration_ = 0;  // [s]
  std::int64_t last_step_ = 0;
  std::int64_t every_ = 1;          // steps between instants
  std::int64_t instant_step_ = -1;  // of the last recorded instant
  std::int64_t steps_ = 0;          // taken in this run
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_checkpoint_;
  ReportBuilder report_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<CsvWriter> csv_;
};

Scene scene_of(const Recording& recording) {
  return parse_scene(recording.head().scene_text, recording.head().scene_file);
}

/// Interval between the instants of a recording [s].
double interval_of(const Recording& recording, double h) {
  if (recording.head().every) return *recording.head().every;
  Instant instant;
  if (recording.instants() < 2) return 1.0 / 60;
  recording.read(1, instant);
  return static_cast<double>(instant.step) * h;
}

/// Tells the report of a resumed run what had happened up to `end` [s].
void take_earlier_events(const Recording& recording, double end, ReportBuilder& report) {
  constexpr std::size_t kAtOnce = 65'536;
  std::vector<RecordedEvent> events;
  for (std::size_t first = 0; first < recording.event_count(); first += kAtOnce) {
    recording.read_events(first, std::min(kAtOnce, recording.event_count() - first), events);
    for (const RecordedEvent& event : events) {
      if (event.time <= end) report.take_earlier(event);
    }
  }
}

/// The first body whose state differs in any bit, or none.
std::optional<std::size_t> find_different_body(const Instant& a, const Instant& b) {
  const auto differs = [](const std::vector<double>& x, const std::vector<double>& y, std::size_t body,
                          std::size_t width) {
    const auto first = static_cast<std::ptrdiff_t>(body * width);
    const auto last = first + static_cast<std::ptrdiff_t>(width);
    return !std::equal(x.begin() + first, x.begin() + last, y.begin() + first);
  };
  for (std::size_t body = 0; body < a.body_count(); ++body) {
    if (differs(a.position, b.position, body, 3) || differs(a.orientation, b.orientation, body, 4) ||
        differs(a.velocity, b.velocity, body, 3) || differs(a.spin, b.spin, body, 3)) {
      return body;
    }
  }
  return std::nullopt;
}

}  // namespace

RunReport run_scene(const Scene& scene, const RunOptions& options) {
  Run run(scene, options);
  if (!options.record_path.empty()) run.record_to(options.record_path);
  if (!options.csv_path.empty()) run.write_csv_to(options.csv_path);
  run.instant();
  run.checkpoint();
  return run.finish();
}

RunReport resume_run(const std::string& recording_path, const RunOptions& options) {
  // The whole is written beside the old recording, which is replaced only when that has ended well.
  const std::string whole_path = recording_path + ".part";
  RunReport report;
  {
    const Recording recording(recording_path);
    std::optional<Checkpoint> checkpoint = recording.last_checkpoint();
    if (!checkpoint) throw std::runtime_error(recording_path + ": holds no saved world to resume from");
    const Scene scene = scene_of(recording);
    RunOptions rest = options;
    if (!rest.every) rest.every = interval_of(recording, scene.step);
    if (!rest.duration) rest.duration = recording.head().duration;
    Run run(scene, rest);
    run.record_to(whole_path);
    const double end = checkpoint->world.time + 0.5 * scene.step;
    run.recorder().append_instants(recording, checkpoint->instants, end);
    take_earlier_events(recording, end, run.report());
    Instant instant;
    for (std::size_t k = 0; k < checkpoint->instants; ++k) {
      recording.read(k, instant);
      run.report().take_earlier(instant.scalars, k == 0);
      run.resume_after(instant);
    }
    run.simulation().restore(std::move(checkpoint->world));
    run.report().resume_from(run.simulation().world());
    run.recorder().append_checkpoint(run.simulation().world());
    report = run.finish();
  }
  std::filesystem::rename(whole_path, recording_path);
  if (!options.csv_path.empty()) export_csv(Recording(recording_path), options.csv_path);
  return report;
}

ReplayResult replay_recording(const std::string& recording_path, int threads, const ProgressFunction& progress) {
  const Recording recording(recording_path);
  const Scene scene = scene_of(recording);
  Simulation simulation(scene, threads);
  const Clock::time_point start = Clock::now();
  ReplayResult result;
  Instant recorded;
  Instant computed;
  for (std::size_t k = 0; k < recording.instants(); ++k) {
    recording.read(k, recorded);
    while (simulation.world().step_index < recorded.step) {
      if (simulation.step().stopped) break;
      const World& world = simulation.world();
      if (progress &&
          !progress({world.time, recording.time(recording.instants() - 1), world.step_index, seconds_since(start)})) {
        return result;
      }
    }
    gather(simulation.world(), simulation.contacts(), computed);
    ++result.instants;
    const std::optional<std::size_t> body = find_different_body(recorded, computed);
    if (body || computed.time != recorded.time) {
      const std::size_t at = body.value_or(0);
      result.first_difference = {k, recorded.time, recording.head().bodies[at].name,
                                 (recorded.pose(at).p - computed.pose(at).p).norm()};
      return result;
    }
  }
  return result;
}

}  // namespace achilles
