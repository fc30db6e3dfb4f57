// `shock-propagation` with `propagation: thesis`: the scheme of [Erleben04, sec. 6.4.3, figs. 6.56 and 6.60] as
// printed.
#pragma once

#include "graph/layers.hpp"
#include "methods/shock_propagation/shock_propagation.hpp"
#include "stepping/step_workspace.hpp"

#include <cstdint>
#include <vector>

namespace achilles {

/// The contacts of one instant as rows, sorted by stack layer.
struct LayeredRows {
  std::vector<Row> rows;                 // Jacobians and targets for bodies at rest, layer after layer
  std::vector<ContactPointRows> points;  // in the order of the rows, which they count from the first of all
  std::vector<double> impulses;          // per row [N s]: of the whole step
  std::vector<std::uint32_t> first_row, first_point;  // per layer, and one past the last
};

/// Bodies by the layer in which they move: the one below them.
struct LayeredBodies {
  std::vector<std::uint32_t> bodies;      // movable ones, layer after layer
  std::vector<std::uint32_t> first_body;  // per layer, and one past the last
};

/// The complementarity problem of some layers with the bodies below them held.
struct LayerProblem {
  std::vector<BodyInverseMass> inverse_mass;  // per body; zero where it is held
  std::vector<Row> rows;
  std::vector<double> impulses;             // per row
  std::vector<BodyVelocity> displacements;  // per body [m], [rad]
};

struct ThesisWorkspace : StepWorkspace {
  std::vector<SupportEdge> support;
  std::vector<std::uint32_t> contact_order;  // by layers
  StackLayers layers;
  LayeredRows contacts_at_start;
  LayeredRows contacts_at_end;
  LayeredBodies moved;
  LayerProblem problem;
  ContactWorkspace detection_at_end;
  std::vector<Vec3> applied_forces, applied_torques;  // per body [N], [N m]: of the whole step
};

/// One step of length h, with f = gravity_fraction:
///
///   collision detection at time t
///   dynamics(f*h)
///   shock-propagation(dynamics((1-f)*h), error-correction())
///   collision detection at time t + h     fig. 6.60 alone: second_correction
///   error-correction()
///   t = t + h                             the driver's
///
/// dynamics(h) is eq. (6.76): u* = u + h M⁻¹ f_ext; w = J u ≥ −e J u_before, λ ≥ 0, Coulomb friction; s ← s + h u.
/// error-correction() is eq. (6.78): s ← s + M⁻¹ Jᵀ λ with the least λ ≥ 0 that takes the depths out, normals alone.
/// Heights count the contacts to the ground (fig. 6.51). A layer is solved with its lower bodies fixated: of infinite
/// mass, as fast as they are. Depths and Jacobians within a collision detection are never re-evaluated (p. 193).
///
/// Chosen where the thesis is silent: gaps up to the margin, the collision envelope, are contacts; sweeps start cold;
/// friction cones are round; bodies that nothing fixed carries form a layer above all others, and free rotation keeps
/// energy and angular momentum. Forces a layer takes from fixated bodies act on nothing: momentum is not kept, and
/// energy may rise.
[[nodiscard]] StepReport advance_thesis(World& world, const ShockPropagationOptions& options, ThesisWorkspace& scratch,
                                        double h);

}  // namespace achilles
