// Erleben's frontispieces and the artefacts of time stepping.
#pragma once

#include "reproduce/experiment.hpp"

namespace achilles::reproduce {

[[nodiscard]] Outcome run_frontispieces(const Setting& setting);  // E17
[[nodiscard]] Outcome run_artefacts(const Setting& setting);      // E18

}  // namespace achilles::reproduce
