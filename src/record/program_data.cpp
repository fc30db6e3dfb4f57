#include "record/program_data.hpp"

#include "platform/system.hpp"

namespace achilles {

std::optional<std::filesystem::path> find_program_data(const std::filesystem::path& installed,
                                                       const std::filesystem::path& source) {
  const std::optional<std::filesystem::path> program = platform::find_running_program();
  if (!program) return std::nullopt;
  std::error_code error;
  const std::filesystem::path shared = program->parent_path().parent_path() / "share/achilles" / installed;
  if (std::filesystem::exists(shared, error)) return shared;
  for (std::filesystem::path folder = program->parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    if (std::filesystem::exists(folder / source, error)) return folder / source;
  }
  return std::nullopt;
}

}  // namespace achilles
