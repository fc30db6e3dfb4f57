// One function per mesh format. Each throws MeshFileError for bytes it cannot accept; none judges the mesh as a whole.
#pragma once

#include "geometry/mesh_file.hpp"

namespace achilles {

[[nodiscard]] Mesh read_obj(std::string_view text, const std::string& file);
[[nodiscard]] Mesh read_off(std::string_view text, const std::string& file);
[[nodiscard]] Mesh read_collada(std::string_view text, const std::string& file);
[[nodiscard]] Mesh read_stl(std::string_view bytes, const std::string& file);
[[nodiscard]] Mesh read_ply(std::string_view bytes, const std::string& file);
[[nodiscard]] Mesh read_gltf(std::string_view bytes, const std::string& file);

/// Makes one vertex of those at exactly the same place.
void join_equal_vertices(Mesh& mesh);

}  // namespace achilles
