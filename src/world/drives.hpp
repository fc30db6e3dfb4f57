// Drives with gains along the free axes of joints, as the World keeps them.
#pragma once

#include <achilles/world.hpp>

namespace achilles {

/// Why a drive is impossible, or nothing.
[[nodiscard]] const char* find_drive_fault(const DriveDescription& drive);

/// The target at a time, linear between its points and constant before the first and after the last.
[[nodiscard]] double target_at(const World& world, const DriveControl& control, double time);

/// Whether what a drive along one of the axes follows still changes, at the present time or later.
[[nodiscard]] bool has_moving_target(const World& world, std::uint32_t joint);

}  // namespace achilles
