// COLLADA: placed by its nodes, in its unit, polygons cut into triangles.
#include "geometry/mass_properties.hpp"
#include "geometry/mesh_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace achilles {
namespace {

// A cube from 0 to 1 as six quads, shown by one node.
std::string cube(const std::string& transform, const std::string& unit = "1",
                 const std::string& count = "4 4 4 4 4 4") {
  return R"(<COLLADA><asset><unit meter=")" + unit + R"("/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="s"><float_array id="a" count="24">0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1</float_array>
<technique_common><accessor source="#a" count="8" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#s"/></vertices>
<polylist count="6"><input semantic="VERTEX" source="#v" offset="0"/><input semantic="NORMAL" source="#s" offset="1"/>
<vcount>)" +
         count + R"(</vcount>
<p>0 0 3 0 2 0 1 0  4 0 5 0 6 0 7 0  0 0 1 0 5 0 4 0  1 0 2 0 6 0 5 0  2 0 3 0 7 0 6 0  3 0 0 0 4 0 7 0</p></polylist>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node>)" +
         transform + R"(<instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>)";
}

MassProperties weigh(const std::string& text) {
  const Mesh mesh = read_mesh(text, MeshFormat::kCollada, "cube.dae");
  return compute_polyhedron_mass_properties(mesh.vertices, mesh.triangles, 1);
}

// Translated by (1, 2, 3), then scaled by (2, 1, 1) in its own frame, all times 0.1: volume 2e-3, centre
// 0.1·(1 + 2·½, 2 + ½, 3 + ½). The up axis is not applied.
TEST(Collada, NodesPlaceAndTheUnitScales) {
  const MassProperties solid = weigh(cube("<translate>1 2 3</translate><scale>2 1 1</scale>", "0.1"));
  EXPECT_NEAR(solid.mass, 2e-3, 1e-15);
  EXPECT_TRUE(solid.center.isApprox(Vec3(0.2, 0.25, 0.35), 1e-12));
}

// A mirrored solid stays the right side out: its volume is positive.
TEST(Collada, AMirroringNodeKeepsTheOutsideOutside) {
  EXPECT_NEAR(weigh(cube("<matrix>-1 0 0 0  0 1 0 0  0 0 1 0  0 0 0 1</matrix>")).mass, 1, 1e-12);
}

TEST(Collada, WhatCannotBeReadIsAnErrorWithItsLine) {
  const auto error_of = [](const std::string& text) -> std::string {
    try {
      (void)read_mesh(text, MeshFormat::kCollada, "cube.dae");
      return "";
    } catch (const MeshFileError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(error_of("<COLLADA><asset>"), testing::HasSubstr("cube.dae:1: no well-formed XML"));
  EXPECT_THAT(error_of("<x/>"), testing::HasSubstr("the root element is not <COLLADA>"));
  EXPECT_THAT(error_of(cube("", "1", "4 4 4 4 4 9")), testing::HasSubstr("fewer corners than the faces have"));
  EXPECT_THAT(error_of(cube("<matrix>1 2 3</matrix>")), testing::HasSubstr("cube.dae:10: <matrix> holds 3 numbers"));
  EXPECT_THAT(error_of(cube("<skew>1</skew>")), testing::HasSubstr("<skew> is not supported"));

  // Every node shows the next one twice: 2^60 in all.
  std::string nodes = "<COLLADA><library_nodes>";
  for (int k = 0; k < 60; ++k) {
    const std::string next = "<instance_node url=\"#n" + std::to_string(k + 1) + "\"/>";
    nodes += "<node id=\"n" + std::to_string(k) + "\">" + next + next + "</node>";
  }
  nodes += "<node id=\"n60\"/></library_nodes><library_visual_scenes><visual_scene><node><instance_node url=\"#n0\"/>";
  nodes += "</node></visual_scene></library_visual_scenes></COLLADA>";
  EXPECT_THAT(error_of(nodes), testing::HasSubstr("too many nodes are shown"));
}

TEST(Collada, MeshCarriesTheNameOfItsFile) {
  EXPECT_EQ(read_mesh(cube(""), MeshFormat::kCollada, "cube.dae").file, "cube.dae");
}

}  // namespace
}  // namespace achilles
