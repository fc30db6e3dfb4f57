#include "record/draw/shadow_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {

ShadowMap::ShadowMap(const Picture& picture)
    : towards_(Vec3(-0.45, -0.75, 1.3).normalized()),
      across_(towards_.unitOrthogonal()),
      along_(towards_.cross(across_)),
      middle_(picture.middle),
      scale_(kSize / (2.8 * picture.radius)),
      bias_(2 / scale_),
      depth_(static_cast<std::size_t>(kSize) * kSize, -std::numeric_limits<float>::infinity()) {
  for (const DrawnBody& body : picture.bodies) {
    for (const auto& triangle : body.mesh->triangles) {
      Vec3 placed[3];
      Vec2 corner[3];
      for (int k = 0; k < 3; ++k) {
        const auto& p = body.mesh->positions[triangle[static_cast<std::size_t>(k)]];
        placed[k] = to_map(body.pose * Vec3(p[0], p[1], p[2]));
        corner[k] = placed[k].head<2>();
      }
      for_each_pixel(corner, kSize, kSize, [&](int column, int row, const double* weight) {
        const double depth = weight[0] * placed[0].z() + weight[1] * placed[1].z() + weight[2] * placed[2].z();
        float& nearest = depth_[static_cast<std::size_t>(row) * kSize + static_cast<std::size_t>(column)];
        nearest = std::max(nearest, static_cast<float>(depth));
      });
    }
  }
}

/// Column and row, and the height towards the sun [m].
Vec3 ShadowMap::to_map(const Vec3& point) const {
  const Vec3 d = point - middle_;
  return {kSize / 2 + scale_ * d.dot(across_), kSize / 2 + scale_ * d.dot(along_), d.dot(towards_)};
}

double ShadowMap::light(const Vec3& point) const {
  const Vec3 at = to_map(point);
  const int column = static_cast<int>(std::clamp(at.x(), -9.0, kSize + 9.0));
  const int row = static_cast<int>(std::clamp(at.y(), -9.0, kSize + 9.0));
  int reached = 0;
  constexpr int kReach = 2;
  for (int r = row - kReach; r <= row + kReach; ++r) {
    for (int c = column - kReach; c <= column + kReach; ++c) {
      const bool is_inside = r >= 0 && c >= 0 && r < kSize && c < kSize;
      const bool is_dark =
          is_inside && depth_[static_cast<std::size_t>(r) * kSize + static_cast<std::size_t>(c)] > at.z() + bias_;
      reached += is_dark ? 0 : 1;
    }
  }
  return reached / ((2.0 * kReach + 1) * (2.0 * kReach + 1));
}

}  // namespace achilles
