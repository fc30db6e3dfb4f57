// The point of a simplex nearest to the origin.
#pragma once

#include "collision/narrow_phase/gjk.hpp"

namespace achilles {

/// Reduces `simplex` (one to four vertices, degenerate ones allowed) to the vertices that span its point nearest to the
/// origin, sets their weights and returns that point. Four vertices remain only if the origin lies inside.
Vec3 reduce_to_nearest(Simplex& simplex);

}  // namespace achilles
