// Feeds the readers of robot files anything. They may refuse with SceneError, and with nothing else; what they accept
// must read the same again from the YAML that it became.
#include "scene/dump_scene.hpp"

#include <achilles/import.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace achilles;

void expect_same_from_yaml(const Scene& scene) {
  const Scene again = parse_scene(scene.text, scene.file);
  const std::string difference = first_difference(dump_scene(scene), dump_scene(again));
  if (difference.empty()) return;
  std::fprintf(stderr, "the robot reads differently from its own text: %s\n%s\n", difference.c_str(),
               scene.text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    expect_same_from_yaml(import_robot_text(text, "nowhere/robot.xml"));
  } catch (const SceneError&) {
    return 0;
  }
  return 0;
}
