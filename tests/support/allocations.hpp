// Counts allocations, so that a test can show that a warm step makes none.
#pragma once

#include <cstdint>

namespace achilles::testing {

/// Calls of malloc and its kin since the program began, on all threads; always 0 under sanitizers.
[[nodiscard]] std::int64_t count_allocations();

}  // namespace achilles::testing
