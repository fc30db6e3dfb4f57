// Counts allocations, so that a test can show that a warm step makes none.
#pragma once

#include <cstdint>

namespace achilles::testing {

/// Calls of operator new since the program began, on all threads.
[[nodiscard]] std::int64_t count_allocations();

}  // namespace achilles::testing
