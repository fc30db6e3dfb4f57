// Where the time of a run goes: seconds per stage of a step, counters, and on request every span for a trace viewer.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace achilles {

/// Filled by a Simulation that was given it. Names are literals: they must outlive the profile.
class Profile {
 public:
  struct Stage {
    std::string_view name;
    double seconds = 0;
    std::int64_t calls = 0;
  };
  struct Counter {
    std::string_view name;
    double sum = 0, largest = 0;
    std::int64_t steps = 0;
  };

  /// With `tracing` every span is kept, for write_trace.
  explicit Profile(bool tracing = false) : tracing_(tracing), origin_(Clock::now()), last_(origin_) {}

  void begin_step();
  /// The time since the last mark, or since the step began, was spent on this stage.
  void mark(std::string_view stage);
  /// A number of this step, e.g. how many pairs there were.
  void count(std::string_view what, double value);

  [[nodiscard]] const std::vector<Stage>& stages() const { return stages_; }  // in order of appearance
  [[nodiscard]] const std::vector<Counter>& counters() const { return counters_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }

  /// The spans in the trace event format that Chrome and Perfetto read (JSON).
  [[nodiscard]] std::string write_trace() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Span {
    std::size_t stage = 0;
    double start = 0, length = 0;  // [s]
  };

  bool tracing_;
  Clock::time_point origin_, last_;
  std::int64_t steps_ = 0;
  std::vector<Stage> stages_;
  std::vector<Counter> counters_;
  std::vector<Span> spans_;
};

}  // namespace achilles
