// Tree to text.
#pragma once

#include "scene/yaml/node.hpp"

#include <string>

namespace achilles::scene_file {

/// YAML that parses to an equal tree: scalars keep their spelling, so numbers keep their bits. Small parts are written
/// on one line.
[[nodiscard]] std::string write_tree(const Node& root);

}  // namespace achilles::scene_file
