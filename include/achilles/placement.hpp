// Placing and aligning bodies by dragging them without inertia, [Erleben04, sec. 4.16].
#pragma once

#include <achilles/scene.hpp>

#include <string>
#include <vector>

namespace achilles {

/// A point of a body that shall go somewhere. Two points align, three orient.
struct Pull {
  std::string body;
  Vec3 point_B = Vec3::Zero();  // [m] in the body's frame
  Vec3 target = Vec3::Zero();   // [m] in the world
};

struct PlacementOptions {
  double tolerance = 1e-4;  // [m] points this near their targets have arrived
  int max_steps = 5000;
  int threads = 1;
};

struct Placement {
  Scene scene;           // the same with the poses that were reached; at rest
  bool arrived = false;  // else contacts, joints or the other points held the bodies back
  double distance = 0;   // [m] of the point that is farthest from its target
  int steps = 0;
  std::vector<std::string> moved;      // bodies whose pose changed
  std::vector<std::string> obstacles;  // what cannot be moved and, at the end, pushes back at what did not arrive
};

/// Pulls bodies in Aristotle's world, where force makes velocity: no gravity, no bouncing, no friction. What stands in
/// the way is pushed along, joints hold, nothing sinks in by more than the correction of method `first-order` leaves.
/// Ends when all points arrived, or when they no longer come nearer. Throws SceneError for scenes that method cannot
/// run, std::invalid_argument where a body does not exist or cannot be moved.
[[nodiscard]] Placement place_bodies(const Scene& scene, const std::vector<Pull>& pulls,
                                     const PlacementOptions& options = {});

}  // namespace achilles
