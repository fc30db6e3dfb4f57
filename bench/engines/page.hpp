// The figures of a race as one page: a table and bars per scene, nothing loaded from elsewhere.
#pragma once

#include "engines/race.hpp"

#include <string>
#include <vector>

namespace achilles::bench {

struct Race {
  std::string scene;
  std::vector<Result> results;
};

[[nodiscard]] std::string make_page(const std::vector<Race>& races, const RaceOptions& options);

}  // namespace achilles::bench
