// What a script does through a joint is work of the script.
#include "methods/method_spec.hpp"
#include "support/scenes.hpp"

#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_scene;

/// A weight of 2 kg on a scripted carrier that goes from rest to rest 0.5 m up and 0.3 m aside.
Scene make_lift(const std::string& method, JointKind kind, bool carrier_first) {
  Scene scene = make_scene(0.001, 0, 0);
  scene.method.name = method;
  BodyDescription carrier = make_body("carrier", {Box{Vec3(0.1, 0.1, 0.1)}}, Vec3(0, 0, 1));
  carrier.kind = BodyKind::kScripted;
  BodyDescription weight = make_body("weight", {Box{Vec3(0.2, 0.2, 0.2)}}, Vec3(0, 0, 0.5));
  weight.mass = 2;
  scene.bodies = {carrier, weight};
  JointDescription joint;
  joint.name = "rope";
  joint.kind = kind;
  joint.first = carrier_first ? "carrier" : "weight";
  joint.second = carrier_first ? "weight" : "carrier";
  joint.at = Vec3(0, 0, 1);
  scene.joints = {joint};
  ScriptDescription script;
  script.body = "carrier";
  script.space = {Vec3(0, 0, 1), Vec3(0.3, 0, 1.5)};
  const double way = std::hypot(0.3, 0.5);
  script.speed = {{0, 0}, {0.2, 0}, {0.7, way}, {0.9, way}};
  scene.scripts = {script};
  return scene;
}

// Energy is work: m g 0.5 m = 9.81 J and what the weight still swings with. A step of first order errs by h in the
// work, some h times the largest power, 0.001 s · 40 W, at every change of it; 2 % of 9.81 J is more than that.
TEST(ScriptWork, ThroughAJointIsTheEnergyThatTheCarriedBodyGains) {
  for (const MethodSpec& method : method_specs()) {
    if (!method.capabilities.joints || !method.capabilities.scripts) continue;
    for (const JointKind kind : {JointKind::kFixed, JointKind::kBall}) {
      for (const bool carrier_first : {true, false}) {
        const Scene scene = make_lift(std::string(method.name), kind, carrier_first);
        Simulation simulation(scene);
        const World& world = simulation.world();
        const double start = world.kinetic_energy() + world.potential_energy();
        double work = 0;
        while (world.time < 0.9) work += simulation.step().external_work;
        const double gain = world.kinetic_energy() + world.potential_energy() - start;
        EXPECT_GT(gain, 9) << method.name;
        EXPECT_NEAR(work, gain, 0.02 * 9.81) << method.name << (kind == JointKind::kFixed ? " fixed" : " ball");
      }
    }
  }
}

}  // namespace
}  // namespace achilles
