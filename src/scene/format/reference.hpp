// The format as tables for people.
#pragma once

#include <string>

namespace achilles::scene_file {

/// Markdown: one section per part of a scene, one row per key with type, unit, default and meaning. Leaves out the
/// options of methods, which `achilles methods` prints.
[[nodiscard]] std::string format_reference();

}  // namespace achilles::scene_file
