// Which points the sun reaches: the depth of what is nearest to it, over a square grid across its rays.
#pragma once

#include "record/draw/raster.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace achilles {

/// Corners of a triangle on a pixel grid; visit(column, row, weight of each corner) for every pixel centre inside it.
template <class Visit>
void for_each_pixel(const Vec2 (&corner)[3], int columns, int rows, Visit&& visit) {
  const double area = (corner[1] - corner[0]).x() * (corner[2] - corner[0]).y() -
                      (corner[1] - corner[0]).y() * (corner[2] - corner[0]).x();
  if (!(std::abs(area) > 1e-12)) return;
  const auto bound = [](double value, int limit) { return static_cast<int>(std::clamp(value, -1.0, limit + 1.0)); };
  const double left = std::min({corner[0].x(), corner[1].x(), corner[2].x()});
  const double right = std::max({corner[0].x(), corner[1].x(), corner[2].x()});
  const double top = std::min({corner[0].y(), corner[1].y(), corner[2].y()});
  const double bottom = std::max({corner[0].y(), corner[1].y(), corner[2].y()});
  const int first = std::max(0, bound(std::floor(left), columns));
  const int last = std::min(columns - 1, bound(std::ceil(right), columns));
  for (int row = std::max(0, bound(std::floor(top), rows)); row <= std::min(rows - 1, bound(std::ceil(bottom), rows));
       ++row) {
    for (int column = first; column <= last; ++column) {
      const Vec2 p(column + 0.5, row + 0.5);
      double weight[3];
      for (int k = 0; k < 3; ++k) {
        const Vec2 a = corner[(k + 1) % 3] - p;
        const Vec2 b = corner[(k + 2) % 3] - p;
        weight[k] = (a.x() * b.y() - a.y() * b.x()) / area;
      }
      if (weight[0] >= 0 && weight[1] >= 0 && weight[2] >= 0) visit(column, row, weight);
    }
  }
}

class ShadowMap {
 public:
  explicit ShadowMap(const Picture& picture);
  /// Towards the sun.
  [[nodiscard]] const Vec3& direction() const { return towards_; }
  /// From 0 (dark) to 1: the share of the neighbourhood that the sun reaches.
  [[nodiscard]] double light(const Vec3& point) const;

 private:
  static constexpr int kSize = 2048;
  [[nodiscard]] Vec3 to_map(const Vec3& point) const;

  Vec3 towards_, across_, along_, middle_;
  double scale_ = 1;  // [1/m] pixels per metre
  double bias_ = 0;   // [m] a surface does not shade itself
  std::vector<float> depth_;
};

}  // namespace achilles
