// Contacts that a program may change or reject before a step solves them.
#pragma once

#include <achilles/scene.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace achilles {

class World;

/// A point of a contact. The nearest points of the two surfaces along the normal are position ∓ ½ gap · normal.
struct ProposedPoint {
  Vec3 position = Vec3::Zero();  // [m] world, midway between the two surfaces
  Vec3 normal = Vec3::UnitZ();   // unit, from a to b
  double gap = 0;                // [m] positive apart, negative penetrating
};

/// What collision detection found between two bodies, and what their materials state. All may be changed, but for the
/// bodies and the number of points.
struct ProposedContact {
  std::uint32_t body_a = 0, body_b = 0;  // dense indices
  std::vector<ProposedPoint> points;
  double friction = 0;     // Coulomb's µ, where it does not depend on the direction
  double restitution = 0;  // [0, 1]
};

/// False rejects the contact: the bodies pass through each other there in this step. The answer may depend on the world
/// and on the contact alone: a method may call it more than once in a step, and replays call it again.
using ContactCallback = std::function<bool(const World&, ProposedContact&)>;

}  // namespace achilles
