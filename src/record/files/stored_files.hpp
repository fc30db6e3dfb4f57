// The files that a scene names, inside its recording, so that it can be read where they are gone or others.
#pragma once

#include "record/hdf5_file.hpp"

#include <achilles/scene.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace achilles {

/// One of them: files with the same bytes share their content.
struct StoredFile {
  std::string name;           // as the scene writes it
  std::uint32_t content = 0;  // index of the array /files/content_<k>
  std::uint64_t digest = 0;   // of the bytes
};

[[nodiscard]] std::vector<StoredFile> list_files(std::span<const SceneFile> files);
/// Writes /files; nothing where there are none. Throws std::runtime_error.
void write_files(const Hdf5File& file, std::span<const SceneFile> files, std::span<const StoredFile> stored);
/// None in recordings of old. Throws std::runtime_error where the list contradicts itself.
[[nodiscard]] std::vector<StoredFile> read_file_list(const Hdf5File& file);
/// The files with their bytes. Throws std::runtime_error where these are not those that were written.
[[nodiscard]] std::vector<SceneFile> read_files(const Hdf5File& file, std::span<const StoredFile> stored);

}  // namespace achilles
