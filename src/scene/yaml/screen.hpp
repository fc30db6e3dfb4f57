// Whether bytes are text at all, before a parser sees them.
#pragma once

#include "scene/yaml/node.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace achilles::scene_file {

struct ScreenDefect {
  Place place;
  std::string message;
};

/// The first byte that no UTF-8 text file has (NUL and other control characters, malformed sequences), if any.
[[nodiscard]] std::optional<ScreenDefect> find_defect(std::string_view text);

/// The first line whose indentation holds a tab, 0 if none does. YAML allows spaces only, and most parsers complain
/// about something else.
[[nodiscard]] int find_tab_indentation(std::string_view text, int up_to_line);

}  // namespace achilles::scene_file
