// Normals and points of touching shapes as exact as their distance.
#pragma once

#include "collision/narrow_phase/penetration.hpp"

namespace achilles {

/// Of the size: points miss by what GJK's direction errs over this distance.
inline constexpr double kClearance = 1e-3;

/// Betters the normal of shapes that nearly touch or overlap until the separation along it is the distance, and sets
/// the points that realize it. GJK finds the distance of such shapes to rounding, but the direction only to what its
/// square root allows. Never makes the separation along the normal smaller.
void polish(const CorePair& pair, CoreDistance& result);

}  // namespace achilles
