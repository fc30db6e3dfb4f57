// Impacts held to the energy there was.
#pragma once

#include <algorithm>
#include <cmath>

namespace achilles {

/// Work that the impulses λ do on contacts whose velocities go from w⁻ to w⁺, ½ Σ λ (w⁻ + w⁺) [J], for a plastic
/// outcome of an impact, for an elastic one, and for each with the velocities of the other, added.
struct ImpactWork {
  double plastic = 0;
  double elastic = 0;
  double mixed = 0;
};

/// How far one may go from the plastic outcome (0) towards the elastic one (1) for the work to be at most `allowed`. On
/// the way between them λ and w⁺ are linear in c:  (1 − c)² plastic + c (1 − c) mixed + c² elastic ≤ allowed. Impulses
/// stay in their cones, since those are convex, and nothing approaches that does so in neither outcome.
[[nodiscard]] inline double find_energy_blend(const ImpactWork& work, double allowed) {
  if (work.elastic <= allowed) return 1;
  const double a = work.plastic - work.mixed + work.elastic;
  const double b = work.mixed - 2 * work.plastic;
  const double c = std::min(0.0, work.plastic - allowed);
  const double root = std::sqrt(std::max(0.0, b * b - 4 * a * c));
  const double part = b > 0 ? -2 * c / (b + root) : (root - b) / (2 * a);
  return std::isfinite(part) ? std::clamp(part, 0.0, 1.0) : 0;
}

}  // namespace achilles
