// One step of any method.
#pragma once

#include "time_control/conservative/conservative_step.hpp"
#include "time_control/fixed_step/anitescu.hpp"
#include "time_control/fixed_step/first_order.hpp"
#include "time_control/fixed_step/lcp_fixpoint.hpp"
#include "time_control/fixed_step/lcp_retroactive.hpp"
#include "time_control/fixed_step/penalty.hpp"
#include "time_control/fixed_step/position_optimal.hpp"
#include "time_control/hybrid/hybrid_step.hpp"
#include "time_control/impulse/impulse_step.hpp"
#include "time_control/lcp_fixed.hpp"
#include "time_control/reflections.hpp"
#include "time_control/shock/shock_propagation.hpp"
#include "time_control/soft_step/soft_step.hpp"
#include "time_control/step_workspace.hpp"

#include <achilles/scene.hpp>

#include <optional>
#include <variant>

namespace achilles {

/// The methods of this build, as their options. A new method is a new member here and a row in method_infos().
using Method = std::variant<LcpFixedOptions, LcpRetroactiveOptions, LcpFixpointOptions, ImpulseOptions, AnitescuOptions,
                            ShockPropagationOptions, ReflectionsOptions, PenaltyOptions, PositionOptimalOptions,
                            FirstOrderOptions, SoftStepOptions, ConservativeOptions, HybridOptions>;

/// The options a scene asks for, checked against the method's table. Throws std::invalid_argument naming what is wrong.
[[nodiscard]] Method make_method(const MethodDescription& description);

/// How the method lets bodies sleep in a step of h; nothing when it does not know of sleeping.
[[nodiscard]] std::optional<Sleeping> find_sleeping(const Method& method, double h);

/// Advances the world by h with the method: wakes what is disturbed, then makes the step. Hard numerics is a status in
/// the report, not an exception.
[[nodiscard]] StepReport advance(World& world, const Method& method, StepWorkspace& scratch, double h);

/// The step alone, where all that is disturbed has been woken.
[[nodiscard]] StepReport advance_woken(World& world, const Method& method, StepWorkspace& scratch, double h);

/// Why this method cannot run this scene, one sentence per reason; empty when it can.
[[nodiscard]] std::vector<std::string> find_obstacles(const Method& method, const Scene& scene);

}  // namespace achilles
