// `shock-propagation`: few sweeps for the dynamics, with loads propagated through stacks, and a position correction by
// layers, [Erleben04, sec. 6.4, figs. 6.47-6.60].
#pragma once

#include "motion/integrate.hpp"
#include "stepping/contact_stage.hpp"
#include "stepping/sleep_stage.hpp"
#include "stepping/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

struct ShockWorkspace;  // shock_workspace.hpp

enum class Propagation : std::uint8_t {
  kLoads,  // loads are propagated from the top down, then all contacts are swept: this file
  kThesis  // layers are solved from the ground up with the bodies below held: thesis.hpp
};

struct ShockPropagationOptions {
  Propagation propagation = Propagation::kLoads;
  bool second_correction = true;  // kThesis: fig. 6.60; false: fig. 6.56
  double gravity_fraction = 0;    // f: part of the imbalance that is left to the sweeps; kThesis: of the step
  int iterations = 10;            // sweeps of the dynamics at most; islands that bounce take more
  int correction_iterations = 5;  // sweeps of the correction at most, in each layer and at the end
  double tolerance = 1e-9;        // [m/s] sweeps that change less than this end
  bool gravity_layers = true;     // heights follow gravity; else they count contacts to the ground, as in the thesis
  bool propagate = true;          // false: sweeps and correction over all contacts at once
  bool warm_start = true;
  Integrator integrator = Integrator::kConserving;
  double speculative_distance = 0.01;   // [m] contacts are looked for up to this gap, plus what the speeds can close
  double restitution_threshold = 0.05;  // [m/s] slower approaches do not bounce
  double slop = 1e-4;                   // [m] gaps and penetrations up to this count as touch
  double correction = 1;                // share of the penetration beyond the slop that a step takes out
  double reuse_distance = kUnchanged;   // [m] see contact_stage.hpp
  CollideOptions collide;               // all points and old box contacts are for comparison
  SleepOptions sleeping;
};

/// One step of length h:
///
///   start        u ← u* = u + h M⁻¹ f_ext, and the impulses of the last step if they lower the objective
///   propagation  of what is then out of balance the part 1 − f is propagated from the top down, all of it where most
///                contacts are new, by the share that lowers the objective most: loads.hpp. None where contacts are at
///                rest
///   dynamics     sweeps over all contacts, upwards and downwards by turns; then all impulses by the share at which the
///                objective is least, so that they do no positive work: least_energy.hpp; s ← s + h u
///   correction   of what penetrates beyond the slop: sweeps of displacements over all contacts; where these leave
///                something deeper than a body falls in a step, again, from displacements layer by layer. The work
///                against gravity and other forces is at most what the contacts took out of the island in the step, and
///                Σ f d of the depths d where the loads f are known or most contacts are new
///   joints       closed by Newton's method; the run stops where one stays off by a hundredth of its arm
///   rebound      Newton's law at contacts that met faster than the threshold, by the share of its impulses that leaves
///   the
///                island no more energy than it began the step with, with the work of all other forces
///
/// Differs from fig. 6.60 (thesis.hpp), where layers are solved with the bodies below held and the errors that they
/// leave are final. The error of a layer is a motion of the ground for the next, and the lever of bricks that span two
/// others lets it grow from ring to ring: the rippling of figs. 6.57-6.59. Here the layers only give the start of
/// sweeps that take energy out of all contacts together, action equals reaction, and a see-saw tips whatever f. Layers
/// follow gravity; gaps of a layer are re-evaluated from the displacements below it in place of the second collision
/// detection.
[[nodiscard]] StepReport advance_shock_propagation(World& world, const ShockPropagationOptions& options,
                                                   ShockWorkspace& work, double h);

}  // namespace achilles
