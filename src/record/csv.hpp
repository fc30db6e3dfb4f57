// States as comma-separated values: time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz, one line per body and instant.
//
// Numbers have 17 significant digits, so that reading them gives the same bits; "nan" and "inf" where they are that.
// Names that need it are quoted as RFC 4180 requires; lines end in a line feed.
//
// Where there are sensors, a second file (states.sensors.csv beside states.csv) holds time and one column for each of
// their values, one line per instant; its heading names sensor, value and unit: "tip ax [m/s²]".
#pragma once

#include "record/output_file.hpp"
#include "record/recording.hpp"

#include <achilles/world.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace achilles {

class CsvWriter {
 public:
  /// Writes the headings. Throws std::runtime_error with path and reason, as do all the others.
  explicit CsvWriter(const std::string& path, std::span<const RecordedColumn> columns = {});
  void instant(const World& world, std::span<const double> sensors = {});
  void instant(std::span<const RecordedBody> bodies, const Instant& instant);
  /// Puts the files in their places; without it there are none.
  void close();

 private:
  void line(double time, const std::string& name, const Pose& pose, const BodyVelocity& velocity);

  void sensor_line(double time, std::span<const double> sensors);

  OutputFile file_;
  std::optional<OutputFile> sensors_;
  std::string text_;  // scratch
};

/// Writes all instants of a recording.
void export_csv(const Recording& recording, const std::string& out_path);

}  // namespace achilles
