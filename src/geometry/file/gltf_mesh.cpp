// glTF 2.0, as .glb or as .gltf with its data inside: the triangles of the scene that it shows, placed by its nodes.
// Its axes are kept as they are, like those of COLLADA: robot files place a mesh by the axes in the file.
#include "geometry/file/mesh_formats.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <deque>

#include <fmt/format.h>

namespace achilles {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kGlbMagic = 0x46546C67, kGlbJson = 0x4E4F534A, kGlbBinary = 0x004E4942;
constexpr int kByte = 5121, kShort = 5123, kInt = 5125, kFloat32 = 5126;  // component types of glTF
constexpr int kTriangles = 4, kStrip = 5, kFan = 6;                       // modes of primitives
constexpr int kMaxDepth = 64;                                             // of nodes in nodes
constexpr std::size_t kMostVisits = 1'000'000;                            // of nodes: one may be shown many times
constexpr std::size_t kMostTriangles = 50'000'000;                        // nodes may show a mesh many times
constexpr std::size_t kMostVertices = 50'000'000;                         // likewise

class GltfMeshReader {
 public:
  GltfMeshReader(std::string_view bytes, const std::string& file) : file_(file) { open(bytes); }

  Mesh read() {
    if (const Json* required = find(root_, "extensionsRequired"); required != nullptr && !required->empty()) {
      const Json& first = required->is_array() ? required->front() : *required;
      const std::string name = first.is_string() ? first.get<std::string>() : "without a name";
      fail(fmt::format("the extension {} is not supported", name.substr(0, 60)));
    }
    const Json* scenes = find(root_, "scenes");
    if (scenes != nullptr && !scenes->empty()) {
      const std::size_t shown = find(root_, "scene") != nullptr ? index_of(root_["scene"], "scene") : 0;
      for (const Json& node : list(item(*scenes, shown, "scene"), "nodes"))
        add_node(node, Eigen::Affine3d::Identity(), 0);
    } else {
      for (const Json& mesh : list(root_, "meshes")) add_mesh(mesh, Eigen::Affine3d::Identity());
    }
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw MeshFileError(file_, 0, message); }

  static std::uint32_t word_at(std::string_view bytes, std::size_t at) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    return word;
  }

  void open(std::string_view bytes) {
    std::string_view text = bytes;
    if (bytes.size() >= 20 && word_at(bytes, 0) == kGlbMagic) {
      const std::size_t length = word_at(bytes, 12);
      if (word_at(bytes, 16) != kGlbJson || length > bytes.size() - 20) fail("the first chunk is not its JSON");
      text = bytes.substr(20, length);
      const std::size_t next = 20 + length;
      if (bytes.size() >= next + 8 && word_at(bytes, next + 4) == kGlbBinary) {
        const std::size_t size = word_at(bytes, next);
        if (size > bytes.size() - next - 8) fail("the binary chunk is cut off");
        chunk_ = bytes.substr(next + 8, size);
      }
    }
    root_ = Json::parse(text, nullptr, false);
    if (!root_.is_object()) fail("no well-formed JSON");
    for (const Json& buffer : list(root_, "buffers")) buffers_.push_back(read_buffer(buffer));
  }

  static const Json* find(const Json& object, const char* name) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found != object.end() ? &*found : nullptr;
  }

  [[nodiscard]] const Json& list(const Json& object, const char* name) const {
    static const Json kNothing = Json::array();
    const Json* found = find(object, name);
    if (found == nullptr) return kNothing;
    if (!found->is_array()) fail(fmt::format("'{}' is not a list", name));
    return *found;
  }

  [[nodiscard]] std::size_t index_of(const Json& value, const char* what) const {
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0) fail(fmt::format("'{}' is not an index", what));
    return value.get<std::size_t>();
  }

  [[nodiscard]] std::size_t number(const Json& object, const char* name, std::size_t otherwise) const {
    const Json* found = find(object, name);
    return found != nullptr ? index_of(*found, name) : otherwise;
  }

  [[nodiscard]] const Json& item(const Json& array, std::size_t index, const char* what) const {
    if (!array.is_array() || index >= array.size()) fail(fmt::format("there is no {} {}", what, index));
    return array[index];
  }

  /// Many buffers may be the same chunk.
  std::string_view read_buffer(const Json& buffer) {
    const Json* uri = find(buffer, "uri");
    if (uri == nullptr) return chunk_;
    const std::string text = uri->is_string() ? uri->get<std::string>() : "";
    const std::size_t data = text.find(";base64,");
    if (!text.starts_with("data:") || data == std::string::npos) {
      fail(fmt::format("the buffer '{}' is a file of its own: write the model as .glb or with its data inside",
                       text.substr(0, 60)));
    }
    return decoded_.emplace_back(decode(std::string_view(text).substr(data + 8)));
  }

  [[nodiscard]] std::string decode(std::string_view text) const {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    std::uint32_t word = 0;
    int bits = 0;
    for (const char c : text) {
      if (c == '=') break;
      const std::size_t digit = kDigits.find(c);
      if (digit == std::string_view::npos) fail("a buffer is not base64");
      word = (word << 6U) | static_cast<std::uint32_t>(digit);
      bits += 6;
      if (bits < 8) continue;
      bits -= 8;
      bytes += static_cast<char>((word >> static_cast<unsigned>(bits)) & 255U);
    }
    return bytes;
  }

  /// The bytes of an accessor, element after element.
  struct View {
    const char* data = nullptr;
    std::size_t count = 0, stride = 0;
    int component = 0;
  };

  [[nodiscard]] View view_of(std::size_t index, const char* type) const {
    const Json& accessor = item(list(root_, "accessors"), index, "accessor");
    if (find(accessor, "sparse") != nullptr) fail("sparse accessors are not supported");
    const Json* kind = find(accessor, "type");
    if (kind == nullptr || *kind != type) fail(fmt::format("accessor {} is not of type {}", index, type));
    View view;
    view.component = static_cast<int>(number(accessor, "componentType", 0));
    view.count = number(accessor, "count", 0);
    const std::size_t width = view.component == kByte ? 1 : view.component == kShort ? 2 : 4;
    const std::size_t size = width * (std::strcmp(type, "VEC3") == 0 ? 3 : 1);
    const Json& slice = item(list(root_, "bufferViews"), number(accessor, "bufferView", SIZE_MAX), "bufferView");
    const std::size_t buffer = number(slice, "buffer", SIZE_MAX);
    if (buffer >= buffers_.size()) fail(fmt::format("there is no buffer {}", buffer));
    const std::size_t start = number(slice, "byteOffset", 0), length = number(slice, "byteLength", 0);
    const std::size_t offset = number(accessor, "byteOffset", 0);
    view.stride = number(slice, "byteStride", size);
    const std::size_t whole = buffers_[buffer].size();
    const bool fits = start <= whole && length <= whole - start && offset <= length && view.stride >= size &&
                      view.count > 0 && size <= length - offset &&
                      (view.count - 1) <= (length - offset - size) / view.stride;
    if (!fits) fail(fmt::format("accessor {} reaches beyond its buffer", index));
    view.data = buffers_[buffer].data() + start + offset;
    return view;
  }

  [[nodiscard]] std::vector<double> numbers(const Json& array, std::size_t count, const char* what) const {
    std::vector<double> values;
    for (const Json& value : array) values.push_back(value.is_number() ? value.get<double>() : NAN);
    bool is_good = values.size() == count;
    for (const double value : values) is_good = is_good && std::isfinite(value);
    if (!is_good) fail(fmt::format("'{}' of a node should be {} numbers", what, count));
    return values;
  }

  [[nodiscard]] Eigen::Affine3d placement_of(const Json& node) const {
    Eigen::Affine3d X = Eigen::Affine3d::Identity();
    if (const Json* matrix = find(node, "matrix")) {
      const std::vector<double> m = numbers(*matrix, 16, "matrix");
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 4; ++column) X(row, column) = m[static_cast<std::size_t>(4 * column + row)];
      }
      return X;
    }
    if (const Json* place = find(node, "translation")) {
      const std::vector<double> t = numbers(*place, 3, "translation");
      X.translate(Vec3(t[0], t[1], t[2]));
    }
    if (const Json* turn = find(node, "rotation")) {
      const std::vector<double> q = numbers(*turn, 4, "rotation");
      const Quat rotation(q[3], q[0], q[1], q[2]);
      if (!(rotation.norm() > 0)) fail("'rotation' of a node is no quaternion");
      X.rotate(rotation.normalized());
    }
    if (const Json* scale = find(node, "scale")) {
      const std::vector<double> s = numbers(*scale, 3, "scale");
      X.scale(Vec3(s[0], s[1], s[2]));
    }
    return X;
  }

  void add_node(const Json& index, const Eigen::Affine3d& X_parent, int depth) {
    if (depth > kMaxDepth) fail("nodes stand too deep in each other");
    if (++visits_ > kMostVisits) fail("too many nodes are shown");
    const Json& node = item(list(root_, "nodes"), index_of(index, "node"), "node");
    const Eigen::Affine3d X = X_parent * placement_of(node);
    if (const Json* mesh = find(node, "mesh")) {
      add_mesh(item(list(root_, "meshes"), index_of(*mesh, "mesh"), "mesh"), X);
    }
    for (const Json& child : list(node, "children")) add_node(child, X, depth + 1);
  }

  void add_mesh(const Json& mesh, const Eigen::Affine3d& X) {
    for (const Json& primitive : list(mesh, "primitives")) add_primitive(primitive, X);
  }

  void add_primitive(const Json& primitive, const Eigen::Affine3d& X) {
    const auto mode = static_cast<int>(number(primitive, "mode", kTriangles));
    if (mode < kTriangles || mode > kFan) return;  // points and lines have no surface
    const Json* attributes = find(primitive, "attributes");
    const Json* position = attributes != nullptr ? find(*attributes, "POSITION") : nullptr;
    if (position == nullptr) return;
    const View points = view_of(index_of(*position, "POSITION"), "VEC3");
    if (points.component != kFloat32) fail("positions are not single-precision numbers");
    const std::size_t first = mesh_.vertices.size();
    if (points.count > kMostVertices - first) fail("too many vertices");
    for (std::size_t k = 0; k < points.count; ++k) {
      std::array<float, 3> p{};
      std::memcpy(p.data(), points.data + k * points.stride, sizeof p);
      const Vec3 vertex = X * Vec3(p[0], p[1], p[2]);
      if (!vertex.allFinite()) fail(fmt::format("vertex {} is not finite", k));
      mesh_.vertices.push_back(vertex);
    }
    add_triangles(corners_of(primitive, points.count), static_cast<int>(first), mode, X.linear().determinant() < 0);
  }

  [[nodiscard]] std::vector<int> corners_of(const Json& primitive, std::size_t vertices) const {
    std::vector<int> corners;
    const Json* indices = find(primitive, "indices");
    if (indices == nullptr) {
      for (std::size_t k = 0; k < vertices; ++k) corners.push_back(static_cast<int>(k));
      return corners;
    }
    const View view = view_of(index_of(*indices, "indices"), "SCALAR");
    if (view.component != kByte && view.component != kShort && view.component != kInt) fail("indices are no integers");
    for (std::size_t k = 0; k < view.count; ++k) {
      std::uint32_t index = 0;
      std::memcpy(&index, view.data + k * view.stride, view.component == kByte ? 1 : view.component == kShort ? 2 : 4);
      if (index >= vertices) fail(fmt::format("a triangle names vertex {} of {}", index, vertices));
      corners.push_back(static_cast<int>(index));
    }
    return corners;
  }

  /// A mirroring node turns triangles inside out: they are turned back.
  void add_triangles(const std::vector<int>& corners, int first, int mode, bool mirrors) {
    const std::size_t step = mode == kTriangles ? 3 : 1;
    for (std::size_t k = 0; k + 2 < corners.size(); k += step) {
      int a = corners[mode == kFan ? 0 : k], b = corners[k + 1], c = corners[k + 2];
      if ((mode == kStrip && k % 2 == 1) != mirrors) std::swap(b, c);
      if (mesh_.triangles.size() >= kMostTriangles) fail("too many triangles");
      mesh_.triangles.push_back({first + a, first + b, first + c});
    }
  }

  const std::string& file_;
  std::string_view chunk_;
  Json root_;
  std::deque<std::string> decoded_;  // what buffers hold that are written as text
  std::vector<std::string_view> buffers_;
  std::size_t visits_ = 0;  // of nodes
  Mesh mesh_;
};

}  // namespace

Mesh read_gltf(std::string_view bytes, const std::string& file) {
  Mesh mesh = GltfMeshReader(bytes, file).read();
  mesh.file = file;
  join_equal_vertices(mesh);  // the format repeats a vertex for each of its normals
  return mesh;
}

}  // namespace achilles
