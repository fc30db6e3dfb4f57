#include <achilles/scene.hpp>

#include <gtest/gtest.h>

namespace achilles {
namespace {

TEST(Gallery, FirstSceneIsRead) {
  const Scene scene = load_scene(ACHILLES_SOURCE_DIR "/scenes/gallery/first.yaml");
  for (auto& w : scene.warnings) std::puts(w.text().c_str());
  EXPECT_EQ(scene.bodies.size(), 2U + 25U + 3U + 9U);
  EXPECT_EQ(scene.bodies[2].name, "brick[0,0,0]");
}

}  // namespace
}  // namespace achilles
