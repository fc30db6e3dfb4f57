// What the benchmark asks of a simulation engine: one scene, loaded; steps; poses.
#pragma once

#include <achilles/scene.hpp>

#include <memory>

namespace achilles::bench {

/// One engine with one scene loaded. Loading is not timed. Scenes have one friction coefficient for all and no
/// restitution.
class Engine {
 public:
  virtual ~Engine() = default;
  virtual void step() = 0;
  /// Of the body's frame, which for spheres and boxes is its centre of mass.
  [[nodiscard]] virtual Pose pose(std::size_t body) const = 0;
};

/// Null when the engine, as we know it, cannot do the scene.
using MakeEngine = std::unique_ptr<Engine>(const Scene&, int threads);

MakeEngine make_achilles;
/// Two copies side by side, a step of both at a time.
MakeEngine make_achilles_twice;
MakeEngine make_bullet;
MakeEngine make_ode;
MakeEngine make_mujoco;
MakeEngine make_box3d;
MakeEngine make_jolt;

/// Mass and principal inertia of a solid that is symmetric, so that no engine weighs differently.
struct SolidMass {
  double mass = 0;              // [kg]
  Vec3 inertia = Vec3::Zero();  // [kg m²]
};
[[nodiscard]] SolidMass weigh(const BodyDescription& body);

}  // namespace achilles::bench
