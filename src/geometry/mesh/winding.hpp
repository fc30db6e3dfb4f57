// Generalized winding number: how often a surface wraps around a point.
#pragma once

#include "geometry/mesh_geometry.hpp"

#include <vector>

namespace achilles {

/// What the triangles below each node of the mesh's tree look like from afar: one dipole.
struct WindingTree {
  struct Dipole {
    Vec3 center = Vec3::Zero();       // [m] mean of the triangles' centres, weighted by area
    Vec3 vector_area = Vec3::Zero();  // [m²]
    double radius = 0;                // [m] of a ball about the centre that holds the triangles
  };
  std::vector<Dipole> dipoles;  // one for each node of MeshGeometry::tree
};

[[nodiscard]] WindingTree make_winding_tree(const MeshGeometry& mesh);

/// Sum of solid angles over 4π, [Jacobson13]: 1 inside a closed surface, 0 outside, k where k such surfaces overlap,
/// and a fraction near the holes of an open one. Groups of triangles farther away than three times their radius count
/// as dipoles, [Barill18]: the error stays below a few hundredths, far from what would turn an inside into an outside.
[[nodiscard]] double compute_winding_number(const MeshGeometry& mesh, const WindingTree& tree, const Vec3& x);

/// The same sum over every triangle. O(n); exact up to rounding.
[[nodiscard]] double compute_exact_winding_number(const MeshGeometry& mesh, const Vec3& x);

}  // namespace achilles
