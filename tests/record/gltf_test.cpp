// glTF files say what the recording says, in a form that viewers accept.
#include "record/small_world.hpp"

#include "record/draw/triangles.hpp"
#include "record/gltf.hpp"
#include "record/recording.hpp"
#include "record/recording_writer.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <numbers>

namespace achilles {
namespace {

using nlohmann::json;
using test::make_balls;
using test::make_scene;
using test::record;
using test::set_state;
using test::TemporaryFolder;

Vec3 to_vec(const std::array<float, 3>& p) { return {p[0], p[1], p[2]}; }

/// Six times the volume inside, from the divergence theorem: only a closed, outward surface gives the solid's own.
double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& t : mesh.triangles) {
    sum += to_vec(mesh.positions[t[0]]).dot(to_vec(mesh.positions[t[1]]).cross(to_vec(mesh.positions[t[2]])));
  }
  return sum / 6;
}

Shape octahedron() {
  Hull hull;
  for (int k = 0; k < 3; ++k) {
    hull.points.push_back(Vec3::Unit(k));
    hull.points.push_back(-Vec3::Unit(k));
  }
  return {hull};
}

Shape compound_of(const Shape& shape) {
  Compound compound;
  compound.parts.push_back({shape, {Vec3(5, 0, 0), Quat(Eigen::AngleAxisd(1.0, Vec3(1, 2, 3).normalized()))}});
  compound.parts.push_back({shape, {Vec3(-5, 1, 0), Quat::Identity()}});
  return {compound};
}

// Polygons with n sides inscribed in circles: all round volumes are short by O(1 / n²), here under 1 %.
TEST(Triangles, EncloseTheVolumeOfTheirShape) {
  const double pi = std::numbers::pi;
  const std::vector<std::pair<Shape, double>> solids{{{Box{Vec3(1, 2, 3)}}, 6.0},
                                                     {{Sphere{0.5}}, 4.0 / 3 * pi * 0.125},
                                                     {{Capsule{0.5, 2}}, 4.0 / 3 * pi * 0.125 + pi * 0.25 * 2},
                                                     {{Cylinder{0.5, 2}}, pi * 0.25 * 2},
                                                     {{Cone{0.5, 3}}, pi * 0.25},
                                                     {octahedron(), 4.0 / 3},
                                                     {compound_of({Box{Vec3(1, 2, 3)}}), 12.0}};
  for (std::size_t k = 0; k < solids.size(); ++k) {
    const TriangleMesh mesh = triangulate(solids[k].first, 64, 1);
    EXPECT_NEAR(volume(mesh), solids[k].second, 0.01 * solids[k].second) << "shape " << k;
    EXPECT_LE(volume(mesh), solids[k].second * (1 + 1e-6)) << "shape " << k;
  }
}

// Each vertex normal lies within a quarter turn of the normal of every triangle it belongs to, and has unit length.
TEST(Triangles, NormalsFaceOutWhereTheTrianglesDo) {
  for (const Shape& shape : {Shape{Box{Vec3(1, 2, 3)}}, Shape{Sphere{2}}, Shape{Capsule{1, 1}}, Shape{Cylinder{1, 1}},
                             Shape{Cone{1, 1}}, octahedron(), Shape{Plane{Vec3(0, 0.6, 0.8), 2}}}) {
    const TriangleMesh mesh = triangulate(shape, 24, 10);
    ASSERT_FALSE(mesh.triangles.empty());
    for (const auto& t : mesh.triangles) {
      const Vec3 a = to_vec(mesh.positions[t[0]]);
      const Vec3 face = (to_vec(mesh.positions[t[1]]) - a).cross(to_vec(mesh.positions[t[2]]) - a);
      EXPECT_GT(face.norm(), 0);
      for (const std::uint32_t corner : t) {
        const Vec3 normal = to_vec(mesh.normals[corner]);
        EXPECT_NEAR(normal.norm(), 1, 1e-5);
        EXPECT_GT(normal.dot(face), 0);
      }
    }
  }
}

TEST(Triangles, ShapesWithoutASurfaceGiveNone) {
  EXPECT_TRUE(triangulate({Hull{{Vec3::Zero(), Vec3::UnitX()}, ""}}, 8, 1).triangles.empty());
  EXPECT_TRUE(triangulate({Mesh{}}, 8, 1).triangles.empty());
}

/// A .glb read back: its JSON and its bytes.
struct Glb {
  json root;
  std::string bytes;

  explicit Glb(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    const auto word = [&whole](std::size_t at) {
      std::uint32_t value = 0;
      std::memcpy(&value, whole.data() + at, 4);
      return value;
    };
    EXPECT_EQ(whole.substr(0, 4), "glTF");
    EXPECT_EQ(word(4), 2U);
    EXPECT_EQ(word(8), whole.size());
    EXPECT_EQ(whole.size() % 4, 0U);
    EXPECT_EQ(whole.substr(16, 4), "JSON");
    root = json::parse(whole.substr(20, word(12)));
    const std::size_t next = 20 + word(12);
    if (next < whole.size()) {
      EXPECT_EQ(whole.substr(next + 4, 3), "BIN");
      bytes = whole.substr(next + 8);
      EXPECT_EQ(root["buffers"][0]["byteLength"], bytes.size());
    }
  }

  [[nodiscard]] std::vector<float> floats(std::size_t accessor) const {
    const json& one = root["accessors"][accessor];
    const json& view = root["bufferViews"][one["bufferView"].get<std::size_t>()];
    std::vector<float> values(view["byteLength"].get<std::size_t>() / 4);
    std::memcpy(values.data(), bytes.data() + view["byteOffset"].get<std::size_t>(), 4 * values.size());
    return values;
  }
};

class GltfTest : public ::testing::Test {
 protected:
  Glb make_glb(const GltfOptions& options = {}) {
    export_gltf(Recording(folder.file("run.h5")), folder.file("run.glb"), options);
    return Glb(folder.file("run.glb"));
  }
  TemporaryFolder folder;
};

TEST_F(GltfTest, EveryMovingBodyFollowsItsRecordedPoses) {
  const Scene scene = make_scene();
  record(folder.file("run.h5"), scene, 50);
  const Recording recording(folder.file("run.h5"));
  const Glb glb = make_glb();
  ASSERT_EQ(glb.root["nodes"].size(), 5U);  // the root and four bodies
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(glb.root["nodes"][k + 1]["name"], scene.bodies[k].name);
  const json& animation = glb.root["animations"][0];
  EXPECT_EQ(animation["channels"].size(), 6U);  // the ground is fixed
  Instant instant;
  for (const json& channel : animation["channels"]) {
    const json& sampler = animation["samplers"][channel["sampler"].get<std::size_t>()];
    const std::size_t body = channel["target"]["node"].get<std::size_t>() - 1;
    const auto time = glb.floats(sampler["input"]);
    const auto values = glb.floats(sampler["output"]);
    ASSERT_EQ(time.size(), 50U);
    for (std::size_t t = 0; t < 50; ++t) {
      recording.read(t, instant);
      EXPECT_EQ(time[t], static_cast<float>(instant.time));
      const Pose pose = instant.pose(body);
      if (channel["target"]["path"] == "translation") {
        for (int k = 0; k < 3; ++k) {
          EXPECT_EQ(values[3 * t + static_cast<std::size_t>(k)], static_cast<float>(pose.p[k]));
        }
      } else {
        const float* q = &values[4 * t];
        const Quat turned(q[3], q[0], q[1], q[2]);
        EXPECT_NEAR(std::abs(turned.dot(pose.q)), 1, 1e-6);
        // Neighbours lie on one side, so that numbers in between turn the short way.
        if (t > 0) {
          EXPECT_GE(q[0] * q[-4] + q[1] * q[-3] + q[2] * q[-2] + q[3] * q[-1], 0);
        }
      }
    }
  }
}

TEST_F(GltfTest, TimesGrowEvenWhereInstantsShareOne) {
  const Scene scene = make_balls(1);
  World world(scene);
  {
    RecordingWriter recorder(folder.file("run.h5"), world, scene);
    for (const double t : {0.0, 0.1, 0.1, 0.1, 0.2}) {
      world.time = t;
      recorder.instant(world, {}, 0);
    }
    recorder.finish(RunReport{});
  }
  const Glb glb = make_glb();
  EXPECT_EQ(glb.floats(glb.root["animations"][0]["samplers"][0]["input"]), (std::vector<float>{0.0F, 0.1F, 0.2F}));
}

TEST_F(GltfTest, StatesThatAreNotFiniteStayWhereTheyWere) {
  const Scene scene = make_balls(1);
  World world(scene);
  {
    RecordingWriter recorder(folder.file("run.h5"), world, scene);
    for (std::uint64_t k = 0; k < 3; ++k) {
      set_state(world, k);
      if (k == 1) world.bodies.position[0] = Vec3(NAN, 0, 0);
      if (k == 1) world.bodies.orientation[0] = Quat(0, 0, 0, 0);
      recorder.instant(world, {}, 0);
    }
    recorder.finish(RunReport{});
  }
  const Glb glb = make_glb();
  for (const json& sampler : glb.root["animations"][0]["samplers"]) {
    const auto values = glb.floats(sampler["output"]);
    const std::size_t width = values.size() / 3;
    for (std::size_t k = 0; k < width; ++k) EXPECT_EQ(values[width + k], values[k]);
  }
}

TEST_F(GltfTest, TheBudgetBoundsTheAnimation) {
  record(folder.file("run.h5"), make_balls(10), 200);
  GltfOptions options;
  options.budget = 28 * 10 * 40;
  const Glb glb = make_glb(options);
  const auto time = glb.floats(glb.root["animations"][0]["samplers"][0]["input"]);
  EXPECT_EQ(time.size(), 40U);
  EXPECT_EQ(time.back(), static_cast<float>(199 * 0.005));
}

TEST_F(GltfTest, EmptyWorldsAndRunsWithoutInstantsAreValid) {
  record(folder.file("run.h5"), make_balls(0), 3);
  EXPECT_FALSE(make_glb().root.contains("meshes"));
  record(folder.file("run.h5"), make_scene(), 0);
  const Glb glb = make_glb();
  EXPECT_FALSE(glb.root.contains("animations"));
  EXPECT_EQ(glb.root["nodes"].size(), 5U);
}

TEST_F(GltfTest, EqualShapesOfOneColourShareAMesh) {
  record(folder.file("run.h5"), make_balls(25), 2);
  const Glb glb = make_glb();
  EXPECT_EQ(glb.root["meshes"].size(), 10U);  // one per colour
  EXPECT_EQ(glb.root["nodes"].size(), 26U);
}

}  // namespace
}  // namespace achilles
