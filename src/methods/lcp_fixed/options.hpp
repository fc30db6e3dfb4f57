// Options of `lcp-fixed` that the methods built on it have as well.
#pragma once

#include "methods/lcp_fixed/lcp_fixed.hpp"
#include "methods/shared_options.hpp"

namespace achilles {

/// `member` leads to the LcpFixedOptions.
template <class Options, class Member>
void append_lcp_fixed_options(Member member, OptionList<Options>& list) {
  const auto at = [member](auto field) {
    return [ member, field ](Options & o) -> auto& { return std::invoke(field, std::invoke(member, o)); };
  };
  using Fixed = LcpFixedOptions;
  list.boolean("eliminate_joints", at(&Fixed::eliminate_joints), kEliminateJointsMeaning)
      .boolean("warm_start", at(&Fixed::warm_start), kWarmStartMeaning)
      .word("integrator", at(&Fixed::integrator),
            {{"conserving", Integrator::kConserving}, {"semi-implicit", Integrator::kSemiImplicit}}, kIntegratorMeaning)
      .number("restitution_threshold", at(&Fixed::restitution_threshold), kThresholdMeaning)
      .number("slop", at(&Fixed::slop), kSlopMeaning)
      .number("correction", at(&Fixed::correction), "share of the penetration beyond the slop that a step takes out",
              kShareRange)
      .integer("correction_iterations", at(&Fixed::correction_iterations), "sweeps of the position correction",
               kCountRange)
      .number("reuse_distance", at(&Fixed::reuse_distance), kReuseMeaning);
}

}  // namespace achilles
