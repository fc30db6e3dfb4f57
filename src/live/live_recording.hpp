// What a live run records: segments, each a recording of its own. When all together exceed their limit, the oldest
// goes.
#pragma once

#include "live/scratch_folder.hpp"
#include "record/recording_writer.hpp"

#include <achilles/report.hpp>
#include <achilles/scene.hpp>
#include <achilles/simulation.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace achilles::live {

class LiveRecording {
 public:
  /// Keeps about `most_bytes` of the latest instants.
  explicit LiveRecording(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// Forgets all and begins at the present world. Every function below needs one call of this first.
  void restart(const World& world, const Scene& scene, const RecordingWriterOptions& options);
  void after_step(const World& world, const StepReport& report, double step_seconds,
                  std::span<const ContactRecord> contacts, std::span<const ContactEvent> events);
  void add_instant(const Simulation& simulation, double penetration);
  /// Writes what is kept to one recording, with the present world to go on from. Throws std::runtime_error with the
  /// reason when that fails; the recording goes on in any case.
  void save(const World& world, const RunReport& report, const std::string& path);

  /// Path of a file in the folder that goes with the run.
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  struct Segment {
    std::string path;
    std::uint64_t bytes = 0;
    double end = 0;  // [s]
  };
  void start_segment(const World& world);
  void finish_segment(const World& world);
  void remove_oldest();

  ScratchFolder folder_;
  std::uint64_t most_bytes_;
  Scene scene_;
  RecordingWriterOptions options_;
  std::deque<Segment> segments_;  // complete, the oldest first
  std::unique_ptr<RecordingWriter> recorder_;
  std::uint64_t bytes_at_start_ = 0;  // of the open segment, with its first instant
  std::uint64_t count_ = 0;           // segments begun
};

}  // namespace achilles::live
