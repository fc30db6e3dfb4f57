#pragma once

#include <cstdlib>

namespace achilles {

/// Does the environment ask for the full size of a heavy test? By default a seeded sample or the beginning of it runs.
inline bool is_full() { return std::getenv("ACHILLES_FULL") != nullptr; }

}  // namespace achilles
