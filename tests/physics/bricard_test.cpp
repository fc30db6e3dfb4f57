// Bricard's linkage: six hinges in a loop, which by a count of its constraints is a structure and yet moves in one way,
// because one constraint repeats the others.
#include "support/joints.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_joint;
using testing::make_scene;

/// Rods of 1 m along edges of a cube; each hinge is at right angles to its two rods. The first rod is fixed.
Scene make_linkage(const std::string& method, double step) {
  Scene scene = make_scene(step, 0, 0);
  scene.gravity = Vec3(0, 0, -9.81);
  scene.method.name = method;
  Vec3 at = Vec3::Zero();
  const std::array<Vec3, 6> edges = {Vec3::UnitX(),  Vec3::UnitY(),  Vec3::UnitZ(),
                                     -Vec3::UnitX(), -Vec3::UnitY(), -Vec3::UnitZ()};
  for (std::size_t k = 0; k < 6; ++k) {
    const std::string name = "rod" + std::to_string(k), before = "rod" + std::to_string((k + 5) % 6);
    const Vec3 size = Vec3::Constant(0.02) + 0.98 * edges[k].cwiseAbs();
    scene.bodies.push_back(make_body(name, {Box{size}}, at + 0.5 * edges[k]));
    scene.bodies.back().mass = 1;
    scene.bodies.back().group = "linkage";
    scene.joints.push_back(make_joint(JointKind::kHinge, before, name, at, {edges[(k + 5) % 6].cross(edges[k])}));
    at += edges[k];
  }
  scene.bodies[0].kind = BodyKind::kFixed;
  scene.bodies[0].mass.reset();
  scene.rules = {{"linkage", "linkage"}};
  return scene;
}

class Bricard : public ::testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Methods, Bricard,
                         ::testing::Values("lcp-fixed", "anitescu", "hybrid", "lcp-fixpoint", "reflections"),
                         [](const ::testing::TestParamInfo<const char*>& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// It falls through more than a radian and its energy is that of the start but for an error of first order. The loop is
// closed when every second hinge has turned by the same angle, p, and the others by q with sin p + sin q = sin p sin q.
TEST_P(Bricard, LinkageMovesInItsOneWay) {
  double drift[2] = {0, 0}, fastest = 0;  // [J]
  for (int finer = 0; finer < 2; ++finer) {
    Simulation simulation(make_linkage(GetParam(), finer == 0 ? 0.002 : 0.001));
    const double energy = simulation.world().kinetic_energy() + simulation.world().potential_energy();
    double turned = 0;
    while (simulation.world().time < 1) {
      const StepReport report = simulation.step();
      ASSERT_FALSE(report.stopped) << report.stopped->message;
      ASSERT_LT(report.joint_error, 1e-4) << simulation.world().time;
      std::array<double, 6> angle{};
      for (std::uint32_t k = 0; k < 6; ++k) angle[k] = simulation.joint_motion(k).position[0];
      for (std::size_t k = 2; k < 6; ++k)
        ASSERT_NEAR(angle[k], angle[k % 2], 1e-3) << k << " at " << simulation.world().time;
      const double p = std::sin(angle[0]), q = std::sin(angle[1]);
      ASSERT_NEAR(p + q, p * q, 1e-3) << simulation.world().time;
      turned = std::max({turned, std::abs(angle[0]), std::abs(angle[1])});
      fastest = std::max(fastest, simulation.world().kinetic_energy());
      const double now = simulation.world().kinetic_energy() + simulation.world().potential_energy();
      drift[finer] = std::max(drift[finer], std::abs(now - energy));
    }
    EXPECT_GT(turned, 1);
  }
  EXPECT_LT(drift[1], 0.03 * fastest);
  EXPECT_LT(drift[1], 0.7 * drift[0] + 1e-3);
}

}  // namespace
}  // namespace achilles
