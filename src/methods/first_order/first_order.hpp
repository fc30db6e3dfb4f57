// `first-order`: Aristotle's world, where forces cause velocities, [Erleben04, sec. 4.16].
#pragma once

#include "stepping/solve_stage.hpp"

#include <achilles/report.hpp>

#include <string_view>

namespace achilles {

inline constexpr std::string_view kFirstOrderName = "first-order";

struct FirstOrderOptions {
  IslandSolveOptions solve{.solver = NewtonOptions{}};
  double speculative_distance = 0.01;  // [m] contacts are looked for up to this gap, plus what the speeds can close
  double correction = 1;               // share of penetrations and joint errors that a step takes out
};

/// One step of length h: m v = F and I ω = τ (eqs. 4.244-4.245, with a time unit of one second), contacts and joints by
/// the complementarity problem of eq. 4.282, penetrations and errors taken out as in eq. 4.283, frictionless. A body
/// has no velocity of its own: those of the scene are not used, and after the step all are zero.
[[nodiscard]] StepReport advance_first_order(World& world, const FirstOrderOptions& options, StepWorkspace& scratch,
                                             double h);

}  // namespace achilles
