// Impacts at one frozen instant written by hand, for the experiments that need no flight.
#pragma once

#include <achilles/math.hpp>

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "impact/impact_law.hpp"
#include "impact/impact_workspace.hpp"

namespace achilles::reproduce {

/// Masses without rotation, "balls" as in [Vouga17], and what keeps them apart.
struct HandmadeImpact {
  static constexpr std::uint32_t kWall = kImmovable;

  std::vector<BodyInverseMass> inverse_mass;
  std::vector<BodyVelocity> velocities;
  std::vector<Row> rows;
  std::vector<double> restitution, impulses;
  ImpactWorkspace scratch;

  std::uint32_t add_ball(double mass, const Vec3& velocity);
  /// Body b stays on the side of a that the normal points to. Friction, if any, by two more rows.
  void add_contact(std::uint32_t a, std::uint32_t b, const Vec3& normal, double e = 1, double mu = 0);
  ImpactReport resolve(const ImpactLaw& law);

  [[nodiscard]] double energy() const;
  /// Largest approach over ‖q‖_M, unitless.
  [[nodiscard]] double violation() const;
};

/// A line of touching balls of unit mass along x.
[[nodiscard]] HandmadeImpact make_line(const std::vector<double>& speeds, double e = 1);

/// A unit ball in a planar wedge with normals (0, 1) and (sin θ, −cos θ) of figure 3, flying into it from the direction
/// at `from` above the first wall.
[[nodiscard]] HandmadeImpact make_wedge(double theta, double from);

/// Balls of unlike masses with contacts in random directions, some doubled, opposed or nearly so; `mu` > 0: rough.
[[nodiscard]] HandmadeImpact make_random(std::uint64_t seed, int contacts, double mu = 0);

/// The four operators of the paper with the given options.
[[nodiscard]] std::vector<std::pair<std::string, ImpactLaw>> make_operators(const PropagationOptions& options = {});

}  // namespace achilles::reproduce
