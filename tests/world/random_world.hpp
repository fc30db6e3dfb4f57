// Worlds nobody would think of: bodies of every kind and shape, materials, memory of contacts, holes in the slots.
#pragma once

#include "world/world_memory.hpp"

#include <achilles/world.hpp>

#include <random>
#include <string>
#include <vector>

namespace achilles::testing {

class RandomWorlds {
 public:
  explicit RandomWorlds(std::uint64_t seed) : engine_(seed) {}

  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  int integer(int low, int high) { return std::uniform_int_distribution<int>(low, high)(engine_); }
  std::uint64_t bits() { return engine_(); }
  Vec3 vector(double size) { return Vec3(number(-size, size), number(-size, size), number(-size, size)); }
  Quat rotation() {
    std::normal_distribution<double> normal;
    return Quat(normal(engine_), normal(engine_), normal(engine_), normal(engine_)).normalized();
  }

  /// A solid shape; compounds nest up to two deep.
  Shape shape(int depth = 0) {
    switch (integer(0, depth < 2 ? 6 : 5)) {
      case 0:
        return {Sphere{number(0.1, 2)}};
      case 1:
        return {Box{Vec3(number(0.1, 2), number(0.1, 2), number(0.1, 2))}};
      case 2:
        return {Capsule{number(0.1, 1), number(0.1, 2)}};
      case 3:
        return {Cylinder{number(0.1, 1), number(0.1, 2)}};
      case 4:
        return {Cone{number(0.1, 1), number(0.1, 2)}};
      case 5: {
        Hull hull;
        for (int i = 0; i < 8; ++i) hull.points.push_back(vector(1));
        hull.file = integer(0, 1) == 0 ? "" : "stone.obj";
        return {hull};
      }
      default: {
        Compound compound;
        const int parts = integer(1, 3);
        for (int i = 0; i < parts; ++i) compound.parts.push_back({shape(depth + 1), {vector(1), rotation()}});
        return {compound};
      }
    }
  }

  BodyDescription body(const std::string& name) {
    BodyDescription body;
    body.name = name;
    body.kind = static_cast<BodyKind>(integer(0, 2));
    body.shape = shape();
    if (body.kind == BodyKind::kFixed && integer(0, 2) == 0) body.shape = {Plane{vector(1), number(-1, 1)}};
    if (integer(0, 1) == 0) body.mass = number(0.1, 100);
    if (integer(0, 3) == 0) body.center = vector(0.3);
    body.pose = {vector(10), rotation()};
    body.velocity = vector(5);
    body.spin = vector(5);
    body.material = integer(0, 1) == 0 ? "default" : "rubber";
    body.locks.bits = integer(0, 2) == 0 ? static_cast<std::uint8_t>(integer(0, 63)) : std::uint8_t{0};
    body.rotation = static_cast<RotationUpdate>(integer(0, 2));
    body.rotation_axis = rotation() * Vec3::UnitX();
    body.force = vector(3);
    body.torque = vector(3);
    return body;
  }

  ContactLaw law() {
    ContactLaw law;
    law.friction = number(0, 2);
    law.restitution = number(0, 1);
    law.rolling_friction = number(0, 0.1);
    law.torsional_friction = number(0, 0.1);
    law.stiffness = integer(0, 1) == 0 ? 0 : number(1, 1e6);
    law.damping = integer(0, 1) == 0 ? 0 : number(1, 1e3);
    if (integer(0, 2) == 0) law.anisotropy = Vec2(number(0, 1), number(0, 1));
    return law;
  }

  World world(int bodies) {
    const std::vector<Material> materials{{"default", law()}, {"rubber", law()}};
    const std::vector<MaterialPair> pairs{{"default", "rubber", law()}};
    World world;
    world.materials = MaterialTable(materials, pairs);
    world.gravity = vector(10);
    world.time = number(0, 100);
    world.step_index = integer(0, 100000);
    for (int i = 0; i < bodies; ++i) world.add_body(body("body" + std::to_string(i)));
    for (int i = 0; i < bodies / 4; ++i) {
      world.remove_body(
          world.handle_of(static_cast<std::uint32_t>(integer(0, static_cast<int>(world.names.size()) - 1))));
    }
    const auto last = static_cast<int>(world.bodies.size()) - 1;
    for (int i = 0; i < last; ++i) {
      world.ignore_pair(static_cast<std::uint32_t>(integer(0, last - 1)), static_cast<std::uint32_t>(last));
    }
    remember_contacts(world);
    return world;
  }

 private:
  void remember_contacts(World& world) {
    const auto colliders = static_cast<std::uint32_t>(world.pieces.size());
    for (std::uint32_t i = 0; i + 1 < colliders; ++i) {
      const auto count = static_cast<std::uint32_t>(integer(0, 4));
      world.memory().contact_cache.contacts.push_back(
          {i, i + 1, static_cast<std::uint32_t>(world.memory().contact_cache.points.size()), count});
      for (std::uint32_t k = 0; k < count; ++k) {
        world.memory().contact_cache.points.push_back({bits(), number(0, 3), vector(10), vector(1)});
      }
    }
    for (std::size_t i = 0; i < world.bodies.size(); ++i) {
      world.bodies.applied_force[i] = vector(2);
      world.bodies.applied_torque[i] = vector(2);
      world.bodies.asleep[i] = static_cast<std::uint8_t>(integer(0, 1));
      world.memory().sleep.calm_steps[i] = static_cast<std::uint32_t>(integer(0, 20));
      world.memory().sleep.energy[i] = number(0, 1);
      world.memory().sleep.island[i] = static_cast<std::uint32_t>(integer(0, 3));
    }
  }

  std::mt19937_64 engine_;
};

}  // namespace achilles::testing
