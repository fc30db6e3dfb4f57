#include "record/gltf.hpp"

#include "record/draw/palette.hpp"
#include "record/draw/triangles.hpp"
#include "record/output_file.hpp"
#include "record/sampling.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

namespace achilles {
namespace {

using Json = nlohmann::ordered_json;

// Numbers that glTF 2.0 gives to words.
constexpr int kFloat = 5126, kUnsignedInt = 5125;
constexpr int kVertices = 34962, kIndices = 34963;
constexpr std::uint32_t kMagic = 0x46546C67, kJsonChunk = 0x4E4F534A, kBinaryChunk = 0x004E4942;

/// The binary part and the accessors that describe it.
class Buffer {
 public:
  template <class Row>
  std::size_t add(const std::vector<Row>& rows, int component, const char* type, int target = 0) {
    Json view = {{"buffer", 0}, {"byteOffset", bytes_.size()}, {"byteLength", rows.size() * sizeof(Row)}};
    if (target != 0) view["target"] = target;
    const auto* start = reinterpret_cast<const char*>(rows.data());
    bytes_.append(start, rows.size() * sizeof(Row));
    views.push_back(std::move(view));
    accessors.push_back(
        {{"bufferView", views.size() - 1}, {"componentType", component}, {"count", rows.size()}, {"type", type}});
    return accessors.size() - 1;
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  Json views = Json::array();
  Json accessors = Json::array();

 private:
  std::string bytes_;  // every row is a multiple of four bytes, so that every view is aligned
};

template <std::size_t Count>
void add_bounds(Json& accessor, const std::vector<std::array<float, Count>>& rows) {
  std::array<float, Count> low = rows.front();
  std::array<float, Count> high = rows.front();
  for (const auto& row : rows) {
    for (std::size_t k = 0; k < Count; ++k) {
      low[k] = std::min(low[k], row[k]);
      high[k] = std::max(high[k], row[k]);
    }
  }
  accessor["min"] = low;
  accessor["max"] = high;
}

/// Motion of all bodies: time-major in the recording, body-major here.
struct Motion {
  std::vector<std::array<float, 1>> time;                      // [s] strictly increasing
  std::vector<std::vector<std::array<float, 3>>> translation;  // per body [m]
  std::vector<std::vector<std::array<float, 4>>> rotation;     // per body x, y, z, w
};

/// glTF wants times that grow; events may leave several instants at one time, of which the last counts.
std::vector<std::size_t> choose_instants(const Recording& recording, std::size_t budget) {
  const std::size_t row = 28 * std::max<std::size_t>(recording.body_count(), 1);
  std::vector<std::size_t> chosen = spread_instants(recording.instants(), std::max<std::size_t>(2, budget / row));
  std::vector<double> time;
  for_each_row(recording, "time", chosen, [&](std::span<const double> t, std::size_t) { time.push_back(t[0]); });
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const bool is_last = k + 1 == chosen.size();
    if (is_last || static_cast<float>(time[k]) < static_cast<float>(time[k + 1])) kept.push_back(chosen[k]);
  }
  return kept;
}

std::array<float, 4> to_rotation(std::span<const double> q, const std::array<float, 4>& before) {
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!std::isfinite(length) || length < 1e-6) return before;
  std::array<float, 4> r{static_cast<float>(q[1] / length), static_cast<float>(q[2] / length),
                         static_cast<float>(q[3] / length), static_cast<float>(q[0] / length)};
  // q and -q are one rotation; viewers interpolate the numbers, so that neighbours must lie on one side.
  const float dot = r[0] * before[0] + r[1] * before[1] + r[2] * before[2] + r[3] * before[3];
  if (dot < 0) {
    for (float& x : r) x = -x;
  }
  return r;
}

Motion read_motion(const Recording& recording, std::size_t budget) {
  const std::vector<std::size_t> instants = choose_instants(recording, budget);
  Motion motion;
  motion.translation.resize(recording.body_count());
  motion.rotation.resize(recording.body_count());
  for_each_row(recording, "time", instants,
               [&](std::span<const double> t, std::size_t) { motion.time.push_back({static_cast<float>(t[0])}); });
  for_each_row(recording, "position", instants, [&](std::span<const double> row, std::size_t) {
    for (std::size_t body = 0; body < motion.translation.size(); ++body) {
      auto& track = motion.translation[body];
      std::array<float, 3> p{};
      for (std::size_t k = 0; k < 3; ++k) p[k] = static_cast<float>(row[3 * body + k]);
      const bool is_finite = std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2]);
      track.push_back(is_finite ? p : track.empty() ? std::array<float, 3>{} : track.back());
    }
  });
  for_each_row(recording, "orientation", instants, [&](std::span<const double> row, std::size_t) {
    for (std::size_t body = 0; body < motion.rotation.size(); ++body) {
      auto& track = motion.rotation[body];
      const std::array<float, 4> before = track.empty() ? std::array<float, 4>{0, 0, 0, 1} : track.back();
      track.push_back(to_rotation(row.subspan(4 * body, 4), before));
    }
  });
  return motion;
}

/// Half the edge of the square that stands for a plane: it reaches well beyond all that moves.
double find_reach(const Motion& motion) {
  double reach = 1;
  for (const auto& track : motion.translation) {
    for (const auto& p : track) {
      for (const float x : p) reach = std::max(reach, std::abs(static_cast<double>(x)));
    }
  }
  return 3 * std::min(reach, 1e6);
}

class Document {
 public:
  Document(const Recording& recording, const GltfOptions& options)
      : recording_(recording), options_(options), motion_(read_motion(recording, options.budget)) {}

  Json build() {
    add_materials();
    add_nodes();
    if (!motion_.time.empty()) add_animation();
    Json root = {{"asset", {{"version", "2.0"}, {"generator", "Achilles " + recording_.head().version}}},
                 {"scene", 0},
                 {"scenes", Json::array({{{"nodes", Json::array({0})}}})},
                 {"nodes", std::move(nodes_)}};
    if (!recording_.head().scene_name.empty()) root["scenes"][0]["name"] = recording_.head().scene_name;
    // glTF allows no empty lists.
    const auto put = [&root](const char* name, Json& list) {
      if (!list.empty()) root[name] = std::move(list);
    };
    if (!meshes_.empty()) put("materials", materials_);
    put("meshes", meshes_);
    put("accessors", buffer_.accessors);
    put("bufferViews", buffer_.views);
    if (!buffer_.bytes().empty()) root["buffers"] = Json::array({{{"byteLength", buffer_.bytes().size()}}});
    put("animations", animations_);
    return root;
  }
  [[nodiscard]] const std::string& bytes() const { return buffer_.bytes(); }

 private:
  void add_materials() {
    for (const PaletteColor& color : kPalette) add_material(color);
  }

  void add_material(const PaletteColor& color) {
    const std::array<float, 4> linear{to_linear(color.red), to_linear(color.green), to_linear(color.blue), 1.0F};
    materials_.push_back(
        {{"pbrMetallicRoughness", {{"baseColorFactor", linear}, {"metallicFactor", 0}, {"roughnessFactor", 0.6}}},
         {"doubleSided", true}});
  }

  /// Accessors of a shape, made once; none for a shape without triangles.
  const Json& primitive_of(std::uint32_t shape) {
    const auto known = primitives_.find(shape);
    if (known != primitives_.end()) return known->second;
    const TriangleMesh mesh = triangulate(recording_.shape(shape), options_.segments, find_reach(motion_));
    Json primitive;
    if (!mesh.triangles.empty()) {
      const std::size_t position = buffer_.add(mesh.positions, kFloat, "VEC3", kVertices);
      add_bounds(buffer_.accessors[position], mesh.positions);
      const std::size_t normal = buffer_.add(mesh.normals, kFloat, "VEC3", kVertices);
      const std::size_t index = buffer_.add(mesh.triangles, kUnsignedInt, "SCALAR", kIndices);
      buffer_.accessors[index]["count"] = 3 * mesh.triangles.size();
      primitive = {{"attributes", {{"POSITION", position}, {"NORMAL", normal}}}, {"indices", index}};
    }
    return primitives_.emplace(shape, std::move(primitive)).first->second;
  }

  /// A mesh of a shape in a colour, made once; none for a shape without triangles.
  std::optional<std::size_t> mesh_of(std::uint32_t shape, std::size_t material) {
    const Json& primitive = primitive_of(shape);
    if (primitive.is_null()) return std::nullopt;
    const auto [at, is_new] = mesh_index_.emplace(std::pair(shape, material), meshes_.size());
    if (is_new) {
      Json colored = primitive;
      colored["material"] = material;
      meshes_.push_back({{"primitives", Json::array({std::move(colored)})}});
    }
    return at->second;
  }

  /// The material of a colour that is not of the palette.
  std::size_t material_of(const Color& color) {
    const auto [at, is_new] = color_index_.emplace(color, materials_.size());
    if (is_new)
      add_material({static_cast<float>(color[0]), static_cast<float>(color[1]), static_cast<float>(color[2])});
    return at->second;
  }

  /// Visuals are nodes below that of their body.
  void add_visuals() {
    for (const RecordedVisual& visual : recording_.head().robots.visuals) {
      Json& body = nodes_[visual.body + 1];
      const std::size_t material = visual.color ? material_of(*visual.color) : body_material(visual.body);
      const std::optional<std::size_t> mesh = mesh_of(visual.shape, material);
      if (!mesh) continue;
      body["children"].push_back(nodes_.size());
      const Vec3& p = visual.pose.p;
      const Quat& q = visual.pose.q;
      nodes_.push_back(
          {{"mesh", *mesh}, {"translation", {p.x(), p.y(), p.z()}}, {"rotation", {q.x(), q.y(), q.z(), q.w()}}});
    }
  }

  std::size_t body_material(std::size_t body) {
    for (const RecordedColor& color : recording_.head().robots.colors) {
      if (color.body == body) return material_of(color.color);
    }
    return palette_index(recording_.head().bodies[body].kind, body);
  }

  void add_nodes() {
    std::set<std::size_t> with_visuals;
    for (const RecordedVisual& visual : recording_.head().robots.visuals) with_visuals.insert(visual.body);
    const float half = std::sqrt(0.5F);
    nodes_.push_back({{"name", "z up"}, {"rotation", std::array<float, 4>{-half, 0, 0, half}}});
    Json children = Json::array();
    const std::vector<RecordedBody>& bodies = recording_.head().bodies;
    for (std::size_t k = 0; k < bodies.size(); ++k) {
      Json node = {{"name", bodies[k].name}};
      if (with_visuals.count(k) == 0) {
        if (const std::optional<std::size_t> mesh = mesh_of(bodies[k].shape, body_material(k))) node["mesh"] = *mesh;
      }
      if (!motion_.time.empty()) {
        node["translation"] = motion_.translation[k].front();
        node["rotation"] = motion_.rotation[k].front();
      }
      nodes_.push_back(std::move(node));
      children.push_back(k + 1);
    }
    if (!children.empty()) nodes_[0]["children"] = std::move(children);
    add_visuals();
  }

  void add_animation() {
    Json samplers = Json::array();
    Json channels = Json::array();
    std::size_t time = 0;
    const auto add = [&](std::size_t body, const char* path, std::size_t output) {
      samplers.push_back({{"input", time}, {"output", output}, {"interpolation", "LINEAR"}});
      channels.push_back({{"sampler", samplers.size() - 1}, {"target", {{"node", body + 1}, {"path", path}}}});
    };
    for (std::size_t k = 0; k < recording_.body_count(); ++k) {
      if (recording_.head().bodies[k].kind == BodyKind::kFixed) continue;
      if (channels.empty()) {
        time = buffer_.add(motion_.time, kFloat, "SCALAR");
        add_bounds(buffer_.accessors[time], motion_.time);
      }
      add(k, "translation", buffer_.add(motion_.translation[k], kFloat, "VEC3"));
      add(k, "rotation", buffer_.add(motion_.rotation[k], kFloat, "VEC4"));
    }
    if (!channels.empty()) {
      animations_.push_back({{"name", "run"}, {"samplers", std::move(samplers)}, {"channels", std::move(channels)}});
    }
  }

  const Recording& recording_;
  GltfOptions options_;
  Motion motion_;
  Buffer buffer_;
  std::map<std::uint32_t, Json> primitives_;
  std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> mesh_index_;  // by shape and material
  std::map<Color, std::size_t> color_index_;                                 // of colours that are not of the palette
  Json materials_ = Json::array(), meshes_ = Json::array(), nodes_ = Json::array(), animations_ = Json::array();
};

void write_word(OutputFile& file, std::uint32_t word) {
  file.write({reinterpret_cast<const char*>(&word), sizeof word});
}

}  // namespace

void export_gltf(const Recording& recording, const std::string& out_path, const GltfOptions& options) {
  Document document(recording, options);
  std::string text = document.build().dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 3) / 4 * 4, ' ');
  const std::uint64_t binary = document.bytes().size();
  const std::uint64_t length = 12 + 8 + text.size() + (binary > 0 ? 8 + binary : 0);
  if (length > std::numeric_limits<std::uint32_t>::max()) {
    throw std::runtime_error(out_path + ": more than the 4 GB that a .glb file can hold");
  }
  OutputFile file(out_path);
  for (const std::uint32_t word : {kMagic, std::uint32_t{2}, static_cast<std::uint32_t>(length)})
    write_word(file, word);
  write_word(file, static_cast<std::uint32_t>(text.size()));
  write_word(file, kJsonChunk);
  file.write(text);
  if (binary > 0) {
    write_word(file, static_cast<std::uint32_t>(binary));
    write_word(file, kBinaryChunk);
    file.write(document.bytes());
  }
  file.close();
}

}  // namespace achilles
