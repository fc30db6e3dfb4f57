// Which files a robot file may name: those of its own tree, and of folders that the user gives.
#include "scene/import_text.hpp"
#include "support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace achilles {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

constexpr const char* kTetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

class ImportFiles : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text = kTetrahedron) const {
    const fs::path path = folder_.file(name);
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }

  /// What is wrong with a robot at `file` whose only link collides as the mesh.
  [[nodiscard]] std::string errors_with(const std::string& file, const std::string& mesh,
                                        const ImportOptions& options = {}) const {
    write(file,
          "<robot name=\"r\">\n<link name=\"a\"><inertial><mass value=\"1\"/>"
          "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial><collision>"
          "<geometry>\n<mesh filename=\"" +
              mesh + "\"/></geometry></collision></link></robot>");
    try {
      (void)import_robot(path(file), options);
      return {};
    } catch (const SceneError& error) {
      return error.diagnostics().front().text();
    }
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ImportFiles, MeshesBesideTheFolderOfTheRobotAreRead) {
  write("robot/meshes/a.obj");
  EXPECT_EQ(errors_with("robot/urdf/r.urdf", "../meshes/a.obj"), "");
  EXPECT_EQ(errors_with("robot/urdf/r.urdf", path("robot/meshes/a.obj")), "");
  EXPECT_EQ(errors_with("robot/urdf/r.urdf", "file://" + path("robot/meshes/a.obj")), "");
  EXPECT_EQ(errors_with("robot/urdf/r.urdf", "package://robot/meshes/a.obj"), "");
}

// A file from elsewhere must not bring what is not its own into a recording, however it is named.
TEST_F(ImportFiles, NothingOutsideOfTheTreeIsRead) {
  write("secret/a.obj");
  write("robot/meshes/a.obj");
  for (const std::string& name : {std::string("../../secret/a.obj"), std::string("../meshes/../../secret/a.obj"),
                                  path("secret/a.obj"), "file://" + path("secret/a.obj")}) {
    EXPECT_THAT(errors_with("robot/urdf/r.urdf", name),
                AllOf(HasSubstr("r.urdf:3: error: "), HasSubstr("is outside of the robot's files"),
                      HasSubstr("--package NAME=FOLDER")))
        << name;
  }
  EXPECT_THAT(errors_with("robot/urdf/deep/r.urdf", "package://secret/a.obj"), HasSubstr("there is no file"));
  ImportOptions options;
  options.packages = {{"any", path("secret")}};
  EXPECT_EQ(errors_with("robot/urdf/r.urdf", "../../secret/a.obj", options), "");
}

// A package.xml says where the tree starts, so that files deep in it reach its meshes and those of packages beside it.
TEST_F(ImportFiles, APackageIsATree) {
  write("work/robot/package.xml", "<package/>");
  write("work/robot/meshes/a.obj");
  write("work/other/meshes/b.obj");
  EXPECT_EQ(errors_with("work/robot/urdf/arms/left/r.urdf", "../../../meshes/a.obj"), "");
  EXPECT_EQ(errors_with("work/robot/urdf/arms/left/r.urdf", "package://other/meshes/b.obj"), "");
  EXPECT_THAT(errors_with("work/robot/urdf/arms/left/r.urdf", "../../../../other/meshes/b.obj"),
              HasSubstr("is outside of the robot's files"));
}

TEST_F(ImportFiles, IncludesOfMjcfStayInTheTree) {
  write("secret.xml", "<mujoco/>");
  write("robot/mjcf/r.xml", "<mujoco>\n<include file=\"../../secret.xml\"/></mujoco>");
  try {
    (void)import_robot(path("robot/mjcf/r.xml"));
    ADD_FAILURE() << "a file outside was read";
  } catch (const SceneError& error) {
    EXPECT_THAT(error.diagnostics().front().text(), HasSubstr("r.xml:2: error: '../../secret.xml' is outside"));
  }
}

class SdfIncludes : public ImportFiles {
 protected:
  void SetUp() override {
    write("models/ball/model.config",
          "<model><sdf version=\"1.4\">old.sdf</sdf><sdf version=\"1.10\">ball.sdf</sdf></model>");
    write("models/ball/old.sdf", "<sdf version=\"1.4\"><model name=\"old\"><link name=\"l\"/></model></sdf>");
    write("models/ball/ball.sdf",
          "<sdf version=\"1.10\"><model name=\"ball\"><pose>9 9 9 0 0 0</pose><link name=\"l\"><collision name=\"c\">"
          "<geometry><mesh><uri>meshes/a.obj</uri></mesh></geometry></collision></link>"
          "<frame name=\"top\"><pose>0 0 1 0 0 0</pose></frame></model></sdf>");
    write("models/ball/meshes/a.obj");
  }
  [[nodiscard]] Scene read(const std::string& world) const {
    write("models/world/world.sdf", "<sdf version=\"1.10\">\n<world name=\"w\">" + world + "</world></sdf>");
    return import_robot(path("models/world/world.sdf"));
  }
  [[nodiscard]] std::string errors_of(const std::string& world) const {
    try {
      (void)read(world);
      return {};
    } catch (const SceneError& error) {
      std::string all;
      for (const Diagnostic& diagnostic : error.diagnostics()) all += diagnostic.text() + "\n";
      return all;
    }
  }
};

// Twice the same model under two names; the second stands with its top, 1 above its origin, at (3, 0, 5).
TEST_F(SdfIncludes, StandWhereTheIncludeSaysUnderItsName) {
  const Scene scene = read(
      "<include><uri>model://ball</uri><pose>1 2 3 0 0 0</pose></include>"
      "<include><uri>../ball</uri><name>second</name><pose>3 0 5 0 0 0</pose>"
      "<placement_frame>top</placement_frame><static>1</static></include>");
  EXPECT_EQ(body_of(scene, "ball::l").pose.p, Vec3(1, 2, 3));
  EXPECT_EQ(body_of(scene, "second::l").pose.p, Vec3(3, 0, 4));
  EXPECT_EQ(body_of(scene, "ball::l").kind, BodyKind::kDynamic);
  EXPECT_EQ(body_of(scene, "second::l").kind, BodyKind::kFixed);
  EXPECT_EQ(std::get<Hull>(body_of(scene, "ball::l").shape.kind).points.size(), 4U);
}

TEST_F(SdfIncludes, BadOnesAreErrorsWithFileAndLine) {
  write("models/loop/loop.sdf",
        "<sdf version=\"1.10\"><model name=\"m\">\n<include><uri>loop.sdf</uri></include></model></sdf>");
  write("models/empty/empty.sdf", "<sdf version=\"1.10\"/>");
  write("models/cut/cut.sdf", "<sdf version=\"1.10\">\n<model>");
  write("models/arm/arm.sdf", "\n<robot name=\"r\"/>");
  const auto include = [](const std::string& uri) { return "<include><uri>" + uri + "</uri></include>"; };
  EXPECT_THAT(errors_of(include("model://bell")), HasSubstr("world.sdf:2: error: there is no file"));
  EXPECT_THAT(errors_of("<include/>"), HasSubstr("world.sdf:2: error: the file name is empty"));
  EXPECT_THAT(errors_of(include("../../../etc/a.sdf")), HasSubstr("is outside of the robot's files"));
  EXPECT_THAT(errors_of(include("../loop/loop.sdf")),
              AllOf(HasSubstr("loop.sdf:2: error"), HasSubstr("includes itself")));
  EXPECT_THAT(errors_of(include("../empty/empty.sdf")), HasSubstr("has no <model>"));
  EXPECT_THAT(errors_of(include("../cut/cut.sdf")), AllOf(HasSubstr("cut.sdf:2: error"), HasSubstr("no well-formed")));
  EXPECT_THAT(errors_of(include("../arm/arm.sdf")), HasSubstr("arm.sdf:2: error: <robot> cannot be included"));
}

// Each of 30 files includes the next one twice: 2³⁰ models, were there no end.
TEST_F(SdfIncludes, DoublingIncludesEnd) {
  for (int i = 0; i < 30; ++i) {
    const std::string next = "<include><uri>" + std::to_string(i + 1) + ".sdf</uri></include>";
    write("models/bomb/" + std::to_string(i) + ".sdf",
          "<sdf version=\"1.10\"><model name=\"m\"><link name=\"l\"/>" + next + next + "</model></sdf>");
  }
  write("models/bomb/30.sdf", "<sdf version=\"1.10\"><model name=\"m\"><link name=\"l\"/></model></sdf>");
  EXPECT_THAT(errors_of("<include><uri>../bomb/0.sdf</uri></include>"), HasSubstr("more than 1000 <include>s"));
}

}  // namespace
}  // namespace achilles
