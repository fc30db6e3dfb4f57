// How many applications an impact will take, before it is resolved.                     [Vouga17, sec. 8, open there]
//
// The sum of all impulses is at most (1 − cos α) ‖x⁻‖_M / ρ, with ρ the margin and α the angle between x⁻ and the
// velocity w that opens every contact (elastic.hpp). In a planar wedge of angle θ, where ρ = sin(θ/2), the bound is
// met: π/θ reflections of mean impulse 4/π. In general it is not, and it grows with the number of contacts that still
// have to learn of the impact, so the estimate is a fit with the wedge as its anchor; the test measures how good it is.
#pragma once

#include <span>

#include "impact/propagation/elastic.hpp"
#include "impact/propagation/lineality.hpp"

namespace achilles {

/// `point` is the velocity that `compute_margin` leaves with its lower bound, `x` the velocity before the impact.
[[nodiscard]] double expected_iterations(const ImpactPart& part, const ElasticTask& task, const Margin& margin,
                                         std::span<const double> point, std::span<const double> x);

}  // namespace achilles
