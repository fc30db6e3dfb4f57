// Approximate convex decomposition of closed meshes.
#pragma once

#include <achilles/shape.hpp>

#include <vector>

namespace achilles {

struct DecomposeOptions {
  int max_parts = 16;
  double error = 0;  // [m] how far the parts may stick out of the mesh
};

struct Decomposition {
  std::vector<Hull> parts;
  double error = 0;  // [m] how far they do stick out, as sampled; above the one requested when max_parts came first
};

/// Cuts the solid that a closed mesh bounds by planes across the axes, the part that sticks out most first, until no
/// part's hull sticks out of the solid by more than the error or there are as many parts as allowed. Each part is the
/// hull of the solid within one box of a partition of space, so that parts do not overlap and together hold the whole
/// solid (but for slivers too thin to have a hull). Cuts are tried at the corners of concave edges and at even
/// spacings; the one that leaves the least volume in the two hulls is taken. Throws std::invalid_argument for a mesh
/// that is not closed, and for options that are not positive.
[[nodiscard]] Decomposition decompose(const Mesh& mesh, const DecomposeOptions& options);

/// The parts as one shape.
[[nodiscard]] Compound to_compound(Decomposition decomposition);

}  // namespace achilles
