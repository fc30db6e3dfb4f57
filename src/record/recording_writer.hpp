// Writes a run to a HDF5 file as it happens. What the file holds is in layout.hpp.
//
// Readers, and a kill -9, find all instants up to the last commit: one is made about every second of wall time and at
// least every 8,192 instants. All arrays are written before /time, which therefore gives how many instants are whole.
#pragma once

#include "record/growing_array.hpp"
#include "record/hdf5_file.hpp"
#include "record/instant.hpp"
#include "record/superblock.hpp"
#include "record/touches.hpp"

#include <achilles/report.hpp>
#include <achilles/scene.hpp>
#include <achilles/sensor.hpp>
#include <achilles/world.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace achilles {

class Recording;

/// When a writer waits until the disk has all that was written. A file that goes with its process never needs to.
enum class DiskWait { kNever, kCheckpoints, kCommits };

struct RecordingWriterOptions {
  int threads = 1;                         // kept in the file, to repeat the run
  std::vector<Override> overrides;         // kept in the file; Scene::text has them applied
  double flush_seconds = 1;                // [s] wall time between commits; 0 commits every instant
  int compression = 1;                     // of deflate, 0 to 9
  DiskWait wait = DiskWait::kCheckpoints;  // the end counts as a checkpoint, which counts as a commit
  std::optional<double> every;             // [s] between instants, kept in the file for a run that goes on from it
  std::vector<SensorInfo> sensors;         // whose values come with every instant
};

/// The bodies of a recording are those of the world it began with: it refuses a world whose bodies were added or
/// removed. Every failure is a std::runtime_error with the path and the reason, after which the recorder takes nothing
/// more; what was committed before stays readable.
class RecordingWriter {
 public:
  RecordingWriter(const std::string& path, const World& world, const Scene& scene,
                  const RecordingWriterOptions& options = {});
  /// Ends the file where it is, without a report; failures go unnoticed here.
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  /// Counts a step towards the next instant and records what happened in it: what began and ceased to touch, by its
  /// contacts, and its events; that the run stopped, if it did. `world` is as the step left it.
  void after_step(const World& world, const StepReport& report, double step_seconds,
                  std::span<const ContactRecord> contacts, std::span<const ContactEvent> events);
  /// Records the present state. `contacts` and `sensors` are those of the last step, `penetration` [m] is measured from
  /// geometry. Sensors that do not come are not a number.
  void instant(const World& world, std::span<const ContactRecord> contacts, double penetration,
               std::span<const double> sensors = {});
  void event(const RecordedEvent& event);
  /// Saves the whole world, to continue from should the run be cut off.
  void append_checkpoint(const World& world);
  /// Takes over instants [0, count) of another recording of the same bodies, and its events up to `end` [s], so that a
  /// continued run is one recording.
  void append_instants(const Recording& recording, std::size_t count, double end);

  /// Makes everything so far visible to readers.
  void commit();
  /// Writes the report and closes the file. Nothing can be recorded after.
  void finish(const RunReport& report);

  [[nodiscard]] std::uint64_t instants() const;
  [[nodiscard]] const std::string& path() const { return file_.path(); }

 private:
  struct Arrays;

  void append(const Instant& instant);
  void publish();
  void check_bodies(const World& world) const;
  void check_open() const;
  void cover(std::uint64_t bytes);
  void close();

  Hdf5File file_;
  std::unique_ptr<Arrays> arrays_;
  std::unique_ptr<OpenSuperblock> superblock_;
  std::vector<BodyHandle> bodies_;
  std::size_t columns_ = 0;  // of sensors
  double flush_seconds_ = 1;
  DiskWait wait_ = DiskWait::kCheckpoints;
  std::chrono::steady_clock::time_point last_commit_;
  std::uint64_t digest_ = 0;
  std::uint64_t contact_count_ = 0;
  std::uint64_t checkpoint_bytes_ = 0;
  bool is_broken_ = false;  // a write failed half way
  Scalars pending_;         // of the steps since the last instant
  Touches touches_;
  Instant instant_;                    // scratch
  std::vector<RecordedEvent> events_;  // scratch
};

}  // namespace achilles
