// What a command writes must not be what it reads.
#pragma once

#include <achilles/scene.hpp>

#include <span>
#include <string>
#include <vector>

namespace achilles::program {

/// A file and what it is to the command: "--report", "the scene".
struct NamedFile {
  std::string role;
  std::string path;  // empty: none
};

/// Throws BadInput where an output is one of the inputs or another output, by whatever name or link. Devices, such as
/// /dev/null, take any number.
void check_outputs(std::vector<NamedFile> inputs, std::span<const NamedFile> outputs);

/// The scene file and the files that the scene names.
[[nodiscard]] std::vector<NamedFile> list_inputs(const Scene& scene);

}  // namespace achilles::program
