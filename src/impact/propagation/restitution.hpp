// Restitution between 0 and 1 over many contacts.                                              [Vouga17, sec. 6.2]
//
// One coefficient c blends the two outcomes that always exist: x = (1 − c) x_inelastic + c x_elastic.
//
// Contacts of different materials need more. With X(S) the outcome when the contacts in S are elastic and all others
// inelastic, we take the average of X over all thresholds,
//
//   x = ∫₀¹ X({i : c_i > s}) ds,
//
// a sum of as many terms as there are different coefficients. It is a mean of feasible velocities none of which gains
// energy, hence feasible without gain; with one coefficient it is the blend above; c_i = 1 and c_i = 0 side by side are
// elastic and inelastic as they should be.
#pragma once

#include <span>
#include <vector>

#include "impact/propagation/elastic.hpp"

namespace achilles {

struct RestitutionWorkspace {
  std::vector<double> levels, x, impulses, start, sum_x, sum_impulses;
  std::vector<char> elastic;
};

/// From the velocity before the impact in x to the one after it, impulses (one per column) overwritten. With coupled
/// friction, each outcome contains its friction; otherwise no friction is applied here.
[[nodiscard]] ElasticReport resolve_restitution(const ImpactPart& part, ElasticTask task,
                                                RestitutionWorkspace& outcomes, PropagationWorkspace& scratch,
                                                std::span<double> x, std::span<double> impulses);

}  // namespace achilles
