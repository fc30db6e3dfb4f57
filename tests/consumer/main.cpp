// A turning ball that falls freely beside a box at rest: what the installed library and this program, compiled with
// flags of its own, say to each other must have one layout.
#include <achilles/simulation.hpp>

#include <cmath>
#include <iostream>
#include <utility>

namespace {

achilles::BodyDescription make_body(const char* name, achilles::Shape shape, const achilles::Vec3& position) {
  achilles::BodyDescription body;
  body.name = name;
  body.shape = std::move(shape);
  body.pose.p = position;
  return body;
}

achilles::Scene make_scene() {
  achilles::Scene scene;
  scene.step = 1.0 / 1024;
  scene.materials = {{.name = "default", .law = {}}};
  scene.bodies.push_back(make_body("ground", {achilles::Plane{}}, {0, 0, 0}));
  scene.bodies.back().kind = achilles::BodyKind::kFixed;
  scene.bodies.push_back(make_body("box", {achilles::Box{{1, 1, 1}}}, {0, 0, 0.5}));
  scene.bodies.push_back(make_body("ball", {achilles::Sphere{0.5}}, {5, 0, 10}));
  scene.bodies.back().spin = {0, 0, 1};
  return scene;
}

bool is_near(const char* what, double found, double expected, double tolerance) {
  std::cout << what << ": " << found << ", expected " << expected << '\n';
  return std::abs(found - expected) <= tolerance;
}

}  // namespace

int main() {
  achilles::Simulation simulation(make_scene());
  while (simulation.world().time < 1) simulation.step();
  const achilles::World& world = simulation.world();
  const std::size_t ball = world.index_of(world.find("ball")), box = world.index_of(world.find("box"));
  const double t = world.time;
  // A step of first order errs by g t h / 2 in the height of free fall.
  const bool falls =
      is_near("height of the ball", world.bodies.position[ball].z(), 10 - 0.5 * 9.81 * t * t, 9.81 * t / 1024);
  // A rotation of second order errs by (ω h)²/24 of half the angle: 2e-8.
  const bool turns = is_near("cosine of half its angle", world.bodies.orientation[ball].w(), std::cos(0.5 * t), 1e-7);
  const bool rests = is_near("height of the box", world.bodies.position[box].z(), 0.5, 1e-6);
  return falls && turns && rests && !achilles::version().empty() ? 0 : 1;
}
