#include <achilles/live_view.hpp>

#include "live/drives.hpp"
#include "live/live_controls.hpp"
#include "live/scratch_folder.hpp"
#include "live/server.hpp"
#include "record/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

namespace achilles {

using live::LiveListener;
using live::Message;
using live::Refusal;

struct LiveView::Impl : live::LiveSource {
  Impl(Simulation& watched, const LiveViewOptions& given)
      : options(given), simulation(&watched), server(given.port, this, nullptr) {
    (void)find_page_template();  // without it every page would be empty: an error now, not in the browser
    controls.running = !given.paused;
    controls.set_anchor(watched.world());
    thread = std::thread([this] { server.run([this] { return !is_closed.load(); }); });
  }

  LiveViewOptions options;
  Simulation* simulation;
  live::LiveControls controls;
  live::ActionQueue queue;
  live::ScratchFolder folder;
  live::ViewServer server;
  std::thread thread;
  std::atomic<bool> is_closed = false;
  int single_steps = 0;  // that a page wants while it is paused

  // From the thread of the server.
  void start(LiveListener listener) override {
    queue.push([this, listener = std::move(listener)] { controls.listener = listener; });
  }
  void stop() override {}
  void post(std::uint64_t client, Message message) override {
    queue.push([this, client, message = std::move(message)] {
      try {
        std::visit([this, client](const auto& one) { act(client, one); }, message);
      } catch (const std::exception& refusal) {
        controls.send_to(client, {{"kind", "refused"}, {"reason", refusal.what()}});
      }
    });
  }
  void forget(std::uint64_t client) override {
    queue.push([this, client] { controls.release(client); });
  }
  void greet(std::uint64_t client) override {
    queue.push([this, client] { controls.send_to(client, state()); });
  }
  void request_page(std::function<void(std::shared_ptr<const std::string>)> answer) override {
    queue.push([this, answer = std::move(answer)] {
      std::shared_ptr<const std::string> page;
      try {
        page = live::make_live_page(*simulation, simulation->scene(), live::kFrame,
                                    [this](const std::string& name) { return folder.file(name); });
      } catch (const std::exception& error) {
        controls.notice = error.what();
      }
      answer(page);
    });
  }

  // From the thread of the program.
  [[nodiscard]] nlohmann::json state() const {
    return controls.describe(*simulation, nlohmann::json::array({simulation->scene().method.name}));
  }

  void before_step() {
    queue.work(0);
    while (!controls.running && single_steps == 0 && !is_closed) queue.work(live::kFrame);
    controls.pull_grabbed(simulation->world(), simulation->step_length());
  }

  void after_step(const StepReport& report) {
    controls.count_step(report, 0);
    if (report.stopped) {
      controls.notice = fmt::format("stopped itself ({}): {}", report.stopped->reason, report.stopped->message);
      controls.send(state());
    }
    const bool is_single = single_steps > 0 && --single_steps == 0;
    if (is_single || controls.is_frame_due()) controls.send_instant(*simulation);
    while (options.paced && controls.running && !is_closed) {
      const double wait = controls.time_to_wait(simulation->world().time);
      if (wait < -live::kFrame) controls.set_anchor(simulation->world());  // slower than wanted: nothing to catch up
      if (wait <= 0) break;
      queue.work(std::min(wait, live::kFrame));
    }
  }

  void act(std::uint64_t, const live::RunMessage&) {
    controls.running = true;
    controls.notice.clear();
    controls.set_anchor(simulation->world());
    controls.send(state());
  }
  void act(std::uint64_t, const live::PauseMessage&) {
    controls.running = false;
    controls.send_instant(*simulation);
    controls.send(state());
  }
  void act(std::uint64_t, const live::StepMessage& message) {
    if (controls.running) throw Refusal("pause before taking single steps");
    single_steps += message.count;
  }
  void act(std::uint64_t, const live::SpeedMessage& message) {
    controls.speed = message.value;
    controls.set_anchor(simulation->world());
    controls.send(state());
  }
  void act(std::uint64_t, const live::DriveMessage& message) {
    live::move_drive(simulation->world(), message);
    controls.send(state());
  }
  void act(std::uint64_t client, const live::GrabMessage& message) {
    controls.grab(client, simulation->world(), message);
  }
  void act(std::uint64_t client, const live::DragMessage& message) { controls.drag(client, message); }
  void act(std::uint64_t client, const live::ReleaseMessage&) { controls.release(client); }
  void act(std::uint64_t, const live::ResetMessage&) { refuse("reset"); }
  void act(std::uint64_t, const live::SaveMessage&) { refuse("save"); }
  void act(std::uint64_t, const live::MethodMessage&) { refuse("change the method"); }
  [[noreturn]] static void refuse(const std::string& what) {
    throw Refusal("a program steps this simulation: the page cannot " + what);
  }
};

LiveView::LiveView(Simulation& simulation, const LiveViewOptions& options)
    : impl_(std::make_shared<Impl>(simulation, options)) {
  // The simulation keeps its callbacks, and copies have them, too: those of others, or of a view that is gone, do
  // nothing.
  const std::weak_ptr<Impl> seen = impl_;
  simulation.before_each_step([seen](Simulation& stepped) {
    const std::shared_ptr<Impl> impl = seen.lock();
    if (impl && impl->simulation == &stepped) impl->before_step();
  });
  simulation.after_each_step([seen](Simulation& stepped, const StepReport& report) {
    const std::shared_ptr<Impl> impl = seen.lock();
    if (impl && impl->simulation == &stepped) impl->after_step(report);
  });
}

LiveView::~LiveView() {
  impl_->is_closed = true;
  impl_->thread.join();
  impl_->queue.work(0);  // answers that wait belong to the server, which goes before the queue
  impl_->queue.stop();
}

std::string LiveView::address() const { return fmt::format("http://127.0.0.1:{}/", impl_->server.port()); }

void LiveView::serve(double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(std::max(0.0, seconds));
  double left = seconds;
  do {
    impl_->queue.work(std::clamp(left, 0.0, live::kFrame));
    left = std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
  } while (left > 0);
}

}  // namespace achilles
