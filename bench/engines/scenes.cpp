#include "engines/scenes.hpp"

#include <random>
#include <string>

namespace achilles::bench {
namespace {

Scene make_scene(const std::string& name) {
  Scene scene;
  scene.name = name;
  scene.step = 1.0 / 60;
  scene.method.name = "shock-propagation";
  Material material;
  material.name = "default";
  material.law.friction = 0.5;
  material.law.restitution = 0;
  scene.materials = {material};
  return scene;
}

void add_plane(Scene& scene, const Vec3& normal, double offset) {
  BodyDescription plane;
  plane.name = "plane" + std::to_string(scene.bodies.size());
  plane.kind = BodyKind::kFixed;
  plane.shape = {Plane{normal, offset}};
  scene.bodies.push_back(plane);
}

void add_solid(Scene& scene, const Shape& shape, const Pose& pose) {
  BodyDescription body;
  body.name = "body" + std::to_string(scene.bodies.size());
  body.shape = shape;
  body.density = 1000;
  body.pose = pose;
  scene.bodies.push_back(body);
}

}  // namespace

Scene make_pyramid(int base) {
  Scene scene = make_scene("pyramid " + std::to_string(base));
  add_plane(scene, Vec3::UnitZ(), 0);
  constexpr double kPitch = 1.1;
  for (int row = 0; row < base; ++row) {
    for (int k = 0; k < base - row; ++k) {
      add_solid(scene, {Box{Vec3(1, 1, 1)}}, {Vec3(kPitch * (k + 0.5 * row), 0, 0.5 + row), Quat::Identity()});
    }
  }
  return scene;
}

Scene make_pit(int bodies) {
  Scene scene = make_scene("pit " + std::to_string(bodies));
  add_plane(scene, Vec3::UnitZ(), 0);
  for (const Vec3& normal : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    add_plane(scene, normal, -5);
  std::mt19937_64 engine(1);
  const auto draw = [&] { return std::uniform_real_distribution<double>(-0.1, 0.1)(engine); };
  for (int k = 0; k < bodies; ++k) {
    const Vec3 at(1.2 * (k % 7) - 3.6 + draw(), 1.2 * (k / 7 % 7) - 3.6 + draw(), 0.8 + 1.3 * (k / 49));
    const Shape shape = k % 2 == 0 ? Shape{Sphere{0.5}} : Shape{Box{Vec3(1, 1, 1)}};
    add_solid(scene, shape, {at, Quat(1, draw(), draw(), draw()).normalized()});
  }
  return scene;
}

}  // namespace achilles::bench
