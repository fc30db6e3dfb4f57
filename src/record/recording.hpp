// Reads a recording, whole or cut off, instant by instant: memory does not grow with its length. See layout.hpp.
#pragma once

#include "record/hdf5_file.hpp"
#include "record/head.hpp"
#include "record/instant.hpp"

#include <achilles/shape.hpp>
#include <achilles/world.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace achilles {

/// A World saved along the way, and how many instants were recorded before it.
struct Checkpoint {
  World world;
  std::size_t instants = 0;
};

/// Not for several threads at once: neither is HDF5.
class Recording {
 public:
  /// Throws std::runtime_error with path and reason for a file that is missing, foreign, cut short, damaged, or whose
  /// arrays contradict each other. A recording that a killed run left behind opens; it ends at its last commit.
  explicit Recording(const std::string& path);

  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] const RecordingHead& head() const { return head_; }
  [[nodiscard]] std::size_t body_count() const { return head_.bodies.size(); }
  [[nodiscard]] std::size_t instants() const { return instants_; }
  /// Columns of the array "sensors/value", 0 where there is none.
  [[nodiscard]] std::size_t sensor_columns() const { return head_.robots.columns.size(); }
  [[nodiscard]] bool is_complete() const { return !report_.empty(); }
  /// The JSON of the run's report; empty when the recording was cut off.
  [[nodiscard]] const std::string& report() const { return report_; }
  /// The scene of the run, made with the files that the recording holds; those of recordings without any are looked up
  /// on the disk. Throws SceneError where the scene cannot be read, std::runtime_error where a stored file is damaged.
  [[nodiscard]] Scene scene() const;
  /// The shape of head().shapes[index]; throws std::runtime_error when it is none.
  [[nodiscard]] Shape shape(std::size_t index) const;

  [[nodiscard]] double time(std::size_t instant) const;  // [s]
  /// Everything about one instant. Throws std::out_of_range past the end, std::runtime_error where the file is damaged.
  void read(std::size_t instant, Instant& out) const;
  /// Rows [first, first + count) of an array with one row per instant ("time", "position", "scalars/penetration", ...),
  /// as they lie in the file. `out` must hold count * row_size(array) numbers.
  void read_rows(const std::string& array, std::size_t first, std::size_t count, std::span<double> out) const;
  [[nodiscard]] std::size_t row_size(const std::string& array) const;
  /// Contact points of instants [first, first + count) are rows [result[0], result[count]) of /contacts; count + 1
  /// numbers.
  [[nodiscard]] std::vector<std::uint64_t> contact_offsets(std::size_t first, std::size_t count) const;

  [[nodiscard]] std::size_t event_count() const;
  /// Replaces `out` by events [first, first + count). Throws std::runtime_error where one is of no known kind.
  void read_events(std::size_t first, std::size_t count, std::vector<RecordedEvent>& out) const;
  [[nodiscard]] std::vector<RecordedEvent> events() const;
  /// The first instant that is not as it was recorded (0 also when the head was changed), or none. Reads everything.
  [[nodiscard]] std::optional<std::size_t> find_first_altered() const;
  /// The last whole checkpoint, if any. Throws std::runtime_error when it is not one of this version.
  [[nodiscard]] std::optional<Checkpoint> last_checkpoint() const;
  /// The one that was saved before the first step, if it is whole.
  [[nodiscard]] std::optional<Checkpoint> first_checkpoint() const;

 private:
  [[nodiscard]] const Hdf5Array& array(const std::string& name) const;
  void open_arrays();
  void check_shapes() const;
  void count_instants();
  /// The checkpoint number k, from 1; none where it is not whole or damaged.
  [[nodiscard]] std::optional<Checkpoint> read_checkpoint(std::size_t k) const;
  [[nodiscard]] std::size_t checkpoint_rows() const;
  [[nodiscard]] std::string read_bytes(const std::string& name, std::size_t first, std::size_t count) const;

  Hdf5File file_;
  RecordingHead head_;
  std::vector<Hdf5Array> arrays_;  // all of them, opened once
  std::size_t instants_ = 0;
  std::string report_;
};

}  // namespace achilles
