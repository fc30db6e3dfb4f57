// How the triangles of a mesh hang together, by position: files that repeat a vertex per triangle are as connected as
// others.
#pragma once

#include <achilles/shape.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace achilles {

/// Throws std::invalid_argument when there is no triangle, an index is out of range or a vertex is not finite.
void check_mesh(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles);

/// For each vertex, the first vertex at exactly the same place.
[[nodiscard]] std::vector<int> weld_equal_vertices(std::span<const Vec3> vertices);

/// Whether the triangles bound a volume, and where not.
struct Closedness {
  std::size_t open_edges = 0;  // edges used more often in one direction than in the other
  std::array<int, 2> first{};  // the vertices of one of them
  [[nodiscard]] bool is_closed() const { return open_edges == 0; }
  [[nodiscard]] std::string complaint() const;  // a sentence that names the first open edge
};

/// A surface is closed when every edge is used as often in one direction as in the other: then it has no rim, volume
/// and winding number are well defined, and touching or crossing parts do no harm.
[[nodiscard]] Closedness compute_closedness(std::span<const Vec3> vertices,
                                            std::span<const std::array<int, 3>> triangles);

/// Six times the volume enclosed, from signed tetrahedra; negative when the triangles are wound clockwise.
[[nodiscard]] double compute_six_volumes(std::span<const Vec3> vertices, std::span<const std::array<int, 3>> triangles);

}  // namespace achilles
