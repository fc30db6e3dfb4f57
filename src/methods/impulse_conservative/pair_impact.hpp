// A collision of two bodies at one instant: what the event loop of `impulse-conservative` calls, [Mirtich95, sec.
// 4].
#pragma once

#include "collision/contact/contact.hpp"
#include "constraint/row.hpp"
#include "impact/impact_law.hpp"
#include "solver/solver.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <array>
#include <span>
#include <vector>

namespace achilles {

/// When a collision is a microcollision and what keeps those from dying out.
struct MicrocollisionRule {
  bool reverse = true;     // false: the rule of section 4.5 is off, and bodies creep
  double speed = 0;        // [m/s] slower approaches are microcollisions; reversed where slip is as slow, too
  double least_speed = 0;  // [m/s] with which a contact leaves that lies deeper than kick_gap
  double kick_gap = 0;     // [m]
  double touching = 0;     // [m] points this much farther apart than the nearest belong to the same touch
};

struct PairImpactOptions {
  ImpactLaw law = MirtichLaw{};  // `mirtich`, `newton` or `poisson`
  MicrocollisionRule micro;
};

/// A point of two bodies with the law of the two shapes that touch there.
struct PairPoint {
  ContactPoint contact;  // normal from a to b
  double friction = 0;
  double restitution = 0;
};

struct PairImpactWorkspace {
  std::vector<Row> rows;
  std::vector<PairPoint> touching;      // three rows each, or one without friction
  std::vector<double> fold, before;     // per row: target of the surfaces' own motion, velocity before
  std::vector<double> impulses, after;  // per row, of the outcome
  std::vector<double> plastic, plastic_after;
  std::array<BodyVelocity, 2> velocity;
  SolverWorkspace solver;
};

struct PairImpact {
  std::uint32_t body_a = 0, body_b = 0;
  std::span<const PairPoint> points;  // of all their shapes
};

struct PairImpactReport {
  int collisions = 0;       // resolved, one point at a time
  int microcollisions = 0;  // resolved, all points at once
  double energy_added = 0;  // [J] by the least speed, at most
};

/// Resolves the approach of two bodies.
///
/// Fast approaches are collisions of one point after the other, by the law (where it would
/// gain energy it is held to what there was). What approaches more slowly is a microcollision: all touching
/// points together keep their normal speed, reversed, and where Coulomb's law allows it their whole velocity is
/// reversed, so that friction does no work and nothing creeps [Mirtich95, sec. 4.5]. The paper reverses one point; a
/// block that lies on four would begin to turn, and so would a table on four legs, each a shape of its own: all points
/// of the two bodies count. What is reversed is what gravity gave since the last microcollision: slip of at most
/// max(1, µ) times the microcollision speed. A point that slides faster has slid before, and friction never turns that
/// round. Where reversal is out of the cone, points slide or stick by Coulomb's
/// law and still leave as fast as they came: a smaller restitution would make infinitely many bounces in finite time.
///
/// `inverse_mass` must hold for the present orientations. Impulses are appended to `records`.
PairImpactReport resolve_pair_impact(World& world, const PairImpact& impact, const PairImpactOptions& options,
                                     std::span<const BodyInverseMass> inverse_mass, PairImpactWorkspace& scratch,
                                     std::vector<ContactRecord>& records);

}  // namespace achilles
