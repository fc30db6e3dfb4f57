// Which files a robot file may name.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace achilles::scene_file {

/// The files that came with a robot file. What a robot names is read and stands in recordings, so a file from elsewhere
/// must not reach what is not its own: neither by `..` nor by an absolute path.
/// The tree starts at the nearest folder around the file with a package.xml, manifest.xml or model.config, and
/// otherwise at the folder around the file's own, as in urdf/robot.urdf beside meshes/. Folders that the user gives for
/// packages belong to it. Paths are compared as they are written: symbolic links below the tree are the user's own and
/// followed.
class FileTree {
 public:
  FileTree(const std::filesystem::path& folder, const std::map<std::string, std::string>& packages);

  [[nodiscard]] bool holds(const std::filesystem::path& path) const;
  /// The folder of the robot file, absolute.
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }
  /// The file's folder and those around it where packages are looked for: up to the one around the root, in which
  /// packages stand beside each other.
  [[nodiscard]] const std::vector<std::filesystem::path>& folders_around() const { return around_; }

 private:
  std::filesystem::path folder_;
  std::filesystem::path root_;
  std::vector<std::filesystem::path> packages_;
  std::vector<std::filesystem::path> around_;
};

}  // namespace achilles::scene_file
