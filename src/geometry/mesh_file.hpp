// Reading triangles, points and heights from files. Every reader takes arbitrary bytes: it returns something usable or
// throws, and the error names the file and, where there is one, the line.
#pragma once

#include <achilles/shape.hpp>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace achilles {

/// A geometry file that cannot be used. what() is "file:line: message", the line left out where there is none.
class MeshFileError : public std::invalid_argument {
 public:
  MeshFileError(const std::string& file, int line, const std::string& message);
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] int line() const { return line_; }  // from 1; 0 when there is none to name
  [[nodiscard]] const std::string& message() const { return message_; }

 private:
  std::string file_;
  int line_;
  std::string message_;
};

enum class MeshFormat : std::uint8_t { kObj, kStl, kOff, kCollada, kPly, kGltf };

/// Triangles of a Wavefront .obj, .stl or .ply (text or binary), .off, COLLADA .dae or glTF file (.glb, or .gltf with
/// its data inside), all lengths times `scale`. Polygons are cut into triangles. Vertices that an .stl repeats are made
/// one. Numbers are read as doubles, correctly rounded.
[[nodiscard]] Mesh load_mesh_file(const std::filesystem::path& path, double scale = 1);

/// The same from bytes already in memory; `file` is the name that errors and the mesh carry.
[[nodiscard]] Mesh read_mesh(std::string_view bytes, MeshFormat format, const std::string& file, double scale = 1);
/// The same, the format by the ending of `path`.
[[nodiscard]] Mesh read_mesh_file(std::string_view bytes, const std::filesystem::path& path, double scale = 1);

/// Points for a hull: the vertices of a mesh file, whether or not it has faces, or of a text file with x y z on each
/// line
/// (.txt, .csv, .xyz; separated by blanks, commas or semicolons; # starts a comment; a first line of names is skipped).
[[nodiscard]] std::vector<Vec3> load_points_file(const std::filesystem::path& path, double scale = 1);
[[nodiscard]] std::vector<Vec3> read_points(std::string_view text, const std::string& file, double scale = 1);
/// Points from the bytes of a mesh or text file, the format by the ending of `path`.
[[nodiscard]] std::vector<Vec3> read_points_file(std::string_view bytes, const std::filesystem::path& path,
                                                 double scale = 1);

/// Heights of a height field from a text file: one row of the grid per line, all of the same length.
[[nodiscard]] Heightfield load_heights_file(const std::filesystem::path& path, const Vec2& cell);
[[nodiscard]] Heightfield read_heights(std::string_view text, const std::string& file, const Vec2& cell);

}  // namespace achilles
