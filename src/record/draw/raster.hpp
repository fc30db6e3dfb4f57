// Draws bodies and planes into a picture, by the processor alone: depth buffer, sun with shadow, sky light, a grid on
// planes, four samples per pixel.
#pragma once

#include "record/draw/image.hpp"
#include "record/draw/palette.hpp"
#include "record/draw/triangles.hpp"

#include <achilles/math.hpp>

#include <numbers>

#include <vector>

namespace achilles {

struct Camera {
  Vec3 eye = Vec3(3, -4, 2);                    // [m]
  Vec3 target = Vec3::Zero();                   // [m]
  double height = 40 * std::numbers::pi / 180;  // [rad] angle between the upper and the lower edge of the picture
};

/// Sees the whole of a box from a pleasant side; flat scenes from the front. `aspect` is width over height.
[[nodiscard]] Camera fit_camera(const Vec3& low, const Vec3& high, double aspect);

struct DrawnBody {
  const TriangleMesh* mesh = nullptr;
  Transform pose;
  PaletteColor color;
  bool is_round = false;  // octants in two shades, so that it is seen to turn
};

/// Seen from the side its normal points to.
struct DrawnPlane {
  Vec3 normal = Vec3::UnitZ();
  double offset = 0;  // [m]
};

struct Picture {
  Camera camera;
  std::vector<DrawnBody> bodies;
  std::vector<DrawnPlane> planes;
  Vec3 middle = Vec3::Zero();  // [m] of what matters: shadows are as sharp as its radius allows, the grid fades from it
  double radius = 1;           // [m]
};

[[nodiscard]] Image draw(const Picture& picture, int width, int height);

}  // namespace achilles
