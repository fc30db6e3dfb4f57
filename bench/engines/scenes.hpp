// The scenes of the benchmark.
#pragma once

#include <achilles/scene.hpp>

#include <span>
#include <string>

namespace achilles::bench {

/// A flat pyramid of unit boxes, `base` in its lowest row, `pitch` [m] apart.
[[nodiscard]] Scene make_pyramid(int base, double pitch);

/// rows × rows flat pyramids of base 10, apart from each other.
[[nodiscard]] Scene make_small_pyramids(int rows);

/// A pit 10 × 10 m wide into which balls and boxes of about 1 m fall, half and half.
[[nodiscard]] Scene make_pit(int bodies);

/// Balls of 0.1 m in a square shaft: so many layers of them, or as high as it is wide.
[[nodiscard]] Scene make_silo(int balls, int layers = 0);

/// Ten courses of twenty unit boxes, each second one shifted; Erleben's wall.
[[nodiscard]] Scene make_wall();

/// Rings of sixteen bricks, each second one turned by half a brick; Erleben's tower.
[[nodiscard]] Scene make_tower(int rings);

/// A column of unit boxes.
[[nodiscard]] Scene make_column(int boxes);

/// Random hulls of 32 points in a pit 20 m wide.
[[nodiscard]] Scene make_hulls(int bodies);

/// Cubes of 0.5 m in a square drum that turns.
[[nodiscard]] Scene make_drum(int cubes);

/// A net of bodies × bodies balls, each joined to its neighbours by ball joints, that hangs from one edge.
[[nodiscard]] Scene make_net(int bodies);

/// Ragdolls of fourteen capsules and thirteen ball joints fall on hills made of triangles.
[[nodiscard]] Scene make_ragdolls(int count);

/// Balls, boxes, capsules, cylinders and hulls on hills of 20,000 triangles.
[[nodiscard]] Scene make_mixed(int bodies);

struct SceneEntry {
  std::string name;
  Scene (*make)();
};
/// Every scene by name.
[[nodiscard]] std::span<const SceneEntry> scene_entries();

}  // namespace achilles::bench
