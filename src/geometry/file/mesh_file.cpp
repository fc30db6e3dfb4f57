#include "geometry/mesh_file.hpp"

#include "geometry/file/mesh_formats.hpp"
#include "geometry/file/text_lines.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include <fmt/format.h>

namespace achilles {
namespace {

std::string describe(const std::string& file, int line, const std::string& message) {
  return line > 0 ? fmt::format("{}:{}: {}", file, line, message) : fmt::format("{}: {}", file, message);
}

std::string read_bytes(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) throw MeshFileError(path.string(), 0, "there is no such file");
  std::ifstream stream(path, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream.good() && !stream.eof()) throw MeshFileError(path.string(), 0, "the file cannot be read");
  return bytes;
}

std::optional<MeshFormat> format_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".obj") return MeshFormat::kObj;
  if (extension == ".stl") return MeshFormat::kStl;
  if (extension == ".off") return MeshFormat::kOff;
  if (extension == ".dae") return MeshFormat::kCollada;
  if (extension == ".ply") return MeshFormat::kPly;
  if (extension == ".glb" || extension == ".gltf") return MeshFormat::kGltf;
  return std::nullopt;
}

Mesh read_format(std::string_view bytes, MeshFormat format, const std::string& file) {
  switch (format) {
    case MeshFormat::kObj:
      return read_obj(bytes, file);
    case MeshFormat::kStl:
      return read_stl(bytes, file);
    case MeshFormat::kOff:
      return read_off(bytes, file);
    case MeshFormat::kCollada:
      return read_collada(bytes, file);
    case MeshFormat::kPly:
      return read_ply(bytes, file);
    case MeshFormat::kGltf:
      return read_gltf(bytes, file);
  }
  throw MeshFileError(file, 0, "unknown mesh format");
}

void apply_scale(std::vector<Vec3>& points, double scale, const std::string& file) {
  if (!std::isfinite(scale) || scale <= 0) {
    throw MeshFileError(file, 0, fmt::format("the scale must be positive, but it is {}", scale));
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] *= scale;
    if (!points[i].allFinite()) throw MeshFileError(file, 0, fmt::format("vertex {} times the scale is not finite", i));
  }
}

// Rows of numbers; a first line that holds no number at all is a line of names.
struct Row {
  std::vector<double> values;
  int line = 0;
};

std::vector<Row> read_rows(std::string_view text, const std::string& file) {
  std::vector<Row> rows;
  LineReader reader(text, " \t\v\f,;");
  for (bool is_first = true; reader.next(); is_first = false) {
    Row row{{}, reader.line()};
    std::string_view odd;
    for (const std::string_view word : reader.words()) {
      if (const auto value = to_number<double>(word)) {
        row.values.push_back(*value);
      } else if (odd.empty()) {
        odd = word;
      }
    }
    if (is_first && row.values.empty()) continue;
    if (!odd.empty())
      throw MeshFileError(file, reader.line(),
                          fmt::format("word {} of the line is not a finite number", row.values.size() + 1));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

MeshFileError::MeshFileError(const std::string& file, int line, const std::string& message)
    : std::invalid_argument(describe(file, line, message)), file_(file), line_(line), message_(message) {}

Mesh read_mesh(std::string_view bytes, MeshFormat format, const std::string& file, double scale) {
  Mesh mesh = read_format(bytes, format, file);
  if (mesh.triangles.empty()) throw MeshFileError(file, 0, "the file holds no triangle");
  apply_scale(mesh.vertices, scale, file);
  return mesh;
}

Mesh read_mesh_file(std::string_view bytes, const std::filesystem::path& path, double scale) {
  const auto format = format_of(path);
  if (!format)
    throw MeshFileError(path.string(), 0, "meshes are read from .obj, .stl, .off, .dae, .ply, .glb and .gltf files");
  return read_mesh(bytes, *format, path.string(), scale);
}

Mesh load_mesh_file(const std::filesystem::path& path, double scale) {
  return read_mesh_file(read_bytes(path), path, scale);
}

std::vector<Vec3> read_points(std::string_view text, const std::string& file, double scale) {
  std::vector<Vec3> points;
  for (const Row& row : read_rows(text, file)) {
    if (row.values.size() != 3) {
      throw MeshFileError(file, row.line,
                          fmt::format("a point has three coordinates, but there are {}", row.values.size()));
    }
    points.emplace_back(row.values[0], row.values[1], row.values[2]);
  }
  if (points.empty()) throw MeshFileError(file, 0, "the file holds no point");
  apply_scale(points, scale, file);
  return points;
}

std::vector<Vec3> read_points_file(std::string_view bytes, const std::filesystem::path& path, double scale) {
  const auto format = format_of(path);
  if (!format) return read_points(bytes, path.string(), scale);
  std::vector<Vec3> points = read_format(bytes, *format, path.string()).vertices;
  if (points.empty()) throw MeshFileError(path.string(), 0, "the file holds no point");
  apply_scale(points, scale, path.string());
  return points;
}

std::vector<Vec3> load_points_file(const std::filesystem::path& path, double scale) {
  return read_points_file(read_bytes(path), path, scale);
}

Heightfield read_heights(std::string_view text, const std::string& file, const Vec2& cell) {
  Heightfield field;
  field.cell = cell;
  field.file = file;
  for (const Row& row : read_rows(text, file)) {
    if (field.rows == 0) field.columns = static_cast<int>(row.values.size());
    if (row.values.size() != static_cast<std::size_t>(field.columns)) {
      throw MeshFileError(
          file, row.line,
          fmt::format("the row has {} heights, but the first has {}", row.values.size(), field.columns));
    }
    field.heights.insert(field.heights.end(), row.values.begin(), row.values.end());
    ++field.rows;
  }
  if (field.rows == 0) throw MeshFileError(file, 0, "the file holds no heights");
  return field;
}

Heightfield load_heights_file(const std::filesystem::path& path, const Vec2& cell) {
  return read_heights(read_bytes(path), path.string(), cell);
}

}  // namespace achilles
