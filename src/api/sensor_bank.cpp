#include "api/sensor_bank.hpp"

#include <algorithm>
#include <limits>

namespace achilles {
namespace {

bool is_of_joint(SensorKind kind) {
  return kind == SensorKind::kJointPosition || kind == SensorKind::kJointVelocity || kind == SensorKind::kJointTorque;
}

std::vector<SensorColumn> list_columns(SensorKind kind, bool slides) {
  switch (kind) {
    case SensorKind::kJointPosition:
      return {{"value", slides ? "m" : "rad"}};
    case SensorKind::kJointVelocity:
      return {{"value", slides ? "m/s" : "rad/s"}};
    case SensorKind::kJointTorque:
      return {{"value", slides ? "N" : "N m"}};
    case SensorKind::kImu:
      return {{"ax", "m/s²"}, {"ay", "m/s²"}, {"az", "m/s²"}, {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}};
    case SensorKind::kContactForce:
      return {{"fx", "N"}, {"fy", "N"}, {"fz", "N"}};
    case SensorKind::kTouch:
      return {{"value", "N"}};
    case SensorKind::kFrame:
      return {{"x", "m"},    {"y", "m"},    {"z", "m"},    {"qw", ""},      {"qx", ""},      {"qy", ""},     {"qz", ""},
              {"vx", "m/s"}, {"vy", "m/s"}, {"vz", "m/s"}, {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}};
    case SensorKind::kDistanceRay:
      return {{"value", "m"}};
  }
  return {};
}

/// A sensor's frame in the world and the velocity of its origin.
struct Placed {
  Pose pose;
  Vec3 velocity = Vec3::Zero();  // [m/s]
  Vec3 spin = Vec3::Zero();      // [rad/s] world axes
};

Placed place(const World& world, std::uint32_t body, const Pose& pose_B) {
  const BodyVelocity& u = world.bodies.velocity[body];
  const Pose frame = world.bodies.frame(body);
  Placed placed;
  placed.pose.p = frame.p + frame.q * pose_B.p;
  placed.pose.q = frame.q * pose_B.q;
  placed.velocity = u.linear + u.angular.cross(placed.pose.p - world.bodies.position[body]);
  placed.spin = u.angular;
  return placed;
}

void store_vector(const Vec3& value, std::span<double> to) {
  for (std::size_t k = 0; k < 3; ++k) to[k] = value[static_cast<Eigen::Index>(k)];
}

}  // namespace

SensorBank::SensorBank(std::span<const SensorDescription> sensors, const World& world) {
  for (const SensorDescription& description : sensors) {
    Sensor sensor{description, {}, Vec3::Zero()};
    bool slides = false;
    if (is_of_joint(description.kind)) {
      slides = world.joints[world.index_of(world.find_joint(description.joint))].kind == JointKind::kSlider;
    } else {
      sensor.body = world.find(description.body);
    }
    has_rays_ = has_rays_ || description.kind == SensorKind::kDistanceRay;
    infos_.push_back({description.name, description.kind, values_.size(), list_columns(description.kind, slides)});
    values_.resize(values_.size() + infos_.back().columns.size());
    sensors_.push_back(std::move(sensor));
  }
}

void SensorBank::begin_step(const World& world) {
  for (Sensor& sensor : sensors_) {
    if (sensor.description.kind != SensorKind::kImu || !world.is_alive(sensor.body)) continue;
    sensor.velocity_before = place(world, world.index_of(sensor.body), sensor.description.pose).velocity;
  }
}

void SensorBank::measure(const World& world, const std::optional<SensorInput>& input) {
  if (has_rays_ && query_.query == nullptr) {
    query_.query = std::make_unique<WorldQuery>(world);
  } else if (has_rays_) {
    query_.query->update(world);
  }
  for (std::size_t k = 0; k < sensors_.size(); ++k) {
    const Sensor& sensor = sensors_[k];
    const std::span<double> values = std::span(values_).subspan(infos_[k].first, infos_[k].columns.size());
    if (is_of_joint(sensor.description.kind)) {
      measure_joint(world, sensor, input, values.front());
    } else if (!world.is_alive(sensor.body)) {
      std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
    } else if (sensor.description.kind == SensorKind::kDistanceRay) {
      measure_ray(world, sensor, values.front());
    } else {
      measure_body(world, sensor, input, values);
    }
  }
}

void SensorBank::measure_joint(const World& world, const Sensor& sensor, const std::optional<SensorInput>& input,
                               double& value) {
  const auto found = std::find(world.joint_names.begin(), world.joint_names.end(), sensor.description.joint);
  const auto joint = static_cast<std::uint32_t>(found - world.joint_names.begin());
  const std::size_t axis = sensor.description.axis;
  if (found == world.joint_names.end() || axis >= world.joints[joint].axis_count) {
    value = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  const auto acts = [&](std::uint32_t body) { return world.bodies.is_movable(body) && world.bodies.asleep[body] == 0; };
  switch (sensor.description.kind) {
    case SensorKind::kJointPosition:
      value = world.joint_states[joint].position[axis];
      break;
    case SensorKind::kJointVelocity:
      value = world.joint_rate(joint, axis);
      break;
    default:
      if (!input || joint >= input->loads.size()) break;
      if (!acts(world.joints[joint].body_a) && !acts(world.joints[joint].body_b)) break;  // as when they fell asleep
      value = input->loads[joint].drive[axis];
      break;
  }
}

void SensorBank::measure_body(const World& world, const Sensor& sensor, const std::optional<SensorInput>& input,
                              std::span<double> values) {
  const std::uint32_t body = world.index_of(sensor.body);
  const Placed placed = place(world, body, sensor.description.pose);
  const Quat to_sensor = placed.pose.q.conjugate();
  if (sensor.description.kind == SensorKind::kFrame) {
    store_vector(placed.pose.p, values);
    values[3] = placed.pose.q.w();
    store_vector(placed.pose.q.vec(), values.subspan(4));
    store_vector(placed.velocity, values.subspan(7));
    store_vector(placed.spin, values.subspan(10));
    return;
  }
  if (sensor.description.kind == SensorKind::kImu) {
    store_vector(to_sensor * placed.spin, values.subspan(3));
    if (!input) return;
    const Vec3 acceleration = (placed.velocity - sensor.velocity_before) / input->h;
    store_vector(to_sensor * Vec3(acceleration - world.gravity), values);
    return;
  }
  if (!input || world.bodies.asleep[body] != 0) return;
  Vec3 force = Vec3::Zero();
  double normal = 0;
  for (const ContactRecord& contact : input->contacts) {
    if (contact.body_a != body && contact.body_b != body) continue;
    force += (contact.body_b == body ? 1 : -1) / input->h * contact.impulse;
    normal += contact.impulse.dot(contact.normal) / input->h;
  }
  if (sensor.description.kind == SensorKind::kTouch) {
    values.front() = normal;
  } else {
    store_vector(force, values);
  }
}

void SensorBank::measure_ray(const World& world, const Sensor& sensor, double& value) {
  const Placed placed = place(world, world.index_of(sensor.body), sensor.description.pose);
  QueryFilter others;
  others.accept = [body = sensor.body](BodyHandle other) { return !(other == body); };
  const Vec3 direction = placed.pose.q * sensor.description.direction;
  const std::optional<QueryHit> hit =
      query_.query->cast_ray(placed.pose.p, direction, others, sensor.description.range);
  value = hit ? hit->distance : sensor.description.range;
}

}  // namespace achilles
