// `repeat`: one entry, many bodies.
#pragma once

#include "scene/build/build.hpp"

#include <array>
#include <optional>

namespace achilles::scene_file {

struct Lattice {
  std::array<int, 3> count{1, 1, 1};
  Vec3 spacing = Vec3::Zero();  // [m]
  Vec3 stagger = Vec3::Zero();  // [m]
};

/// The repetition of a body; nothing when it has none, or one that is impossible or too large, after complaining.
[[nodiscard]] std::optional<Lattice> read_lattice(Build& build, const Node& node, const BodyDescription& body,
                                                  const std::string& field);

/// Where copy i, j, k stands relative to copy 0, 0, 0 [m]. The axes along which stagger moves are those of a row; the
/// others count rows, and odd rows are moved: with stagger along x, a wall in x and z is a running bond.
[[nodiscard]] Vec3 offset_of(const Lattice& lattice, int i, int j, int k);

}  // namespace achilles::scene_file
