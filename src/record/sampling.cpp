#include "record/sampling.hpp"

namespace achilles {

std::vector<std::size_t> spread_instants(std::size_t total, std::size_t count) {
  count = std::min(count, total);
  std::vector<std::size_t> instants(count);
  for (std::size_t k = 0; k < count; ++k) {
    // Rounded to the nearest, in integers: k (total - 1) / (count - 1).
    instants[k] = count < 2 ? 0 : (2 * k * (total - 1) + (count - 1)) / (2 * (count - 1));
  }
  return instants;
}

}  // namespace achilles
