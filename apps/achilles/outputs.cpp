#include "outputs.hpp"

#include "commands.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace achilles::program {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto place = [&error](const std::string& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return place(a) == place(b);
}

}  // namespace

void check_outputs(std::vector<NamedFile> inputs, std::span<const NamedFile> outputs) {
  for (const NamedFile& output : outputs) {
    std::error_code error;
    const bool is_device =
        std::filesystem::exists(output.path, error) && !std::filesystem::is_regular_file(output.path, error);
    if (output.path.empty() || is_device) continue;
    for (const NamedFile& other : inputs) {
      if (!other.path.empty() && is_same_file(output.path, other.path)) {
        throw BadInput(
            fmt::format("{} {}: would overwrite {}; choose another file", output.role, output.path, other.role));
      }
    }
    inputs.push_back(output);
  }
}

std::vector<NamedFile> list_inputs(const Scene& scene) {
  std::vector<NamedFile> files{{"the scene", scene.file}};
  const std::filesystem::path folder = std::filesystem::path(scene.file).parent_path();
  for (const SceneFile& file : scene.files) files.push_back({"a file of the scene", (folder / file.name).string()});
  return files;
}

}  // namespace achilles::program
