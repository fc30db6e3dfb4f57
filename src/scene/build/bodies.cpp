#include "scene/build/build.hpp"
#include "scene/build/copies.hpp"
#include "scene/build/read.hpp"
#include "scene/build/solid.hpp"
#include "scene/format/spec.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

namespace achilles::scene_file {
namespace {

constexpr std::array<const char*, 6> kLockWords{"x", "y", "z", "rx", "ry", "rz"};

BodyKind read_kind(const Node& node) {
  const std::string kind = read_text(node, "kind").value_or("dynamic");
  if (kind == "fixed") return BodyKind::kFixed;
  return kind == "scripted" ? BodyKind::kScripted : BodyKind::kDynamic;
}

std::uint8_t read_locks(const Node& node) {
  std::uint8_t bits = 0;
  for (const Node& item : children(node, "lock").items) {
    for (std::size_t i = 0; i < kLockWords.size(); ++i) {
      if (item.text == kLockWords[i]) bits = static_cast<std::uint8_t>(bits | (1U << i));
    }
  }
  return bits;
}

// Motion in the plane of the two named axes and rotation about the third.
std::uint8_t planar_locks(const Node& root) {
  const std::string plane = read_text(root, "planar").value_or("");
  if (plane == "xy") return Locks::kZ | Locks::kRx | Locks::kRy;
  if (plane == "xz") return Locks::kY | Locks::kRx | Locks::kRz;
  if (plane == "yz") return Locks::kX | Locks::kRy | Locks::kRz;
  return 0;
}

void read_rotation(const Node& node, BodyDescription& body) {
  const Node* rotation = usable(node, "rotation");
  if (rotation == nullptr) return;
  if (rotation->kind == Node::Kind::kScalar) {
    body.rotation = rotation->text == "finite" ? RotationUpdate::kFinite : RotationUpdate::kInfinitesimal;
  } else if (const std::optional<Vec3> axis = read_vec3(*rotation, "partial")) {
    body.rotation = RotationUpdate::kPartial;
    body.rotation_axis = unit(*axis);
  }
}

void check_material(Build& build, const Node& node, const std::string& field) {
  const Node* material = usable(node, "material");
  if (material == nullptr || build.material_names.contains(material->text)) return;
  const std::vector<std::string> names(build.material_names.begin(), build.material_names.end());
  build.complaints.error(
      material->place, field + ".material",
      fmt::format("there is no material '{}'{}", shorten(material->text), suggestion(material->text, names)));
}

// Velocities along degrees of freedom that the body does not have.
void check_locked_velocity(Build& build, const Node& node, const BodyDescription& body, const std::string& field) {
  const auto check = [&](const char* key, const Vec3& velocity, unsigned first_lock) {
    for (unsigned axis = 0; axis < 3; ++axis) {
      const Node* value = usable(node, key);
      if (value == nullptr || (body.locks.bits & (first_lock << axis)) == 0 || velocity[axis] == 0) continue;
      build.complaints.warning(
          value->place, fmt::format("{}.{}", field, key),
          fmt::format("{} along {} is ignored, because that is locked", velocity[axis], "xyz"[axis]));
    }
  };
  check("velocity", body.velocity, Locks::kX);
  check("spin", body.spin, Locks::kRx);
}

// What a body that nothing can push has no use for.
void check_immovable(Build& build, const Node& node, const BodyDescription& body, const std::string& field) {
  if (body.kind == BodyKind::kDynamic) return;
  const char* kind = body.kind == BodyKind::kFixed ? "fixed" : "scripted";
  for (const char* key : {"mass", "density", "inertia", "force", "torque", "lock", "rotation"}) {
    const Node* value = node.find(key);
    if (value == nullptr) continue;
    build.complaints.warning(value->key_place, fmt::format("{}.{}", field, key),
                             fmt::format("is ignored, because the body is {}", kind));
  }
  if (body.kind != BodyKind::kFixed) return;
  for (const char* key : {"velocity", "spin"}) {
    const Node* value = usable(node, key);
    if (value == nullptr || vec3_at(*value).isZero(0)) continue;
    build.complaints.error(value->place, fmt::format("{}.{}", field, key),
                           "a fixed body does not move; allowed: [0, 0, 0], or kind: scripted");
  }
}

CollisionFilter read_filter(const Node& node) {
  const Node& collision = children(node, "collision");
  CollisionFilter filter;
  if (const auto group = read_number(collision, "group")) filter.group = static_cast<std::uint32_t>(*group);
  if (const auto mask = read_number(collision, "mask")) filter.mask = static_cast<std::uint32_t>(*mask);
  return filter;
}

/// The pose in the world of one that is written in the frame of another body.
Pose place_in_parent(Build& build, const Node& node, const Pose& pose, const std::string& field) {
  const Node* parent = usable(node, "parent");
  if (parent == nullptr) return pose;
  const Pose frame = pose_of_body(build, *parent, field + ".parent");
  return {frame.p + frame.q * pose.p, (frame.q * pose.q).normalized()};
}

BodyDescription read_body(Build& build, const Node& node, std::uint8_t planar, const std::string& field) {
  BodyDescription body;
  body.name = read_text(node, "name").value_or("");
  body.kind = read_kind(node);
  body.mass = read_number(node, "mass");
  body.density = read_number(node, "density");
  body.inertia = read_inertia(build, node, field);
  body.center = read_vec3(node, "center");
  body.pose = place_in_parent(build, node, build_pose(build, node, field), field);
  body.velocity = read_vec3(node, "velocity").value_or(body.velocity);
  body.spin = read_vec3(node, "spin").value_or(body.spin);
  body.force = read_vec3(node, "force").value_or(body.force);
  body.torque = read_vec3(node, "torque").value_or(body.torque);
  body.material = read_text(node, "material").value_or(body.material);
  body.locks.bits = static_cast<std::uint8_t>(read_locks(node) | (body.kind == BodyKind::kDynamic ? planar : 0));
  body.group = read_text(node, "group").value_or("");
  body.collision = read_filter(node);
  body.color = read_color(node);
  body.visuals = build_visuals(build, node, field);
  read_rotation(node, body);
  check_material(build, node, field);
  check_immovable(build, node, body, field);
  check_locked_velocity(build, node, body, field);
  return body;
}

// Fills the shape, and what of the source follows from it.
void read_shape(Build& build, const Node& node, BodyDescription& body, const std::string& field, BodySource& source) {
  const Node* shape = usable(node, "shape");
  if (shape == nullptr || has_bad_part(*shape)) return;
  const std::size_t errors = build.complaints.count_errors();
  if (shape->kind == Node::Kind::kScalar) {
    body.shape = {NoShape{}};
    source.mass = check_mass(build, *shape, body, field);
    return;
  }
  body.shape = build_shape(build, *shape, field);
  if (build.complaints.count_errors() > errors) return;
  source.mass = check_mass(build, *shape, body, field);
  if (build.complaints.count_errors() > errors) return;
  source.pieces = check_shape_use(build, *shape, body.shape, field);
}

void add_body(Build& build, const Node& node, BodyDescription body, const std::string& field) {
  const auto [entry, is_new] = build.body_index.emplace(body.name, build.scene.bodies.size());
  if (!is_new) {
    const Node* name = usable(node, "name");
    build.complaints.error(
        name != nullptr ? name->place : node.place, field + ".name",
        fmt::format("a body named '{}' exists already; allowed: a name no other body has", shorten(body.name)));
    return;
  }
  build.scene.bodies.push_back(std::move(body));
}

void unfold(Build& build, const Node& node, BodyDescription body, const std::string& field) {
  const std::optional<std::vector<Copy>> copies = read_copies(build, node, body, field);
  if (!copies) return add_body(build, node, std::move(body), field);
  const std::string name = body.name;
  const Pose pose = body.pose;
  if (body.group.empty()) body.group = name;
  for (const Copy& copy : *copies) {
    body.name = name + copy.index;
    body.pose.p = pose.p + copy.offset;
    if (copy.turn) body.pose.q = *copy.turn * pose.q;
    add_body(build, node, body, field);
  }
}

}  // namespace

void build_bodies(Build& build, const Node& root) {
  const std::uint8_t planar = planar_locks(root);
  const Node& bodies = children(root, "bodies");
  for (std::size_t i = 0; i < bodies.items.size(); ++i) {
    const Node& node = bodies.items[i];
    if (node.bad) continue;
    const std::optional<std::string> name = read_text(node, "name");
    const std::string field = name ? fmt::format("bodies.{}", shorten(*name)) : fmt::format("bodies[{}]", i);
    check_name(build, node, field);
    if (name == kWorldBody) {
      build.complaints.error(usable(node, "name")->place, field + ".name",
                             "'world' means the ground, which joints may name; allowed: any other name");
    }
    BodyDescription body = read_body(build, node, planar, field);
    BodySource source{&node, name.value_or(""), build.scene.bodies.size()};
    read_shape(build, node, body, field + ".shape", source);
    if (!name) body.name = fmt::format("bodies[{}]", i);  // its lack is an error already; the rest is still checked
    unfold(build, node, std::move(body), field);
    source.count = build.scene.bodies.size() - source.first;
    build.sources.push_back(std::move(source));
  }
  if (bodies.items.empty() && !build.complaints.has_errors()) {
    build.complaints.warning(root.place, "bodies", "the scene has no bodies");
  }
}

std::vector<std::string> body_names(const Build& build) {
  std::vector<std::string> names;
  for (const BodySource& source : build.sources) {
    if (source.count > 0) names.push_back(build.scene.bodies[source.first].name);
  }
  return names;
}

Pose pose_of_body(Build& build, const Node& name, const std::string& field) {
  if (name.bad || name.text == kWorldBody || !check_body_name(build, name, field)) return {};
  return build.scene.bodies[build.body_index.at(name.text)].pose;
}

bool check_body_name(Build& build, const Node& name, const std::string& field) {
  if (name.bad) return false;
  if (build.body_index.contains(name.text)) return true;
  const std::vector<std::string> names = build.complaints.is_full() ? std::vector<std::string>() : body_names(build);
  build.complaints.error(name.place, field,
                         fmt::format("there is no body '{}'{}", shorten(name.text), suggestion(name.text, names)));
  return false;
}

void check_name(Build& build, const Node& node, const std::string& field) {
  const Node* name = usable(node, "name");
  if (name == nullptr || (!name->text.empty() && name->text.size() <= kLongestName)) return;
  build.complaints.error(name->place, field + ".name",
                         fmt::format("found {} bytes; allowed: a name of 1 to {}", name->text.size(), kLongestName));
}

}  // namespace achilles::scene_file
