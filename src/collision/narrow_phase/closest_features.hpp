// Distance of convex polyhedra by tracking their closest features, [Mirtich95, sec. 3.1], after [Lin91] and
// [Mirtich98].
#pragma once

#include "geometry/geometry.hpp"

#include <cstdint>
#include <vector>

namespace achilles {

/// A polyhedron with what a walk over its surface needs: which edges meet at a vertex and which bound a face.
struct FeatureGraph {
  explicit FeatureGraph(HullGeometry polyhedron);

  HullGeometry hull;
  double size = 0;                          // [m] radius of a ball about the origin that holds it
  std::vector<std::uint32_t> vertex_start;  // edges at vertex v: vertex_edges[vertex_start[v] ..)
  std::vector<std::uint32_t> vertex_edges;
  std::vector<std::uint32_t> face_edges;  // side i of face f: face_edges[hull.face_start[f] + i]
};

struct Feature {
  enum class Kind : std::uint8_t { kVertex, kEdge, kFace };
  Kind kind = Kind::kVertex;
  std::uint32_t index = 0;
  bool operator==(const Feature&) const = default;
};

/// The pair to start from, the last one found when the bodies moved little; any pair is allowed.
struct FeaturePair {
  Feature a, b;
};

enum class TrackStatus {
  kSeparated,    // distance, points and features are exact to rounding
  kPenetrating,  // the polyhedra overlap or touch: depth is for other methods to find
  kGaveUp,       // came back to a local minimum: the pair must be given to GJK
};

struct TrackResult {
  TrackStatus status = TrackStatus::kSeparated;
  double distance = 0;          // [m]
  Vec3 point_a = Vec3::Zero();  // [m] in A's frame
  Vec3 point_b = Vec3::Zero();
  int steps = 0;  // features changed on the way
};

/// Walks from pair to pair of features until each point lies in the Voronoi region of the other's feature, which for
/// disjoint convex bodies makes them the nearest. Every step shortens the distance, so that no pair comes twice and the
/// walk ends; only where a point is below a face but not in the body does it start anew from the face it is furthest
/// above, a few times at most. Differs from [Lin91]: violated regions are left for the nearest pair on the neighbour
/// and not for the neighbour as a whole, which is what makes the distance fall. `pair` is where the walk starts and
/// ends. Under coherent motion the cost does not depend on the number of features.
[[nodiscard]] TrackResult track_closest_features(const FeatureGraph& a, const FeatureGraph& b, const Transform& X_AB,
                                                 FeaturePair& pair);

}  // namespace achilles
