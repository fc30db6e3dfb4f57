// Scratch of `resolve_impact`, reused from call to call.
#pragma once

#include <cstdint>
#include <vector>

#include "impact/part.hpp"
#include "impact/propagation/elastic.hpp"
#include "impact/propagation/lineality.hpp"
#include "impact/propagation/restitution.hpp"

namespace achilles {

struct ImpactWorkspace {
  PartSplit split;
  ImpactPart part;
  LinealityWorkspace lineality;
  PropagationWorkspace propagation;  // its `observer`, if set, is shown every application, see `operation` too
  RestitutionWorkspace restitution;
  std::vector<double> x, before, frame, start, impulses, extra, first_extra, limits, targets, residual;
  std::vector<int> bearing;
  std::vector<int> face;             // contacts that a two-body law collides at once
  std::vector<double> face_weights;  // shares of their impulse
  std::vector<std::uint32_t> opposing;
};

}  // namespace achilles
