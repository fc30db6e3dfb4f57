// The scenes that come with Achilles.
#include <achilles/scene.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/source_folder.hpp"

namespace achilles {
namespace {

namespace fs = std::filesystem;

const fs::path kScenes = source_folder() / "scenes";

std::vector<fs::path> scene_files() {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kScenes)) {
    if (entry.is_regular_file() && entry.path().extension() != ".obj") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// "# expect-warning: WORDS" in the head of a scene that is suspicious on purpose.
std::vector<std::string> expected_warnings(const fs::path& file) {
  constexpr std::string_view kMark = "# expect-warning: ";
  std::vector<std::string> expected;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with(kMark)) expected.push_back(line.substr(kMark.size()));
  }
  return expected;
}

TEST(Scenes, EachIsReadWithoutErrorAndWarnsOfNothingItDoesNotAnnounce) {
  const std::vector<fs::path> files = scene_files();
  EXPECT_GE(files.size(), 30U);
  for (const fs::path& file : files) {
    SCOPED_TRACE(file.string());
    EXPECT_EQ(file.extension(), ".yaml");
    std::vector<std::string> expected = expected_warnings(file);
    const Scene scene = load_scene(file.string());
    for (const Diagnostic& warning : scene.warnings) {
      const auto match = std::find_if(expected.begin(), expected.end(), [&](const std::string& words) {
        return warning.message.find(words) != std::string::npos;
      });
      if (match == expected.end()) {
        ADD_FAILURE() << warning.text();
      } else {
        expected.erase(match);
      }
    }
    EXPECT_THAT(expected, testing::IsEmpty()) << "announced, but not warned of";
  }
}

TEST(Scenes, EachSaysWhatItShowsWhereItComesFromAndWhatToExpect) {
  for (const fs::path& file : scene_files()) {
    const Scene scene = load_scene(file.string());
    EXPECT_FALSE(scene.name.empty()) << file;
    EXPECT_FALSE(scene.source.empty()) << file;
    for (const char* word : {"# Phenomenon:", "# Source:", "# Expectation:"}) {
      EXPECT_NE(scene.text.find(word), std::string::npos) << file << " does not say " << word;
    }
  }
}

TEST(Scenes, GalleryWarnsOfNothing) {
  for (const fs::directory_entry& entry : fs::directory_iterator(kScenes / "gallery")) {
    EXPECT_THAT(load_scene(entry.path().string()).warnings, testing::IsEmpty()) << entry.path();
  }
}

std::size_t count_movable(const std::string& name) {
  const Scene scene = load_scene((kScenes / name).string());
  return static_cast<std::size_t>(std::count_if(scene.bodies.begin(), scene.bodies.end(),
                                                [](const auto& body) { return body.kind == BodyKind::kDynamic; }));
}

TEST(Scenes, HaveAsManyBodiesAsThePapersSay) {
  EXPECT_EQ(count_movable("gallery/marbles.yaml"), 1000U);
  EXPECT_EQ(count_movable("mirtich/coins.yaml"), 8U);
  EXPECT_EQ(count_movable("mirtich/bowling.yaml"), 11U);
  EXPECT_EQ(count_movable("erleben/ball_grid.yaml"), 125U);
  EXPECT_EQ(count_movable("erleben/stack.yaml"), 25U);
  EXPECT_EQ(count_movable("erleben/wall.yaml"), 200U);
  EXPECT_EQ(count_movable("erleben/tower_320.yaml"), 320U);
  EXPECT_EQ(count_movable("erleben/tower_640.yaml"), 640U);
  EXPECT_EQ(count_movable("erleben/scripted_into_2000_balls.yaml"), 2000U);
  EXPECT_EQ(count_movable("erleben/funnel.yaml"), 128U);
  EXPECT_EQ(count_movable("anitescu/disks.yaml"), 66U);
}

}  // namespace
}  // namespace achilles
