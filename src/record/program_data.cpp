#include "record/program_data.hpp"

#include "platform/library_file.hpp"
#include "platform/system.hpp"

#include <array>
#include <system_error>
#include <vector>

namespace achilles {

std::optional<std::filesystem::path> find_program_data(const std::filesystem::path& installed,
                                                       const std::filesystem::path& source) {
  using std::filesystem::path;
  const std::optional<path> program = platform::find_running_program();
  const std::optional<path> library = platform::find_shared_library();
  std::vector<path> places;
  if (program) places.push_back(program->parent_path().parent_path() / "share/achilles" / installed);
  if (library) places.push_back(library->parent_path() / kInstallPaths.data_from_library / installed);
  for (const std::optional<path>& file : std::array{program, library}) {
    if (!file) continue;
    for (path folder = file->parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
      places.push_back(folder / source);
    }
  }
  places.push_back(path(kInstallPaths.data_folder) / installed);
  if (*kInstallPaths.source_tree != '\0') places.push_back(path(kInstallPaths.source_tree) / source);

  for (const path& place : places) {
    std::error_code error;
    if (std::filesystem::exists(place, error)) return place.lexically_normal();
  }
  return std::nullopt;
}

}  // namespace achilles
