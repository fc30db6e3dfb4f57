#include "scene/build/files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>
#include <system_error>

namespace achilles::scene_file {

std::filesystem::path find_file(const std::string& directory, const std::string& name) {
  namespace fs = std::filesystem;
  if (name.empty()) throw std::invalid_argument("the file name is empty");
  const fs::path path = fs::path(name).is_absolute() ? fs::path(name) : fs::path(directory) / name;
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) throw std::invalid_argument(fmt::format("there is no file '{}'", path.string()));
  if (!fs::is_regular_file(status))
    throw std::invalid_argument(fmt::format("'{}' is not a regular file", path.string()));
  const std::uintmax_t bytes = fs::file_size(path, code);
  if (code || bytes > kMaxDataBytes) {
    throw std::invalid_argument(
        fmt::format("'{}' has {} bytes; at most {} are read", path.string(), bytes, kMaxDataBytes));
  }
  if (!std::ifstream(path)) throw std::invalid_argument(fmt::format("'{}' cannot be opened", path.string()));
  return path;
}

}  // namespace achilles::scene_file
