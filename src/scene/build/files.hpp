// The files a scene names: meshes, points, heights.
#pragma once

#include "scene/build/build.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace achilles::scene_file {

inline constexpr std::size_t kMaxDataBytes = std::size_t{1} << 30U;  // of a file named in a scene

/// A file named in a scene: its path, relative to the scene's folder unless absolute, and what it holds.
struct NamedFile {
  std::filesystem::path path;
  std::string_view bytes;  // kept by the scene
};

/// Takes the file that comes with the scene, else reads the one on the disk, and adds it to the scene's files. Warns at
/// `node`, which names it, where both are there and differ. Throws std::invalid_argument with a sentence unless it is a
/// readable regular file of a bearable size.
[[nodiscard]] NamedFile take_file(Build& build, const Node& node, const std::string& field);

}  // namespace achilles::scene_file
