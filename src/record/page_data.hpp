// The arrays of a page: which instants, how large, and their bytes. The format is described in page.hpp.
#pragma once

#include "record/base64.hpp"
#include "record/recording.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace achilles {

/// What goes into a page, decided before the first byte is written: the header comes before the data.
struct PagePlan {
  std::vector<std::size_t> instants;             // of the recording, increasing
  std::vector<std::uint64_t> contact_first;      // first contact point of each, in the recording
  std::vector<std::uint32_t> contact_offset{0};  // (T + 1) in the page
  std::uint64_t events = 0;                      // that are in the page
  std::uint64_t event_stride = 1;                // of that many recorded ones, one
  bool has_velocities = true;
  bool is_over_budget = false;
};

/// As many instants as fit `budget` bytes of base64. Velocities are given up first, then instants, evenly, but for two.
[[nodiscard]] PagePlan plan_page(const Recording& recording, std::size_t budget);

/// The entries "arrays" of the header.
[[nodiscard]] nlohmann::ordered_json describe_arrays(const Recording& recording, const PagePlan& plan);

/// The bytes that describe_arrays announced, in that order. Throws std::runtime_error where the recording is damaged.
void write_arrays(const Recording& recording, const PagePlan& plan, Base64Writer& out);

}  // namespace achilles
