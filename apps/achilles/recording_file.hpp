// Opening what should be a recording.
#pragma once

#include "commands.hpp"

#include "record/recording.hpp"

#include <string>

namespace achilles::program {

/// A file that cannot be read as a recording is bad input, not a failure of the program.
[[nodiscard]] inline Recording open_recording(const std::string& path) {
  try {
    return Recording(path);
  } catch (const std::runtime_error& error) {
    throw BadInput(error.what());
  }
}

}  // namespace achilles::program
