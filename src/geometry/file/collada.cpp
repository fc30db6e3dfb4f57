// COLLADA (.dae): the triangles of every geometry that the scene in the file shows, placed as it shows them.
// Lengths are multiplied by the unit of the file. Its up axis is not applied: robot files place a mesh by the axes in
// which it is written, and so do rviz and Gazebo.
#include "geometry/file/mesh_formats.hpp"
#include "geometry/file/polygon.hpp"
#include "geometry/file/text_lines.hpp"

#include <fmt/format.h>
#include <tinyxml2.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>

namespace achilles {
namespace {

using tinyxml2::XMLElement;

constexpr int kMaxNodeDepth = 64;
constexpr std::size_t kMaxVisits = 1'000'000;  // of nodes: one may be shown many times
constexpr std::size_t kMaxColladaTriangles = 20'000'000;
constexpr std::size_t kMaxColladaVertices = 3 * kMaxColladaTriangles;

class ColladaReader {
 public:
  explicit ColladaReader(const std::string& file) : file_(file) {}

  Mesh read(std::string_view text) {
    tinyxml2::XMLDocument document;
    if (document.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS) {
      throw MeshFileError(file_, document.ErrorLineNum(), fmt::format("no well-formed XML ({})", document.ErrorName()));
    }
    const XMLElement* root = document.RootElement();
    if (root == nullptr || std::strcmp(root->Name(), "COLLADA") != 0) {
      throw MeshFileError(file_, 1, "the root element is not <COLLADA>");
    }
    collect(*root, 0);
    double unit = 1;
    if (const XMLElement* asset = root->FirstChildElement("asset")) {
      if (const XMLElement* length = asset->FirstChildElement("unit")) unit = length->DoubleAttribute("meter", 1);
    }
    if (!(unit > 0) || !std::isfinite(unit)) throw MeshFileError(file_, 0, "the unit of length is not above 0");
    Eigen::Affine3d X = Eigen::Affine3d::Identity();
    X.linear() *= unit;
    const XMLElement* shown = find_shown(*root);
    if (shown != nullptr) {
      add_nodes(*shown, X, 0);
    } else {
      for (const auto& [id, element] : by_id_) {
        if (std::strcmp(element->Name(), "geometry") == 0) add_geometry(*element, X);
      }
    }
    if (mesh_.triangles.empty()) throw MeshFileError(file_, 0, "there are no triangles that the scene shows");
    return std::move(mesh_);
  }

 private:
  void collect(const XMLElement& element, int depth) {
    if (depth > kMaxNodeDepth)
      throw MeshFileError(file_, element.GetLineNum(), "elements stand too deep in each other");
    if (const char* id = element.Attribute("id")) by_id_.emplace(id, &element);
    for (const XMLElement* child = element.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      collect(*child, depth + 1);
    }
  }

  const XMLElement& follow(const XMLElement& from, const char* attribute) const {
    const char* url = from.Attribute(attribute);
    const auto found = by_id_.find(url != nullptr && url[0] == '#' ? url + 1 : "");
    if (found != by_id_.end()) return *found->second;
    throw MeshFileError(
        file_, from.GetLineNum(),
        fmt::format("<{}> names '{}', which is not in the file", from.Name(), url != nullptr ? url : ""));
  }

  static const XMLElement* child_of(const XMLElement* element, const char* name) {
    return element != nullptr ? element->FirstChildElement(name) : nullptr;
  }

  const XMLElement* find_shown(const XMLElement& root) const {
    if (const XMLElement* instance = child_of(root.FirstChildElement("scene"), "instance_visual_scene")) {
      return &follow(*instance, "url");
    }
    return child_of(root.FirstChildElement("library_visual_scenes"), "visual_scene");
  }

  template <typename Number>
  std::vector<Number> read_numbers(const XMLElement& element) const {
    std::vector<Number> numbers;
    LineReader lines(element.GetText() != nullptr ? element.GetText() : "");
    while (lines.next()) {
      for (const std::string_view word : lines.words()) {
        const std::optional<Number> number = to_number<Number>(word);
        if (!number) {
          throw MeshFileError(
              file_, element.GetLineNum() + lines.line() - 1,
              fmt::format("<{}> holds '{}', which is no number of its kind", element.Name(), word.substr(0, 40)));
        }
        numbers.push_back(*number);
      }
    }
    return numbers;
  }

  std::vector<double> read_measures(const XMLElement& element, std::size_t count) const {
    std::vector<double> numbers = read_numbers<double>(element);
    if (numbers.size() != count) {
      throw MeshFileError(file_, element.GetLineNum(),
                          fmt::format("<{}> holds {} numbers, not {}", element.Name(), numbers.size(), count));
    }
    return numbers;
  }

  Eigen::Affine3d read_transform(const XMLElement& element) const {
    const std::string name = element.Name();
    Eigen::Affine3d X = Eigen::Affine3d::Identity();
    if (name == "matrix") {
      const std::vector<double> m = read_measures(element, 16);
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 4; ++column) X(row, column) = m[static_cast<std::size_t>(4 * row + column)];
      }
    } else if (name == "translate") {
      const std::vector<double> t = read_measures(element, 3);
      X.translate(Vec3(t[0], t[1], t[2]));
    } else if (name == "scale") {
      const std::vector<double> s = read_measures(element, 3);
      X.scale(Vec3(s[0], s[1], s[2]));
    } else if (name == "rotate") {
      const std::vector<double> r = read_measures(element, 4);
      const Vec3 axis(r[0], r[1], r[2]);
      constexpr double kDegree = 0.017453292519943295;
      if (axis.norm() > 0) X.rotate(Eigen::AngleAxisd(r[3] * kDegree, axis.normalized()));
    } else if (name == "lookat" || name == "skew") {
      throw MeshFileError(file_, element.GetLineNum(), fmt::format("<{}> is not supported", name));
    }
    return X;
  }

  void add_nodes(const XMLElement& parent, const Eigen::Affine3d& X, int depth) {
    for (const XMLElement* node = parent.FirstChildElement("node"); node != nullptr;
         node = node->NextSiblingElement("node")) {
      add_node(*node, X, depth);
    }
  }

  void add_node(const XMLElement& node, Eigen::Affine3d X, int depth) {
    if (depth > kMaxNodeDepth) throw MeshFileError(file_, node.GetLineNum(), "nodes show themselves without end");
    if (++visits_ > kMaxVisits) throw MeshFileError(file_, node.GetLineNum(), "too many nodes are shown");
    for (const XMLElement* child = node.FirstChildElement(); child != nullptr; child = child->NextSiblingElement()) {
      const std::string name = child->Name();
      if (name == "instance_geometry") {
        add_geometry(follow(*child, "url"), X);
      } else if (name == "instance_node") {
        add_node(follow(*child, "url"), X, depth + 1);
      } else if (name != "node") {
        X = X * read_transform(*child);
      }
    }
    add_nodes(node, X, depth + 1);
  }

  /// Where the positions of a primitive stand: the offset among the indices, and the numbers.
  struct Positions {
    std::size_t offset = 0;
    std::size_t stride = 0;  // indices per corner
    std::vector<Vec3> points;
  };

  std::vector<Vec3> read_source(const XMLElement& source) const {
    const XMLElement* array = source.FirstChildElement("float_array");
    if (array == nullptr) throw MeshFileError(file_, source.GetLineNum(), "<source> has no <float_array>");
    const std::vector<double> numbers = read_numbers<double>(*array);
    const XMLElement* accessor = child_of(source.FirstChildElement("technique_common"), "accessor");
    const unsigned stride = accessor != nullptr ? accessor->UnsignedAttribute("stride", 1) : 3;
    const unsigned first = accessor != nullptr ? accessor->UnsignedAttribute("offset", 0) : 0;
    if (stride < 3) throw MeshFileError(file_, source.GetLineNum(), "positions have fewer than 3 numbers");
    std::vector<Vec3> points;
    for (std::size_t i = first; i + 3 <= numbers.size(); i += stride) {
      points.emplace_back(numbers[i], numbers[i + 1], numbers[i + 2]);
    }
    return points;
  }

  Positions find_positions(const XMLElement& primitive) const {
    Positions positions;
    bool found = false;
    for (const XMLElement* input = primitive.FirstChildElement("input"); input != nullptr;
         input = input->NextSiblingElement("input")) {
      const std::size_t offset = input->UnsignedAttribute("offset", 0);
      positions.stride = std::max(positions.stride, offset + 1);
      const char* semantic = input->Attribute("semantic");
      if (semantic == nullptr || std::strcmp(semantic, "VERTEX") != 0) continue;
      positions.offset = offset;
      const XMLElement& vertices = follow(*input, "source");
      for (const XMLElement* part = vertices.FirstChildElement("input"); part != nullptr;
           part = part->NextSiblingElement("input")) {
        const char* meaning = part->Attribute("semantic");
        if (meaning == nullptr || std::strcmp(meaning, "POSITION") != 0) continue;
        positions.points = read_source(follow(*part, "source"));
        found = true;
      }
    }
    if (!found) throw MeshFileError(file_, primitive.GetLineNum(), "a primitive has no positions");
    constexpr std::size_t kMostInputs = 64;
    if (positions.stride > kMostInputs) throw MeshFileError(file_, primitive.GetLineNum(), "an offset is too large");
    return positions;
  }

  void add_geometry(const XMLElement& geometry, const Eigen::Affine3d& X) {
    const XMLElement* mesh = geometry.FirstChildElement("mesh");
    if (mesh == nullptr) throw MeshFileError(file_, geometry.GetLineNum(), "a geometry has no <mesh>");
    for (const XMLElement* part = mesh->FirstChildElement(); part != nullptr; part = part->NextSiblingElement()) {
      const std::string name = part->Name();
      if (name == "triangles" || name == "polylist" || name == "polygons") {
        add_primitive(*part, X);
      } else if (name == "tristrips" || name == "trifans") {
        throw MeshFileError(file_, part->GetLineNum(), fmt::format("<{}> is not supported", name));
      }
    }
  }

  void add_primitive(const XMLElement& primitive, const Eigen::Affine3d& X) {
    const Positions positions = find_positions(primitive);
    if (positions.points.size() > kMaxColladaVertices - mesh_.vertices.size()) {
      throw MeshFileError(file_, primitive.GetLineNum(), "the scene shows too many vertices");
    }
    const int first = static_cast<int>(mesh_.vertices.size());
    for (const Vec3& point : positions.points) {
      mesh_.vertices.push_back(X * point);
      if (!mesh_.vertices.back().allFinite()) {
        throw MeshFileError(file_, primitive.GetLineNum(), "a vertex is beyond what numbers can hold");
      }
    }
    std::vector<int> counts;
    if (const XMLElement* list = primitive.FirstChildElement("vcount")) counts = read_numbers<int>(*list);
    const bool mirrors = X.linear().determinant() < 0;
    const bool one_each = std::strcmp(primitive.Name(), "polygons") == 0;
    for (const XMLElement* p = primitive.FirstChildElement("p"); p != nullptr; p = p->NextSiblingElement("p")) {
      const std::vector<int> corners = read_corners(*p, positions);
      if (one_each) counts = {static_cast<int>(corners.size())};
      if (counts.empty()) counts.assign(corners.size() / 3, 3);
      add_faces(*p, corners, counts, first, mirrors);
    }
  }

  std::vector<int> read_corners(const XMLElement& p, const Positions& positions) const {
    const std::vector<int> indices = read_numbers<int>(p);
    std::vector<int> corners;
    for (std::size_t i = positions.offset; i < indices.size(); i += positions.stride) {
      if (indices[i] < 0 || static_cast<std::size_t>(indices[i]) >= positions.points.size()) {
        throw MeshFileError(file_, p.GetLineNum(),
                            fmt::format("index {} of {} positions", indices[i], positions.points.size()));
      }
      corners.push_back(indices[i]);
    }
    return corners;
  }

  void add_faces(const XMLElement& p, const std::vector<int>& corners, const std::vector<int>& counts, int first,
                 bool mirrors) {
    std::size_t at = 0;
    std::vector<int> face;
    for (const int count : counts) {
      if (count < 3) {
        if (count < 0) throw MeshFileError(file_, p.GetLineNum(), "a face has fewer than 0 corners");
        at += static_cast<std::size_t>(count);
        continue;
      }
      if (at + static_cast<std::size_t>(count) > corners.size()) {
        throw MeshFileError(file_, p.GetLineNum(), "there are fewer corners than the faces have");
      }
      face.clear();
      for (int k = 0; k < count; ++k) face.push_back(first + corners[at + static_cast<std::size_t>(k)]);
      if (mirrors) std::reverse(face.begin(), face.end());
      append_triangulation(mesh_.vertices, face, mesh_.triangles);
      at += static_cast<std::size_t>(count);
      if (mesh_.triangles.size() > kMaxColladaTriangles) {
        throw MeshFileError(file_, p.GetLineNum(), "the scene shows too many triangles");
      }
    }
  }

  const std::string& file_;
  std::map<std::string, const XMLElement*, std::less<>> by_id_;
  std::size_t visits_ = 0;  // of nodes
  Mesh mesh_;
};

}  // namespace

Mesh read_collada(std::string_view text, const std::string& file) {
  Mesh mesh = ColladaReader(file).read(text);
  mesh.file = file;
  return mesh;
}

}  // namespace achilles
