#include "load.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace achilles::program {

std::vector<Override> parse_sets(const SceneArguments& arguments) {
  std::vector<Override> overrides;
  if (!arguments.method.empty()) overrides.push_back({"method.name", arguments.method});
  for (const std::string& set : arguments.sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw BadInput(fmt::format("--set {}: write PATH=VALUE, e.g. --set time.step=0.001", set));
    }
    overrides.push_back({set.substr(0, equals), set.substr(equals + 1)});
  }
  return overrides;
}

Scene load(const SceneArguments& arguments) { return load_scene(arguments.file, parse_sets(arguments)); }

void print_warnings(const Scene& scene) {
  for (const Diagnostic& warning : scene.warnings) fmt::print(stderr, "{}\n", warning.text());
}

}  // namespace achilles::program
