// Text to tree, for text that may be anything: too large, binary, endlessly nested, or made to explode.
#pragma once

#include "scene/complaints.hpp"
#include "scene/yaml/node.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace achilles::scene_file {

/// Limits of a scene file. Far beyond what people write, well within what a machine bears.
struct TreeLimits {
  std::size_t bytes = std::size_t{256} << 20U;  // of the file
  int depth = 64;                               // lists and mappings inside each other
  std::size_t nodes = 8'000'000;                // values, after aliases are copied
};

/// Parses one YAML document. Anchors are copied where their aliases stand, merge keys (`<<`) are merged, a key that is
/// written twice is complained about and its first value kept. Returns nothing, after complaining, when the text is no
/// YAML, is no text, or passes a limit. `origin` is stored in every place.
[[nodiscard]] std::optional<Node> parse_tree(std::string_view text, int origin, const TreeLimits& limits,
                                             Complaints& complaints);

}  // namespace achilles::scene_file
