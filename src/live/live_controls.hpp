// What a live run and a live view share: the pace, the bodies that pages hold, the drives that they move, and what goes
// out.
#pragma once

#include "live/drag.hpp"
#include "live/live_source.hpp"
#include "record/instant.hpp"

#include <achilles/simulation.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace achilles::live {

constexpr double kFrame = 1.0 / 60;  // [s] wall time between instants that are sent

/// Actions from other threads, done in the thread of the simulation. More than a few thousand that wait are dropped.
class ActionQueue {
 public:
  void push(std::function<void()> action);
  /// Does what waits. First waits for something to do or a call of stop, for at most `seconds`; negative: without
  /// limit. False once stopped.
  bool work(double seconds);
  void stop();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> actions_;
  bool is_stopping_ = false;
};

class LiveControls {
 public:
  using Clock = std::chrono::steady_clock;

  LiveListener listener;
  bool running = false;
  double speed = 1;    // simulated seconds per second
  std::string notice;  // why it does not run, what was saved

  /// The pace counts from here.
  void set_anchor(const World& world);
  /// Wall time until the simulated time is due [s].
  [[nodiscard]] double time_to_wait(double time) const;

  /// Forces of what pages hold, for the step of length h [s] that comes next. False when they hold nothing.
  bool pull_grabbed(World& world, double h) const;
  void release_all() { grabs_.clear(); }
  void release(std::uint64_t client) { grabs_.erase(client); }

  void count_step(const StepReport& report, double seconds) { add_step(report, seconds, sums_); }
  void forget_steps() { sums_ = Scalars{}; }
  [[nodiscard]] bool is_frame_due() const;
  void send_instant(Simulation& simulation);
  void send(const nlohmann::json& message) const;
  void send_to(std::uint64_t client, const nlohmann::json& message) const;
  /// What every page knows of the run; `methods` are those that it may go on with.
  [[nodiscard]] nlohmann::json describe(const Simulation& simulation, const nlohmann::json& methods) const;

  void grab(std::uint64_t client, World& world, const GrabMessage& message);
  void drag(std::uint64_t client, const DragMessage& message);

 private:
  std::map<std::uint64_t, Grab> grabs_;  // by client
  Clock::time_point anchor_ = Clock::now();
  double anchor_time_ = 0;  // [s] at which the world was then
  Clock::time_point last_frame_;
  Scalars sums_;     // since the last instant that was sent
  Instant instant_;  // scratch
};

/// The page that starts at the present instant. Throws std::runtime_error when it cannot be made; `file` gives paths in
/// a folder for what is written on the way.
[[nodiscard]] std::shared_ptr<const std::string> make_live_page(
    Simulation& simulation, const Scene& scene, double every,
    const std::function<std::string(const std::string&)>& file);

}  // namespace achilles::live
