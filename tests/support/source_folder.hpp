#pragma once

#include <filesystem>

namespace achilles {

/// The root of the source tree: where `scenes/` and `tests/data/` are.
const std::filesystem::path& source_folder();

}  // namespace achilles
