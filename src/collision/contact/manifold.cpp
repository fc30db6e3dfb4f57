#include "collision/contact/manifold.hpp"

#include "math/tangents.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace achilles {

namespace {

// Differences below this fraction of the extent are rounding: they must not decide which points stay.
constexpr double kTie = 1e-9;
constexpr double kBeside = 1e-2;  // of the extent: points of a support that are closer are one

// Points of any kind that has a position and a gap, seen along one normal.
template <typename Point>
struct Chooser {
  std::span<const Point> points;
  const Vec3& normal;

  [[nodiscard]] const Vec3& at(std::size_t i) const { return points[i].position; }

  // Twice the signed area of (a, b, c) seen against the normal.
  [[nodiscard]] double area(std::size_t a, std::size_t b, std::size_t c) const {
    return normal.dot((at(b) - at(a)).cross(at(c) - at(a)));
  }
  [[nodiscard]] double lateral2(std::size_t a, std::size_t b) const {
    const Vec3 r = at(b) - at(a);
    return (r - normal.dot(r) * normal).squaredNorm();
  }
  [[nodiscard]] double extent() const {
    Aabb box;
    for (const Point& point : points) {
      box.include(point.position);
    }
    return box.extent().norm();
  }

  // First point whose score is not beaten by more than a tie.
  template <typename Score>
  [[nodiscard]] std::size_t best(Score score, double tie) const {
    std::size_t chosen = 0;
    double chosen_score = score(0);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double value = score(i);
      if (value > chosen_score + tie) {
        chosen_score = value;
        chosen = i;
      }
    }
    return chosen;
  }

  // Ascending; repeats one where fewer than four span the area.
  [[nodiscard]] std::array<std::size_t, 4> choose_four() const {
    const double scale = extent();
    const double tie = kTie * scale, area_tie = kTie * scale * scale;
    const std::size_t first = best([&](std::size_t i) { return -points[i].gap; }, tie);
    const std::size_t second = best([&](std::size_t i) { return lateral2(first, i); }, area_tie);
    const std::size_t third = best([&](std::size_t i) { return std::abs(area(first, second, i)); }, area_tie);
    // Beyond the edges of the triangle, made counter-clockwise, lies what a fourth point can add.
    const bool turned = area(first, second, third) < 0;
    const std::array<std::size_t, 3> corner{first, turned ? third : second, turned ? second : third};
    const auto gain = [&](std::size_t i) {
      return -std::min({area(corner[0], corner[1], i), area(corner[1], corner[2], i), area(corner[2], corner[0], i)});
    };
    std::array<std::size_t, 4> kept{first, second, third, best(gain, area_tie)};
    std::sort(kept.begin(), kept.end());
    return kept;
  }
};

template <typename Point>
std::size_t keep_four(std::span<Point> points, const Vec3& normal) {
  if (points.size() <= 4) {
    return points.size();
  }
  const std::array<std::size_t, 4> kept = Chooser<Point>{points, normal}.choose_four();
  std::size_t count = 0;
  for (std::size_t k = 0; k < kept.size(); ++k) {
    if (k == 0 || kept[k] != kept[k - 1]) {
      points[count++] = points[kept[k]];
    }
  }
  return count;
}

}  // namespace

void reduce_to_four(Manifold& manifold) {
  manifold.points.shrink(
      keep_four(std::span<ManifoldPoint>(manifold.points.data(), manifold.points.size()), manifold.normal));
}

std::size_t reduce_to_four(std::span<ContactPoint> points, const Vec3& normal) { return keep_four(points, normal); }

// Points beside each other are one corner, and the deepest stands for its own: twice the points at one corner carry
// more of the load in sweeps that have not converged, and which corner that is changes with the tilt. A stack rocks on
// that.
std::size_t reduce_to_support(std::span<ContactPoint> points, const Vec3& normal, double slope) {
  constexpr std::size_t kDirections = 8;
  const auto [t1, t2] = make_tangents(normal);
  const Chooser<ContactPoint> chooser{points, normal};
  const double extent = chooser.extent(), tie = kTie * extent, beside = kBeside * extent;
  std::array<std::size_t, kDirections + 1> kept;
  std::size_t chosen = 0;
  const auto keep = [&](std::size_t i) {
    const auto is_beside = [&](std::size_t k) { return chooser.lateral2(k, i) <= beside * beside; };
    if (std::none_of(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(chosen), is_beside)) kept[chosen++] = i;
  };
  keep(chooser.best([&](std::size_t i) { return -points[i].gap; }, tie));
  for (std::size_t k = 0; k < kDirections; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / kDirections;
    const Vec3 outward = slope * (std::cos(angle) * t1 + std::sin(angle) * t2);
    keep(chooser.best([&](std::size_t i) { return outward.dot(points[i].position) - points[i].gap; }, tie * slope));
  }
  std::sort(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(chosen));
  for (std::size_t k = 0; k < chosen; ++k) points[k] = points[kept[k]];
  return chosen;
}

// Numbers above 15 bits wrap; stepping past the ones taken ends after at most as many tries as there are points.
std::uint32_t make_unique(std::uint32_t feature, std::span<const ContactPoint> taken) {
  for (std::size_t i = 0; i < taken.size();) {
    if (taken[i].feature == feature) {
      ++feature;
      i = 0;
    } else {
      ++i;
    }
  }
  return feature;
}

void append_manifold(Manifold& manifold, const Transform& X_WA, const CollideOptions& options,
                     std::vector<ContactPoint>& points) {
  if (!options.all_points) {
    reduce_to_four(manifold);
  }
  const Vec3 normal = X_WA.R * manifold.normal;
  const std::size_t begin = points.size();
  for (const ManifoldPoint& point : manifold.points) {
    const std::uint32_t feature = make_unique(point.feature, std::span(points).subspan(begin));
    points.push_back({X_WA * point.position, normal, point.gap, feature});
  }
}

}  // namespace achilles
