// Contact regions of two rounded polytopes: clipping of faces, crossings of edges.
#pragma once

#include "collision/contact/manifold.hpp"
#include "collision/narrow_phase/polytope.hpp"

namespace achilles {

/// Two polytopes, B placed in A's frame, each grown by its radius.
struct PolytopePair {
  const PolytopeView& a;
  const PolytopeView& b;
  Transform X_AB;
  double radius_a = 0;
  double radius_b = 0;

  [[nodiscard]] double radius() const { return radius_a + radius_b; }
  [[nodiscard]] double size() const { return std::min(a.size, b.size) + radius(); }
};

/// Where the cores come nearest, or the least overlap: normal in A's frame from A to B, points on the cores.
struct NearestFeatures {
  Vec3 normal = Vec3::UnitZ();
  double separation = 0;  // [m] of the cores, negative when they overlap
  Vec3 point_a = Vec3::Zero();
  Vec3 point_b = Vec3::Zero();
};

struct ReferenceFace {
  bool of_a = true;
  std::uint32_t face = 0;
};

/// Replaces the manifold by the part of the other polytope's facing face that lies over the reference face, as far as
/// its gap is at most `margin`. The normal is the reference face's. Returns the smallest gap, +∞ for an empty manifold.
double make_face_manifold(const PolytopePair& pair, const ReferenceFace& reference, double margin, Manifold& manifold);

/// Replaces the manifold by the contact region about a nearest pair: a face region when a face is square to the normal
/// (within kFaceAngle), two points when the touching edges are parallel, else the nearest pair itself.
void make_nearest_manifold(const PolytopePair& pair, const NearestFeatures& nearest, double margin, Manifold& manifold);

/// A normal nearer than this to a face's counts as the face's. It keeps boxes that are tilted by no more than
/// simulation errors from being taken for edge against edge [Erleben04, fig. 6.42], and bounds the jump of the normal
/// where the two cases meet.
inline constexpr double kFaceAngle = 0.01;  // [rad]

}  // namespace achilles
