#include "record/head.hpp"

#include "methods/method_spec.hpp"
#include "record/json_shape.hpp"
#include "record/layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <unordered_map>

namespace achilles {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostShapes = 100'000'000;               // more is a damaged length
constexpr std::size_t kMostShapeBytes = std::size_t{1} << 32;  // of all shapes together

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string describe_options(const MethodDescription& method) {
  Json options = Json::object();
  for (const auto& [name, value] : method.options) {
    const auto put = [&options, &key = name](const auto& plain) { options[key] = plain; };
    std::visit(put, value);
  }
  return dump(options);
}

std::string describe_overrides(const std::vector<Override>& overrides) {
  Json list = Json::array();
  for (const Override& one : overrides) list.push_back(Json::array({one.path, one.value}));
  return dump(list);
}

/// Bodies made from one description share their shape by pointer; equal text finds the rest.
class ShapeTable {
 public:
  explicit ShapeTable(std::vector<std::string>& texts) : texts_(texts) {}

  std::uint32_t index_of(const Shape* shape) {
    const auto known = by_pointer_.find(shape);
    if (known != by_pointer_.end()) return known->second;
    std::string text = dump(shape_to_json(*shape));
    const auto [at, is_new] = by_text_.emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(at->first);
    by_pointer_[shape] = at->second;
    return at->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::map<const Shape*, std::uint32_t> by_pointer_;
  std::unordered_map<std::string, std::uint32_t> by_text_;
};

/// One column of the body table, for every body.
template <class T, class Get>
std::vector<T> column(const RecordingHead& head, std::size_t width, Get&& get) {
  std::vector<T> values(width * head.bodies.size());
  for (std::size_t k = 0; k < head.bodies.size(); ++k) get(head.bodies[k], values.data() + width * k);
  return values;
}

void write_bodies(const Hdf5File& file, const RecordingHead& head) {
  const hsize_t count = head.bodies.size();
  std::vector<std::string> names, materials;
  for (const RecordedBody& body : head.bodies) {
    names.push_back(body.name);
    materials.push_back(body.material);
  }
  const auto kind = column<std::uint8_t>(
      head, 1, [](const RecordedBody& b, std::uint8_t* out) { *out = static_cast<std::uint8_t>(b.kind); });
  const auto shape = column<std::uint32_t>(head, 1, [](const RecordedBody& b, std::uint32_t* out) { *out = b.shape; });
  const auto locks =
      column<std::uint8_t>(head, 1, [](const RecordedBody& b, std::uint8_t* out) { *out = b.locks.bits; });
  const auto mass = column<double>(head, 1, [](const RecordedBody& b, double* out) { *out = b.mass; });
  const auto center =
      column<double>(head, 3, [](const RecordedBody& b, double* out) { std::copy_n(b.center.data(), 3, out); });
  const auto inertia = column<double>(head, 9, [](const RecordedBody& b, double* out) {
    for (int i = 0; i < 9; ++i) out[i] = b.inertia(i / 3, i % 3);
  });
  file.make_group("bodies");
  file.write_texts("bodies/name", names);
  file.write_texts("bodies/material", materials);
  file.write_array<std::uint8_t>("bodies/kind", {count}, kind);
  file.write_array<std::uint32_t>("bodies/shape", {count}, shape);
  file.write_array<std::uint8_t>("bodies/locks", {count}, locks);
  file.write_array<double>("bodies/mass", {count}, mass);
  file.write_array<double>("bodies/center", {count, 3}, center);
  file.write_array<double>("bodies/inertia", {count, 3, 3}, inertia);
}

template <class T>
std::vector<T> read_column(const Hdf5File& file, const std::string& name, std::size_t rows, std::size_t width) {
  const Hdf5Array array = file.open_array(name);
  if (array.rows() != rows || array.row_size() != width) {
    throw std::runtime_error(file.path() + ": /" + name + " does not fit the number of bodies");
  }
  std::vector<T> values(rows * width);
  array.read<T>(0, rows, values);
  return values;
}

std::vector<std::string> read_shapes(const Hdf5File& file) {
  const Hdf5Array text = file.open_array("shapes/text");
  const Hdf5Array offset = file.open_array("shapes/offset");
  if (text.shape().size() != 1 || offset.shape().size() != 1 || offset.rows() < 1 || offset.rows() > kMostShapes ||
      text.rows() > kMostShapeBytes) {
    throw std::runtime_error(file.path() + ": /shapes has another layout than a recording's");
  }
  std::vector<std::uint64_t> starts(offset.rows());
  offset.read<std::uint64_t>(0, starts.size(), starts);
  if (starts.front() != 0 || starts.back() != text.rows() || !std::is_sorted(starts.begin(), starts.end())) {
    throw std::runtime_error(file.path() + ": /shapes/offset contradicts /shapes/text");
  }
  std::vector<std::string> shapes(starts.size() - 1);
  for (std::size_t k = 0; k < shapes.size(); ++k) {
    shapes[k].resize(starts[k + 1] - starts[k]);
    const std::span<std::uint8_t> bytes(reinterpret_cast<std::uint8_t*>(shapes[k].data()), shapes[k].size());
    text.read<std::uint8_t>(starts[k], bytes.size(), bytes);
  }
  return shapes;
}

void read_bodies(const Hdf5File& file, RecordingHead& head) {
  const std::vector<std::string> names = file.read_texts("bodies/name");
  const std::vector<std::string> materials = file.read_texts("bodies/material");
  const std::size_t count = names.size();
  if (materials.size() != count) throw std::runtime_error(file.path() + ": /bodies/material does not fit /bodies/name");
  const auto kind = read_column<std::uint8_t>(file, "bodies/kind", count, 1);
  const auto shape = read_column<std::uint32_t>(file, "bodies/shape", count, 1);
  const auto locks = read_column<std::uint8_t>(file, "bodies/locks", count, 1);
  const auto mass = read_column<double>(file, "bodies/mass", count, 1);
  const auto center = read_column<double>(file, "bodies/center", count, 3);
  const auto inertia = read_column<double>(file, "bodies/inertia", count, 9);
  head.bodies.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    RecordedBody& body = head.bodies[k];
    if (kind[k] > static_cast<std::uint8_t>(BodyKind::kScripted) || shape[k] >= head.shapes.size()) {
      throw std::runtime_error(file.path() + ": body " + std::to_string(k) + " has an impossible kind or shape");
    }
    body.name = names[k];
    body.material = materials[k];
    body.kind = static_cast<BodyKind>(kind[k]);
    body.shape = shape[k];
    body.locks.bits = locks[k];
    body.mass = mass[k];
    body.center = Vec3(center[3 * k], center[3 * k + 1], center[3 * k + 2]);
    for (int i = 0; i < 9; ++i) body.inertia(i / 3, i % 3) = inertia[9 * k + static_cast<std::size_t>(i)];
  }
}

std::string read_single_text(const Hdf5File& file, const std::string& name) {
  std::vector<std::string> texts = file.read_texts(name);
  if (texts.size() != 1) throw std::runtime_error(file.path() + ": /" + name + " should hold one text");
  return std::move(texts.front());
}

}  // namespace

MethodNames resolve_method_names(const MethodDescription& method) {
  MethodNames names{method.name, method.impact, method.solver};
  const MethodSpec* info = find_method(method.name);
  if (info != nullptr) {
    if (names.impact.empty() && !info->impact_laws.empty()) names.impact = info->impact_laws.front();
    if (names.solver.empty() && !info->solvers.empty()) names.solver = info->solvers.front();
  }
  return names;
}

RecordingHead make_head(const World& world, const Scene& scene, int threads, const std::vector<Override>& overrides,
                        std::span<const SensorInfo> sensors) {
  RecordingHead head;
  const MethodNames names = resolve_method_names(scene.method);
  head.version = ACHILLES_VERSION;
  head.scene_name = scene.name;
  head.scene_file = scene.file;
  head.source = scene.source;
  head.scene_text = scene.text;
  head.method = names.method;
  head.impact = names.impact;
  head.solver = names.solver;
  head.options = describe_options(scene.method);
  head.overrides = describe_overrides(overrides);
  head.threads = threads;
  head.step = scene.step;
  head.duration = scene.duration;
  head.gravity = world.gravity;
  head.files = list_files(scene.files);
  head.bodies.resize(world.bodies.size());
  ShapeTable shapes(head.shapes);
  for (std::size_t k = 0; k < head.bodies.size(); ++k) {
    RecordedBody& body = head.bodies[k];
    body.name = world.names[k];
    body.kind = world.bodies.kind[k];
    body.shape = shapes.index_of(world.shapes[k].get());
    body.mass = world.bodies.mass[k];
    body.center = world.bodies.center_B[k];
    body.inertia = world.bodies.inertia_B[k];
    body.material = world.materials.names()[world.body_material[k]];
    body.locks = world.bodies.locks[k];
  }
  head.robots = make_robot_head(world, scene, sensors, [&](const Shape& shape) { return shapes.index_of(&shape); });
  return head;
}

void write_head(const Hdf5File& file, const RecordingHead& head) {
  file.write_attribute("format", kRecordingFormat);
  file.write_attribute("format_version", kRecordingVersion);
  file.write_attribute("version", head.version);
  file.write_attribute("scene_name", head.scene_name);
  file.write_attribute("scene_file", head.scene_file);
  file.write_attribute("source", head.source);
  file.write_attribute("method", head.method);
  file.write_attribute("impact", head.impact);
  file.write_attribute("solver", head.solver);
  file.write_attribute("threads", head.threads);
  file.write_attribute("step", std::span(&head.step, 1));
  file.write_attribute("duration", std::span(&head.duration, 1));
  if (head.every) file.write_attribute("every", std::span(&*head.every, 1));
  file.write_attribute("gravity", std::span(head.gravity.data(), 3));
  file.write_texts("scene", std::span(&head.scene_text, 1));
  file.write_texts("options", std::span(&head.options, 1));
  file.write_texts("overrides", std::span(&head.overrides, 1));
  write_bodies(file, head);
  write_robot_head(file, head.robots);

  std::string text;
  std::vector<std::uint64_t> offset{0};
  for (const std::string& shape : head.shapes) {
    text += shape;
    offset.push_back(text.size());
  }
  if (head.shapes.size() >= kMostShapes || text.size() > kMostShapeBytes) {
    throw std::runtime_error(file.path() + ": the shapes of the scene are too large for a recording");
  }
  file.make_group("shapes");
  file.write_array<std::uint8_t>("shapes/text", {text.size()},
                                 {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  file.write_array<std::uint64_t>("shapes/offset", {offset.size()}, offset);
}

RecordingHead read_head(const Hdf5File& file) {
  if (!file.has_attribute("format") || file.read_text_attribute("format") != kRecordingFormat) {
    throw std::runtime_error(file.path() + ": not a recording: a HDF5 file that Achilles did not write");
  }
  const std::int64_t format = file.read_integer_attribute("format_version");
  if (format != kRecordingVersion) {
    throw std::runtime_error(file.path() + ": a recording of format " + std::to_string(format) +
                             "; this program reads format " + std::to_string(kRecordingVersion));
  }
  RecordingHead head;
  head.version = file.read_text_attribute("version");
  head.scene_name = file.read_text_attribute("scene_name");
  head.scene_file = file.read_text_attribute("scene_file");
  head.source = file.read_text_attribute("source");
  head.method = file.read_text_attribute("method");
  head.impact = file.read_text_attribute("impact");
  head.solver = file.read_text_attribute("solver");
  head.threads = file.read_integer_attribute("threads");
  head.step = file.read_real_attribute("step", 1)[0];
  head.duration = file.read_real_attribute("duration", 1)[0];
  if (file.has_attribute("every")) {
    head.every = file.read_real_attribute("every", 1)[0];
    if (!(*head.every > 0) || !std::isfinite(*head.every)) {
      throw std::runtime_error(file.path() + ": the time between instants should be positive");
    }
  }
  const std::vector<double> gravity = file.read_real_attribute("gravity", 3);
  head.gravity = Vec3(gravity[0], gravity[1], gravity[2]);
  head.scene_text = read_single_text(file, "scene");
  head.options = read_single_text(file, "options");
  head.overrides = read_single_text(file, "overrides");
  head.shapes = read_shapes(file);
  read_bodies(file, head);
  head.files = read_file_list(file);
  head.robots = read_robot_head(file, head.bodies.size(), head.shapes.size());
  return head;
}

std::uint64_t head_digest(const RecordingHead& head) {
  Digest digest;
  for (const std::string* text : {&head.version, &head.scene_name, &head.scene_file, &head.source, &head.scene_text,
                                  &head.method, &head.impact, &head.solver, &head.options, &head.overrides}) {
    digest.take(*text);
  }
  digest.take(&head.threads, sizeof head.threads);
  digest.take(&head.step, sizeof head.step);
  digest.take(&head.duration, sizeof head.duration);
  if (head.every) digest.take(&*head.every, sizeof *head.every);
  digest.take(head.gravity.data(), 3 * sizeof(double));
  for (const RecordedBody& body : head.bodies) {
    digest.take(body.name);
    digest.take(body.material);
    const std::array<std::uint32_t, 3> plain{static_cast<std::uint32_t>(body.kind), body.shape, body.locks.bits};
    digest.take(plain.data(), sizeof plain);
    digest.take(&body.mass, sizeof body.mass);
    digest.take(body.center.data(), 3 * sizeof(double));
    digest.take(body.inertia.data(), 9 * sizeof(double));
  }
  for (const std::string& shape : head.shapes) digest.take(shape);
  for (const StoredFile& file : head.files) {
    digest.take(file.name);
    digest.take(&file.digest, sizeof file.digest);
  }
  take_robot_head(head.robots, digest);
  return digest.value();
}

}  // namespace achilles
