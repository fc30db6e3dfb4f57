// Exponential back-off: whether the worker threads are worth calling.
//
// When the operating system preempts a worker that holds a block, the calling thread waits for milliseconds, while a
// phase lasts microseconds: two threads are then slower than one. After a wait for a worker that did not run, the
// caller works alone for a while. That time doubles when the next wait follows soon, and starts again when it does not.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace achilles {

/// Processor time of one thread.
class ThreadClock {
 public:
  /// Attaches the clock to the calling thread.
  void attach();
  /// Processor time so far; wall time where the system does not report it.
  [[nodiscard]] std::chrono::nanoseconds read() const;

 private:
  std::optional<std::int64_t> clock_;
};

class WorkerBackoff {
 public:
  using Clock = std::chrono::steady_clock;

  /// One per worker, created before the worker starts.
  struct alignas(64) Worker {
    ThreadClock clock;                       // attached before the worker is busy for the first time
    std::atomic<bool> is_busy{false};        // takes part in a call: the caller may have to wait for it
    bool was_busy = false;                   // when the wait began
    std::chrono::nanoseconds time_before{};  // its processor time when the wait began
  };
  Worker& add_worker();

  /// Whether to call the workers now.
  [[nodiscard]] bool should_call() {
    if (is_backing_off_) is_backing_off_ = Clock::now() < alone_until_;
    return !is_backing_off_;
  }

  /// Called by the calling thread when a wait for workers has lasted some microseconds, and when it ends.
  void begin_wait();
  void end_wait();

 private:
  [[nodiscard]] bool was_preempted(Clock::duration waited) const;

  std::vector<std::unique_ptr<Worker>> workers_;
  bool is_backing_off_ = false;
  Clock::duration alone_{};  // length of the last back-off
  Clock::time_point alone_until_, wait_began_;
};

}  // namespace achilles
