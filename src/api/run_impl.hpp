// A simulation and what watches it, as run_scene, resume_run and programs with their own step loop use it.
#pragma once

#include <achilles/recorder.hpp>

#include "record/csv.hpp"
#include "record/recording_writer.hpp"
#include "record/run_report.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace achilles {

using RunClock = std::chrono::steady_clock;

[[nodiscard]] inline double seconds_since(RunClock::time_point start) {
  return std::chrono::duration<double>(RunClock::now() - start).count();
}

struct Recorder::Impl {
  Impl(Simulation& watched, const RunOptions& given);

  void record_to(const std::string& path);
  void write_csv_to(const std::string& path);
  /// Records the present state.
  void record_instant();
  /// Saves the world in the recording, to resume from.
  void save_checkpoint();
  /// The step that Simulation::begin_step has begun.
  StepReport step();
  /// Steps to the end, or to where the run stops itself or is interrupted.
  RunReport run_to_end();
  /// Ends the files. An interrupted run goes on later as if nothing had happened: no instant that it would not have
  /// had.
  RunReport finish(const std::optional<Stop>& stopped);

  RunOptions options;
  Simulation* simulation = nullptr;
  double h = 0;         // [s]
  double duration = 0;  // [s]
  std::int64_t last_step = 0;
  std::int64_t every = 1;          // steps between instants
  std::int64_t instant_step = -1;  // of the last recorded instant
  std::int64_t steps = 0;          // taken in this run
  RunClock::time_point start = RunClock::now();
  RunClock::time_point last_checkpoint = start;
  ReportBuilder report;
  std::unique_ptr<RecordingWriter> recording;
  std::unique_ptr<CsvWriter> csv;

 private:
  [[nodiscard]] std::optional<Stop> step_and_check();
};

}  // namespace achilles
