// Pictures of the experiments' scenes for the page: a short run of the scene file, drawn at chosen times.
#pragma once

#include "reproduce/experiment.hpp"

#include <string>
#include <vector>

namespace achilles::reproduce {

/// Runs the scenes that show an experiment and records them in the setting's folder; none for experiments without a
/// scene. Throws std::runtime_error or SceneError where a scene does not run.
[[nodiscard]] std::vector<Still> make_stills(const std::string& experiment, const Setting& setting);

}  // namespace achilles::reproduce
