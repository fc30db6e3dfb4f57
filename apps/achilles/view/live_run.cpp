#include "view/live_run.hpp"

#include "view/drag.hpp"

#include <achilles/simulation.hpp>

#include "record/page.hpp"
#include "record/page_instant.hpp"
#include "record/recorder.hpp"
#include "record/recording.hpp"
#include "record/run_report.hpp"
#include "time_control/method.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <unistd.h>

namespace achilles::program {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
using std::chrono::duration;

constexpr double kFrame = 1.0 / 60;        // [s] wall time between instants that are sent
constexpr double kSlice = 0.012;           // [s] wall time of steps between two looks at what pages ask
constexpr double kMostBehind = 0.25;       // [s] wall time that a run tries to make up for
constexpr std::size_t kMostQueued = 4096;  // messages of pages; more are dropped

/// A folder that goes with the run.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "achilles_view_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot make a folder for the live run");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

}  // namespace

struct LiveRun::Impl {
  Impl(const Scene& given, const LiveOptions& given_options)
      : scene(given), options(given_options), simulation(given, given_options.threads), running(given_options.runs) {
    start_recording();
    record();
  }

  // What other threads touch.
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool stopping = false;
  std::thread thread;

  // What only the run's own thread touches.
  Scene scene;
  LiveOptions options;
  LiveListener listener;
  ScratchFolder folder;
  Simulation simulation;
  std::unique_ptr<Recorder> recorder;
  ReportBuilder report;
  std::map<std::uint64_t, Grab> grabs;
  bool running = false;
  double speed = 1;                         // simulated seconds per second
  std::string notice;                       // why it does not run, what was saved
  std::vector<std::string> warnings;        // for the report of what is saved
  Clock::time_point anchor = Clock::now();  // at which the world was at anchor_time
  double anchor_time = 0;                   // [s]
  Clock::time_point last_frame;
  std::int64_t every = 1;      // steps between recorded instants
  std::int64_t recorded = -1;  // step of the last one
  int files = 0;               // written so far
  Scalars sums;                // since the last instant that was sent
  Instant instant;             // scratch

  void enqueue(std::function<void()> action) {
    {
      const std::lock_guard lock(mutex);
      if (queue.size() >= kMostQueued) return;
      queue.push_back(std::move(action));
    }
    changed.notify_one();
  }

  RecorderOptions recorder_options() const {
    RecorderOptions of_recorder;
    of_recorder.threads = options.threads;
    of_recorder.every = static_cast<double>(every) * scene.step;
    return of_recorder;
  }

  /// A new recording from the present world on.
  void start_recording() {
    every = std::max<std::int64_t>(1, std::llround(kFrame / scene.step));
    recorder = std::make_unique<Recorder>(folder.file(fmt::format("live{}.h5", files++)), simulation.world(), scene,
                                          recorder_options());
    report = ReportBuilder();
    report.begin(simulation.world(), scene);
    recorded = -1;
  }

  void record() {
    const double penetration = simulation.penetration();
    report.instant(simulation.world(), penetration);
    recorder->instant(simulation.world(), simulation.contacts(), penetration);
    recorded = simulation.world().step_index;
  }

  void run() {
    while (true) {
      std::deque<std::function<void()>> actions;
      {
        std::unique_lock lock(mutex);
        const auto ready = [this] { return stopping || !queue.empty(); };
        if (!running) {
          changed.wait(lock, ready);
        } else {
          changed.wait_for(lock, duration<double>(std::clamp(time_to_wait(), 0.0, kFrame)), ready);
        }
        if (stopping) return;
        std::swap(actions, queue);
      }
      for (const auto& action : actions) action();
      if (running) advance_or_tell();
    }
  }

  /// A run that fails, by a full disk for one, stops and says so; the server goes on.
  void advance_or_tell() {
    try {
      advance();
    } catch (const std::exception& error) {
      running = false;
      notice = error.what();
      send_state();
    }
  }

  /// Wall time until the next step is due [s].
  double time_to_wait() const {
    const double due = (simulation.world().time + scene.step - anchor_time) / speed;
    return due - duration<double>(Clock::now() - anchor).count();
  }

  void set_anchor() {
    anchor = Clock::now();
    anchor_time = simulation.world().time;
  }

  void advance() {
    const Clock::time_point began = Clock::now();
    while (running && time_to_wait() <= 0 && duration<double>(Clock::now() - began).count() < kSlice) step();
    if (time_to_wait() < -kMostBehind) set_anchor();
    if (duration<double>(Clock::now() - last_frame).count() >= kFrame) send_instant();
  }

  void step() {
    for (const auto& [client, grab] : grabs) pull(simulation.world(), grab, scene.step);
    if (!grabs.empty()) report.take_given(simulation.world());
    const Clock::time_point before = Clock::now();
    const StepReport done = simulation.step();
    const double seconds = duration<double>(Clock::now() - before).count();
    add_step(done, seconds, sums);
    recorder->after_step(simulation.world(), done, seconds, simulation.contacts(), simulation.events());
    report.after_step(simulation.world(), done);
    report.contacts(simulation.world(), simulation.contacts());
    if (done.stopped) {
      running = false;
      notice = fmt::format("stopped itself ({}): {}", done.stopped->reason, done.stopped->message);
      send_instant();
      send_state();
      return;
    }
    if (simulation.world().step_index % every == 0) record();
  }

  void send_instant() {
    last_frame = Clock::now();
    instant.scalars = sums;
    sums = Scalars{};
    instant.scalars.penetration = simulation.penetration();
    gather(simulation.world(), simulation.contacts(), instant);
    auto bytes = std::make_shared<std::string>();
    encode_page_instant(instant, *bytes);
    listener.tell_all(bytes, true);
  }

  std::shared_ptr<const std::string> state_text() const {
    Json methods = Json::array();
    for (const MethodInfo& method : method_infos()) methods.push_back(method.name);
    const Json state{{"kind", "state"},
                     {"running", running},
                     {"speed", speed},
                     {"time", simulation.world().time},
                     {"method", scene.method.name},
                     {"methods", methods},
                     {"notice", notice}};
    return std::make_shared<std::string>(state.dump(-1, ' ', true, Json::error_handler_t::replace));
  }

  void send_state() { listener.tell_all(state_text(), false); }

  // What pages ask for.

  void act(std::uint64_t, const RunMessage&) {
    running = true;
    notice.clear();
    set_anchor();
    send_state();
  }

  void act(std::uint64_t, const PauseMessage&) {
    running = false;
    send_instant();
    send_state();
  }

  void act(std::uint64_t, const StepMessage& message) {
    if (running) throw Refusal("pause before taking single steps");
    notice.clear();
    for (int k = 0; k < message.count && notice.empty(); ++k) step();
    send_instant();
    send_state();
  }

  void act(std::uint64_t, const ResetMessage&) {
    running = false;
    notice.clear();
    grabs.clear();
    warnings.clear();
    simulation = Simulation(scene, options.threads);
    sums = Scalars{};
    start_recording();
    record();
    listener.tell_all(std::make_shared<std::string>(R"({"kind":"reset"})"), false);
    send_instant();
    send_state();
  }

  void act(std::uint64_t, const SpeedMessage& message) {
    speed = message.value;
    set_anchor();
    send_state();
  }

  void act(std::uint64_t, const MethodMessage& message) {
    if (running) throw Refusal("pause before changing the method");
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
    notice = "goes on with " + message.name;
    send_state();
  }

  void act(std::uint64_t client, const GrabMessage& message) {
    World& world = simulation.world();
    if (message.body >= world.bodies.size() || !world.bodies.is_movable(message.body)) {
      throw Refusal("there is no such body to be moved");
    }
    Grab grab;
    grab.body = world.handle_of(message.body);
    grab.point_C = message.point_B - world.bodies.center_B[message.body];
    grab.target = world.bodies.position[message.body] + world.bodies.orientation[message.body] * grab.point_C;
    grab.first_order = message.first_order;
    world.wake(message.body);
    grabs[client] = grab;
  }

  void act(std::uint64_t client, const DragMessage& message) {
    const auto found = grabs.find(client);
    if (found == grabs.end()) throw Refusal("grab a body before dragging it");
    found->second.target = message.target;
  }

  void act(std::uint64_t client, const ReleaseMessage&) { grabs.erase(client); }

  /// Ends the recording under its final name, and goes on with a copy of it.
  void act(std::uint64_t, const SaveMessage&) {
    if (recorded != simulation.world().step_index) record();
    recorder->append_checkpoint(simulation.world());
    RunReport done = report.finish(simulation.world());
    done.warnings.insert(done.warnings.end(), warnings.begin(), warnings.end());
    const std::string finished = recorder->path();
    recorder->finish(done);
    try {
      std::filesystem::copy_file(finished, options.save_path, std::filesystem::copy_options::overwrite_existing);
      notice = "saved " + options.save_path;
    } catch (const std::filesystem::filesystem_error& error) {
      notice = fmt::format("{} cannot be written: {}", options.save_path, error.code().message());
    }
    {
      const Recording earlier(finished);
      auto next = std::make_unique<Recorder>(folder.file(fmt::format("live{}.h5", files++)), simulation.world(), scene,
                                             recorder_options());
      next->append_instants(earlier, earlier.instants(), simulation.world().time);
      recorder = std::move(next);
    }
    std::error_code ignored;
    std::filesystem::remove(finished, ignored);
    send_state();
  }

  std::shared_ptr<const std::string> make_page() {
    const std::string recording = folder.file("page.h5");
    const std::string page = folder.file("page.html");
    {
      Recorder one(recording, simulation.world(), scene, recorder_options());
      one.instant(simulation.world(), simulation.contacts(), simulation.penetration());
      one.finish(RunReport{});
    }
    PageOptions page_options;
    page_options.live = true;
    page_options.budget = std::size_t{1} << 31;  // one instant, with velocities, however many bodies there are
    export_page(Recording(recording), page, page_options);
    std::ifstream file(page, std::ios::binary);
    return std::make_shared<std::string>(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
};

LiveRun::LiveRun(const Scene& scene, const LiveOptions& options) : impl_(std::make_unique<Impl>(scene, options)) {}

LiveRun::~LiveRun() { stop(); }

void LiveRun::start(LiveListener listener) {
  impl_->listener = std::move(listener);
  impl_->thread = std::thread([this] { impl_->run(); });
}

void LiveRun::stop() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->stopping = true;
  }
  impl_->changed.notify_one();
  if (impl_->thread.joinable()) impl_->thread.join();
}

void LiveRun::post(std::uint64_t client, Message message) {
  impl_->enqueue([this, client, message = std::move(message)] {
    try {
      std::visit([this, client](const auto& one) { impl_->act(client, one); }, message);
    } catch (const std::exception& refusal) {
      impl_->listener.tell(client, std::make_shared<std::string>(refusal_text(refusal.what())));
    }
  });
}

void LiveRun::forget(std::uint64_t client) {
  impl_->enqueue([this, client] { impl_->grabs.erase(client); });
}

void LiveRun::greet(std::uint64_t client) {
  impl_->enqueue([this, client] { impl_->listener.tell(client, impl_->state_text()); });
}

void LiveRun::ask_page(std::function<void(std::shared_ptr<const std::string>)> answer) {
  impl_->enqueue([this, answer = std::move(answer)] {
    std::shared_ptr<const std::string> page;
    try {
      page = impl_->make_page();
    } catch (const std::exception& error) {
      impl_->notice = error.what();
    }
    answer(page);
  });
}

}  // namespace achilles::program
