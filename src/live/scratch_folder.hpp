// A folder for what a live run writes. It goes with the run; what killed runs left behind goes at the next start.
#pragma once

#include "platform/system.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace achilles::live {

class ScratchFolder {
 public:
  /// Removes folders of runs that are gone, and makes one. Throws std::runtime_error when none can be made.
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  [[nodiscard]] bool make();

  std::filesystem::path path_;
  std::optional<platform::File>
      lock_;  // a lock on a file in the folder: the system releases it however the process ends
};

}  // namespace achilles::live
