#include "collision/contact/surface_points.hpp"

#include "collision/contact/manifold.hpp"

#include <algorithm>

namespace achilles {

namespace {

constexpr double kSamePlace = 1e-6;     // of the shape's size
constexpr double kSameNormal = 0.9999;  // cosine

bool deeper(const ContactPoint& p, const ContactPoint& q) { return p.gap < q.gap; }

// Stable: of two points at one place the deeper stays, else the earlier.
void merge_equal(std::size_t begin, double distance, std::vector<ContactPoint>& points) {
  std::size_t end = begin;
  for (std::size_t i = begin; i < points.size(); ++i) {
    bool is_new = true;
    for (std::size_t k = begin; k < end && is_new; ++k) {
      if ((points[k].position - points[i].position).squaredNorm() > distance * distance ||
          points[k].normal.dot(points[i].normal) < kSameNormal) {
        continue;
      }
      is_new = false;
      if (points[i].gap < points[k].gap - distance) points[k] = points[i];
    }
    if (is_new) points[end++] = points[i];
  }
  points.resize(end);
}

}  // namespace

std::uint32_t surface_feature(std::uint32_t feature, std::uint32_t triangle) {
  const auto kind = static_cast<std::uint32_t>(kind_of(feature));
  if (kind_of(feature) == FeatureKind::kVertexOfA) return feature & ~0x7fffu;
  const std::uint32_t mixed = (triangle + 1) * 0x9e3779b1u ^ feature * 0x85ebca6bu;
  return kind << 30 | (mixed >> 2);
}

void finish_surface_points(std::size_t begin, double size, const Thinning& thinning,
                           std::vector<ContactPoint>& points) {
  // Samples of a map are at places of their own, but for the few that two maps share: those go last, when few are left.
  const bool merge_last = thinning.one_normal && !thinning.all_points;
  if (!merge_last) merge_equal(begin, kSamePlace * size, points);
  const auto first = points.begin() + static_cast<std::ptrdiff_t>(begin);
  std::size_t end = begin;
  if (thinning.all_points) {
    end = points.size();
  } else {
    for (auto rest = first; rest != points.end();) {
      std::iter_swap(rest, std::min_element(rest, points.end(), deeper));
      const Vec3 normal = rest->normal;
      const auto group_end = std::partition(rest, points.end(), [&](const ContactPoint& point) {
        return point.normal.dot(normal) >= thinning.same_group;
      });
      const std::span<ContactPoint> group(rest, group_end);
      const std::size_t kept =
          thinning.slope > 0 ? reduce_to_support(group, normal, thinning.slope) : reduce_to_four(group, normal);
      if (thinning.one_normal) {
        std::for_each(rest, rest + static_cast<std::ptrdiff_t>(kept), [&](ContactPoint& p) { p.normal = normal; });
      }
      std::copy(rest, rest + static_cast<std::ptrdiff_t>(kept), points.begin() + static_cast<std::ptrdiff_t>(end));
      end += kept;
      rest = group_end;
    }
    points.resize(end);
  }
  if (merge_last) merge_equal(begin, kSamePlace * size, points);
  for (std::size_t i = begin; i < points.size(); ++i) {
    points[i].feature = make_unique(points[i].feature, std::span(points).subspan(begin, i - begin));
  }
}

}  // namespace achilles
