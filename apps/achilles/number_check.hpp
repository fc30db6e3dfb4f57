// Numbers on the command line that have a lower bound only.
#pragma once

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cmath>
#include <string>

namespace achilles::program {

/// A finite number from 0 on, or above 0: the message of CLI11's own checks names the largest double.
[[nodiscard]] inline CLI::Validator number_from(bool above, const std::string& unit = "") {
  const std::string allowed =
      fmt::format("a number {} 0{}", above ? "above" : "from", unit.empty() ? "" : fmt::format(" [{}]", unit));
  const auto check = [above, allowed](const std::string& text) {
    double value = 0;
    const bool fits =
        CLI::detail::lexical_cast(text, value) && std::isfinite(value) && (above ? value > 0 : value >= 0);
    return fits ? std::string() : fmt::format("found '{}'; allowed: {}", text, allowed);
  };
  return {check, above ? "POSITIVE" : "NONNEGATIVE"};
}

}  // namespace achilles::program
