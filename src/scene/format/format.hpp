// The scene format, version 1.
#pragma once

#include "scene/format/spec.hpp"

namespace achilles::scene_file {

inline constexpr int kFormatVersion = 1;

/// Every key of a scene file with its type, range, default and meaning. Built once, from the tables of this folder and
/// the methods of this build.
[[nodiscard]] const Format& scene_format();

// The parts it is put together from.
[[nodiscard]] Spec shape_spec();
[[nodiscard]] Spec compound_part_spec();
[[nodiscard]] Spec joint_spec();
[[nodiscard]] Spec joint_axis_spec();
[[nodiscard]] Spec coupling_spec();
[[nodiscard]] Spec sensor_spec();
[[nodiscard]] Spec visual_spec();
[[nodiscard]] Spec method_spec();

/// Red, green, blue and opacity.
[[nodiscard]] Spec color();
/// Copies of a body or a joint.
[[nodiscard]] Spec repeat_spec();

/// position and the three ways to write an orientation.
[[nodiscard]] std::vector<Field> pose_fields();
[[nodiscard]] Alternatives orientation_alternatives();

}  // namespace achilles::scene_file
