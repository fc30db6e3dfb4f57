// `shock-propagation`: few sweeps for the dynamics, and what they leave wrong is mended layer by layer from the ground
// up, [Erleben04, sec. 6.4, figs. 6.47-6.60].
#pragma once

#include "motion/integrate.hpp"
#include "time_control/contact_stage.hpp"
#include "time_control/sleep_stage.hpp"
#include "time_control/step_workspace.hpp"

#include <achilles/report.hpp>
#include <achilles/world.hpp>

namespace achilles {

struct ShockPropagationOptions {
  double weight_feeling = 0;      // f: share of what is out of balance that contacts must feel by themselves
  int iterations = 10;            // sweeps of the dynamics at most; small groups that bounce take more
  int correction_iterations = 5;  // sweeps of the correction at most, in each layer and at the end
  double tolerance = 1e-9;        // [m/s] sweeps that change less than this end
  bool gravity_layers = true;     // heights follow gravity; else they count contacts to the ground, as in the thesis
  bool propagate = true;          // false: sweeps and correction over all contacts at once
  bool warm_start = true;
  Integrator integrator = Integrator::kConserving;
  double margin = 0.01;                 // [m] contacts are looked for up to this gap, plus what the speeds can close
  double restitution_threshold = 0.05;  // [m/s] slower approaches do not bounce
  double slop = 1e-4;                   // [m] gaps and penetrations up to this count as touch
  double correction = 1;                // share of the penetration beyond the slop that a step takes out
  double recycling = kUnchanged;        // [m] see contact_stage.hpp
  SleepOptions sleeping;
};

/// One step of length h:
///
///   propagation  u ← u + h M⁻¹ f_ext and what adds no energy of the impulses of the last step; of what is then out of
///                balance 1 − f is handed down a stack that stands, all of it where most contacts are new: loads.hpp
///   dynamics     sweeps over all contacts, upwards and downwards by turns; s ← s + h u
///   correction   of what penetrates deeper than a body falls in a step: displacements that move it out of what lies
///                below it, where that was moved to, layer by layer, no higher than its loads sank
///   final        sweeps of correction over all contacts, nothing held, for what is left
///   rebound      Newton's law at contacts that met faster than the threshold
///
/// Differs from fig. 6.60, where layers are solved with the bodies below held and what they leave wrong is final. An
/// error of a layer is a motion of the ground for the next, and the lever of bricks that span two others makes it grow
/// by half with every ring of a tower: 40 rings end in an explosion, which is the rippling of figs. 6.57-6.59. Here the
/// layers tell what the contacts must carry, action equals reaction, and the last word is with sweeps that dissipate
/// energy, so that a see-saw tips whatever f. Layers follow gravity; gaps of a layer are re-evaluated from the
/// displacements below it in place of the second collision detection, and its bodies are moved without turning, for the
/// sake of the same lever.
[[nodiscard]] StepReport advance_shock_propagation(World& world, const ShockPropagationOptions& options,
                                                   StepWorkspace& scratch, double h);

}  // namespace achilles
