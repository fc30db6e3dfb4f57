// Normals and points of touching shapes as exact as their distance.
#pragma once

#include "collision/narrow_phase/penetration.hpp"

namespace achilles {

/// Betters the normal of shapes that nearly touch or overlap until the separation along it is the distance, and sets
/// the points that realize it. GJK knows the distance of such shapes to rounding, but the direction only to what its
/// square root allows. Never makes the separation along the normal smaller.
void polish(const CorePair& pair, CoreDistance& result);

}  // namespace achilles
