// The depth of round shapes where the expanding polytope stalls.
#pragma once

#include "collision/narrow_phase/epa.hpp"
#include "collision/narrow_phase/penetration.hpp"

namespace achilles {

/// Betters the depth, direction and error of `result`, which hold what the expanding polytope found before it stalled.
/// Where round shapes are nearly coaxial the depth hardly depends on the direction, and the polytope spends its
/// vertices all around the rim: its best direction need not lie in the deepest valley, but one of its leads does. Each
/// is followed downhill, and the best is then minimized in latitude and longitude.
void search_depth(const CorePair& pair, const EpaResult& epa, CoreDistance& result);

}  // namespace achilles
