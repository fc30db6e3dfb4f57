// The contact points of one pair while they are being found.
#pragma once

#include "collision/contact/collide.hpp"
#include "collision/narrow_phase/small_vector.hpp"

#include <cstdint>
#include <span>

namespace achilles {

struct ManifoldPoint {
  Vec3 position;  // [m] in A's frame, midway between the surfaces
  double gap;     // [m]
  std::uint32_t feature;
};

/// Points with one normal, in A's frame.
struct Manifold {
  Vec3 normal = Vec3::UnitZ();  // unit, from A to B
  SmallVector<ManifoldPoint, 32> points;
};

/// What a contact point is made of. The id of a point is its kind and the numbers of the two features, so that it does
/// not depend on which of the two faces was the reference.
enum class FeatureKind : std::uint32_t { kVertexOfA = 0, kVertexOfB = 1, kEdges = 2, kWitness = 3 };

[[nodiscard]] constexpr std::uint32_t make_feature(FeatureKind kind, std::uint32_t of_a, std::uint32_t of_b) {
  return static_cast<std::uint32_t>(kind) << 30 | (of_a & 0x7fffu) << 15 | (of_b & 0x7fffu);
}

[[nodiscard]] constexpr FeatureKind kind_of(std::uint32_t feature) { return static_cast<FeatureKind>(feature >> 30); }

/// Keeps four points: the deepest, and those that with it span the most area seen along the normal.
void reduce_to_four(Manifold& manifold);

/// Moves the four points to keep to the front, in the order they had; returns how many remain.
[[nodiscard]] std::size_t reduce_to_four(std::span<ContactPoint> points, const Vec3& normal);

/// The same for samples of a curved surface, where those that span the most area may not touch at all: keeps the
/// deepest and those that would touch first if the surface were turned by `slope` [rad] about each of eight axes, one
/// of those beside each other.
[[nodiscard]] std::size_t reduce_to_support(std::span<ContactPoint> points, const Vec3& normal, double slope);

/// The first id from `feature` on that none of `taken` has.
[[nodiscard]] std::uint32_t make_unique(std::uint32_t feature, std::span<const ContactPoint> taken);

/// Appends the manifold to `points` in world axes, reduced unless all points are wanted. Ids that coincide are made
/// distinct apart.
void append_manifold(Manifold& manifold, const Transform& X_WA, const CollideOptions& options,
                     std::vector<ContactPoint>& points);

}  // namespace achilles
