// Motors and drives of a simulation in the order of their joints: those along first axes.
#pragma once

#include "core.hpp"

#include <span>
#include <string>
#include <vector>

namespace achilles::python {

[[nodiscard]] std::vector<std::string> list_motor_names(Core& core);
/// What motors and drives go to at the present time.
[[nodiscard]] std::vector<double> read_motor_targets(Core& core);
/// ValueError unless there is one number per motor. Drives keep their gains.
void write_motor_targets(Core& core, std::span<const double> targets);

/// Gains and limits of a drive; what is not given stays, or has the default of the scene file where there was no drive.
struct DriveChange {
  std::optional<double> force, speed, position;  // at most one
  std::optional<double> stiffness, damping, max_force, max_rate;
};
void change_drive(Core& core, std::uint32_t joint, std::size_t axis, const DriveChange& change);
/// The drive along an axis as a dict in the words of the scene file, or None.
[[nodiscard]] py::object show_drive(Core& core, std::uint32_t joint, std::size_t axis);

}  // namespace achilles::python
