// Watches how much memory is asked for at once, so that a test can show that damaged input does not ask for the moon.
#pragma once

#include <cstddef>

namespace achilles::testing {

void forget_allocations();
/// Largest request to operator new since then [bytes]; 0 under sanitizers.
[[nodiscard]] std::size_t largest_allocation();

}  // namespace achilles::testing
