// Small scenes that many tests start from, written in code.
#pragma once

#include <achilles/simulation.hpp>

#include <string>

namespace achilles::testing {

inline BodyDescription make_body(const std::string& name, const Shape& shape, const Vec3& position) {
  BodyDescription body;
  body.name = name;
  body.shape = shape;
  body.pose.p = position;
  return body;
}

/// Solid below z = 0.
inline BodyDescription make_ground(const Vec3& normal = Vec3::UnitZ()) {
  BodyDescription ground = make_body("ground", {Plane{normal.normalized(), 0}}, Vec3::Zero());
  ground.kind = BodyKind::kFixed;
  return ground;
}

inline Scene make_scene(double step, double friction, double restitution) {
  Scene scene;
  scene.name = "test";
  scene.step = step;
  Material material;
  material.name = "default";
  material.law.friction = friction;
  material.law.restitution = restitution;
  scene.materials = {material};
  return scene;
}

/// A bullet of 900 m/s, 2 m before a fixed sheet of paper at x = 1.
inline void shoot_at_paper(Scene& scene) {
  scene.gravity = Vec3::Zero();
  BodyDescription paper = make_body("paper", {Box{Vec3(0.0001, 2, 2)}}, Vec3(1, 0, 0));
  paper.kind = BodyKind::kFixed;
  BodyDescription bullet = make_body("bullet", {Sphere{0.005}}, Vec3(-1, 0.1, 0));
  bullet.velocity = Vec3(900, 0, 0);
  scene.bodies = {paper, bullet};
}

/// Steps a simulation to (about) the given time; the last step's report comes back.
inline StepReport run_to(Simulation& simulation, double time) {
  StepReport report;
  while (simulation.world().time < time - 0.5 * simulation.step_length() && !report.stopped) report = simulation.step();
  return report;
}

inline Vec3 position_of(const Simulation& simulation, const std::string& name) {
  const World& world = simulation.world();
  return world.bodies.frame(world.index_of(world.find(name))).p;
}

inline BodyVelocity velocity_of(const Simulation& simulation, const std::string& name) {
  const World& world = simulation.world();
  return world.bodies.velocity[world.index_of(world.find(name))];
}

}  // namespace achilles::testing
