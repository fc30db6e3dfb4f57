// Every kind of shape and joint, as scenes write them.
#include "scene/read_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace achilles {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string with_shape(const std::string& shape, const std::string& kind = "dynamic") {
  return "achilles: 1\nbodies:\n  - name: a\n    kind: " + kind + "\n    shape: " + shape + "\n";
}

template <typename Kind>
Kind read_shape(const std::string& shape, const std::string& kind = "dynamic") {
  return std::get<Kind>(parse_scene(with_shape(shape, kind)).bodies.at(0).shape.kind);
}

TEST(SceneShapes, MeasuresAreThoseOfTheFormat) {
  EXPECT_EQ(read_shape<Sphere>("{sphere: {radius: 0.5}}").radius, 0.5);
  EXPECT_EQ(read_shape<Box>("{box: {size: [1, 2, 3]}}").size, Vec3(1, 2, 3));
  EXPECT_EQ(read_shape<Capsule>("{capsule: {radius: 1, length: 2}}").length, 2);
  EXPECT_EQ(read_shape<Cylinder>("{cylinder: {radius: 1, height: 2}}").height, 2);
  EXPECT_EQ(read_shape<Cone>("{cone: {radius: 1, height: 2}}").radius, 1);
}

TEST(SceneShapes, OnlyTheDirectionOfAPlanesNormalCounts) {
  // 2z < 6 is z < 3.
  const auto plane = read_shape<Plane>("{plane: {normal: [0, 0, 2], offset: 6}}", "fixed");
  EXPECT_EQ(plane.normal, Vec3(0, 0, 1));
  EXPECT_EQ(plane.offset, 3);
  EXPECT_EQ(read_shape<Plane>("{plane: {normal: [1, 0, 0]}}", "fixed").offset, 0);
}

TEST(SceneShapes, HullIsOfPointsOrOfAFile) {
  EXPECT_EQ(read_shape<Hull>("{hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}}").points.size(), 4U);
  EXPECT_THAT(error_of(with_shape("{hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}")), HasSubstr("at least 4"));
  EXPECT_THAT(error_of(with_shape("{hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}}")),
              HasSubstr("test.yaml:5:12"))
      << "flat points have no volume";
  EXPECT_THAT(error_of(with_shape("{hull: {}}")), HasSubstr("one of points, file"));
}

TEST(SceneShapes, FilesAreLookedUpBesideTheScene) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "achilles_scene_files";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "tetrahedron.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  std::ofstream(folder / "scene.yaml") << with_shape("{mesh: {file: tetrahedron.obj, scale: [1, 2, 3]}}", "fixed");
  const Scene scene = load_scene((folder / "scene.yaml").string());
  const auto& mesh = std::get<Mesh>(scene.bodies.at(0).shape.kind);
  EXPECT_EQ(mesh.file, "tetrahedron.obj");
  ASSERT_EQ(mesh.vertices.size(), 4U);
  EXPECT_EQ(mesh.vertices[3], Vec3(0, 0, 3)) << "scaled along z";
  std::filesystem::remove_all(folder);
}

TEST(SceneShapes, ClosedMeshIsDecomposedWhenAskedAndOnlyThenDynamic) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "achilles_decomposed";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "tetrahedron.obj")
      << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const std::string file = (folder / "scene.yaml").string();
  const Scene scene =
      parse_scene(with_shape("{mesh: {file: tetrahedron.obj, decompose: {parts: 4, error: 0.01}}}"), file);
  const auto& compound = std::get<Compound>(scene.bodies.at(0).shape.kind);
  ASSERT_EQ(compound.parts.size(), 1U) << "a tetrahedron is convex";
  EXPECT_EQ(std::get<Hull>(compound.parts[0].shape.kind).points.size(), 4U);
  try {
    (void)parse_scene(with_shape("{mesh: {file: tetrahedron.obj}}"), file);
    ADD_FAILURE() << "a dynamic mesh was taken";
  } catch (const SceneError& error) {
    EXPECT_THAT(error.what(), HasSubstr("decompose"));
  }
  std::filesystem::remove_all(folder);
}

TEST(SceneShapes, HeightfieldRowsRunAlongY) {
  const auto field = read_shape<Heightfield>("{heightfield: {heights: [[0, 1, 2], [3, 4, 5]], cell: 0.5}}", "fixed");
  EXPECT_EQ(field.rows, 2);
  EXPECT_EQ(field.columns, 3);
  EXPECT_EQ(field.heights.at(4), 4);
  EXPECT_EQ(field.cell, Vec2(0.5, 0.5));
  EXPECT_THAT(error_of(with_shape("{heightfield: {heights: [[0, 1], [2]], cell: 1}}", "fixed")),
              HasSubstr("a list of at least 2"));
  EXPECT_THAT(error_of(with_shape("{heightfield: {heights: [[0, 1], [1, 2, 3]], cell: 1}}", "fixed")),
              HasSubstr("a row of 3 heights; the first row has 2"));
}

TEST(SceneShapes, CompoundsPlaceTheirParts) {
  const auto compound = read_shape<Compound>(
      "{compound: [{shape: {sphere: {radius: 1}}, position: [0, 0, 1]}, {shape: {box: {size: [1, 1, 1]}}}]}");
  ASSERT_EQ(compound.parts.size(), 2U);
  EXPECT_EQ(compound.parts[0].pose.p, Vec3(0, 0, 1));
  EXPECT_THAT(error_of(with_shape("{compound: []}")), HasSubstr("at least 1"));
  EXPECT_THAT(error_of(with_shape("{compound: [{shape: {sphere: {radius: 1, height: 2}}}]}")),
              AllOf(HasSubstr("bodies.a.shape.compound[0].shape.sphere"), HasSubstr("unknown key 'height'")));
}

TEST(SceneShapes, AShapeIsOneKind) {
  EXPECT_THAT(error_of(with_shape("{sphere: {radius: 1}, box: {size: [1, 1, 1]}}")), HasSubstr("only one of sphere"));
  EXPECT_THAT(error_of(with_shape("{}")), HasSubstr("one of sphere, box"));
  EXPECT_THAT(error_of(with_shape("{spere: {radius: 1}}")), HasSubstr("did you mean 'sphere'?"));
}

TEST(SceneShapes, WhatHasNoVolumeCannotBeDynamic) {
  for (const char* shape : {"{plane: {normal: [0, 0, 1]}}", "{heightfield: {heights: [[0, 0], [0, 0]], cell: 1}}"}) {
    EXPECT_THAT(error_of(with_shape(shape)), HasSubstr("a dynamic body needs a mass and an inertia")) << shape;
    EXPECT_TRUE(errors_of(with_shape(shape, "fixed")).empty()) << shape;
  }
}

JointDescription read_joint(const std::string& keys) {
  return parse_scene(with_two_boxes("joints: [{name: j, between: [lower, upper], " + keys + "}]\n")).joints.at(0);
}

std::string joint_error(const std::string& keys) {
  return error_of(with_two_boxes("joints: [{name: j, between: [lower, upper], " + keys + "}]\n"));
}

TEST(SceneJoints, EveryKindIsRead) {
  EXPECT_EQ(read_joint("kind: ball, at: [0, 0, 1]").kind, JointKind::kBall);
  EXPECT_EQ(read_joint("kind: hinge, at: [0, 0, 1], axis: [0, 1, 0]").kind, JointKind::kHinge);
  EXPECT_EQ(read_joint("kind: slider, axis: [0, 1, 0]").kind, JointKind::kSlider);
  EXPECT_EQ(read_joint("kind: fixed").kind, JointKind::kFixed);
  EXPECT_EQ(read_joint("kind: planar, axis: [0, 0, 1]").kind, JointKind::kPlanar);
  const std::string axes = ", at: [0, 0, 1], axes: [{axis: [0, 0, 2]}, {axis: [0, 1, 0]}]";
  EXPECT_EQ(read_joint("kind: universal" + axes).axes.at(0).axis, Vec3(0, 0, 1));
  EXPECT_EQ(read_joint("kind: hinge2" + axes).axes.size(), 2U);
  const JointDescription rod = read_joint("kind: distance, at: [0, 0, 1], at_second: [0, 0, 2], length: 1.5");
  EXPECT_EQ(*rod.at_second, Vec3(0, 0, 2));
  EXPECT_EQ(*rod.length, 1.5);
}

TEST(SceneJoints, LimitsMotorFrictionAndSpringActAlongTheFreeAxis) {
  const JointDescription hinge = read_joint(
      "kind: hinge, at: [0, 0, 1], axis: [0, 3, 0], limits: [-1.2, 0.4], motor: {speed: 2, max_torque: 10}, "
      "friction: 0.5, spring: {stiffness: 100, damping: 3, rest: 0.1}, compliance: 1e-6, collide: true");
  ASSERT_EQ(hinge.axes.size(), 1U);
  const JointAxis& axis = hinge.axes[0];
  EXPECT_EQ(axis.axis, Vec3(0, 1, 0));
  EXPECT_EQ(*axis.limits, std::make_pair(-1.2, 0.4));
  EXPECT_EQ(*axis.motor_speed, 2);
  EXPECT_FALSE(axis.motor_position);
  EXPECT_EQ(axis.motor_max, 10);
  EXPECT_EQ(axis.friction, 0.5);
  EXPECT_EQ(axis.stiffness, 100);
  EXPECT_EQ(axis.damping, 3);
  EXPECT_EQ(axis.rest, 0.1);
  EXPECT_EQ(hinge.compliance, 1e-6);
  EXPECT_TRUE(hinge.collide);
  const JointDescription slider = read_joint("kind: slider, axis: [1, 0, 0], motor: {position: 0.2, max_force: 7}");
  EXPECT_EQ(*slider.axes.at(0).motor_position, 0.2);
  EXPECT_EQ(slider.axes.at(0).motor_max, 7);
}

TEST(SceneJoints, WhatAJointCannotHaveIsRefused) {
  EXPECT_THAT(joint_error("kind: ball, at: [0, 0, 1], axis: [0, 0, 1]"), HasSubstr("unknown key 'axis' in a joint"));
  EXPECT_THAT(joint_error("kind: hinge, axis: [0, 0, 1]"), HasSubstr("the key 'at' is missing"));
  EXPECT_THAT(joint_error("kind: hing, at: [0, 0, 1], axis: [0, 0, 1]"), HasSubstr("did you mean 'hinge'?"));
  EXPECT_THAT(joint_error("kind: hinge, at: [0, 0, 1], axis: [0, 0, 0]"), HasSubstr("no direction"));
  EXPECT_THAT(joint_error("kind: hinge, at: [0, 0, 1], axis: [0, 0, 1], limits: [1, -1]"),
              HasSubstr("the lower end 1 is above the upper end -1"));
  EXPECT_THAT(joint_error("kind: hinge, at: [0, 0, 1], axis: [0, 0, 1], motor: {speed: 1, max_force: 1}"),
              AllOf(HasSubstr("(2 errors)"), HasSubstr("did you mean 'max_torque'?")));
  EXPECT_THAT(joint_error("kind: universal, at: [0, 0, 1], axes: [{axis: [0, 0, 1]}, {axis: [0, 0, -2]}]"),
              HasSubstr("parallel"));
  EXPECT_THAT(joint_error("kind: distance, at: [0, 0, 1], at_second: [0, 0, 1]"), HasSubstr("the same point"));
  EXPECT_THAT(error_of(with_two_boxes("joints: [{name: j, kind: fixed, between: [lower, lower]}]\n")),
              HasSubstr("found 'lower' twice"));
  EXPECT_THAT(error_of(with_two_boxes("joints: [{name: j, kind: fixed, between: [lower]}]\n")),
              HasSubstr("a list of 2"));
}

}  // namespace
}  // namespace achilles
