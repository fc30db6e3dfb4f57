// PLY, text and binary of both byte orders: the elements `vertex` (x, y, z) and `face` (a list of corners). Other
// elements and properties are passed over.
#include "geometry/file/mesh_formats.hpp"
#include "geometry/file/polygon.hpp"
#include "geometry/file/text_lines.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

namespace achilles {
namespace {

enum class PlyType : std::uint8_t { kInt8, kUint8, kInt16, kUint16, kInt32, kUint32, kFloat, kDouble };

struct PlyTypeName {
  std::string_view name, other;
  PlyType type;
  std::size_t bytes;
};

constexpr std::array<PlyTypeName, 8> kPlyTypes{{{"char", "int8", PlyType::kInt8, 1},
                                                {"uchar", "uint8", PlyType::kUint8, 1},
                                                {"short", "int16", PlyType::kInt16, 2},
                                                {"ushort", "uint16", PlyType::kUint16, 2},
                                                {"int", "int32", PlyType::kInt32, 4},
                                                {"uint", "uint32", PlyType::kUint32, 4},
                                                {"float", "float32", PlyType::kFloat, 4},
                                                {"double", "float64", PlyType::kDouble, 8}}};

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::kFloat;
  bool is_list = false;
  PlyType count_type = PlyType::kUint8;
};

struct PlyElement {
  std::string name;
  std::size_t count = 0;
  std::vector<PlyProperty> properties;
};

class PlyReader {
 public:
  PlyReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Mesh read() {
    read_header();
    for (const PlyElement& element : elements_) {
      for (std::size_t k = 0; k < element.count; ++k) read_item(element);
    }
    check_corners();
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw MeshFileError(file_, line_, message); }

  std::string_view next_line() {
    if (at_ >= bytes_.size()) fail("the file ends within its header");
    const std::size_t end = std::min(bytes_.find('\n', at_), bytes_.size());
    std::string_view line = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  static std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (std::size_t i = line.find_first_not_of(" \t"); i < line.size(); i = line.find_first_not_of(" \t", i)) {
      const std::size_t end = std::min(line.find_first_of(" \t", i), line.size());
      words.push_back(line.substr(i, end - i));
      i = end;
    }
    return words;
  }

  [[nodiscard]] PlyType type_of(std::string_view word) const {
    for (const PlyTypeName& type : kPlyTypes) {
      if (type.name == word || type.other == word) return type.type;
    }
    fail(fmt::format("'{}' is no type of a property", word.substr(0, 24)));
  }

  void read_header() {
    if (next_line() != "ply") fail("the file does not begin with 'ply'");
    bool has_format = false;
    while (true) {
      const std::vector<std::string_view> words = words_of(next_line());
      if (words.empty() || words[0] == "comment" || words[0] == "obj_info") continue;
      if (words[0] == "end_header") break;
      if (words[0] == "format" && words.size() == 3) {
        is_text_ = words[1] == "ascii";
        is_swapped_ = words[1] == "binary_big_endian";
        if (!is_text_ && !is_swapped_ && words[1] != "binary_little_endian") fail("the format is not known");
        has_format = true;
      } else if (words[0] == "element" && words.size() == 3) {
        const auto count = to_number<long long>(words[2]);
        if (!count || *count < 0) fail("an element needs a count");
        elements_.push_back({std::string(words[1]), static_cast<std::size_t>(*count), {}});
      } else if (words[0] == "property" && !elements_.empty()) {
        add_property(words);
      } else {
        fail(fmt::format("'{}' does not belong into a header", words[0].substr(0, 24)));
      }
    }
    if (!has_format) fail("the header names no format");
    check_sizes();
  }

  void add_property(const std::vector<std::string_view>& words) {
    PlyProperty property;
    if (words.size() == 5 && words[1] == "list") {
      property.is_list = true;
      property.count_type = type_of(words[2]);
      property.type = type_of(words[3]);
      property.name = words[4];
    } else if (words.size() == 3) {
      property.type = type_of(words[1]);
      property.name = words[2];
    } else {
      fail("a property needs a type and a name");
    }
    elements_.back().properties.push_back(property);
  }

  /// Before memory is taken: every item has at least a byte.
  void check_sizes() const {
    for (const PlyElement& element : elements_) {
      if (element.count > bytes_.size()) fail(fmt::format("the file is shorter than {} elements", element.count));
      if (element.properties.empty() && element.count > 0) fail("an element has no property");
    }
  }

  std::string_view next_word() {
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t begin = bytes_.find_first_not_of(kBlank, at_);
    if (begin == std::string_view::npos) fail("the file ends before its elements do");
    line_ += static_cast<int>(std::count(bytes_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, begin)),
                                         bytes_.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    const std::size_t end = std::min(bytes_.find_first_of(kBlank, begin), bytes_.size());
    at_ = end;
    return bytes_.substr(begin, end - begin);
  }

  template <class T>
  double take() {
    if (bytes_.size() - std::min(at_, bytes_.size()) < sizeof(T)) fail("the file ends before its elements do");
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    if (is_swapped_ != (std::endian::native == std::endian::big)) std::reverse(raw.begin(), raw.end());
    return static_cast<double>(std::bit_cast<T>(raw));
  }

  double next_number(PlyType type) {
    if (is_text_) {
      const std::string_view word = next_word();
      const auto value = to_number<double>(word);
      if (!value) fail(fmt::format("'{}' is no finite number", word.substr(0, 24)));
      return *value;
    }
    switch (type) {
      case PlyType::kInt8:
        return take<std::int8_t>();
      case PlyType::kUint8:
        return take<std::uint8_t>();
      case PlyType::kInt16:
        return take<std::int16_t>();
      case PlyType::kUint16:
        return take<std::uint16_t>();
      case PlyType::kInt32:
        return take<std::int32_t>();
      case PlyType::kUint32:
        return take<std::uint32_t>();
      case PlyType::kFloat:
        return take<float>();
      case PlyType::kDouble:
        return take<double>();
    }
    return 0;
  }

  void read_item(const PlyElement& element) {
    const bool is_vertex = element.name == "vertex", is_face = element.name == "face";
    Vec3 vertex = Vec3::Constant(std::numeric_limits<double>::quiet_NaN());
    for (const PlyProperty& property : element.properties) {
      if (property.is_list) {
        read_list(property, is_face && (property.name == "vertex_indices" || property.name == "vertex_index"));
        continue;
      }
      const double value = next_number(property.type);
      if (property.name.size() == 1 && property.name[0] >= 'x' && property.name[0] <= 'z') {
        vertex[property.name[0] - 'x'] = value;
      }
    }
    if (!is_vertex) return;
    if (!vertex.allFinite()) fail(fmt::format("vertex {} has no finite x, y and z", mesh_.vertices.size()));
    mesh_.vertices.push_back(vertex);
  }

  void read_list(const PlyProperty& property, bool is_corners) {
    const double count = next_number(property.count_type);
    if (!(count >= 0) || count != std::floor(count) || count > static_cast<double>(bytes_.size())) {
      fail("a list has an impossible length");
    }
    corners_.clear();
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      const double value = next_number(property.type);
      if (!is_corners) continue;
      if (!(value >= 0) || value != std::floor(value) || value > 2147483646.0) fail("a face names no vertex");
      corners_.push_back(static_cast<int>(value));
    }
    if (is_corners && !corners_.empty()) faces_.push_back(corners_);
  }

  /// Vertices may come after faces.
  void check_corners() {
    for (const std::vector<int>& face : faces_) {
      for (const int corner : face) {
        if (static_cast<std::size_t>(corner) >= mesh_.vertices.size()) {
          throw MeshFileError(file_, 0, fmt::format("a face names vertex {} of {}", corner, mesh_.vertices.size()));
        }
      }
      if (face.size() < 3) throw MeshFileError(file_, 0, "a face has fewer than three corners");
      append_triangulation(mesh_.vertices, face, mesh_.triangles);
    }
  }

  std::string_view bytes_;
  const std::string& file_;
  std::size_t at_ = 0;
  int line_ = 0;
  bool is_text_ = true, is_swapped_ = false;
  std::vector<PlyElement> elements_;
  std::vector<int> corners_;  // scratch
  std::vector<std::vector<int>> faces_;
  Mesh mesh_;
};

}  // namespace

Mesh read_ply(std::string_view bytes, const std::string& file) {
  Mesh mesh = PlyReader(bytes, file).read();
  mesh.file = file;
  return mesh;
}

}  // namespace achilles
