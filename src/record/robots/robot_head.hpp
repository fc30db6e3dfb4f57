// What a recording holds besides its bodies: what they look like, the joints between them, the columns of the sensors.
// Each part is in the file only where there is any of it, so that recordings of before read the same.
#pragma once

#include "record/hdf5_file.hpp"
#include "record/layout.hpp"

#include <achilles/scene.hpp>
#include <achilles/sensor.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace achilles {

/// What a body looks like, drawn in place of its shape.
struct RecordedVisual {
  std::uint32_t body = 0;
  std::uint32_t shape = 0;  // index into RecordingHead::shapes
  Pose pose;                // in the body's frame
  std::optional<Color> color;
};

struct RecordedColor {
  std::uint32_t body = 0;
  Color color{};
};

/// A joint as it stood at the start, in the frame of its first body.
struct RecordedJoint {
  std::string name;
  JointKind kind = JointKind::kBall;
  std::uint32_t body_a = 0, body_b = 0;
  Vec3 position = Vec3::Zero();  // [m]
  std::uint32_t axis_count = 0;
  std::array<Vec3, 2> axes{Vec3::Zero(), Vec3::Zero()};  // those that it leaves free
};

/// One number of a sensor.
struct RecordedColumn {
  std::string sensor, column, unit;
};

struct RobotHead {
  std::vector<RecordedVisual> visuals;  // by body
  std::vector<RecordedColor> colors;    // of bodies that have one
  std::vector<RecordedJoint> joints;
  std::vector<RecordedColumn> columns;
};

/// The columns of all sensors, in the order of their values.
[[nodiscard]] std::vector<RecordedColumn> list_recorded_columns(std::span<const SensorInfo> sensors);

/// `index_of` gives the index of a shape in the table of the recording.
[[nodiscard]] RobotHead make_robot_head(const World& world, const Scene& scene, std::span<const SensorInfo> sensors,
                                        const std::function<std::uint32_t(const Shape&)>& index_of);
void write_robot_head(const Hdf5File& file, const RobotHead& head);
/// Throws std::runtime_error where the file contradicts itself.
[[nodiscard]] RobotHead read_robot_head(const Hdf5File& file, std::size_t bodies, std::size_t shapes);
void take_robot_head(const RobotHead& head, Digest& digest);

}  // namespace achilles
