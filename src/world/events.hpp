// Events of the contact graph, found at the end of a step from the poses alone: methods that step back within a step
// cannot generate events that did not happen, [Erleben04, sec. 5.3, second solution].
#pragma once

#include "collision/detect.hpp"
#include "geometry/geometry.hpp"

#include <achilles/world.hpp>

#include <vector>

namespace achilles {

/// Scratch of find_events, and the triggers ready for collision.
struct EventWorkspace {
  DetectWorkspace detection;
  std::vector<Collider> colliders;
  std::vector<IgnoredPair> ignored;
  std::vector<std::uint32_t> surfaces;  // bodies
  ContactSet contacts;
  std::vector<Nearness> near;
  std::vector<Presence> inside;
  std::vector<std::vector<GeometryPiece>> triggers;  // per trigger

  // What the last search saw: pairs of bodies that have not moved since are as near as they were.
  std::vector<Collider> last_colliders;
  std::vector<BodyHandle> last_bodies;  // per collider: memory of geometry that is gone may be in use again
  std::vector<IgnoredPair> last_ignored;
  double last_touching = 0, last_proximity = 0;  // [m]
  std::int64_t last_step = -1;
  std::vector<std::uint8_t> moved;  // per body, since then
};

/// Compares the present instant with the World's EventState, replaces that, and fills `events`: timers first, then
/// triggers, then pairs of bodies, each in the order of their indices. A pair that touches is not near: coming to touch
/// is a vanished proximity and a new touch. The narrow phase sees pairs of which one has moved since the last search.
void find_events(World& world, const EventOptions& options, int threads, EventWorkspace& scratch,
                 std::vector<ContactEvent>& events);

}  // namespace achilles
