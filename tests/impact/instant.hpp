// One frozen instant of a World: from bodies and contacts (and joints) to velocities.
//
//   begin_instant(instant);
//   for (each contact point that touches)  append_contact_point(bodies, inverse_mass, contact, point, law, instant);
//   for (each row of a joint or limit)     append_row(row, 0, instant);
//   const ImpactReport report = resolve_instant(law, inverse_mass, instant, scratch, bodies.velocity);
//
// A row's target at an instant is the velocity of the surface it belongs to, never a share of a gap: positions do not
// change. So rows made for a step must not be reused here. Motors, softness, rolling and torsional resistance are
// matters of time and have no impulse over an instant. Velocities of bodies that no impulse can move (fixed, scripted)
// are folded into the targets. Nothing is allocated once `instant` and `scratch` are warm, see `resolve_impact`.
#pragma once

#include <achilles/world.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "collision/contact/contact.hpp"
#include "impact/impact_law.hpp"
#include "impact/impact_workspace.hpp"

namespace achilles {

struct Instant {
  std::vector<Row> rows;
  std::vector<double> restitution;  // per row
  std::vector<double> impulses;     // per row, after `resolve_instant`   [N s]
};

void begin_instant(Instant& instant);

/// A normal row and, if the law has friction, two friction rows. Returns the index of the normal row.
std::uint32_t append_contact_point(const BodyArrays& bodies, std::span<const BodyInverseMass> inverse_mass,
                                   const Contact& contact, const ContactPoint& point, const ContactLaw& law,
                                   Instant& instant);

/// A finished row of a joint or a limit.
void append_row(const Row& row, double restitution, Instant& instant);

/// Impulse on the contact's second body, world axes, [N s]; `normal_row` as returned by append_contact_point.
[[nodiscard]] Vec3 contact_point_impulse(const Instant& instant, std::uint32_t normal_row);

[[nodiscard]] ImpactReport resolve_instant(const ImpactLaw& law, std::span<const BodyInverseMass> inverse_mass,
                                           Instant& instant, ImpactWorkspace& scratch,
                                           std::span<BodyVelocity> velocities);

}  // namespace achilles
