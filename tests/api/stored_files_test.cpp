// Recordings hold the files that their scene names: they can be worked with where these are gone or others.
#include "record/certify/certify.hpp"
#include "record/recording.hpp"

#include <achilles/run.hpp>

#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace achilles {
namespace {

constexpr const char* kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";

// The scene names one file twice, and a copy of it; and heights.
constexpr const char* kScene =
    "achilles: 1\n"
    "time: {step: 0.005, duration: 0.5}\n"
    "bodies:\n"
    "  - {name: hills, kind: fixed, shape: {heightfield: {file: heights.txt, cell: 2}}, position: [0, 0, -0.1]}\n"
    "  - {name: hull, shape: {hull: {file: one.obj}}, position: [0.1, 0, 0.6]}\n"
    "  - {name: same, kind: fixed, shape: {mesh: {file: one.obj}}, position: [3, 0, 1]}\n"
    "  - {name: copy, kind: fixed, shape: {mesh: {file: two.obj}}, position: [-3, 0, 1]}\n";

class StoredFiles : public ::testing::Test {
 protected:
  StoredFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "achilles_files_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    for (const char* mesh : {"one.obj", "two.obj"}) write(mesh, kTetrahedron);
    write("heights.txt", "0 0 0\n0 0.1 0\n0 0 0\n");
    write("scene.yaml", kScene);
    RunOptions options;
    options.record_path = file("run.h5");
    (void)run_scene(load_scene(file("scene.yaml")), options);
  }
  ~StoredFiles() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }

  std::filesystem::path folder_;
};

TEST_F(StoredFiles, AreEnoughToReplayResumeAndCertify) {
  for (const char* name : {"one.obj", "two.obj", "heights.txt", "scene.yaml"}) std::filesystem::remove(file(name));
  EXPECT_FALSE(replay_recording(file("run.h5")).first_difference);
  RunOptions longer;
  longer.duration = 0.8;
  const RunReport report = resume_run(file("run.h5"), longer);
  EXPECT_NEAR(report.time, 0.8, 1e-9);
  // The continuation holds them as well.
  EXPECT_FALSE(replay_recording(file("run.h5")).first_difference);
  const Recording recording(file("run.h5"));
  EXPECT_TRUE(certify(recording).holds());
  EXPECT_EQ(recording.scene().bodies.size(), 4U);
  EXPECT_TRUE(recording.scene().warnings.empty());
}

TEST_F(StoredFiles, AreUsedWhereTheDiskHasOthersAndThatIsWarnedOf) {
  EXPECT_TRUE(Recording(file("run.h5")).scene().warnings.empty());
  write("one.obj", "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const Scene scene = Recording(file("run.h5")).scene();
  ASSERT_EQ(scene.warnings.size(), 1U);  // once, though two bodies have it
  EXPECT_NE(scene.warnings.front().text().find("one.obj' has changed"), std::string::npos)
      << scene.warnings.front().text();
  EXPECT_FALSE(replay_recording(file("run.h5")).first_difference);
}

TEST_F(StoredFiles, OfEqualContentAreStoredOnce) {
  const Recording recording(file("run.h5"));
  const std::vector<StoredFile>& files = recording.head().files;
  ASSERT_EQ(files.size(), 3U);  // heights.txt, one.obj, two.obj
  EXPECT_EQ(files[1].content, files[2].content);
  EXPECT_NE(files[0].content, files[1].content);
}

TEST_F(StoredFiles, ThatWereChangedInsideTheRecordingAreFound) {
  const hid_t data = H5Fopen(file("run.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t array = H5Dopen2(data, "files/content_1", H5P_DEFAULT);
  std::string bytes(std::string_view(kTetrahedron).size(), '\0');
  ASSERT_GE(H5Dread(array, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
  EXPECT_EQ(bytes, kTetrahedron);
  bytes[2] = '1';
  ASSERT_GE(H5Dwrite(array, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), 0);
  H5Dclose(array);
  H5Fclose(data);
  const Recording recording(file("run.h5"));
  EXPECT_THROW((void)recording.scene(), std::runtime_error);
  EXPECT_EQ(recording.find_first_altered(), 0U);
  EXPECT_FALSE(certify(recording).holds());
}

}  // namespace
}  // namespace achilles
