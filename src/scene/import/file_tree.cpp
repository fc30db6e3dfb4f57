#include "scene/import/file_tree.hpp"

#include <algorithm>
#include <array>
#include <system_error>

namespace achilles::scene_file {
namespace {

namespace fs = std::filesystem;

constexpr int kFoldersUp = 8;

fs::path to_absolute(const fs::path& path) {
  std::error_code code;
  fs::path folder = fs::absolute(path.empty() ? fs::path(".") : path, code).lexically_normal();
  return folder.has_filename() || !folder.has_relative_path() ? folder : folder.parent_path();  // without a last slash
}

bool is_package(const fs::path& folder) {
  constexpr auto kMarks = std::to_array<const char*>({"package.xml", "manifest.xml", "model.config"});
  return std::any_of(kMarks.begin(), kMarks.end(), [&](const char* mark) {
    std::error_code code;
    return fs::is_regular_file(folder / mark, code);
  });
}

/// The folder around; the whole disk is no folder of files that belong together.
fs::path folder_around(const fs::path& folder) {
  const fs::path around = folder.parent_path();
  return around.has_relative_path() ? around : folder;
}

fs::path find_root(const fs::path& folder) {
  fs::path around = folder;
  for (int up = 0; up < kFoldersUp && around.has_relative_path(); ++up, around = around.parent_path()) {
    if (is_package(around)) return around;
  }
  return folder_around(folder);
}

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end();
}

}  // namespace

FileTree::FileTree(const fs::path& folder, const std::map<std::string, std::string>& packages)
    : folder_(to_absolute(folder)), root_(find_root(folder_)) {
  for (const auto& [name, package] : packages) packages_.push_back(to_absolute(package));
  const fs::path last = folder_around(root_);
  for (fs::path around = folder_;; around = around.parent_path()) {
    around_.push_back(around);
    if (around == last || !around.has_relative_path()) break;
  }
}

bool FileTree::holds(const fs::path& path) const {
  const fs::path wanted = to_absolute(path);
  return is_below(wanted, root_) ||
         std::any_of(packages_.begin(), packages_.end(), [&](const fs::path& at) { return is_below(wanted, at); });
}

}  // namespace achilles::scene_file
