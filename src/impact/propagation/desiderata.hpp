// What one application of an impact operator must satisfy, [Vouga17, sec. 2 and 7], checked after the fact.
//
//   (NORM) R(x) = x + M⁻¹ N λ        (KIN) ‖R(x)‖_M = ‖x‖_M        (ONE) λ ≥ 0
//   (VIO)  λ_i = 0 where n_iᵀ x ≥ −ε ‖x‖_M                         (MOD) R(x) = x only where x is feasible
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "impact/part.hpp"

namespace achilles {

struct OperatorApplication {
  std::span<const double> before, after;  // x and R(x)
  std::span<const int> struck;            // contacts
  std::span<const double> impulses;       // λ of those
  double threshold = 0;                   // ε ‖x‖_M
  bool elastic = true;                    // whether (KIN) requires equality or forbids a gain only
};

/// The name of the first desideratum that does not hold, "" when all do. The error allowed in (NORM) and (KIN) is that
/// of rounding, 1e-12 of ‖x‖_M and Σ λ_i ‖n_i‖.
[[nodiscard]] std::string_view violated_desideratum(const ImpactPart& part, const OperatorApplication& application,
                                                    std::vector<double>& scratch);

}  // namespace achilles
