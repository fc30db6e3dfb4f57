// A whole file in memory, unless it is too large to be meant.
#pragma once

#include <cstddef>
#include <string>

namespace achilles::scene_file {

/// Throws SceneError when the file cannot be read or has more than `limit` bytes; a larger file is not read, and a pipe
/// only up to the limit.
[[nodiscard]] std::string read_file(const std::string& file, std::size_t limit);

}  // namespace achilles::scene_file
