#include "scene/read_file.hpp"

#include <achilles/error.hpp>

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace achilles::scene_file {
namespace {

[[noreturn]] void refuse(const std::string& file, const std::string& message) {
  throw SceneError({{Diagnostic::Severity::kError, file, 0, 0, "", message}});
}

}  // namespace

std::string read_file(const std::string& file, std::size_t limit) {
  namespace fs = std::filesystem;
  std::error_code code;
  const fs::file_status status = fs::status(file, code);
  if (!fs::exists(status)) refuse(file, "there is no such file");
  if (fs::is_directory(status)) refuse(file, "is a folder; allowed: a scene file (YAML)");
  if (fs::is_regular_file(status)) {
    const std::uintmax_t bytes = fs::file_size(file, code);
    if (!code && bytes > limit) {
      refuse(file, fmt::format("the file has {} bytes; a scene file has at most {}", bytes, limit));
    }
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) refuse(file, fmt::format("cannot be opened: {}", std::strerror(errno)));
  std::string text;
  std::array<char, 1U << 16U> chunk{};
  while (in.read(chunk.data(), chunk.size()) || in.gcount() > 0) {
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
    if (text.size() > limit)
      refuse(file, fmt::format("there are more than {} bytes; a scene has at most that many", limit));
  }
  if (in.bad()) refuse(file, "cannot be read to its end");
  return text;
}

}  // namespace achilles::scene_file
