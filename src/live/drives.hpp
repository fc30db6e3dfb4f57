// The drives and motors of a world, as sliders of a page show and move them.
#pragma once

#include "live/message.hpp"

#include <achilles/world.hpp>

#include <nlohmann/json.hpp>

namespace achilles::live {

/// [{"joint": index, "axis": 0 | 1, "name": "...", "unit": "rad", "low": .., "high": .., "value": target now}, ..]: the
/// range is that of the joint's limits or, where there are none, a wide one around the target.
[[nodiscard]] nlohmann::json list_drives(const World& world);

/// Gives a drive or motor a constant target; its gains and its largest force stay. Throws Refusal where there is none.
void move_drive(World& world, const DriveMessage& message);

}  // namespace achilles::live
