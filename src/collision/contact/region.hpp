// Contact regions of two convex shapes: clipping of faces, common stretches of edges.
#pragma once

#include "collision/contact/manifold.hpp"
#include "collision/contact/support_face.hpp"
#include "collision/narrow_phase/gjk.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

/// Where the cores come nearest, or the least overlap: normal in A's frame from A to B, points on the cores.
struct NearestFeatures {
  Vec3 normal = Vec3::UnitZ();
  double separation = 0;  // [m] of the cores, negative when they overlap
  Vec3 point_a = Vec3::Zero();
  Vec3 point_b = Vec3::Zero();
  bool has_points = true;  // else they are found when they turn out to be needed
};

/// Replaces the manifold by the part of the incident face that lies over the reference face, as far as its gap is at
/// most `margin`. The normal is the reference's. Returns the smallest gap, +∞ for an empty manifold.
double make_face_manifold(const CorePair& pair, const SupportFace& reference, const SupportFace& incident,
                          bool reference_is_a, double margin, Manifold& manifold);

/// Replaces the manifold by the contact region about a nearest pair: a face region when a face is square to the normal
/// (within kFaceAngle), two points when the touching edges are parallel, else the nearest pair itself.
void make_nearest_manifold(const CorePair& pair, const NearestFeatures& nearest, double margin, Manifold& manifold);

/// A normal nearer than this to a face's counts as the face's. It keeps boxes that are tilted by no more than
/// simulation errors from being taken for edge against edge [Erleben04, fig. 6.42], and bounds the jump of the normal
/// where the two cases meet.
inline constexpr double kTouching = 1e-10;  // of the size: nearer than that the direction between cores is rounding
inline constexpr double kAttained = 1e-6;   // of the size: how far a region may miss the separation of its axis
inline constexpr double kFaceAngle = 0.01;  // [rad]
inline constexpr double kFaceCosine = 1 - 0.5 * kFaceAngle * kFaceAngle;  // to within its fourth power

inline constexpr double kEdgeSlack = 1e-6;  // of the size: corners this far outside the reference face stay corners
inline constexpr double kEdgeRamp = 1e4;    // a side that rises by less than this many slacks is cut where these end
inline constexpr double kSamePoint = 1e-7;  // of the size: points nearer than this are one

/// How far above the line that cuts it a side is cut [m], when its ends are at heights that differ by `rise` [m].
[[nodiscard]] inline double compute_cut_level(double rise, double slack) {
  return slack > 0 ? slack * std::max(0.0, 1 - std::abs(rise) / (kEdgeRamp * slack)) : 0;
}

/// Of a corner and a crossing at the same place the corner stays: it keeps its id for longer.
inline void push_distinct(Manifold& manifold, const ManifoldPoint& point, double tolerance) {
  for (ManifoldPoint& other : manifold.points) {
    if ((other.position - point.position).squaredNorm() <= tolerance * tolerance) {
      if (kind_of(point.feature) < kind_of(other.feature)) other = point;
      return;
    }
  }
  manifold.points.push_back(point);
}

}  // namespace achilles
