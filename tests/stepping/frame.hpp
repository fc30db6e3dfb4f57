// One step of a small world, stage by stage.
#pragma once

#include "stepping/contact_stage.hpp"
#include "stepping/motion_stage.hpp"
#include "stepping/solve_stage.hpp"

namespace achilles::testing {

constexpr double kGravity = 9.81;  // [m/s²]

inline Scene make_scene_of(double restitution, std::vector<BodyDescription> bodies) {
  Scene scene;
  Material material{"default", {}};
  material.law.friction = 0.5;
  material.law.restitution = restitution;
  scene.materials = {material};
  scene.gravity = Vec3(0, 0, -kGravity);
  scene.bodies = std::move(bodies);
  return scene;
}

inline BodyDescription make_fixed_ground() {
  BodyDescription ground;
  ground.name = "ground";
  ground.kind = BodyKind::kFixed;
  ground.shape = {Plane{Vec3::UnitZ(), 0}};
  return ground;
}

/// A ball of radius 0.5 m and of 2 kg.
inline BodyDescription make_ball(const std::string& name, const Vec3& center, const Vec3& velocity = Vec3::Zero()) {
  BodyDescription ball;
  ball.name = name;
  ball.shape = {Sphere{0.5}};
  ball.mass = 2;
  ball.pose.p = center;
  ball.velocity = velocity;
  return ball;
}

struct StageFrame {
  explicit StageFrame(const Scene& scene) : world(scene) {}

  /// Up to the rows, which are built from u*.
  void build(double h, double margin = 0.01, double restitution_threshold = 0.1) {
    report = {};
    prepare_bodies(world, {world.time, h}, work);
    integrate_velocities(world, work.inverse_mass, h, work.motion);
    remember_free_motion(world, work);
    find_contacts(world, margin, h, work);
    build_rows(world, world.time, {h, restitution_threshold, kSlop, margin}, true, work);
  }
  /// Impulses, records and memory.
  void solve() {
    solve_islands(world, {}, work);
    conclude_contacts(world, kSlop, work, report);
  }

  static constexpr double kSlop = 1e-4;  // [m]
  World world;
  StepWorkspace work;
  StepReport report;
};

}  // namespace achilles::testing
