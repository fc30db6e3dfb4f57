#include "collision/contact/manifold.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace achilles {

namespace {

// Differences below this fraction of the extent are rounding: they must not decide which points stay.
constexpr double kTie = 1e-9;

struct Chooser {
  const Manifold& manifold;
  double extent;  // [m] of the points

  [[nodiscard]] const Vec3& at(std::size_t i) const { return manifold.points[i].position; }

  // Twice the signed area of (a, b, c) seen against the normal.
  [[nodiscard]] double area(std::size_t a, std::size_t b, std::size_t c) const {
    return manifold.normal.dot((at(b) - at(a)).cross(at(c) - at(a)));
  }

  // First point whose score is not beaten by more than a tie.
  template <typename Score>
  [[nodiscard]] std::size_t best(Score score, double tie) const {
    std::size_t chosen = 0;
    double chosen_score = score(0);
    for (std::size_t i = 1; i < manifold.points.size(); ++i) {
      const double value = score(i);
      if (value > chosen_score + tie) {
        chosen_score = value;
        chosen = i;
      }
    }
    return chosen;
  }
};

double extent_of(const Manifold& manifold) {
  Aabb box;
  for (const ManifoldPoint& point : manifold.points) {
    box.include(point.position);
  }
  return box.extent().norm();
}

}  // namespace

void reduce_to_four(Manifold& manifold) {
  if (manifold.points.size() <= 4) {
    return;
  }
  const Chooser chooser{manifold, extent_of(manifold)};
  const double tie = kTie * chooser.extent;
  const double area_tie = kTie * chooser.extent * chooser.extent;

  const std::size_t first = chooser.best([&](std::size_t i) { return -manifold.points[i].gap; }, tie);
  const std::size_t second = chooser.best(
      [&](std::size_t i) {
        const Vec3 r = chooser.at(i) - chooser.at(first);
        return (r - manifold.normal.dot(r) * manifold.normal).squaredNorm();
      },
      area_tie);
  const std::size_t third =
      chooser.best([&](std::size_t i) { return std::abs(chooser.area(first, second, i)); }, area_tie);
  // Beyond the edges of the triangle, made counter-clockwise, lies what a fourth point can add.
  const bool turned = chooser.area(first, second, third) < 0;
  const std::array<std::size_t, 3> corner{first, turned ? third : second, turned ? second : third};
  const auto gain = [&](std::size_t i) {
    return -std::min({chooser.area(corner[0], corner[1], i), chooser.area(corner[1], corner[2], i),
                      chooser.area(corner[2], corner[0], i)});
  };
  const std::size_t fourth = chooser.best(gain, area_tie);

  std::array<std::size_t, 4> kept{first, second, third, fourth};
  std::sort(kept.begin(), kept.end());
  std::size_t count = 0;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (k == 0 || kept[k] != kept[k - 1]) {
      manifold.points[count++] = manifold.points[kept[k]];
    }
  }
  manifold.points.shrink(count);
}

void append_manifold(Manifold& manifold, const Transform& X_WA, const CollideOptions& options,
                     std::vector<ContactPoint>& points) {
  if (!options.all_points) {
    reduce_to_four(manifold);
  }
  const Vec3 normal = X_WA.R * manifold.normal;
  const std::size_t begin = points.size();
  for (const ManifoldPoint& point : manifold.points) {
    std::uint32_t feature = point.feature;
    // Numbers above 15 bits wrap; stepping past the ones taken ends after at most as many tries as there are points.
    for (std::size_t i = begin; i < points.size();) {
      if (points[i].feature == feature) {
        ++feature;
        i = begin;
      } else {
        ++i;
      }
    }
    points.push_back({X_WA * point.position, normal, point.gap, feature});
  }
}

}  // namespace achilles
