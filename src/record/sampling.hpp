// Which instants of a recording go into something smaller, and reading just those.
#pragma once

#include "record/recording.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace achilles {

/// `count` of `total` instants, evenly spread, the first and the last among them (one: the first); all of them where
/// `count` is not smaller. Increasing.
[[nodiscard]] std::vector<std::size_t> spread_instants(std::size_t total, std::size_t count);

/// visit(row, position in `instants`) with the numbers of an array at each of the instants, in their order. Neighbours
/// are read together, in pieces of at most about a megabyte.
template <class Visit>
void for_each_row(const Recording& recording, const std::string& array, std::span<const std::size_t> instants,
                  Visit&& visit) {
  constexpr std::size_t kNumbers = 131'072;
  const std::size_t width = recording.row_size(array);
  const std::size_t most = std::max<std::size_t>(1, kNumbers / std::max<std::size_t>(width, 1));
  std::vector<double> block;
  for (std::size_t at = 0; at < instants.size();) {
    std::size_t count = 1;
    while (count < most && at + count < instants.size() && instants[at + count] == instants[at] + count) ++count;
    block.resize(count * width);
    recording.read_rows(array, instants[at], count, block);
    for (std::size_t k = 0; k < count; ++k) visit(std::span<const double>(block).subspan(k * width, width), at + k);
    at += count;
  }
}

}  // namespace achilles
