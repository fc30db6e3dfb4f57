#include "scene/warn/warn.hpp"
#include "scene/wording.hpp"

#include "geometry/mesh_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <variant>

namespace achilles::scene_file {
namespace {

/// Six times the enclosed volume, seen from a vertex so that what lies far out does not round it away.
double sum_tetrahedra(const MeshGeometry& mesh) {
  const Vec3 origin = mesh.vertices.front();
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    sum += (mesh.vertices[a] - origin).dot((mesh.vertices[b] - origin).cross(mesh.vertices[c] - origin));
  }
  return sum;
}

void warn_of_mesh(Build& build, const BodySource& source, const MeshGeometry& mesh) {
  const Node* shape = source.node->find("shape");
  const Place place = shape != nullptr ? shape->place : source.node->place;
  const std::string field = "bodies." + shorten(source.name) + ".shape";
  const auto flat = std::count_if(mesh.normals.begin(), mesh.normals.end(), [](const Vec3& n) { return n.isZero(0); });
  if (flat > 0) {
    build.complaints.warning(
        place, field,
        fmt::format("{} of {} triangles have no area and count as their edges", flat, mesh.triangles.size()));
  }
  if (mesh.is_closed && sum_tetrahedra(mesh) < 0) {
    build.complaints.warning(place, field,
                             "the mesh is inside out: its triangles are wound clockwise, seen from outside; turn the "
                             "order of their corners");
  }
}

}  // namespace

void warn_of_meshes(Build& build) {
  for (const BodySource& source : build.sources) {
    for (const GeometryPiece& piece : source.pieces) {
      const auto* mesh = std::get_if<std::shared_ptr<const MeshGeometry>>(&piece.geometry->kind);
      if (mesh != nullptr) warn_of_mesh(build, source, **mesh);
    }
  }
}

}  // namespace achilles::scene_file
