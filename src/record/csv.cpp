#include "record/csv.hpp"

#include <array>
#include <charconv>
#include <filesystem>

namespace achilles {
namespace {

void append_number(std::string& text, double value) {
  std::array<char, 32> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::general, 17);
  text.append(digits.data(), end);
}

void append_field(std::string& text, const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) {
    text += field;
    return;
  }
  text += '"';
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

}  // namespace

CsvWriter::CsvWriter(const std::string& path, std::span<const RecordedColumn> columns) : file_(path) {
  file_.write("time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
  if (columns.empty()) return;
  const std::filesystem::path place(path);
  const std::string name = place.stem().string() + ".sensors" + place.extension().string();
  sensors_.emplace((place.parent_path() / name).string());
  text_ = "time";
  for (const RecordedColumn& column : columns) {
    text_ += ',';
    append_field(text_, column.sensor + (column.column == "value" ? "" : " " + column.column) +
                            (column.unit.empty() ? "" : " [" + column.unit + "]"));
  }
  sensors_->write(text_ += '\n');
}

void CsvWriter::close() {
  file_.close();
  if (sensors_) sensors_->close();
}

void CsvWriter::sensor_line(double time, std::span<const double> sensors) {
  if (!sensors_) return;
  text_.clear();
  append_number(text_, time);
  for (const double value : sensors) {
    text_ += ',';
    append_number(text_, value);
  }
  sensors_->write(text_ += '\n');
}

void CsvWriter::line(double time, const std::string& name, const Pose& pose, const BodyVelocity& velocity) {
  append_number(text_, time);
  text_ += ',';
  append_field(text_, name);
  for (const double value :
       {pose.p.x(), pose.p.y(), pose.p.z(), pose.q.w(), pose.q.x(), pose.q.y(), pose.q.z(), velocity.linear.x(),
        velocity.linear.y(), velocity.linear.z(), velocity.angular.x(), velocity.angular.y(), velocity.angular.z()}) {
    text_ += ',';
    append_number(text_, value);
  }
  text_ += '\n';
}

void CsvWriter::instant(const World& world, std::span<const double> sensors) {
  text_.clear();
  for (std::size_t k = 0; k < world.bodies.size(); ++k) {
    line(world.time, world.names[k], world.bodies.frame(k), world.bodies.velocity[k]);
  }
  file_.write(text_);
  sensor_line(world.time, sensors);
}

void CsvWriter::instant(std::span<const RecordedBody> bodies, const Instant& instant) {
  text_.clear();
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    line(instant.time, bodies[k].name, instant.pose(k), instant.body_velocity(k));
  }
  file_.write(text_);
  sensor_line(instant.time, instant.sensors);
}

void export_csv(const Recording& recording, const std::string& out_path) {
  CsvWriter csv(out_path, recording.head().robots.columns);
  Instant instant;
  for (std::size_t k = 0; k < recording.instants(); ++k) {
    recording.read(k, instant);
    csv.instant(recording.head().bodies, instant);
  }
  csv.close();
}

}  // namespace achilles
