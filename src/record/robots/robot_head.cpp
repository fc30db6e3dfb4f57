#include "record/robots/robot_head.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>

namespace achilles {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();  // in place of a colour
constexpr std::size_t kMostRows = 100'000'000;                      // more is a damaged length

/// An array of `width` numbers for each item of a list.
template <class T, class Item, class Get>
std::vector<T> gather(const std::vector<Item>& items, std::size_t width, const Get& get) {
  std::vector<T> values(width * items.size());
  for (std::size_t k = 0; k < items.size(); ++k) get(items[k], values.data() + width * k);
  return values;
}

template <class T, class Item, class Get>
void write_column(const Hdf5File& file, const std::string& name, const std::vector<Item>& items, std::size_t width,
                  const Get& get) {
  const std::vector<T> values = gather<T>(items, width, get);
  std::vector<hsize_t> shape{items.size()};
  if (width > 1) shape.push_back(width);
  file.write_array<T>(name, shape, values);
}

template <class Item, class Get>
void write_texts(const Hdf5File& file, const std::string& name, const std::vector<Item>& items, const Get& get) {
  std::vector<std::string> texts;
  for (const Item& item : items) texts.push_back(get(item));
  file.write_texts(name, texts);
}

/// Rows of an array, which must be `count` times `width` numbers.
template <class T>
std::vector<T> read_column(const Hdf5File& file, const std::string& name, std::size_t count, std::size_t width) {
  const Hdf5Array array = file.open_array(name);
  if (array.rows() != count || array.row_size() != width) {
    throw std::runtime_error(file.path() + ": /" + name + " has another size than its group");
  }
  std::vector<T> values(count * width);
  array.read<T>(0, count, values);
  return values;
}

std::size_t read_count(const Hdf5File& file, const std::string& name) {
  if (!file.has_attribute(name)) return 0;
  const std::int64_t count = file.read_integer_attribute(name);
  if (count < 0 || static_cast<std::size_t>(count) > kMostRows) {
    throw std::runtime_error(file.path() + ": the attribute " + name + " is no count");
  }
  return static_cast<std::size_t>(count);
}

void check_index(const Hdf5File& file, const char* what, std::uint32_t index, std::size_t count) {
  if (index < count) return;
  throw std::runtime_error(file.path() + ": " + what + " names a body or shape that there is not");
}

void write_visuals(const Hdf5File& file, const RobotHead& head) {
  if (head.visuals.empty()) return;
  using V = RecordedVisual;
  file.write_attribute("visual_count", static_cast<std::int64_t>(head.visuals.size()));
  file.make_group("visuals");
  write_column<std::uint32_t>(file, "visuals/body", head.visuals, 1,
                              [](const V& v, std::uint32_t* out) { *out = v.body; });
  write_column<std::uint32_t>(file, "visuals/shape", head.visuals, 1,
                              [](const V& v, std::uint32_t* out) { *out = v.shape; });
  write_column<double>(file, "visuals/position", head.visuals, 3,
                       [](const V& v, double* out) { std::copy_n(v.pose.p.data(), 3, out); });
  write_column<double>(file, "visuals/orientation", head.visuals, 4, [](const V& v, double* out) {
    out[0] = v.pose.q.w();
    std::copy_n(v.pose.q.vec().data(), 3, out + 1);
  });
  write_column<double>(file, "visuals/color", head.visuals, 4, [](const V& v, double* out) {
    const Color none{kNone, kNone, kNone, kNone};
    const Color& color = v.color ? *v.color : none;
    std::copy(color.begin(), color.end(), out);
  });
}

void read_visuals(const Hdf5File& file, std::size_t bodies, std::size_t shapes, RobotHead& head) {
  const std::size_t count = read_count(file, "visual_count");
  if (count == 0) return;
  const auto body = read_column<std::uint32_t>(file, "visuals/body", count, 1);
  const auto shape = read_column<std::uint32_t>(file, "visuals/shape", count, 1);
  const auto position = read_column<double>(file, "visuals/position", count, 3);
  const auto orientation = read_column<double>(file, "visuals/orientation", count, 4);
  const auto color = read_column<double>(file, "visuals/color", count, 4);
  for (std::size_t k = 0; k < count; ++k) {
    check_index(file, "/visuals", body[k], bodies);
    check_index(file, "/visuals", shape[k], shapes);
    const double *p = &position[3 * k], *q = &orientation[4 * k], *c = &color[4 * k];
    RecordedVisual visual{body[k], shape[k], {Vec3(p[0], p[1], p[2]), Quat(q[0], q[1], q[2], q[3])}, {}};
    if (!std::isnan(c[0])) visual.color = Color{c[0], c[1], c[2], c[3]};
    head.visuals.push_back(visual);
  }
}

void write_colors(const Hdf5File& file, const RobotHead& head) {
  if (head.colors.empty()) return;
  using C = RecordedColor;
  file.write_attribute("color_count", static_cast<std::int64_t>(head.colors.size()));
  file.make_group("colors");
  write_column<std::uint32_t>(file, "colors/body", head.colors, 1,
                              [](const C& c, std::uint32_t* out) { *out = c.body; });
  write_column<double>(file, "colors/color", head.colors, 4,
                       [](const C& c, double* out) { std::copy(c.color.begin(), c.color.end(), out); });
}

void read_colors(const Hdf5File& file, std::size_t bodies, RobotHead& head) {
  const std::size_t count = read_count(file, "color_count");
  if (count == 0) return;
  const auto body = read_column<std::uint32_t>(file, "colors/body", count, 1);
  const auto color = read_column<double>(file, "colors/color", count, 4);
  for (std::size_t k = 0; k < count; ++k) {
    check_index(file, "/colors", body[k], bodies);
    const double* c = &color[4 * k];
    head.colors.push_back({body[k], {c[0], c[1], c[2], c[3]}});
  }
}

void write_joints(const Hdf5File& file, const RobotHead& head) {
  if (head.joints.empty()) return;
  using J = RecordedJoint;
  file.write_attribute("joint_count", static_cast<std::int64_t>(head.joints.size()));
  file.make_group("joints");
  write_texts(file, "joints/name", head.joints, [](const J& j) { return j.name; });
  write_column<std::uint8_t>(file, "joints/kind", head.joints, 1,
                             [](const J& j, std::uint8_t* out) { *out = static_cast<std::uint8_t>(j.kind); });
  write_column<std::uint32_t>(file, "joints/body_a", head.joints, 1,
                              [](const J& j, std::uint32_t* out) { *out = j.body_a; });
  write_column<std::uint32_t>(file, "joints/body_b", head.joints, 1,
                              [](const J& j, std::uint32_t* out) { *out = j.body_b; });
  write_column<double>(file, "joints/position", head.joints, 3,
                       [](const J& j, double* out) { std::copy_n(j.position.data(), 3, out); });
  write_column<std::uint32_t>(file, "joints/axis_count", head.joints, 1,
                              [](const J& j, std::uint32_t* out) { *out = j.axis_count; });
  write_column<double>(file, "joints/axes", head.joints, 6, [](const J& j, double* out) {
    std::copy_n(j.axes[0].data(), 3, out);
    std::copy_n(j.axes[1].data(), 3, out + 3);
  });
}

void read_joints(const Hdf5File& file, std::size_t bodies, RobotHead& head) {
  const std::size_t count = read_count(file, "joint_count");
  if (count == 0) return;
  const std::vector<std::string> names = file.read_texts("joints/name");
  if (names.size() != count) throw std::runtime_error(file.path() + ": /joints/name has another size than its group");
  const auto kind = read_column<std::uint8_t>(file, "joints/kind", count, 1);
  const auto body_a = read_column<std::uint32_t>(file, "joints/body_a", count, 1);
  const auto body_b = read_column<std::uint32_t>(file, "joints/body_b", count, 1);
  const auto position = read_column<double>(file, "joints/position", count, 3);
  const auto axis_count = read_column<std::uint32_t>(file, "joints/axis_count", count, 1);
  const auto axes = read_column<double>(file, "joints/axes", count, 6);
  for (std::size_t k = 0; k < count; ++k) {
    check_index(file, "/joints", body_a[k], bodies);
    check_index(file, "/joints", body_b[k], bodies);
    if (kind[k] > static_cast<std::uint8_t>(JointKind::kDistance) || axis_count[k] > 2) {
      throw std::runtime_error(file.path() + ": joint " + std::to_string(k) + " is of no known kind");
    }
    const double *p = &position[3 * k], *a = &axes[6 * k];
    head.joints.push_back({names[k],
                           static_cast<JointKind>(kind[k]),
                           body_a[k],
                           body_b[k],
                           Vec3(p[0], p[1], p[2]),
                           axis_count[k],
                           {Vec3(a[0], a[1], a[2]), Vec3(a[3], a[4], a[5])}});
  }
}

void write_columns(const Hdf5File& file, const RobotHead& head) {
  if (head.columns.empty()) return;
  using C = RecordedColumn;
  file.write_attribute("sensor_columns", static_cast<std::int64_t>(head.columns.size()));
  file.make_group("sensors");
  write_texts(file, "sensors/sensor", head.columns, [](const C& c) { return c.sensor; });
  write_texts(file, "sensors/column", head.columns, [](const C& c) { return c.column; });
  write_texts(file, "sensors/unit", head.columns, [](const C& c) { return c.unit; });
}

void read_columns(const Hdf5File& file, RobotHead& head) {
  const std::size_t count = read_count(file, "sensor_columns");
  if (count == 0) return;
  const std::vector<std::string> sensors = file.read_texts("sensors/sensor");
  const std::vector<std::string> columns = file.read_texts("sensors/column");
  const std::vector<std::string> units = file.read_texts("sensors/unit");
  if (sensors.size() != count || columns.size() != count || units.size() != count) {
    throw std::runtime_error(file.path() + ": /sensors contradicts itself");
  }
  for (std::size_t k = 0; k < count; ++k) head.columns.push_back({sensors[k], columns[k], units[k]});
}

}  // namespace

std::vector<RecordedColumn> list_recorded_columns(std::span<const SensorInfo> sensors) {
  std::vector<RecordedColumn> columns;
  for (const SensorInfo& sensor : sensors) {
    for (const SensorColumn& column : sensor.columns) {
      columns.push_back({sensor.name, std::string(column.name), std::string(column.unit)});
    }
  }
  return columns;
}

RobotHead make_robot_head(const World& world, const Scene& scene, std::span<const SensorInfo> sensors,
                          const std::function<std::uint32_t(const Shape&)>& index_of) {
  RobotHead head;
  std::unordered_map<std::string_view, std::uint32_t> by_name;
  for (std::uint32_t k = 0; k < world.names.size(); ++k) by_name.emplace(world.names[k], k);
  for (const BodyDescription& body : scene.bodies) {
    const auto found = by_name.find(body.name);
    if (found == by_name.end()) continue;  // removed before the recording began
    if (body.color) head.colors.push_back({found->second, *body.color});
    for (const VisualDescription& visual : body.visuals) {
      head.visuals.push_back({found->second, index_of(visual.shape), visual.pose, visual.color});
    }
  }
  for (std::size_t k = 0; k < world.joints.size(); ++k) {
    const WorldJoint& joint = world.joints[k];
    head.joints.push_back({world.joint_names[k], joint.kind, joint.body_a, joint.body_b,
                           joint.anchor_A + world.bodies.center_B[joint.body_a], joint.axis_count, joint.axis_A});
  }
  head.columns = list_recorded_columns(sensors);
  return head;
}

void write_robot_head(const Hdf5File& file, const RobotHead& head) {
  write_visuals(file, head);
  write_colors(file, head);
  write_joints(file, head);
  write_columns(file, head);
}

RobotHead read_robot_head(const Hdf5File& file, std::size_t bodies, std::size_t shapes) {
  RobotHead head;
  read_visuals(file, bodies, shapes, head);
  read_colors(file, bodies, head);
  read_joints(file, bodies, head);
  read_columns(file, head);
  return head;
}

void take_robot_head(const RobotHead& head, Digest& digest) {
  for (const RecordedVisual& visual : head.visuals) {
    const std::array<std::uint32_t, 2> plain{visual.body, visual.shape};
    digest.take(plain.data(), sizeof plain);
    digest.take(visual.pose.p.data(), 3 * sizeof(double));
    digest.take(visual.pose.q.coeffs().data(), 4 * sizeof(double));
    if (visual.color) digest.take(visual.color->data(), sizeof *visual.color);
  }
  for (const RecordedColor& color : head.colors) {
    digest.take(&color.body, sizeof color.body);
    digest.take(color.color.data(), sizeof color.color);
  }
  for (const RecordedJoint& joint : head.joints) {
    digest.take(joint.name);
    const std::array<std::uint32_t, 4> plain{static_cast<std::uint32_t>(joint.kind), joint.body_a, joint.body_b,
                                             joint.axis_count};
    digest.take(plain.data(), sizeof plain);
    digest.take(joint.position.data(), 3 * sizeof(double));
    for (const Vec3& axis : joint.axes) digest.take(axis.data(), 3 * sizeof(double));
  }
  for (const RecordedColumn& column : head.columns) {
    for (const std::string* text : {&column.sensor, &column.column, &column.unit}) digest.take(*text);
  }
}

}  // namespace achilles
