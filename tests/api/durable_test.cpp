// What the disk has when the power fails: commits of a durable recording, checkpoints, and files that replace others.
#include "api/faulty_system.hpp"
#include "record/output_file.hpp"
#include "record/recording_writer.hpp"
#include "support/scenes.hpp"
#include "support/temporary_folder.hpp"

#include <achilles/run.hpp>
#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace achilles {
namespace {

using testing::disk_use;
using testing::DiskUse;
using testing::forget_disk;

Scene make_falling_ball() {
  Scene scene = testing::make_scene(0.001, 0, 0);
  scene.bodies = {testing::make_body("ball", {Sphere{0.1}}, Vec3::Zero())};
  return scene;
}

class Durable : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ACHILLES_OWN_MALLOC == 0) GTEST_SKIP() << "sanitizers have functions of their own in place of those counted";
  }
  const testing::TemporaryFolder folder;
};

TEST_F(Durable, RecordingHasEveryCommitOnTheDiskAndAnyRecordingItsCheckpoints) {
  const Scene scene = make_falling_ball();
  for (const DiskWait wait : {DiskWait::kNever, DiskWait::kCheckpoints, DiskWait::kCommits}) {
    const bool durable = wait == DiskWait::kCommits;
    Simulation simulation(scene);
    RecordingWriterOptions options;
    options.flush_seconds = 0;  // every instant is a commit
    options.wait = wait;
    RecordingWriter recorder(folder.file("run.h5"), simulation.world(), scene, options);
    for (int k = 0; k < 5; ++k) {
      const StepReport report = simulation.step();
      forget_disk();
      recorder.after_step(simulation.world(), report, 0, {}, {});
      recorder.instant(simulation.world(), {}, 0);
      EXPECT_EQ(disk_use().writes == 0, durable) << "instant " << k;
      EXPECT_EQ(disk_use().syncs > 0, durable) << "instant " << k;
      recorder.append_checkpoint(simulation.world());
      EXPECT_EQ(disk_use().writes == 0, wait != DiskWait::kNever) << "checkpoint " << k;
      EXPECT_EQ(disk_use().syncs > 0, wait != DiskWait::kNever) << "checkpoint " << k;
    }
    recorder.finish(RunReport{});
    EXPECT_EQ(disk_use().writes == 0, wait != DiskWait::kNever);
    EXPECT_EQ(disk_use().syncs > 0, wait != DiskWait::kNever);
  }
}

// A commit is made every 8,192 instants at least: two in 17,000 steps. Beside them both runs save the first and the
// last world and end.
TEST_F(Durable, RunWaitsForTheDiskAtEveryCommit) {
  const auto count_syncs = [&](bool durable) {
    RunOptions options;
    options.record_path = folder.file("run.h5");
    options.every = 0.001;
    options.duration = 17;
    options.durable = durable;
    forget_disk();
    (void)run_scene(make_falling_ball(), options);
    EXPECT_EQ(disk_use().writes, 0);
    return disk_use().syncs;
  };
  EXPECT_GE(count_syncs(true), count_syncs(false) + 2);
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST_F(Durable, ReplacedFileIsOnTheDiskBeforeItTakesItsPlaceAndTheFolderAfterwards) {
  const std::string path = folder.file("report.json");
  for (const char* const text : {"old", "new"}) {
    forget_disk();
    replace_file(path, text);
    const DiskUse use = disk_use();
    EXPECT_EQ(use.early, 0);
    EXPECT_EQ(use.renames, 0);
    EXPECT_EQ(use.syncs, 2);
    EXPECT_EQ(read(path), text);
  }
}

TEST_F(Durable, ContinuationIsOnTheDiskBeforeItReplacesTheRecording) {
  RunOptions options;
  options.record_path = folder.file("run.h5");
  options.duration = 0.1;
  (void)run_scene(make_falling_ball(), options);
  options.duration = 0.2;
  forget_disk();
  (void)resume_run(options.record_path, options);
  EXPECT_EQ(disk_use().early, 0);
  EXPECT_EQ(disk_use().renames, 0);
}

// Each of the three calls fails once: fsync, rename, fsync of the folder.
TEST_F(Durable, ReplacementThatFailsNamesTheFileAndLeavesTheOldOrTheNewOne) {
  const std::string path = folder.file("report.json");
  for (std::int64_t call = 0; call < 3; ++call) {
    replace_file(path, "old");
    std::string message;
    testing::arm(testing::Fault::kFailOnce, call);
    try {
      replace_file(path, "new");
    } catch (const std::runtime_error& error) {
      message = error.what();
    }
    (void)testing::disarm();
    EXPECT_NE(message.find(path), std::string::npos) << call << message;
    EXPECT_EQ(read(path), call < 2 ? "old" : "new");
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
  }
}

}  // namespace
}  // namespace achilles
