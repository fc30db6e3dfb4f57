#include "support/source_folder.hpp"

namespace achilles {

const std::filesystem::path& source_folder() {
  static const std::filesystem::path folder = ACHILLES_SOURCE_DIR;
  return folder;
}

}  // namespace achilles
