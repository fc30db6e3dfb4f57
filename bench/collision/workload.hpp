// The work that every engine gets: pairs of placed shapes near contact, and piles that move a little from frame to
// frame.
#pragma once

#include "geometry/geometry.hpp"

#include <string>
#include <vector>

namespace achilles::bench {

struct PosePair {
  Pose a, b;
};

/// Shapes a and b at many relative places, half of them overlapping slightly and half a little apart.
struct PairWorkload {
  std::string name;
  Shape a, b;
  std::vector<PosePair> poses;
  bool is_coherent = false;  // each pose follows from the one before: engines may use what they remember
};

/// Bodies of one shape on a floor; frames[k][i] is where body i stands in frame k.
struct PileWorkload {
  std::string name;
  Shape shape;
  Vec3 floor_size{60, 60, 2};  // [m] a box, top at z = 0: every engine has one
  std::vector<std::vector<Pose>> frames;
};

[[nodiscard]] PairWorkload make_box_box(int count);
[[nodiscard]] PairWorkload make_hull_hull(int count, int points);
/// The same shapes in coherent motion: each pose hardly differs from the one before it.
[[nodiscard]] PairWorkload make_coherent(PairWorkload work, int count);
[[nodiscard]] PairWorkload make_mesh_sphere(int count);
[[nodiscard]] PileWorkload make_box_pile(int side, int frames);
[[nodiscard]] PileWorkload make_sphere_pile(int side, int frames);
[[nodiscard]] PileWorkload make_hull_pile(int side, int frames);

}  // namespace achilles::bench
