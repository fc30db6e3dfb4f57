// Arguments for any function of the API: mostly sensible, sometimes what a caller should never pass.
#pragma once

#include <achilles/scene.hpp>
#include <achilles/world.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace achilles::testing {

class RandomArguments {
 public:
  explicit RandomArguments(std::uint64_t seed) : engine_(seed) {}

 protected:
  std::size_t pick(std::size_t count) { return engine_() % count; }
  bool one_in(std::size_t count) { return pick(count) == 0; }

  double number() {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
    static constexpr std::array kOdd{0.0, -0.0, -1.0, 1e-9, 1e3, kInf, -kInf, kNotANumber};
    if (one_in(12)) return kOdd[pick(kOdd.size())];
    return std::uniform_real_distribution<double>(-2, 2)(engine_);
  }
  double length() { return one_in(4) ? number() : std::uniform_real_distribution<double>(0.1, 1)(engine_); }
  Vec3 vector() { return {number(), number(), number()}; }
  Quat rotation() { return {number(), number(), number(), number()}; }
  Pose pose() { return {3 * vector(), rotation()}; }
  std::uint32_t index(std::size_t count) {
    return one_in(8) ? static_cast<std::uint32_t>(engine_()) : static_cast<std::uint32_t>(pick(count + 1));
  }
  std::string name() {
    static constexpr std::array kNames{"a", "b", "c", "ground", "lift", "world", "nobody", ""};
    return kNames[pick(kNames.size())];
  }
  std::string joint_name() { return "joint" + std::to_string(pick(4)); }

  Shape shape() {
    switch (pick(9)) {
      case 0:
        return {Sphere{length()}};
      case 1:
        return {Box{Vec3(length(), length(), length())}};
      case 2:
        return {Capsule{length(), length()}};
      case 3:
        return {Cylinder{length(), length()}};
      case 4:
        return {Cone{length(), length()}};
      case 5:
        return {Plane{vector(), number()}};
      case 6: {
        Hull hull;
        for (std::size_t k = pick(8); k > 0; --k) hull.points.push_back(vector());
        return {hull};
      }
      case 7: {
        Mesh mesh;
        for (std::size_t k = pick(6); k > 0; --k) mesh.vertices.push_back(vector());
        for (std::size_t k = pick(4); k > 0; --k) {
          mesh.triangles.push_back(
              {static_cast<int>(pick(7)) - 1, static_cast<int>(pick(6)), static_cast<int>(pick(6))});
        }
        return {mesh};
      }
      default:
        return {NoShape{}};
    }
  }

  BodyDescription body() {
    BodyDescription body;
    body.name = one_in(3) ? name() : "new" + std::to_string(pick(20));
    body.kind = static_cast<BodyKind>(pick(3));
    body.shape = shape();
    if (one_in(3)) body.mass = length();
    if (one_in(6)) body.inertia = length() * Mat3::Identity();
    if (one_in(6)) body.center = vector();
    body.pose = pose();
    body.velocity = vector();
    body.spin = vector();
    if (one_in(8)) body.material = "nothing";
    if (one_in(4)) body.locks.bits = static_cast<std::uint8_t>(pick(64));
    if (one_in(8)) body.force = vector();
    return body;
  }

  DriveDescription drive() {
    DriveDescription drive;
    drive.kind = static_cast<DriveDescription::Kind>(pick(3));
    double time = 0;
    for (std::size_t k = one_in(8) ? 0 : 1 + pick(3); k > 0; --k) {
      drive.target.emplace_back(time, number());
      time += one_in(8) ? number() : 0.02;
    }
    drive.stiffness = one_in(3) ? 0 : 100 * length();
    drive.damping = one_in(3) ? 0 : 10 * length();
    if (one_in(2)) drive.max_force = 50 * length();
    if (one_in(4)) drive.max_rate = length();
    return drive;
  }

  JointDescription joint() {
    JointDescription joint;
    joint.name = one_in(4) ? "" : joint_name();
    joint.kind = static_cast<JointKind>(pick(8));
    joint.first = name();
    joint.second = name();
    joint.at = vector();
    for (std::size_t k = pick(4); k > 0; --k) {
      JointAxis axis;
      axis.axis = vector();
      if (one_in(3)) axis.limits = {number(), number()};
      if (one_in(3)) axis.motor_speed = number();
      axis.motor_max = length();
      axis.stiffness = one_in(3) ? length() : 0;
      axis.armature = one_in(6) ? length() : 0;
      if (one_in(6)) axis.drive = drive();
      joint.axes.push_back(axis);
    }
    if (one_in(4)) joint.at_second = vector();
    if (one_in(4)) joint.length = number();
    if (one_in(6)) joint.compliance = number();
    if (one_in(6)) joint.damping = number();
    return joint;
  }

  CouplingDescription coupling() {
    CouplingDescription coupling;
    coupling.name = "coupling";
    for (std::size_t k = one_in(6) ? 0 : 1 + pick(2); k > 0; --k) {
      coupling.terms.push_back({joint_name(), one_in(4) ? pick(3) : 0, number()});
    }
    coupling.offset = one_in(3) ? number() : 0;
    return coupling;
  }

  ScriptDescription script() {
    ScriptDescription script;
    script.body = name();
    for (std::size_t k = pick(4); k > 0; --k) script.space.push_back(vector());
    for (std::size_t k = pick(3); k > 0; --k) script.speed.emplace_back(number(), number());
    for (std::size_t k = pick(3); k > 0; --k) script.turn.emplace_back(number(), rotation());
    return script;
  }

  std::vector<Material> materials() {
    Material material{"default", {}};
    material.law.friction = length();
    material.law.restitution = one_in(2) ? 0 : length();
    if (one_in(4)) material.law.rolling_friction = number();
    if (one_in(4)) material.law.torsional_friction = number();
    if (one_in(6)) material.law.stiffness = 1e4 * length();
    if (one_in(6)) material.law.anisotropy = Vec2(number(), number());
    return {material};
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace achilles::testing
