#include "api/run_impl.hpp"
#include "platform/system.hpp"
#include "record/recording.hpp"
#include "record/superblock.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace achilles {
namespace {

/// Interval between the instants of a recording [s].
double interval_of(const Recording& recording, double h) {
  if (recording.head().every) return *recording.head().every;
  Instant instant;
  if (recording.instants() < 2) return 1.0 / 60;
  recording.read(1, instant);
  return static_cast<double>(instant.step) * h;
}

/// Adds to the report of a resumed run what had happened up to `end` [s].
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

void put_in_place(const std::string& whole_path, const std::string& recording_path) {
  if (platform::put_in_place(whole_path, recording_path)) return;
  throw std::runtime_error(recording_path + ": cannot be replaced by " + whole_path + ": " + std::strerror(errno));
}

/// A continuation that was cut off in turn holds all that the recording had up to its last saved world, and more: it
/// takes the recording's place when it can be continued from a later step. Otherwise it is of no use.
void take_over_continuation(const std::string& recording_path, const std::string& part_path) {
  if (!std::filesystem::exists(part_path)) return;
  if (is_being_recorded(part_path)) {
    throw std::runtime_error(recording_path + ": another program is resuming it at this moment");
  }
  const auto last_step = [](const std::string& path) -> std::int64_t {
    try {
      const std::optional<Checkpoint> checkpoint = Recording(path).last_checkpoint();
      return checkpoint ? checkpoint->world.step_index : -1;
    } catch (const std::runtime_error&) {
      return -1;
    }
  };
  if (last_step(part_path) > last_step(recording_path)) {
    put_in_place(part_path, recording_path);
  } else {
    std::filesystem::remove(part_path);
  }
}

}  // namespace

RunReport run_scene(const Scene& scene, const RunOptions& options) {
  Simulation simulation(scene, options.threads);
  Recorder run(simulation, options);
  return run.impl_->run_to_end();
}

RunReport resume_run(const std::string& recording_path, const RunOptions& options) {
  // The whole is written beside the old recording, which is replaced only when that has ended well.
  const std::string whole_path = recording_path + ".part";
  if (is_being_recorded(recording_path)) {
    throw std::runtime_error(recording_path + ": is still being recorded by another program; stop that one first");
  }
  take_over_continuation(recording_path, whole_path);
  RunReport report;
  {
    const Recording recording(recording_path);
    std::optional<Checkpoint> checkpoint = recording.last_checkpoint();
    if (!checkpoint) throw std::runtime_error(recording_path + ": holds no saved world to resume from");
    const Scene scene = recording.scene();
    RunOptions rest = options;
    if (!rest.every) rest.every = interval_of(recording, scene.step);
    if (!rest.duration) rest.duration = recording.head().duration;
    Simulation simulation(scene, rest.threads);
    Recorder::Impl run(simulation, rest);
    run.record_to(whole_path);
    if (recording.head().scene_file.empty()) {  // a replay begins there
      if (const std::optional<Checkpoint> first = recording.first_checkpoint()) {
        run.recording->append_checkpoint(first->world);
      }
    }
    const double end = checkpoint->world.time + 0.5 * scene.step;
    run.recording->append_instants(recording, checkpoint->instants, end);
    take_earlier_events(recording, end, run.report);
    Instant instant;
    for (std::size_t k = 0; k < checkpoint->instants; ++k) {
      recording.read(k, instant);
      run.report.take_earlier(instant.scalars, k == 0);
      run.report.sensors(instant.sensors);
      run.instant_step = instant.step;
    }
    simulation.restore(checkpoint->world);
    run.report.resume_from(simulation.world());
    run.save_checkpoint();
    report = run.run_to_end();
  }
  put_in_place(whole_path, recording_path);
  if (!options.csv_path.empty()) export_csv(Recording(recording_path), options.csv_path);
  return report;
}

ReplayResult replay_recording(const std::string& recording_path, int threads, const ProgressFunction& progress) {
  const Recording recording(recording_path);
  const Scene scene = recording.scene();
  Simulation simulation(scene, threads);
  // The text of a scene that a program built has rounded directions and quaternions: its first saved world has not.
  if (recording.head().scene_file.empty()) {
    if (std::optional<Checkpoint> first = recording.first_checkpoint()) simulation.restore(first->world);
  }
  const auto start = RunClock::now();
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
