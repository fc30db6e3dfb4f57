// The shared library as a file; posix.cpp and portable.cpp have it, as all of system.hpp.
#pragma once

#include <filesystem>
#include <optional>

namespace achilles::platform {

/// The shared library that holds this code. Nothing where the code is a part of the running program, and where the
/// system does not report it.
[[nodiscard]] std::optional<std::filesystem::path> find_shared_library();

}  // namespace achilles::platform
