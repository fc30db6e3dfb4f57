// PLY and glTF: the same cube from both, and what cannot be read.
#include "geometry/mass_properties.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/mesh_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

namespace achilles {
namespace {

constexpr std::array<std::array<float, 3>, 8> kCorners{
    {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}}};
constexpr std::array<std::array<int, 4>, 6> kFaces{
    {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}}};

template <class T>
void append(std::string& bytes, T value, bool is_swapped = false) {
  std::array<char, sizeof(T)> raw{};
  std::memcpy(raw.data(), &value, sizeof(T));
  if (is_swapped) std::reverse(raw.begin(), raw.end());
  bytes.append(raw.data(), raw.size());
}

std::string ply_head(const std::string& format) {
  return "ply\nformat " + format +
         " 1.0\ncomment a cube\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
         "property uchar red\nelement face 6\nproperty list uchar int vertex_indices\nend_header\n";
}

std::string binary_ply(bool is_swapped) {
  std::string bytes = ply_head(is_swapped ? "binary_big_endian" : "binary_little_endian");
  for (const auto& corner : kCorners) {
    for (const float x : corner) append(bytes, x, is_swapped);
    append(bytes, std::uint8_t{7});
  }
  for (const auto& face : kFaces) {
    append(bytes, std::uint8_t{4});
    for (const int corner : face) append(bytes, corner, is_swapped);
  }
  return bytes;
}

std::string text_ply() {
  std::string text = ply_head("ascii");
  for (const auto& c : kCorners) {
    text += std::to_string(c[0]) + " " + std::to_string(c[1]) + " " + std::to_string(c[2]) + " 7\n";
  }
  for (const auto& f : kFaces) {
    text += "4 " + std::to_string(f[0]) + " " + std::to_string(f[1]) + " " + std::to_string(f[2]) + " " +
            std::to_string(f[3]) + "\n";
  }
  return text;
}

/// A .glb of the cube with a vertex of its own for each corner of each triangle, shown by one node.
std::string make_glb(const std::string& node, const std::string& extra = "") {
  std::string data;
  int count = 0;
  for (const auto& face : kFaces) {
    for (const int corner : {face[0], face[1], face[2], face[0], face[2], face[3]}) {
      for (const float x : kCorners[static_cast<std::size_t>(corner)]) append(data, x);
      ++count;
    }
  }
  for (int k = 0; k < count; ++k) append(data, static_cast<std::uint16_t>(k));
  const std::string points = std::to_string(12 * count), all = std::to_string(data.size());
  std::string text = R"({"asset":{"version":"2.0"},)" + extra +
                     R"("scene":0,"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0)" + node +
                     R"(}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1}]}],
"accessors":[{"bufferView":0,"componentType":5126,"count":)" +
                     std::to_string(count) + R"(,"type":"VEC3"},
{"bufferView":1,"componentType":5123,"count":)" +
                     std::to_string(count) + R"(,"type":"SCALAR"}],
"bufferViews":[{"buffer":0,"byteOffset":0,"byteLength":)" +
                     points + R"(},{"buffer":0,"byteOffset":)" + points + R"(,"byteLength":)" +
                     std::to_string(2 * count) + R"(}],"buffers":[{"byteLength":)" + all + "}]}";
  text.resize((text.size() + 3) / 4 * 4, ' ');
  data.resize((data.size() + 3) / 4 * 4, '\0');
  std::string bytes;
  append(bytes, std::uint32_t{0x46546C67});
  append(bytes, std::uint32_t{2});
  append(bytes, static_cast<std::uint32_t>(28 + text.size() + data.size()));
  append(bytes, static_cast<std::uint32_t>(text.size()));
  append(bytes, std::uint32_t{0x4E4F534A});
  bytes += text;
  append(bytes, static_cast<std::uint32_t>(data.size()));
  append(bytes, std::uint32_t{0x004E4942});
  return bytes + data;
}

MassProperties weigh(const std::string& bytes, MeshFormat format) {
  const Mesh mesh = read_mesh(bytes, format, "cube");
  EXPECT_EQ(mesh.vertices.size(), 8U);
  EXPECT_TRUE(compute_closedness(mesh.vertices, mesh.triangles).is_closed());
  return compute_polyhedron_mass_properties(mesh.vertices, mesh.triangles, 1);
}

// A unit cube: volume 1, centre (½, ½, ½).
TEST(Ply, TextAndBothByteOrdersGiveTheSameCube) {
  for (const std::string& bytes : {text_ply(), binary_ply(false), binary_ply(true)}) {
    const MassProperties cube = weigh(bytes, MeshFormat::kPly);
    EXPECT_NEAR(cube.mass, 1, 1e-12);
    EXPECT_TRUE(cube.center.isApprox(Vec3(0.5, 0.5, 0.5), 1e-12));
  }
}

// Scaled by (2, 1, 1), turned by a half turn about z, moved by (3, 0, 0): volume 2, centre (3 − 1, −½, ½).
TEST(Gltf, NodesPlaceTheMeshAndRepeatedVerticesAreOne) {
  const MassProperties cube =
      weigh(make_glb(R"(,"translation":[3,0,0],"rotation":[0,0,1,0],"scale":[2,1,1])"), MeshFormat::kGltf);
  EXPECT_NEAR(cube.mass, 2, 1e-12);
  EXPECT_TRUE(cube.center.isApprox(Vec3(2, -0.5, 0.5), 1e-12));
}

TEST(Gltf, AMirroringNodeKeepsTheOutsideOutside) {
  EXPECT_NEAR(weigh(make_glb(R"(,"scale":[-1,1,1])"), MeshFormat::kGltf).mass, 1, 1e-12);
}

std::string error_of(const std::string& bytes, MeshFormat format) {
  try {
    (void)read_mesh(bytes, format, "cube");
    return "";
  } catch (const MeshFileError& error) {
    return error.what();
  }
}

TEST(Ply, WhatCannotBeReadIsAnError) {
  const std::string good = binary_ply(false);
  EXPECT_THAT(error_of("plx\n", MeshFormat::kPly), testing::HasSubstr("cube:1: the file does not begin with 'ply'"));
  EXPECT_THAT(error_of(good.substr(0, good.size() - 3), MeshFormat::kPly), testing::HasSubstr("ends before"));
  std::string bad = text_ply();
  bad.replace(bad.rfind("4 3 0"), 5, "4 3 9");
  EXPECT_THAT(error_of(bad, MeshFormat::kPly), testing::HasSubstr("names vertex 9 of 8"));
  EXPECT_THAT(
      error_of("ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nend_header\n", MeshFormat::kPly),
      testing::HasSubstr("shorter than"));
}

TEST(Gltf, WhatCannotBeReadIsAnError) {
  EXPECT_THAT(error_of("{", MeshFormat::kGltf), testing::HasSubstr("no well-formed JSON"));
  const std::string good = make_glb("");
  EXPECT_THAT(error_of(good.substr(0, good.size() - 8), MeshFormat::kGltf), testing::HasSubstr("cut off"));
  EXPECT_THAT(error_of(make_glb("", R"("extensionsRequired":["KHR_draco_mesh_compression"],)"), MeshFormat::kGltf),
              testing::HasSubstr("KHR_draco_mesh_compression"));
  EXPECT_THAT(error_of(make_glb(R"(,"children":[0])"), MeshFormat::kGltf), testing::HasSubstr("too deep"));
  EXPECT_THAT(error_of(R"({"buffers":[{"uri":"cube.bin","byteLength":8}]})", MeshFormat::kGltf),
              testing::HasSubstr("cube.bin"));
  // Writing such a value out would take a stack as deep as its brackets.
  const std::string deep = std::string(500'000, '[') + std::string(500'000, ']');
  EXPECT_THAT(error_of(R"({"extensionsRequired":)" + deep + "}", MeshFormat::kGltf),
              testing::HasSubstr("extension without a name"));
  // One cube shown by nodes that show each other 9 levels deep, 8 times at each: 8^9 cubes.
  std::string nodes = R"({"scenes":[{"nodes":[0]}],"nodes":[)";
  for (int k = 0; k < 9; ++k) {
    nodes += k > 0 ? R"(,{"children":[)" : R"({"children":[)";
    for (int n = 0; n < 8; ++n) {
      if (n > 0) nodes += ',';
      nodes += std::to_string(k + 1);
    }
    nodes += "]}";
  }
  EXPECT_THAT(error_of(nodes + ",{}]}", MeshFormat::kGltf), testing::HasSubstr("too many nodes are shown"));
}

}  // namespace
}  // namespace achilles
