#include "engines/scenes.hpp"

#include "engines/scene_parts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

namespace achilles::bench {
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

std::string add_solid(Scene& scene, const Shape& shape, const Pose& pose) {
  BodyDescription body;
  body.name = "body" + std::to_string(scene.bodies.size());
  body.shape = shape;
  body.density = 1000;
  body.pose = pose;
  scene.bodies.push_back(body);
  return body.name;
}

Hull make_random_hull(int points, unsigned seed) {
  std::mt19937_64 engine(seed);
  const auto draw = [&] { return std::uniform_real_distribution<double>(-1, 1)(engine); };
  Hull hull;
  while (hull.points.size() < static_cast<std::size_t>(points)) {
    Vec3 x;
    for (const int axis : {2, 1, 0}) x[axis] = draw();  // one by one: compilers order arguments as they like
    if (x.norm() < 1 && x.norm() > 0.3) hull.points.push_back(0.5 * x.normalized());
  }
  return hull;
}

namespace {

void add_pyramid(Scene& scene, int base, double pitch, const Vec3& at) {
  for (int row = 0; row < base; ++row) {
    for (int k = 0; k < base - row; ++k) {
      (void)add_solid(scene, {Box{Vec3(1, 1, 1)}},
                      {at + Vec3(pitch * (k + 0.5 * row), 0, 0.5 + row), Quat::Identity()});
    }
  }
}

}  // namespace

Scene make_pyramid(int base, double pitch) {
  Scene scene = make_scene("pyramid " + std::to_string(base));
  add_plane(scene, Vec3::UnitZ(), 0);
  add_pyramid(scene, base, pitch, Vec3::Zero());
  return scene;
}

Scene make_small_pyramids(int rows) {
  Scene scene = make_scene("small pyramids");
  add_plane(scene, Vec3::UnitZ(), 0);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) add_pyramid(scene, 10, 1.1, Vec3(13 * i, 3 * j, 0));
  }
  return scene;
}

Scene make_silo(int balls, int layers) {
  Scene scene = make_scene("silo " + std::to_string(balls));
  add_plane(scene, Vec3::UnitZ(), 0);
  constexpr double kRadius = 0.1, kPitch = 2.05 * kRadius;
  const double floor = layers > 0 ? std::sqrt(balls / layers) : std::cbrt(balls);
  const int across = std::max(2, static_cast<int>(floor));
  const double half = 0.5 * kPitch * across + 0.05;
  for (const Vec3& normal : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    add_plane(scene, normal, -half);
  std::mt19937_64 engine(2);
  const auto draw = [&] { return std::uniform_real_distribution<double>(-0.002, 0.002)(engine); };
  for (int k = 0; k < balls; ++k) {
    const Vec3 cell(k % across, k / across % across, k / (across * across));
    Vec3 at = kPitch * (cell + Vec3::Constant(0.5)) - Vec3(half - 0.05, half - 0.05, 0);
    for (const int axis : {1, 0}) at[axis] += draw();
    (void)add_solid(scene, {Sphere{kRadius}}, {at, Quat::Identity()});
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
    Vec3 at(1.2 * (k % 7) - 3.6, 1.2 * (k / 7 % 7) - 3.6, 0.8 + 1.3 * (k / 49)), turn;
    for (const int axis : {1, 0}) at[axis] += draw();
    for (const int axis : {2, 1, 0}) turn[axis] = draw();
    const Shape shape = k % 2 == 0 ? Shape{Sphere{0.5}} : Shape{Box{Vec3(1, 1, 1)}};
    (void)add_solid(scene, shape, {at, Quat(1, turn.x(), turn.y(), turn.z()).normalized()});
  }
  return scene;
}

Scene make_column(int boxes) {
  Scene scene = make_scene("column " + std::to_string(boxes));
  add_plane(scene, Vec3::UnitZ(), 0);
  for (int k = 0; k < boxes; ++k) (void)add_solid(scene, {Box{Vec3(1, 1, 1)}}, {Vec3(0, 0, 0.5 + k), Quat::Identity()});
  return scene;
}

Scene make_hulls(int bodies) {
  Scene scene = make_scene("hulls " + std::to_string(bodies));
  add_plane(scene, Vec3::UnitZ(), 0);
  for (const Vec3& normal : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    add_plane(scene, normal, -10);
  for (int k = 0; k < bodies; ++k) {
    const Hull hull = make_random_hull(32, static_cast<unsigned>(k + 3));
    const Vec3 at(1.1 * (k % 17) - 8.8, 1.1 * (k / 17 % 17) - 8.8, 0.8 + 1.1 * (k / 289));
    (void)add_solid(scene, {hull}, {at, Quat::Identity()});
  }
  return scene;
}

Scene make_drum(int cubes) {
  Scene scene = make_scene("drum " + std::to_string(cubes));
  constexpr double kHalf = 10, kWall = 1;
  for (const Vec3& normal : {Vec3(0, 1, 0), Vec3(0, -1, 0)}) add_plane(scene, normal, -kHalf);
  Compound walls;
  const double across = 2 * (kHalf + kWall), away = kHalf + 0.5 * kWall;
  for (const double sign : {-1.0, 1.0}) {
    walls.parts.push_back({{Box{Vec3(kWall, across, across)}}, {Vec3(sign * away, 0, 0), Quat::Identity()}});
    walls.parts.push_back({{Box{Vec3(across, across, kWall)}}, {Vec3(0, 0, sign * away), Quat::Identity()}});
  }
  BodyDescription drum;
  drum.name = "drum";
  drum.kind = BodyKind::kScripted;
  drum.shape = {walls};
  drum.spin = Vec3(0, 0.4, 0);
  scene.bodies.push_back(drum);
  for (int k = 0; k < cubes; ++k) {
    const Vec3 at(0.7 * (k % 20) - 6.65, 0.7 * (k / 20 % 20) - 6.65, 0.7 * (k / 400) - 7);
    (void)add_solid(scene, {Box{Vec3(0.5, 0.5, 0.5)}}, {at, Quat::Identity()});
  }
  return scene;
}

Scene make_wall() {
  Scene scene = make_scene("wall");
  add_plane(scene, Vec3::UnitZ(), 0);
  for (int course = 0; course < 10; ++course) {
    const double shift = course % 2 == 0 ? 0 : 0.45;  // at one half the last brick of a course would balance on an edge
    for (int k = 0; k < 20; ++k) {
      (void)add_solid(scene, {Box{Vec3(1, 1, 1)}}, {Vec3(k + shift, 0, 0.5 + course), Quat::Identity()});
    }
  }
  return scene;
}

Scene make_tower(int rings) {
  Scene scene = make_scene("tower " + std::to_string(16 * rings));
  add_plane(scene, Vec3::UnitZ(), 0);
  for (int ring = 0; ring < rings; ++ring) {
    for (int k = 0; k < 16; ++k) {
      const double angle = std::numbers::pi / 8 * (k + 0.5 * (ring % 2));
      const Vec3 at(4.2 * std::cos(angle), 4.2 * std::sin(angle), 0.25 + 0.5 * ring);
      (void)add_solid(scene, {Box{Vec3(0.5, 1.5, 0.5)}}, {at, Quat(Eigen::AngleAxisd(angle, Vec3::UnitZ()))});
    }
  }
  return scene;
}

std::span<const SceneEntry> scene_entries() {
  static const std::vector<SceneEntry> entries{{"pyramid-20", [] { return make_pyramid(20, 1.1); }},
                                               {"pyramid-60", [] { return make_pyramid(60, 1); }},
                                               {"pyramid-100", [] { return make_pyramid(100, 1); }},
                                               {"column-20", [] { return make_column(20); }},
                                               {"pit", [] { return make_pit(2000); }},
                                               {"wall", [] { return make_wall(); }},
                                               {"tower-320", [] { return make_tower(20); }},
                                               {"small-pyramids", [] { return make_small_pyramids(14); }},
                                               {"hulls", [] { return make_hulls(5000); }},
                                               {"drum", [] { return make_drum(8000); }},
                                               {"silo-1000", [] { return make_silo(1000); }},
                                               {"silo-3000", [] { return make_silo(3000); }},
                                               {"silo-10000", [] { return make_silo(10'000); }},
                                               {"silo-30000", [] { return make_silo(30'000); }},
                                               {"silo-100000", [] { return make_silo(100'000); }},
                                               {"net", [] { return make_net(100); }},
                                               {"ragdolls", [] { return make_ragdolls(300); }},
                                               {"mixed", [] { return make_mixed(2000); }},
                                               {"pit-200", [] { return make_pit(200); }},
                                               {"hulls-100", [] { return make_hulls(100); }},
                                               {"drum-200", [] { return make_drum(200); }},
                                               {"net-10", [] { return make_net(10); }},
                                               {"ragdolls-10", [] { return make_ragdolls(10); }}};
  return entries;
}

}  // namespace achilles::bench
