// Feeds the scene reader anything. It may refuse with SceneError, and with nothing else; what it accepts must read the
// same again from its own text.
#include "scene/dump_scene.hpp"

#include <achilles/scene.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace achilles;

// Comment lines at the head of the input of the form "#set PATH=VALUE" are overrides, so that one file holds both.
std::vector<Override> take_overrides(std::string_view& text) {
  constexpr std::string_view kMark = "#set ";
  std::vector<Override> overrides;
  while (text.substr(0, kMark.size()) == kMark) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(kMark.size(), end - kMark.size());
    const std::size_t equals = std::min(line.find('='), line.size());
    overrides.push_back({std::string(line.substr(0, equals)),
                         std::string(equals < line.size() ? line.substr(equals + 1) : std::string_view())});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return overrides;
}

void expect_same_again(const Scene& scene) {
  const Scene again = parse_scene(scene.text, scene.file);
  const std::string difference = first_difference(dump_scene(scene), dump_scene(again));
  if (difference.empty()) return;
  std::fprintf(stderr, "the scene reads differently from its own text: %s\n%s\n", difference.c_str(),
               scene.text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kManyBodies = 10'000;  // beyond that the dump costs more than it tells
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<Override> overrides = take_overrides(text);
  try {
    const Scene scene = parse_scene(text, "nowhere/scene.yaml", overrides);
    if (scene.bodies.size() < kManyBodies) expect_same_again(scene);
  } catch (const SceneError&) {
    return 0;
  }
  return 0;
}
