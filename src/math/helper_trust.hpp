// Whether the threads that help are worth calling.
//
// A helper whose core the system gave to somebody else, with a block in its hands, is waited for until it comes back:
// milliseconds, while a stage lasts microseconds. Two threads then are slower than one. Whoever waited for a helper
// that did not run goes on alone for a while, longer every time until it has gone well for long enough.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <vector>

namespace achilles {

/// What one thread has run so far, whether or not it runs now.
class ThreadClock {
 public:
  /// Of the calling thread.
  void follow();
  /// Where the system does not tell, as if it had always run.
  [[nodiscard]] std::chrono::nanoseconds read() const;

 private:
  long clock_ = 0;
  bool known_ = false;
};

class HelperTrust {
 public:
  using Clock = std::chrono::steady_clock;

  /// One per helper, made before it begins.
  struct alignas(64) Helper {
    ThreadClock clock;                 // that the helper follows before it is busy for the first time
    std::atomic<bool> is_busy{false};  // takes part: others may have to wait for it
    bool is_awaited = false;           // was busy when the waiting began
    std::chrono::nanoseconds ran{};    // until then
  };
  Helper& add_helper();

  /// Whether to call them now.
  [[nodiscard]] bool is_given() {
    if (is_lost_) is_lost_ = Clock::now() < alone_until_;
    return !is_lost_;
  }

  /// Of the one who called, when it has waited for helpers for some time, and when it need not any more.
  void begin_waiting();
  void end_waiting();

 private:
  [[nodiscard]] bool is_somebody_missing(Clock::duration waited) const;

  std::vector<std::unique_ptr<Helper>> helpers_;
  bool is_lost_ = false;
  Clock::duration alone_{};  // for how long it was lost
  Clock::time_point alone_until_, began_;
};

}  // namespace achilles
