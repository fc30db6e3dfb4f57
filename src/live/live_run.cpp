#include "live/live_run.hpp"

#include "live/drives.hpp"
#include "live/live_controls.hpp"
#include "live/live_recording.hpp"

#include <achilles/simulation.hpp>

#include "methods/method_spec.hpp"
#include "record/run_report.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace achilles::live {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
using std::chrono::duration;

constexpr double kSlice = 0.012;      // [s] wall time of steps between two looks at what pages want
constexpr double kMostBehind = 0.25;  // [s] wall time that a run tries to make up for

}  // namespace

struct LiveRun::Impl {
  Impl(const Scene& given, const LiveOptions& given_options)
      : scene(given), options(given_options), simulation(given, given_options.threads) {
    controls.running = given_options.runs;
    start_recording();
    record();
  }

  ActionQueue queue;
  std::thread thread;

  // What only the run's own thread touches.
  Scene scene;
  LiveOptions options;
  LiveControls controls;
  LiveRecording recording{options.history_bytes};
  Simulation simulation;
  ReportBuilder report;
  std::vector<std::string> warnings;  // for the report of what is saved
  std::int64_t every = 1;             // steps between recorded instants
  std::int64_t recorded = -1;         // step of the last one

  [[nodiscard]] double interval() const { return static_cast<double>(every) * scene.step; }

  /// A new recording from the present world on.
  void start_recording() {
    every = std::max<std::int64_t>(1, std::llround(kFrame / scene.step));
    RecordingWriterOptions of_recording;
    of_recording.threads = options.threads;
    of_recording.every = interval();
    of_recording.sensors.assign(simulation.sensors().begin(), simulation.sensors().end());
    recording.restart(simulation.world(), scene, of_recording);
    report = ReportBuilder();
    report.begin(simulation.world(), scene);
    report.begin_sensors(simulation.sensors(), simulation.sensor_values());
    recorded = -1;
  }

  void record() {
    const double penetration = simulation.penetration();
    report.instant(simulation.world(), penetration);
    recording.add_instant(simulation, penetration);
    recorded = simulation.world().step_index;
  }

  [[nodiscard]] double time_to_next_step() const { return controls.time_to_wait(simulation.world().time + scene.step); }

  void run() {
    while (queue.work(controls.running ? std::clamp(time_to_next_step(), 0.0, kFrame) : -1)) {
      if (controls.running) advance_or_stop();
    }
  }

  /// A run that fails, by a full disk for example, stops with a report; the server goes on.
  void advance_or_stop() {
    try {
      advance();
    } catch (const std::exception& error) {
      controls.running = false;
      controls.notice = error.what();
      send_state();
    }
  }

  void advance() {
    const Clock::time_point began = Clock::now();
    while (controls.running && time_to_next_step() <= 0 && duration<double>(Clock::now() - began).count() < kSlice) {
      step();
    }
    if (time_to_next_step() < -kMostBehind) controls.set_anchor(simulation.world());
    if (controls.is_frame_due()) controls.send_instant(simulation);
  }

  void step() {
    if (controls.pull_grabbed(simulation.world(), scene.step)) report.take_given(simulation.world());
    const Clock::time_point before = Clock::now();
    const StepReport done = simulation.step();
    const double seconds = duration<double>(Clock::now() - before).count();
    controls.count_step(done, seconds);
    recording.after_step(simulation.world(), done, seconds, simulation.contacts(), simulation.events());
    report.after_step(simulation.world(), done);
    report.contacts(simulation.world(), simulation.contacts());
    report.sensors(simulation.sensor_values());
    if (done.stopped) {
      controls.running = false;
      controls.notice = fmt::format("stopped itself ({}): {}", done.stopped->reason, done.stopped->message);
      controls.send_instant(simulation);
      send_state();
      return;
    }
    if (simulation.world().step_index % every == 0) record();
  }

  [[nodiscard]] Json state() const {
    Json methods = Json::array();
    for (const MethodSpec& method : method_specs()) methods.push_back(method.name);
    return controls.describe(simulation, methods);
  }

  void send_state() const { controls.send(state()); }

  // What pages request.

  void act(std::uint64_t, const RunMessage&) {
    controls.running = true;
    controls.notice.clear();
    controls.set_anchor(simulation.world());
    send_state();
  }

  void act(std::uint64_t, const PauseMessage&) {
    controls.running = false;
    controls.send_instant(simulation);
    send_state();
  }

  void act(std::uint64_t, const StepMessage& message) {
    if (controls.running) throw Refusal("pause before taking single steps");
    controls.notice.clear();
    for (int k = 0; k < message.count && controls.notice.empty(); ++k) step();
    controls.send_instant(simulation);
    send_state();
  }

  void act(std::uint64_t, const ResetMessage&) {
    controls.running = false;
    controls.notice.clear();
    controls.release_all();
    controls.forget_steps();
    warnings.clear();
    simulation = Simulation(scene, options.threads);
    start_recording();
    record();
    controls.send(Json::object({{"kind", "reset"}}));
    controls.send_instant(simulation);
    send_state();
  }

  void act(std::uint64_t, const SpeedMessage& message) {
    controls.speed = message.value;
    controls.set_anchor(simulation.world());
    send_state();
  }

  void act(std::uint64_t, const MethodMessage& message) {
    if (controls.running) throw Refusal("pause before changing the method");
    if (find_method(message.name) == nullptr) throw Refusal("there is no method '" + message.name.substr(0, 40) + "'");
    try {
      // Options of the old method mean nothing to the new one: it takes its defaults.
      Scene changed_scene = scene;
      changed_scene.method = MethodDescription{};
      changed_scene.method.name = message.name;
      Simulation next(changed_scene, options.threads);
      next.restore(simulation.world());
      warnings.push_back(fmt::format("the method was changed from {} to {} at {:g} s", scene.method.name, message.name,
                                     simulation.world().time));
      simulation = std::move(next);
      scene = std::move(changed_scene);
    } catch (const SceneError& error) {
      throw Refusal(error.diagnostics().empty() ? error.what() : error.diagnostics().front().message);
    }
    controls.notice = "goes on with " + message.name;
    send_state();
  }

  void act(std::uint64_t, const DriveMessage& message) {
    move_drive(simulation.world(), message);
    send_state();
  }

  void act(std::uint64_t client, const GrabMessage& message) { controls.grab(client, simulation.world(), message); }
  void act(std::uint64_t client, const DragMessage& message) { controls.drag(client, message); }
  void act(std::uint64_t client, const ReleaseMessage&) { controls.release(client); }

  void act(std::uint64_t, const SaveMessage&) {
    if (recorded != simulation.world().step_index) record();
    RunReport done = report.finish(simulation.world());
    done.warnings.insert(done.warnings.end(), warnings.begin(), warnings.end());
    try {
      recording.save(simulation.world(), done, options.save_path);
      controls.notice = "saved " + options.save_path;
    } catch (const std::runtime_error& error) {
      controls.notice = error.what();
    }
    send_state();
  }
};

LiveRun::LiveRun(const Scene& scene, const LiveOptions& options) : impl_(std::make_unique<Impl>(scene, options)) {}

LiveRun::~LiveRun() {
  impl_->queue.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

void LiveRun::start(LiveListener listener) {
  impl_->controls.listener = std::move(listener);
  impl_->thread = std::thread([this] { impl_->run(); });
}

void LiveRun::stop() {
  impl_->queue.stop();
  if (impl_->thread.joinable()) impl_->thread.join();
}

void LiveRun::post(std::uint64_t client, Message message) {
  impl_->queue.push([this, client, message = std::move(message)] {
    try {
      std::visit([this, client](const auto& one) { impl_->act(client, one); }, message);
    } catch (const std::exception& refusal) {
      impl_->controls.send_to(client, {{"kind", "refused"}, {"reason", refusal.what()}});
    }
  });
}

void LiveRun::forget(std::uint64_t client) {
  impl_->queue.push([this, client] { impl_->controls.release(client); });
}

void LiveRun::greet(std::uint64_t client) {
  impl_->queue.push([this, client] { impl_->controls.send_to(client, impl_->state()); });
}

void LiveRun::request_page(std::function<void(std::shared_ptr<const std::string>)> answer) {
  impl_->queue.push([this, answer = std::move(answer)] {
    std::shared_ptr<const std::string> page;
    try {
      page = make_live_page(impl_->simulation, impl_->scene, impl_->interval(),
                            [this](const std::string& name) { return impl_->recording.file(name); });
    } catch (const std::exception& error) {
      impl_->controls.notice = error.what();
    }
    answer(page);
  });
}

}  // namespace achilles::live
