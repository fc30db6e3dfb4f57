// The files a scene names: meshes, points, heights.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace achilles::scene_file {

inline constexpr std::size_t kMaxDataBytes = std::size_t{1} << 30U;  // of a file named in a scene

/// The path of a file named in a scene, relative to `directory` unless absolute. Throws std::invalid_argument with a
/// sentence unless it is a readable regular file of a bearable size.
[[nodiscard]] std::filesystem::path find_file(const std::string& directory, const std::string& name);

}  // namespace achilles::scene_file
