// `repeat`: one entry, many bodies, on a lattice, a ring or a curve.
#pragma once

#include "scene/build/build.hpp"

#include <optional>
#include <string>
#include <vector>

namespace achilles::scene_file {

/// One body of a repetition, relative to the body as it is written.
struct Copy {
  std::string index;         // "[i,j,k]" on a lattice, "[i]" on a ring or a curve
  Vec3 offset;               // [m] world axes
  std::optional<Quat> turn;  // about the body's frame, world axes; none: as written
};

/// The copies of a body; nothing when it has no repetition, or one that is impossible or too large, after complaining.
///   lattice  offset = spacing · (i, j, k); odd rows of a staggered lattice are moved by stagger
///   ring     offset = radius · e(i · step), turn = the rotation that takes e(0) there
///   curve    offset = the point at arc length i · spacing, turn = the rotation that takes x to the tangent, y level
[[nodiscard]] std::optional<std::vector<Copy>> read_copies(Build& build, const Node& node, const BodyDescription& body,
                                                           const std::string& field);

}  // namespace achilles::scene_file
