#include "api/run_impl.hpp"
#include "scene/scene_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace achilles {
namespace {

constexpr double kMostSteps = 1e18;  // a duration beyond is never reached

}  // namespace

std::int64_t count_steps(double time, double h) {
  const double steps = std::min(time / h, kMostSteps);
  const double nearest = std::round(steps);
  return static_cast<std::int64_t>(std::abs(steps - nearest) < 1e-6 * std::max(1.0, nearest) ? nearest
                                                                                             : std::ceil(steps));
}

Recorder::Impl::Impl(Simulation& watched, const RunOptions& given)
    : options(given), simulation(&watched), h(watched.step_length()) {
  simulation->set_profile(options.profile);
  duration = options.duration.value_or(simulation->scene().duration);
  last_step = count_steps(duration, h);
  every = std::max<std::int64_t>(1, std::llround(std::min(options.every.value_or(1.0 / 60) / h, kMostSteps)));
  report.begin(simulation->world(), simulation->scene());
  report.begin_sensors(simulation->sensors(), simulation->sensor_values());
}

void Recorder::Impl::record_to(const std::string& path) {
  RecordingWriterOptions writer_options;
  writer_options.threads = simulation->threads();
  writer_options.overrides = options.overrides;
  writer_options.every = static_cast<double>(every) * h;
  if (options.durable) writer_options.wait = DiskWait::kCommits;
  writer_options.sensors.assign(simulation->sensors().begin(), simulation->sensors().end());
  Scene scene = simulation->scene();
  if (scene.text.empty()) scene.text = write_scene_text(scene);  // built in code
  scene.duration = duration;                                     // of this run: where a resumed one ends
  recording = std::make_unique<RecordingWriter>(path, simulation->world(), scene, writer_options);
}

void Recorder::Impl::write_csv_to(const std::string& path) {
  csv = std::make_unique<CsvWriter>(path, list_recorded_columns(simulation->sensors()));
}

void Recorder::Impl::record_instant() {
  const double penetration = simulation->penetration();
  const World& world = simulation->world();
  report.instant(world, penetration);
  if (recording) recording->instant(world, simulation->contacts(), penetration, simulation->sensor_values());
  if (csv) csv->instant(world, simulation->sensor_values());
  instant_step = world.step_index;
}

void Recorder::Impl::save_checkpoint() {
  if (recording) recording->append_checkpoint(simulation->world());
}

StepReport Recorder::Impl::step() {
  const RunClock::time_point before = RunClock::now();
  StepReport done = simulation->step_begun();
  const double seconds = seconds_since(before);
  const World& world = simulation->world();
  report.after_step(world, done);
  report.contacts(world, simulation->contacts());
  report.sensors(simulation->sensor_values());
  if (recording) recording->after_step(world, done, seconds, simulation->contacts(), simulation->events());
  if (done.stopped) return done;
  ++steps;
  if (world.step_index % every == 0) record_instant();
  if (recording && seconds_since(last_checkpoint) > options.checkpoint_seconds) {
    recording->append_checkpoint(world);
    last_checkpoint = RunClock::now();
  }
  return done;
}

std::optional<Stop> Recorder::Impl::step_and_check() {
  simulation->begin_step();
  const StepReport done = step();
  if (done.stopped) return done.stopped;
  const World& world = simulation->world();
  const bool goes_on = !options.progress || options.progress({world.time, duration, steps, seconds_since(start)});
  if (goes_on || world.step_index >= last_step) return std::nullopt;
  save_checkpoint();
  return Stop{"interrupted", world.time, "the run was interrupted"};
}

RunReport Recorder::Impl::run_to_end() {
  std::optional<Stop> stopped;
  last_checkpoint = RunClock::now();
  while (simulation->world().step_index < last_step && !stopped) stopped = step_and_check();
  return finish(stopped);
}

RunReport Recorder::Impl::finish(const std::optional<Stop>& stopped) {
  const World& world = simulation->world();
  const bool interrupted = stopped && stopped->reason == "interrupted";
  if (!interrupted && instant_step != world.step_index) record_instant();
  if (!interrupted) save_checkpoint();
  RunReport result = report.finish(world, seconds_since(start));
  if (stopped) result.stopped = stopped;
  if (csv) csv->close();
  if (recording) interrupted ? recording->commit() : recording->finish(result);
  return result;
}

Recorder::Recorder(Simulation& simulation, const RunOptions& options)
    : impl_(std::make_unique<Impl>(simulation, options)) {
  if (!options.record_path.empty()) impl_->record_to(options.record_path);
  if (!options.csv_path.empty()) impl_->write_csv_to(options.csv_path);
  impl_->record_instant();
  impl_->save_checkpoint();
}

Recorder::~Recorder() = default;
Recorder::Recorder(Recorder&&) noexcept = default;
Recorder& Recorder::operator=(Recorder&&) noexcept = default;

StepReport Recorder::step() {
  impl_->simulation->begin_step();
  impl_->report.take_given(impl_->simulation->world());
  return impl_->step();
}

RunReport Recorder::report() const {
  RunReport result = impl_->report.finish(impl_->simulation->world(), seconds_since(impl_->start));
  result.penetration.final = impl_->simulation->penetration();
  result.penetration.max = std::max(result.penetration.max, result.penetration.final);
  return result;
}

RunReport Recorder::finish() {
  RunReport result = impl_->finish(std::nullopt);
  impl_->recording.reset();
  impl_->csv.reset();
  return result;
}

}  // namespace achilles
