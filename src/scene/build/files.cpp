#include "scene/build/files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace achilles::scene_file {
namespace {

namespace fs = std::filesystem;

std::string read_from_disk(const fs::path& path) {
  std::error_code code;
  const fs::file_status status = fs::status(path, code);
  if (!fs::exists(status)) throw std::invalid_argument(fmt::format("there is no file '{}'", path.string()));
  if (!fs::is_regular_file(status)) {
    throw std::invalid_argument(fmt::format("'{}' is not a regular file", path.string()));
  }
  const std::uintmax_t bytes = fs::file_size(path, code);
  if (code || bytes > kMaxDataBytes) {
    throw std::invalid_argument(
        fmt::format("'{}' has {} bytes; at most {} are read", path.string(), bytes, kMaxDataBytes));
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) throw std::invalid_argument(fmt::format("'{}' cannot be opened", path.string()));
  std::string content((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (stream.bad()) throw std::invalid_argument(fmt::format("'{}' cannot be read to its end", path.string()));
  return content;
}

bool is_on_disk_otherwise(const fs::path& path, const std::string& content) {
  try {
    return read_from_disk(path) != content;
  } catch (const std::invalid_argument&) {
    return false;  // it is not there, or not readable: nothing to differ from
  }
}

const SceneFile* find_by_name(std::span<const SceneFile> files, const std::string& name) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const SceneFile& file) { return file.name == name; });
  return found == files.end() || found->bytes == nullptr ? nullptr : &*found;
}

}  // namespace

NamedFile take_file(Build& build, const Node& node, const std::string& field) {
  const std::string& name = node.text;
  if (name.empty()) throw std::invalid_argument("the file name is empty");
  const fs::path path = fs::path(name).is_absolute() ? fs::path(name) : fs::path(build.directory) / name;
  if (const SceneFile* known = find_by_name(build.scene.files, name)) return {path, *known->bytes};
  SceneFile file{name, nullptr};
  if (const SceneFile* given = find_by_name(build.supply, name)) {
    file.bytes = given->bytes;
    if (is_on_disk_otherwise(path, *file.bytes)) {
      build.complaints.warning(
          node.place, field,
          fmt::format("'{}' has changed; the file that came with the scene is used in its place", path.string()));
    }
  } else {
    file.bytes = std::make_shared<const std::string>(read_from_disk(path));
  }
  build.scene.files.push_back(std::move(file));
  return {path, *build.scene.files.back().bytes};
}

}  // namespace achilles::scene_file
