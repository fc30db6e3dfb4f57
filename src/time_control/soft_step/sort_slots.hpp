// The order of slots that soft-step works in: near bodies together.
#pragma once

#include "math/refill.hpp"
#include "time_control/step_workspace.hpp"

#include <span>
#include <utility>

namespace achilles {

/// Gives the bodies that impulses move their slots anew, by place_of(body) < places; equal ones keep their order.
template <class PlaceOf>
void sort_slots(std::size_t places, const PlaceOf& place_of, SoftWorkspace& soft) {
  const auto bodies = std::span(soft.body_of).last(soft.movers);
  refill(soft.shelf_start, places, std::uint32_t{0});
  soft.place_of.resize(soft.movers);
  soft.sorted.resize(soft.movers);
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    soft.place_of[k] = place_of(bodies[k]);
    ++soft.shelf_start[soft.place_of[k]];
  }
  std::uint32_t next = 0;
  for (std::uint32_t& start : soft.shelf_start) next += std::exchange(start, next);
  for (std::size_t k = 0; k < bodies.size(); ++k) soft.sorted[soft.shelf_start[soft.place_of[k]]++] = bodies[k];
  for (std::size_t k = 0; k < bodies.size(); ++k) {
    bodies[k] = soft.sorted[k];
    soft.slot_of[bodies[k]] = static_cast<std::int32_t>(k + 1);
  }
}

}  // namespace achilles
