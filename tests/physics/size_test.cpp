// What a method promises holds for bodies of any size: tolerances follow the bodies, not the metre.
#include "methods/method_spec.hpp"
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;

/// A stack of five cubes of edge L, each a little off the one below, turned a little, and 0.1 % of L above it.
Scene make_stack(double L, double h) {
  Scene scene = make_scene(h, 0.6, 0);
  scene.bodies.push_back(make_ground());
  for (int k = 0; k < 5; ++k) {
    BodyDescription cube = make_body("cube" + std::to_string(k), {Box{Vec3(L, L, L)}}, Vec3::Zero());
    cube.pose.p = L * Vec3(k % 2 == 0 ? 0.01 : -0.005, k % 3 == 0 ? -0.01 : 0.008, 0.5 + 1.001 * k);
    cube.pose.q = Quat(Eigen::AngleAxisd(0.01 * (k - 2), Vec3::UnitZ()));
    scene.bodies.push_back(cube);
  }
  return scene;
}

/// Lengths times L and times √L leave free fall the same: a stack of millimetres at 1/30 of the step is that of metres.
void expect_stands(const MethodSpec& method, double L, double h, double duration) {
  Scene scene = make_stack(L, h);
  scene.method.name = method.name;
  Simulation simulation(scene);
  const World start = simulation.world();
  double depth = 0;
  while (simulation.world().time < duration) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped) << report.stopped->reason << ": " << report.stopped->message;
    depth = std::max(depth, simulation.penetration());
  }
  const double free_fall = 0.5 * scene.gravity.norm() * duration * duration;
  EXPECT_LE(depth, method.promises.give * L);
  for (std::size_t i = 1; i < start.bodies.size(); ++i) {
    const Vec3 moved = simulation.world().bodies.position[i] - start.bodies.position[i];
    // Down by the gaps and what the contacts below give, and by far less than what nothing holds; aside by what five
    // uneven steps can do.
    EXPECT_LT(moved.head<2>().norm(), 0.03 * L) << "cube " << i;
    EXPECT_GT(moved.z(), -std::min((0.006 + 5 * method.promises.give) * L, free_fall / 4)) << "cube " << i;
    EXPECT_LT(moved.z(), 0.01 * L) << "cube " << i;
  }
}

class EverySize : public ::testing::TestWithParam<std::string> {
 protected:
  const MethodSpec& method = *find_method(GetParam());
};

TEST_P(EverySize, AStackOfMillimetreCubesStands) { expect_stands(method, 1e-3, 0.01 * std::sqrt(1e-3), 0.06); }

TEST_P(EverySize, ABuildingOfHundredMetreBlocksStands) { expect_stands(method, 100, 0.01, 1); }

/// All but the baseline, which stops where contacts rest, by its definition.
std::vector<std::string> list_names() {
  std::vector<std::string> names;
  for (const MethodSpec& spec : method_specs()) {
    if (spec.name != "impulse-naive") names.emplace_back(spec.name);
  }
  return names;
}

std::string name_method(const ::testing::TestParamInfo<std::string>& given) {
  std::string name = given.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(, EverySize, ::testing::ValuesIn(list_names()), name_method);

}  // namespace
}  // namespace achilles
