#include "live/scratch_folder.hpp"

#include "platform/system.hpp"

#include <stdexcept>
#include <string_view>

namespace achilles::live {
namespace {

constexpr std::string_view kFolderPrefix = "achilles_view_";
constexpr const char* kLockName = "lock";

/// A folder without a lock file is just being made, or none of ours.
void remove_abandoned_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (std::filesystem::is_symlink(folder / kLockName, ignored)) return;
  const platform::File file((folder / kLockName).string(), platform::OpenMode::kReadWrite);
  if (file.is_open() && file.lock_alone() == platform::LockResult::kLocked) {
    std::filesystem::remove_all(folder, ignored);
  }
}

void remove_abandoned_folders() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with(kFolderPrefix) &&
        entry->symlink_status(error).type() == std::filesystem::file_type::directory) {
      remove_abandoned_folder(entry->path());
    }
  }
}

}  // namespace

ScratchFolder::ScratchFolder() {
  remove_abandoned_folders();
  // Another program that starts now may take the folder for abandoned before it is locked.
  constexpr int kAttempts = 16;
  for (int k = 0; k < kAttempts; ++k) {
    if (make()) return;
  }
  throw std::runtime_error(path_.string() + ": cannot lock a file in the folder of the live run");
}

bool ScratchFolder::make() {
  path_ = platform::make_unique_folder(std::filesystem::temp_directory_path() / kFolderPrefix);
  const std::filesystem::path file = path_ / kLockName;
  lock_.emplace(file.string(), platform::OpenMode::kCreateNew);
  return lock_->is_open() && lock_->lock_alone() != platform::LockResult::kBusy && std::filesystem::exists(file);
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace achilles::live
