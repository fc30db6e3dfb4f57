// Files that belong to the program: the template of pages, the papers' scenes.
#pragma once

#include <filesystem>
#include <optional>

namespace achilles {

/// `installed` under share/achilles of the installation prefix, or `source` in a folder above the running program: a
/// source tree that holds it. None where neither exists.
[[nodiscard]] std::optional<std::filesystem::path> find_program_data(const std::filesystem::path& installed,
                                                                     const std::filesystem::path& source);

}  // namespace achilles
