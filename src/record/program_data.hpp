// Files that belong to the program and to the library: the template of pages, the papers' scenes.
#pragma once

#include <filesystem>
#include <optional>

namespace achilles {

/// Where files lie, as the build was configured. cmake/modules.cmake writes the source that defines it.
struct InstallPaths {
  const char* data_folder;        // share/achilles of the installation prefix
  const char* data_from_library;  // the same from the folder of the shared library
  const char* source_tree;        // where another project builds the library as a part of itself; empty elsewhere
};

extern const InstallPaths kInstallPaths;

/// A file of the project, or none where it is in no place of these:
///   1. `installed` in share/achilles of the prefix that the running program, then the shared library, is installed in,
///      so that a prefix can be moved as a whole;
///   2. `source` in a folder above the running program, then above the shared library: a source tree or its build;
///   3. `installed` in the folder of data that the build was configured for: a static library that is part of a
///      program of another prefix;
///   4. `source` in the source tree, where another project builds the library as a part of itself.
[[nodiscard]] std::optional<std::filesystem::path> find_program_data(const std::filesystem::path& installed,
                                                                     const std::filesystem::path& source);

}  // namespace achilles
