#include "collision/contact/ridge.hpp"

#include <array>

namespace achilles {

namespace {

constexpr int kSamples = 8;
constexpr int kSections = 40;
constexpr double kGolden = 0.6180339887498949;

// Along the arc from the first normal to the second. Before normalization the height of the lowest point of the core is
// a minimum of linear functions of t, hence concave; a few samples guard against what normalization does to that.
struct Arc {
  const ConvexCore& core;
  const Ridge& ridge;

  [[nodiscard]] Vec3 normal(double t) const {
    return (ridge.normal_first + t * (ridge.normal_second - ridge.normal_first)).normalized();
  }
  [[nodiscard]] double separation(double t) const {
    const Vec3 n = normal(t);
    return n.dot(support(core, -n) - ridge.edge.start);
  }
};

}  // namespace

RidgeNormal find_ridge_normal(const ConvexCore& core, const Ridge& ridge) {
  const Arc arc{core, ridge};
  int best = 0;
  double best_separation = arc.separation(0);
  for (int i = 1; i <= kSamples; ++i) {
    const double s = arc.separation(static_cast<double>(i) / kSamples);
    if (s > best_separation) {
      best_separation = s;
      best = i;
    }
  }
  double low = std::max(0, best - 1) / static_cast<double>(kSamples);
  double high = std::min(kSamples, best + 1) / static_cast<double>(kSamples);
  double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
  double s_left = arc.separation(left), s_right = arc.separation(right);
  for (int i = 0; i < kSections; ++i) {
    if (s_left >= s_right) {
      high = right;
      right = left;
      s_right = s_left;
      left = high - kGolden * (high - low);
      s_left = arc.separation(left);
    } else {
      low = left;
      left = right;
      s_left = s_right;
      right = low + kGolden * (high - low);
      s_right = arc.separation(right);
    }
  }
  const double t = 0.5 * (low + high);
  const double s = arc.separation(t);
  if (s > best_separation) return {arc.normal(t), s};
  return {arc.normal(static_cast<double>(best) / kSamples), best_separation};
}

ConvexCore make_edge_core(const Segment& edge) {
  const double half = 0.5 * (edge.end - edge.start).norm();
  ConvexCore core;
  core.kind = ConvexCore::Kind::kSegment;
  core.half = Vec3(0, 0, half);
  core.size = half;
  return core;
}

Transform place_edge(const Segment& edge) {
  Transform X;
  const Vec3 z = (edge.end - edge.start).normalized();
  X.R.col(2) = z;
  X.R.col(0) = z.unitOrthogonal();
  X.R.col(1) = z.cross(X.R.col(0));
  X.p = edge.at(0.5);
  return X;
}

}  // namespace achilles
