// Going through the bodies that are awake without looking at those that sleep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace achilles {

/// The first body from `from` on that is awake, or asleep.size() when none is.
[[nodiscard]] inline std::size_t find_awake(std::span<const std::uint8_t> asleep, std::size_t from) {
  if (from >= asleep.size()) return asleep.size();
  if (asleep[from] == 0) return from;
  const void* found = std::memchr(asleep.data() + from, 0, asleep.size() - from);
  if (found == nullptr) return asleep.size();
  return static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - asleep.data());
}

}  // namespace achilles
