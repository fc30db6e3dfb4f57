// Vectors that are filled anew in every step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace achilles {

/// v = n copies of the value, as assign does, but growing by doubling: a size that creeps up does not allocate anew
/// with every step.
template <class T>
void refill(std::vector<T>& v, std::size_t n, const T& value) {
  v.resize(n);
  std::fill(v.begin(), v.end(), value);
}

/// to = from, likewise.
template <class Range, class T>
void copy_to(const Range& from, std::vector<T>& to) {
  to.resize(from.size());
  std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace achilles
