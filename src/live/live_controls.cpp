#include "live/live_controls.hpp"

#include "live/drives.hpp"
#include "record/page.hpp"
#include "record/page_instant.hpp"
#include "record/recording.hpp"
#include "record/recording_writer.hpp"

#include <fstream>
#include <iterator>
#include <utility>

namespace achilles::live {
namespace {

constexpr std::size_t kMostQueued = 4096;  // actions; more are dropped

std::shared_ptr<const std::string> to_text(const nlohmann::json& message) {
  return std::make_shared<std::string>(message.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
}

}  // namespace

void ActionQueue::push(std::function<void()> action) {
  {
    const std::lock_guard lock(mutex_);
    if (actions_.size() >= kMostQueued) return;
    actions_.push_back(std::move(action));
  }
  changed_.notify_one();
}

bool ActionQueue::work(double seconds) {
  std::deque<std::function<void()>> actions;
  {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return is_stopping_ || !actions_.empty(); };
    if (seconds < 0) {
      changed_.wait(lock, ready);
    } else if (seconds > 0) {
      changed_.wait_for(lock, std::chrono::duration<double>(seconds), ready);
    }
    if (is_stopping_) return false;
    std::swap(actions, actions_);
  }
  for (const auto& action : actions) action();
  return true;
}

void ActionQueue::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
}

void LiveControls::set_anchor(const World& world) {
  anchor_ = Clock::now();
  anchor_time_ = world.time;
}

double LiveControls::time_to_wait(double time) const {
  return (time - anchor_time_) / speed - std::chrono::duration<double>(Clock::now() - anchor_).count();
}

bool LiveControls::pull_grabbed(World& world, double h) const {
  for (const auto& [client, grab] : grabs_) pull(world, grab, h);
  return !grabs_.empty();
}

bool LiveControls::is_frame_due() const {
  return std::chrono::duration<double>(Clock::now() - last_frame_).count() >= kFrame;
}

void LiveControls::send_instant(Simulation& simulation) {
  last_frame_ = Clock::now();
  instant_.scalars = std::exchange(sums_, Scalars{});
  instant_.scalars.penetration = simulation.penetration();
  gather(simulation.world(), simulation.contacts(), instant_);
  instant_.sensors.assign(simulation.sensor_values().begin(), simulation.sensor_values().end());
  auto bytes = std::make_shared<std::string>();
  encode_page_instant(instant_, *bytes);
  if (listener.send_all) listener.send_all(bytes, true);
}

void LiveControls::send(const nlohmann::json& message) const {
  if (listener.send_all) listener.send_all(to_text(message), false);
}

void LiveControls::send_to(std::uint64_t client, const nlohmann::json& message) const {
  if (listener.send) listener.send(client, to_text(message));
}

nlohmann::json LiveControls::describe(const Simulation& simulation, const nlohmann::json& methods) const {
  return {{"kind", "state"},
          {"running", running},
          {"speed", speed},
          {"time", simulation.world().time},
          {"method", simulation.scene().method.name},
          {"methods", methods},
          {"drives", list_drives(simulation.world())},
          {"notice", notice}};
}

void LiveControls::grab(std::uint64_t client, World& world, const GrabMessage& message) {
  if (message.body >= world.bodies.size() || !world.bodies.is_movable(message.body)) {
    throw Refusal("there is no such body to be moved");
  }
  Grab grab;
  grab.body = world.handle_of(message.body);
  grab.point_C = message.point_B - world.bodies.center_B[message.body];
  grab.target = world.bodies.position[message.body] + world.bodies.orientation[message.body] * grab.point_C;
  grab.first_order = message.first_order;
  world.wake(message.body);
  grabs_[client] = grab;
}

void LiveControls::drag(std::uint64_t client, const DragMessage& message) {
  const auto found = grabs_.find(client);
  if (found == grabs_.end()) throw Refusal("grab a body before dragging it");
  found->second.target = message.target;
}

std::shared_ptr<const std::string> make_live_page(Simulation& simulation, const Scene& scene, double every,
                                                  const std::function<std::string(const std::string&)>& file) {
  const std::string recording = file("page.h5"), page = file("page.html");
  RecordingWriterOptions options;
  options.threads = simulation.threads();
  options.every = every;
  options.sensors.assign(simulation.sensors().begin(), simulation.sensors().end());
  {
    RecordingWriter one(recording, simulation.world(), scene, options);
    one.instant(simulation.world(), simulation.contacts(), simulation.penetration(), simulation.sensor_values());
    one.finish(RunReport{});
  }
  PageOptions page_options;
  page_options.live = true;
  page_options.budget = std::size_t{1} << 31;  // one instant, with velocities, however many bodies there are
  export_page(Recording(recording), page, page_options);
  std::ifstream text(page, std::ios::binary);
  return std::make_shared<std::string>(std::istreambuf_iterator<char>(text), std::istreambuf_iterator<char>());
}

}  // namespace achilles::live
