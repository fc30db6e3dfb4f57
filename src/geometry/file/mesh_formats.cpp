#include "geometry/file/mesh_formats.hpp"

#include "geometry/file/polygon.hpp"
#include "geometry/file/text_lines.hpp"
#include "geometry/mesh/topology.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include <fmt/format.h>

namespace achilles {
namespace {

using Words = std::span<const std::string_view>;

// A word as it may be shown in an error: short and printable whatever the bytes.
std::string quoted(std::string_view word) {
  std::string text(word.substr(0, 24));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c > 0x7e; }, '?');
  return fmt::format("\"{}{}\"", text, word.size() > 24 ? "..." : "");
}

double read_coordinate(std::string_view word, const std::string& file, int line) {
  if (const auto value = to_number<double>(word)) return *value;
  throw MeshFileError(file, line, fmt::format("{} is not a finite number", quoted(word)));
}

Vec3 read_vertex(Words words, const std::string& file, int line) {
  if (words.size() < 3) {
    throw MeshFileError(file, line, fmt::format("a vertex needs three coordinates, but there are {}", words.size()));
  }
  return {read_coordinate(words[0], file, line), read_coordinate(words[1], file, line),
          read_coordinate(words[2], file, line)};
}

// Words of the format that do not concern the surface's triangles: texture, normals, names, materials, lines, points
// and free-form curves.
bool is_other_obj_keyword(std::string_view word) {
  static constexpr std::array kKeywords = {
      "vt",        "vn",     "vp",   "g",    "o",    "s",     "mg",       "usemtl",   "mtllib",
      "usemap",    "maplib", "l",    "p",    "lod",  "bevel", "c_interp", "d_interp", "shadow_obj",
      "trace_obj", "cstype", "deg",  "bmat", "step", "curv",  "curv2",    "surf",     "parm",
      "trim",      "hole",   "scrv", "sp",   "end",  "con",   "ctech",    "stech"};
  return std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
}

// "7", "7/1", "7//3" and "7/1/3" all name vertex 7, -1 the last one so far.
int read_obj_corner(std::string_view word, std::size_t vertices_so_far, const std::string& file, int line) {
  const auto index = to_number<int>(word.substr(0, word.find('/')));
  if (!index || *index == 0) throw MeshFileError(file, line, fmt::format("{} does not name a vertex", quoted(word)));
  if (*index > 0) return *index - 1;
  const auto corner = static_cast<long long>(vertices_so_far) + *index;
  if (corner < 0) throw MeshFileError(file, line, fmt::format("vertex {} lies before the first", *index));
  return static_cast<int>(corner);
}

struct Face {
  std::vector<int> corners;
  int line = 0;
};

void append_faces(Mesh& mesh, std::span<const Face> faces) {
  const auto count = static_cast<int>(mesh.vertices.size());
  for (const Face& face : faces) {
    for (const int corner : face.corners) {
      if (corner >= 0 && corner < count) continue;
      throw MeshFileError(
          mesh.file, face.line,
          fmt::format("the face names vertex {} (counted from 0), but there are {} vertices", corner, count));
    }
    append_triangulation(mesh.vertices, face.corners, mesh.triangles);
  }
}

// A long file cannot have more vertices than an int can count.
void check_count(std::size_t count, const std::string& file, int line) {
  if (count > 1000000000) throw MeshFileError(file, line, "the file has more than a thousand million vertices");
}

template <typename Value>
Value read_little_endian(std::string_view bytes, std::size_t offset) {
  std::array<unsigned char, sizeof(Value)> raw{};
  std::memcpy(raw.data(), bytes.data() + offset, raw.size());
  if constexpr (std::endian::native == std::endian::big) std::reverse(raw.begin(), raw.end());
  Value value{};
  std::memcpy(&value, raw.data(), raw.size());
  return value;
}

constexpr std::size_t kStlHeader = 84, kStlTriangle = 50;

Mesh read_binary_stl(std::string_view bytes, const std::string& file) {
  Mesh mesh;
  mesh.file = file;
  const std::size_t count = (bytes.size() - kStlHeader) / kStlTriangle;
  for (std::size_t t = 0; t < count; ++t) {
    // Twelve bytes of normal come first; it repeats what the winding gives.
    const std::size_t corners = kStlHeader + t * kStlTriangle + 12;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto coordinate = [&](std::size_t i) {
        return static_cast<double>(read_little_endian<float>(bytes, corners + 12 * k + 4 * i));
      };
      mesh.vertices.emplace_back(coordinate(0), coordinate(1), coordinate(2));
      if (!mesh.vertices.back().allFinite()) {
        throw MeshFileError(file, 0, fmt::format("corner {} of triangle {} is not finite", k, t));
      }
    }
    check_count(mesh.vertices.size(), file, 0);
    const int last = static_cast<int>(mesh.vertices.size()) - 1;
    mesh.triangles.push_back({last - 2, last - 1, last});
  }
  return mesh;
}

Mesh read_text_stl(std::string_view text, const std::string& file) {
  Mesh mesh;
  mesh.file = file;
  bool is_in_loop = false, is_ended = false;
  std::size_t loop_start = 0;
  LineReader reader(text);
  while (reader.next()) {
    const auto& words = reader.words();
    is_ended = words[0] == "endsolid";
    if (words[0] == "outer") {
      if (is_in_loop) throw MeshFileError(file, reader.line(), "a loop starts before the last one has ended");
      is_in_loop = true;
      loop_start = mesh.vertices.size();
    } else if (words[0] == "vertex") {
      if (!is_in_loop) throw MeshFileError(file, reader.line(), "a vertex stands outside a loop");
      mesh.vertices.push_back(read_vertex(Words(words).subspan(1), file, reader.line()));
      check_count(mesh.vertices.size(), file, reader.line());
    } else if (words[0] == "endloop") {
      if (!is_in_loop || mesh.vertices.size() != loop_start + 3) {
        throw MeshFileError(file, reader.line(), "a loop must have three vertices");
      }
      is_in_loop = false;
      const int first = static_cast<int>(loop_start);
      mesh.triangles.push_back({first, first + 1, first + 2});
    } else if (words[0] != "solid" && words[0] != "facet" && words[0] != "endfacet" && !is_ended) {
      throw MeshFileError(file, reader.line(), fmt::format("{} is not a word of an STL file", quoted(words[0])));
    }
  }
  if (is_in_loop || !is_ended) throw MeshFileError(file, reader.line(), "the file ends before its solid does");
  return mesh;
}

}  // namespace

void join_equal_vertices(Mesh& mesh) {
  const std::vector<int> first = weld_equal_vertices(mesh.vertices);
  std::vector<int> number(mesh.vertices.size(), -1);
  std::vector<Vec3> kept;
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const auto representative = static_cast<std::size_t>(first[v]);
    if (number[representative] < 0) {
      number[representative] = static_cast<int>(kept.size());
      kept.push_back(mesh.vertices[representative]);
    }
    number[v] = number[representative];
  }
  for (auto& triangle : mesh.triangles) {
    for (int& corner : triangle) corner = number[static_cast<std::size_t>(corner)];
  }
  mesh.vertices = std::move(kept);
}

Mesh read_obj(std::string_view text, const std::string& file) {
  Mesh mesh;
  mesh.file = file;
  std::vector<Face> faces;
  LineReader reader(text, " \t\v\f", true);
  while (reader.next()) {
    const Words words(reader.words());
    if (words[0] == "v") {
      mesh.vertices.push_back(read_vertex(words.subspan(1), file, reader.line()));
      check_count(mesh.vertices.size(), file, reader.line());
    } else if (words[0] == "f" || words[0] == "fo") {
      Face face{{}, reader.line()};
      for (const std::string_view word : words.subspan(1)) {
        face.corners.push_back(read_obj_corner(word, mesh.vertices.size(), file, reader.line()));
      }
      if (face.corners.size() < 3) throw MeshFileError(file, reader.line(), "a face needs at least three vertices");
      faces.push_back(std::move(face));
    } else if (!is_other_obj_keyword(words[0])) {
      throw MeshFileError(file, reader.line(), fmt::format("{} is not a word of an OBJ file", quoted(words[0])));
    }
  }
  append_faces(mesh, faces);
  return mesh;
}

Mesh read_off(std::string_view text, const std::string& file) {
  Mesh mesh;
  mesh.file = file;
  LineReader reader(text);
  const auto next = [&](std::string_view what) {
    if (!reader.next()) throw MeshFileError(file, reader.line(), fmt::format("the file ends before its {}", what));
    return Words(reader.words());
  };
  Words words = next("first line");
  if (words[0] != "OFF" && words[0] != "COFF") {
    throw MeshFileError(file, reader.line(), fmt::format("an OFF file starts with OFF, not with {}", quoted(words[0])));
  }
  words = words.size() > 1 ? words.subspan(1) : next("counts");
  const auto vertex_count = to_number<int>(words[0]);
  const auto face_count = words.size() > 1 ? to_number<int>(words[1]) : std::nullopt;
  if (!vertex_count || !face_count || *vertex_count < 0 || *face_count < 0) {
    throw MeshFileError(file, reader.line(), "the counts of vertices and faces are missing");
  }
  for (int i = 0; i < *vertex_count; ++i) mesh.vertices.push_back(read_vertex(next("vertices"), file, reader.line()));
  std::vector<Face> faces;
  for (int i = 0; i < *face_count; ++i) {
    words = next("faces");
    const auto corners = to_number<int>(words[0]);
    if (!corners || *corners < 3 || static_cast<std::size_t>(*corners) >= words.size()) {
      throw MeshFileError(file, reader.line(),
                          "a face needs its number of vertices, at least 3, and then as many vertices");
    }
    Face face{{}, reader.line()};
    for (const std::string_view word : words.subspan(1, static_cast<std::size_t>(*corners))) {
      const auto corner = to_number<int>(word);
      if (!corner) throw MeshFileError(file, reader.line(), fmt::format("{} does not name a vertex", quoted(word)));
      face.corners.push_back(*corner);
    }
    faces.push_back(std::move(face));
  }
  append_faces(mesh, faces);
  return mesh;
}

Mesh read_stl(std::string_view bytes, const std::string& file) {
  // Binary files may start with "solid" too; only the size separates them.
  const bool has_header = bytes.size() >= kStlHeader;
  const std::size_t announced = has_header ? read_little_endian<std::uint32_t>(bytes, kStlHeader - 4) : 0;
  Mesh mesh;
  if (has_header && bytes.size() == kStlHeader + announced * kStlTriangle) {
    mesh = read_binary_stl(bytes, file);
  } else if (bytes.substr(0, 5) == "solid") {
    mesh = read_text_stl(bytes, file);
  } else {
    throw MeshFileError(
        file, 0,
        fmt::format("neither a text STL (it does not start with \"solid\") nor a binary one (it announces {} "
                    "triangles, which does not fit its {} bytes)",
                    announced, bytes.size()));
  }
  join_equal_vertices(mesh);
  return mesh;
}

}  // namespace achilles
