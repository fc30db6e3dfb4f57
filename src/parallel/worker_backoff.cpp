#include "parallel/worker_backoff.hpp"

#include "platform/system.hpp"

#include <algorithm>

namespace achilles {
namespace {

using namespace std::chrono_literals;

constexpr WorkerBackoff::Clock::duration kLongWait = 200us;  // a wait this long is checked for preemption
constexpr WorkerBackoff::Clock::duration kShortest = 2ms, kLongest = 256ms;  // of a back-off
constexpr WorkerBackoff::Clock::duration kSoon = 50ms;  // after a back-off: several time slices of the system

}  // namespace

void ThreadClock::attach() { clock_ = platform::find_thread_clock(); }

std::chrono::nanoseconds ThreadClock::read() const {
  if (clock_) {
    if (const std::optional<std::chrono::nanoseconds> time = platform::read_thread_clock(*clock_)) return *time;
  }
  return WorkerBackoff::Clock::now().time_since_epoch();
}

WorkerBackoff::Worker& WorkerBackoff::add_worker() { return *workers_.emplace_back(std::make_unique<Worker>()); }

void WorkerBackoff::begin_wait() {
  wait_began_ = Clock::now();
  for (const auto& worker : workers_) {
    worker->was_busy = worker->is_busy.load(std::memory_order_acquire);
    if (worker->was_busy) worker->time_before = worker->clock.read();
  }
}

bool WorkerBackoff::was_preempted(Clock::duration waited) const {
  return std::any_of(workers_.begin(), workers_.end(), [&](const auto& worker) {
    return worker->was_busy && 2 * (worker->clock.read() - worker->time_before) < waited;
  });
}

void WorkerBackoff::end_wait() {
  const Clock::time_point now = Clock::now();
  if (now - wait_began_ < kLongWait || !was_preempted(now - wait_began_)) return;
  const bool follows_soon = now < alone_until_ + kSoon + alone_;
  alone_ = follows_soon ? std::min(2 * alone_, kLongest) : kShortest;
  alone_until_ = now + alone_;
  is_backing_off_ = true;
}

}  // namespace achilles
