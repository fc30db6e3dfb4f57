// Friction that depends on the direction: Coulomb's law with an elliptic cone, fixed to the surface of a body.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::run_to;
using testing::velocity_of;

constexpr double kGravity = 9.81;

Material make_material(const std::string& name, double friction, std::optional<Vec2> anisotropy) {
  Material material{name, {}};
  material.law.friction = friction;
  material.law.anisotropy = anisotropy;
  return material;
}

class AnisotropicFriction : public ::testing::TestWithParam<const char*> {
 protected:
  /// A thin square on a ground without directions, with friction 1: the coefficients are the square roots of its own.
  static Scene make(double step, const Vec2& coefficients) {
    Scene scene = make_scene(step, 1, 0);
    scene.method.name = GetParam();
    scene.materials.push_back(make_material("ribbed", 1, coefficients.cwiseAbs2()));
    BodyDescription square = make_body("square", {Box{Vec3(0.4, 0.4, 0.02)}}, Vec3(0, 0, 0.01 + 1e-5));
    square.material = "ribbed";
    scene.bodies = {make_ground(), square};
    return scene;
  }
};
INSTANTIATE_TEST_SUITE_P(Methods, AnisotropicFriction,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "lcp-fixpoint", "anitescu"),
                         [](const ::testing::TestParamInfo<const char*>& tested) {
                           std::string name = tested.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The impulse in the ellipse Σ (λ_k/µ_k)² ≤ (m g h)² that dissipates most at the velocity v at the end of the step is
// λ_k = −m g h µ_k² v_k / √(Σ µ_j² v_j²): every step has (before_k − v_k) / v_k = g h µ_k² / √(Σ µ_j² v_j²). The square
// is turned about the vertical, and the ellipse with it.
TEST_P(AnisotropicFriction, SlowsWhatSlidesByTheEllipseOfMostDissipation) {
  const double h = 0.002;
  const Vec2 mu(0.6, 0.2);
  for (const double turn : {0.0, 0.7, 0.5 * std::numbers::pi}) {
    Scene scene = make(h, mu);
    const Quat q(Eigen::AngleAxisd(turn, Vec3::UnitZ()));
    scene.bodies[1].pose.q = q;
    scene.bodies[1].velocity = q * Vec3(1, 1.5, 0);
    Simulation simulation(scene);
    run_to(simulation, 0.02);  // lands
    for (int i = 0; i < 40; ++i) {
      const Vec3 before = q.conjugate() * velocity_of(simulation, "square").linear;
      (void)simulation.step();
      const Vec3 after = q.conjugate() * velocity_of(simulation, "square").linear;
      const double root = std::hypot(mu.x() * after.x(), mu.y() * after.y());
      for (int k = 0; k < 2; ++k) {
        const double expected = kGravity * h * mu[k] * mu[k] / root * after[k];
        EXPECT_NEAR(before[k] - after[k], expected, 1e-4 * kGravity * h) << "turn " << turn << " axis " << k;
      }
    }
  }
}

// tan 20° = 0.364 lies between the coefficients 0.2 and 0.6: the square slides where its smooth axis points downhill,
// at g (sin − µ cos), and stays where its rough one does, short of the step that it lands in.
TEST_P(AnisotropicFriction, HoldsOnAnInclineAcrossItsRibsAndSlidesAlong) {
  const double h = 0.002, angle = 20 * std::numbers::pi / 180, time = 0.5;
  for (const bool smooth_downhill : {true, false}) {
    Scene scene = make(h, smooth_downhill ? Vec2(0.2, 0.6) : Vec2(0.6, 0.2));
    scene.gravity = kGravity * Vec3(std::sin(angle), 0, -std::cos(angle));
    Simulation simulation(scene);
    run_to(simulation, time);
    const double slides = kGravity * (std::sin(angle) - 0.2 * std::cos(angle)) * time;
    const Vec3 u = velocity_of(simulation, "square").linear;
    EXPECT_NEAR(u.x(), smooth_downhill ? slides : 0, smooth_downhill ? 2 * kGravity * h : 1e-9);
    EXPECT_NEAR(u.y(), 0, 1e-6);
  }
}

// An axis without friction is one along which nothing is slowed, while the other holds.
TEST_P(AnisotropicFriction, LetsASkateGlideAlongItsBlade) {
  Scene scene = make(0.005, Vec2(0, 0.8));
  scene.gravity = Vec3(0.5, 2, -kGravity);  // pulls along and across; 2 < 0.8 g
  scene.bodies[1].velocity = Vec3(1, 0, 0);
  Simulation simulation(scene);
  run_to(simulation, 1);
  const Vec3 u = velocity_of(simulation, "square").linear;
  EXPECT_NEAR(u.x(), 1.5, 1e-5);
  EXPECT_NEAR(u.y(), 0, 1e-5);
}

// Two ribbed surfaces: which of the two bodies comes first does not matter, and surfaces of the same directions have
// the geometric means √(0.9 · 0.4) = 0.6 and √(0.1 · 0.4) = 0.2.
TEST_P(AnisotropicFriction, OfTwoSurfacesIsTheirGeometricMean) {
  const double h = 0.002;
  const auto slide = [&](bool ground_first, double turn) {
    Scene scene = make_scene(h, 1, 0);
    scene.method.name = GetParam();
    scene.materials.push_back(make_material("first", 0.3, Vec2(0.9, 0.1)));
    scene.materials.push_back(make_material("second", 0.3, Vec2(0.4, 0.4)));
    scene.materials.push_back(make_material("third", 0.3, Vec2(0.2, 0.7)));
    BodyDescription ground = make_body("ground", {Box{Vec3(10, 10, 1)}}, Vec3(0, 0, -0.5));
    ground.kind = BodyKind::kFixed;
    ground.material = turn == 0 ? "second" : "third";
    ground.pose.q = Quat(Eigen::AngleAxisd(turn, Vec3::UnitZ()));
    BodyDescription square = make_body("square", {Box{Vec3(0.4, 0.4, 0.02)}}, Vec3(0, 0, 0.01 + 1e-5));
    square.material = "first";
    square.velocity = Vec3(1, 1.5, 0);
    if (ground_first) {
      scene.bodies = {ground, square};
    } else {
      scene.bodies = {square, ground};
    }
    Simulation simulation(scene);
    run_to(simulation, 0.1);
    const Vec3 before = velocity_of(simulation, "square").linear;
    (void)simulation.step();
    return std::pair{before, velocity_of(simulation, "square").linear};
  };
  const auto [before, after] = slide(true, 0);
  const double root = std::hypot(0.6 * after.x(), 0.2 * after.y());
  EXPECT_NEAR(before.x() - after.x(), kGravity * h * 0.36 * after.x() / root, 1e-4 * kGravity * h);
  EXPECT_NEAR(before.y() - after.y(), kGravity * h * 0.04 * after.y() / root, 1e-4 * kGravity * h);
  const auto one = slide(true, 0.5), other = slide(false, 0.5);
  EXPECT_LT((one.second - other.second).norm(), 1e-6);
  EXPECT_GT((one.first - one.second).head<2>().norm(), 0.1 * kGravity * h);
}

// A law of a pair has the axes of the body of the first material named, whatever the order of the bodies.
TEST_P(AnisotropicFriction, OfAPairFollowsTheFirstMaterialNamed) {
  Scene scene = make_scene(0.002, 0.5, 0);
  scene.method.name = GetParam();
  scene.materials.push_back(make_material("ski", 0.5, {}));
  MaterialPair pair{"ski", "default", {}};
  pair.law.friction = 0.5;
  pair.law.anisotropy = Vec2(0.05, 0.5);
  scene.material_pairs = {pair};
  scene.gravity = Vec3(2, 2, -kGravity);
  BodyDescription ski = make_body("ski", {Box{Vec3(0.4, 0.4, 0.02)}}, Vec3(0, 0, 0.01 + 1e-5));
  ski.material = "ski";
  BodyDescription turned = ski;
  turned.name = "turned";
  turned.pose.p.x() = 3;
  turned.pose.q = Quat(Eigen::AngleAxisd(0.5 * std::numbers::pi, Vec3::UnitZ()));
  scene.bodies = {ski, make_ground(), turned};
  Simulation simulation(scene);
  run_to(simulation, 0.3);
  const Vec3 along_x = velocity_of(simulation, "ski").linear, along_y = velocity_of(simulation, "turned").linear;
  EXPECT_GT(along_x.x(), 0.4);
  EXPECT_LT(std::abs(along_x.y()), 0.2 * along_x.x());
  EXPECT_NEAR(along_y.y(), along_x.x(), 1e-4);
  EXPECT_NEAR(along_y.x(), -along_x.y(), 1e-4 + 2 * std::abs(along_x.y()));
}

}  // namespace
}  // namespace achilles
