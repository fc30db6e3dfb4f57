// Running a scene from start to end, with everything that is written along the way.
#pragma once

#include <achilles/profile.hpp>
#include <achilles/report.hpp>
#include <achilles/scene.hpp>
#include <achilles/simulation.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace achilles {

struct RunProgress {
  double time = 0;          // [s] simulated
  double duration = 0;      // [s] simulated, in all
  std::int64_t steps = 0;   // taken in this run
  double wall_seconds = 0;  // [s] of this run
};

/// Called after every step; false interrupts the run, which can be resumed from its recording.
using ProgressFunction = std::function<bool(const RunProgress&)>;

struct RunOptions {
  std::optional<double> duration;   // [s] simulated; the scene's when not given
  std::optional<double> every;      // [s] between recorded instants, rounded to steps; about 1/60 s when not given
  int threads = 1;                  // results do not depend on it
  std::string record_path;          // HDF5; empty: none
  std::string csv_path;             // empty: none
  std::vector<Override> overrides;  // noted in the recording; the scene has them applied
  double checkpoint_seconds = 30;   // [s] wall time between saved worlds in the recording
  bool durable = false;             // every commit of the recording waits for the disk, not only saved worlds
  ProgressFunction progress;
  Profile* profile = nullptr;  // where the time of the steps went
};

/// Number of whole steps of h [s] that cover a time [s]; a multiple of h up to rounding takes no extra step.
[[nodiscard]] std::int64_t count_steps(double time, double h);

/// Runs a scene. The report's `stopped` is the reason of an early end: one of the method's own, or "interrupted".
/// Throws SceneError when the method cannot run the scene, std::runtime_error when a file cannot be written.
[[nodiscard]] RunReport run_scene(const Scene& scene, const RunOptions& options = {});

/// Continues a recording that was interrupted or cut off, with the same bits as if it had not been, and replaces it by
/// the whole. Until then the continuation grows in a file beside it, `<recording>.part`; where that one was cut off in
/// turn, the next call goes on from there. Refuses a file that is still being recorded. Of the options, `record_path`
/// and `overrides` are the recording's own. With a longer duration a complete recording is continued too. Throws
/// std::runtime_error when the file is no recording or has no saved world.
[[nodiscard]] RunReport resume_run(const std::string& recording_path, const RunOptions& options = {});

struct ReplayResult {
  std::size_t instants = 0;  // compared
  struct Difference {
    std::size_t instant = 0;
    double time = 0;  // [s]
    std::string body;
    double distance = 0;  // [m] between the two positions
  };
  std::optional<Difference> first_difference;
};

/// Runs a recording's scene again and compares every recorded instant bit for bit.
[[nodiscard]] ReplayResult replay_recording(const std::string& recording_path, int threads = 1,
                                            const ProgressFunction& progress = {});

}  // namespace achilles
