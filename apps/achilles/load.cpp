#include "load.hpp"
#include "terminal.hpp"

#include "methods/capabilities.hpp"
#include "methods/method.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

namespace achilles::program {
namespace {

/// What of a robot file the scene's method cannot do, in the words of --leave-out.
std::vector<std::string> find_what_to_leave_out(const Scene& scene) {
  constexpr std::pair<const char*, const char*> kWords[] = {
      {"drives with gains", "drives"},  {"armature of joints", "armature"}, {"couplings of joints", "couplings"},
      {"springs of joints", "springs"}, {"friction of joints", "friction"}, {"limits of joints", "limits"},
      {"rolling friction", "rolling"},  {"torsional friction", "rolling"}};
  const std::string extension = std::filesystem::path(scene.file).extension().string();
  const MethodSpec* method = find_method(scene.method.name);
  std::vector<std::string> words;
  if (extension == ".yaml" || extension == ".yml" || extension == ".json" || method == nullptr) return words;
  for (const std::string& obstacle : find_obstacles(*method, scene)) {
    for (const auto& [sentence, word] : kWords) {
      const bool is_new = words.empty() || words.back() != word;
      if (is_new && obstacle.find(sentence) != std::string::npos) words.emplace_back(word);
    }
  }
  return words;
}

}  // namespace

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

Scene load(const SceneArguments& arguments) {
  return load_scene(arguments.file, parse_sets(arguments), arguments.import);
}

void print_warnings(const Scene& scene) {
  for (const Diagnostic& warning : scene.warnings) fmt::print(stderr, "{}\n", show_lines(warning.text()));
  const std::vector<std::string> words = find_what_to_leave_out(scene);
  if (words.empty()) return;
  fmt::print(stderr, "{}: the method {} lacks something that the robot needs; --leave-out {} runs the rest of it\n",
             scene.file, scene.method.name, fmt::join(words, ","));
}

}  // namespace achilles::program
