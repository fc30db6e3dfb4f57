// Scenes with joints, and scenes on a mesh.
#include "engines/scene_parts.hpp"
#include "engines/scenes.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace achilles::bench {
namespace {

void add_ball_joint(Scene& scene, const std::string& first, const std::string& second, const Vec3& at) {
  JointDescription joint;
  joint.name = "joint" + std::to_string(scene.joints.size());
  joint.first = first;
  joint.second = second;
  joint.at = at;
  scene.joints.push_back(joint);
}

/// Hills of cells × cells squares, two triangles each, `edge` [m] wide.
void add_terrain(Scene& scene, int cells, double edge) {
  Mesh mesh;
  const double cell = edge / cells;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      const double x = cell * i - 0.5 * edge, y = cell * j - 0.5 * edge;
      mesh.vertices.emplace_back(x, y, 0.5 * std::sin(0.6 * x) * std::cos(0.5 * y));
    }
  }
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      const int a = j * (cells + 1) + i, b = a + 1, c = a + cells + 1, d = c + 1;
      mesh.triangles.push_back({a, b, d});
      mesh.triangles.push_back({a, d, c});
    }
  }
  BodyDescription terrain;
  terrain.name = "terrain";
  terrain.kind = BodyKind::kFixed;
  terrain.shape = {mesh};
  scene.bodies.push_back(terrain);
}

/// A bone from one end to the other, and where it hangs on another.
struct Bone {
  Vec3 from, to;  // [m]
  double radius;  // [m]
  int parent;     // -1: none
};

/// Fourteen bones, standing: pelvis, spine, chest, head, arms, legs and feet.
const std::array<Bone, 14>& bones() {
  static const std::array<Bone, 14> list{{{Vec3(-0.1, 0, 0.95), Vec3(0.1, 0, 0.95), 0.1, -1},
                                          {Vec3(0, 0, 1.02), Vec3(0, 0, 1.16), 0.1, 0},
                                          {Vec3(0, 0, 1.2), Vec3(0, 0, 1.42), 0.12, 1},
                                          {Vec3(0, 0, 1.6), Vec3(0, 0, 1.7), 0.1, 2},
                                          {Vec3(0.2, 0, 1.42), Vec3(0.45, 0, 1.42), 0.05, 2},
                                          {Vec3(0.5, 0, 1.42), Vec3(0.75, 0, 1.42), 0.045, 4},
                                          {Vec3(-0.2, 0, 1.42), Vec3(-0.45, 0, 1.42), 0.05, 2},
                                          {Vec3(-0.5, 0, 1.42), Vec3(-0.75, 0, 1.42), 0.045, 6},
                                          {Vec3(0.1, 0, 0.85), Vec3(0.1, 0, 0.52), 0.07, 0},
                                          {Vec3(0.1, 0, 0.47), Vec3(0.1, 0, 0.14), 0.06, 8},
                                          {Vec3(0.1, 0.04, 0.06), Vec3(0.1, -0.12, 0.06), 0.05, 9},
                                          {Vec3(-0.1, 0, 0.85), Vec3(-0.1, 0, 0.52), 0.07, 0},
                                          {Vec3(-0.1, 0, 0.47), Vec3(-0.1, 0, 0.14), 0.06, 11},
                                          {Vec3(-0.1, 0.04, 0.06), Vec3(-0.1, -0.12, 0.06), 0.05, 12}}};
  return list;
}

void add_ragdoll(Scene& scene, const Vec3& at) {
  std::array<std::string, 14> names;
  for (std::size_t k = 0; k < bones().size(); ++k) {
    const Bone& bone = bones()[k];
    const Vec3 axis = bone.to - bone.from;
    const Pose pose{at + 0.5 * (bone.from + bone.to), Quat::FromTwoVectors(Vec3::UnitZ(), axis)};
    names[k] = add_solid(scene, {Capsule{bone.radius, axis.norm()}}, pose);
    if (bone.parent >= 0) add_ball_joint(scene, names[static_cast<std::size_t>(bone.parent)], names[k], at + bone.from);
  }
}

}  // namespace

Scene make_net(int bodies) {
  Scene scene = make_scene("net " + std::to_string(bodies));
  const auto name = [](int i, int j) { return "knot" + std::to_string(i) + "," + std::to_string(j); };
  for (int j = 0; j < bodies; ++j) {
    for (int i = 0; i < bodies; ++i) {
      (void)add_solid(scene, {Sphere{0.4}}, {Vec3(i, j, 0), Quat::Identity()});
      scene.bodies.back().name = name(i, j);
      if (j == 0) scene.bodies.back().kind = BodyKind::kFixed;
      if (i > 0) add_ball_joint(scene, name(i - 1, j), name(i, j), Vec3(i - 0.5, j, 0));
      if (j > 0) add_ball_joint(scene, name(i, j - 1), name(i, j), Vec3(i, j - 0.5, 0));
    }
  }
  return scene;
}

Scene make_ragdolls(int count) {
  Scene scene = make_scene("ragdolls " + std::to_string(count));
  add_terrain(scene, 60, 60);
  for (int k = 0; k < count; ++k) {
    add_ragdoll(scene, Vec3(2 * (k % 10) - 9, 2 * (k / 10 % 10) - 9, 1 + 2 * (k / 100)));
  }
  return scene;
}

Scene make_mixed(int bodies) {
  Scene scene = make_scene("mixed " + std::to_string(bodies));
  add_terrain(scene, 100, 60);
  const std::vector<Shape> kinds{
      {Sphere{0.4}}, {Box{Vec3(0.7, 0.6, 0.5)}}, {Capsule{0.25, 0.5}}, {Cylinder{0.3, 0.6}}, {make_random_hull(12, 5)}};
  for (int k = 0; k < bodies; ++k) {
    const Vec3 at(1.2 * (k % 20) - 11.4, 1.2 * (k / 20 % 20) - 11.4, 2 + 1.2 * (k / 400));
    (void)add_solid(scene, kinds[static_cast<std::size_t>(k) % kinds.size()],
                    {at, Quat(1, 0.1 * (k % 3), 0.1 * (k % 5), 0.1).normalized()});
  }
  return scene;
}

}  // namespace achilles::bench
