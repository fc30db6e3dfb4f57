// Feeds the readers of geometry files anything. The first byte of the input names the format, '0' to '5' a mesh, '6'
// points and '7' heights; the rest is the file. The readers may refuse with MeshFileError, and with nothing else; what
// they accept has finite vertices and triangles between them.
#include "geometry/mesh/topology.hpp"
#include "geometry/mesh_file.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

using namespace achilles;

constexpr char kName[] = "nowhere/any file";

[[noreturn]] void complain(const char* what) {
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

void read_as_mesh(std::string_view bytes, MeshFormat format) {
  const Mesh mesh = read_mesh(bytes, format, kName, 0.5);
  if (mesh.file != kName) complain("a mesh does not carry the name of its file");
  try {
    check_mesh(mesh.vertices, mesh.triangles);
  } catch (const std::invalid_argument& error) {
    complain(error.what());
  }
}

void read_as_points(std::string_view text) {
  for (const Vec3& point : read_points(text, kName, 0.5)) {
    if (!point.allFinite()) complain("a point is not finite");
  }
}

void read_as_heights(std::string_view text) {
  const Heightfield field = read_heights(text, kName, Vec2(1, 1));
  if (field.heights.size() != static_cast<std::size_t>(field.rows) * static_cast<std::size_t>(field.columns)) {
    complain("a height field has other than rows times columns heights");
  }
  for (const double height : field.heights) {
    if (!std::isfinite(height)) complain("a height is not finite");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr unsigned kMeshFormats = 6, kKinds = 8;
  const unsigned kind = data[0] % kKinds;  // '0' is a multiple of 8
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  try {
    if (kind < kMeshFormats) {
      read_as_mesh(bytes, static_cast<MeshFormat>(kind));
    } else if (kind == kMeshFormats) {
      read_as_points(bytes);
    } else {
      read_as_heights(bytes);
    }
  } catch (const MeshFileError&) {
    return 0;
  }
  return 0;
}
