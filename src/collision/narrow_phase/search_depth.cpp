#include "collision/narrow_phase/search_depth.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace achilles {

namespace {

constexpr double kGolden = 0.6180339887498949;

struct Direction {
  Vec3 n;        // unit, from A to B
  double depth;  // [m] overlap along it
};

double overlap_along(const CorePair& pair, const Vec3& n) { return n.dot(minkowski_support(pair, n).w); }

// A unit vector square to both; to n alone if they are parallel.
Vec3 across(const Vec3& n, const Vec3& axis) {
  const Vec3 cross = n.cross(axis);
  return cross.squaredNorm() > 1e-16 ? Vec3(cross.normalized()) : n.unitOrthogonal();
}

// Compass search. Turns about the axes of the shapes follow the valleys, which run along circles about these, turns
// towards them cross the valleys.
Direction descend(const CorePair& pair, const Vec3& start, double first_step, double last_step) {
  constexpr int kMaxMoves = 200;
  const std::array<Vec3, 2> axes{Vec3::UnitZ(), pair.X_AB.R.col(2)};
  Direction at{start, overlap_along(pair, start)};
  int moves = 0;
  for (double step = first_step; step > last_step && moves < kMaxMoves;) {
    Direction best{at.n, at.depth - 1e-15 * pair.size()};
    const std::array<Vec3, 4> about{axes[0], axes[1], across(at.n, axes[0]), across(at.n, axes[1])};
    for (const Vec3& axis : about) {
      for (const double sign : {1.0, -1.0}) {
        const Vec3 turned = Eigen::AngleAxisd(sign * step, axis) * at.n;
        const double overlap = overlap_along(pair, turned);
        if (overlap < best.depth) best = {turned, overlap};
      }
    }
    if (best.n == at.n) {
      step *= 0.5;
    } else {
      at = best;
      ++moves;
    }
  }
  return at;
}

struct Minimum {
  double x, value;
};

// Golden section from a bracket that moves along while its end is the lowest.
template <typename Function>
Minimum minimize(Function f, double middle, double half_width, double precision) {
  constexpr int kMaxShifts = 20;
  for (int shift = 0;; ++shift) {
    double low = middle - half_width, high = middle + half_width;
    double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    double f_left = f(left), f_right = f(right);
    while (high - low > precision) {
      if (f_left <= f_right) {
        high = right;
        right = left;
        f_right = f_left;
        left = high - kGolden * (high - low);
        f_left = f(left);
      } else {
        low = left;
        left = right;
        f_left = f_right;
        right = low + kGolden * (high - low);
        f_right = f(right);
      }
    }
    const Minimum found = f_left <= f_right ? Minimum{left, f_left} : Minimum{right, f_right};
    if (std::abs(found.x - middle) < 0.99 * half_width || shift == kMaxShifts) return found;
    middle = found.x;
  }
}

// Minimum over longitude of the minimum over latitude. Compass search creeps along a valley that is narrow, curved and
// nearly level; here each longitude finds the floor of the valley for itself.
Direction refine(const CorePair& pair, const Direction& start) {
  constexpr double kHalfWidth = 0.02, kLatitude = 1e-11, kLongitude = 1e-10;  // [rad]
  const bool a_is_round = pair.a.kind == ConvexCore::Kind::kCylinder || pair.a.kind == ConvexCore::Kind::kCone;
  const Mat3 R = a_is_round ? Mat3(Mat3::Identity()) : pair.X_AB.R;
  const Vec3 n = R.transpose() * start.n;
  const int pole = std::abs(n.z()) < 0.99 ? 2 : 0;  // away from the start
  const Vec3 x = R.col((pole + 1) % 3), y = R.col((pole + 2) % 3), z = R.col(pole);
  double latitude = std::asin(std::clamp(start.n.dot(z), -1.0, 1.0));
  const auto direction = [&](double longitude, double at_latitude) -> Vec3 {
    return std::cos(at_latitude) * (std::cos(longitude) * x + std::sin(longitude) * y) + std::sin(at_latitude) * z;
  };
  const auto across_valley = [&](double longitude, double width) {
    return minimize([&](double angle) { return overlap_along(pair, direction(longitude, angle)); }, latitude, width,
                    kLatitude);
  };
  const auto along_valley = [&](double longitude) { return across_valley(longitude, kHalfWidth).value; };
  const Minimum best = minimize(along_valley, std::atan2(start.n.dot(y), start.n.dot(x)), kHalfWidth, kLongitude);
  const Minimum across_best = across_valley(best.x, kHalfWidth);
  const Vec3 found = direction(best.x, across_best.x).normalized();
  const double depth = overlap_along(pair, found);
  return depth < start.depth ? Direction{found, depth} : start;
}

}  // namespace

void search_depth(const CorePair& pair, const EpaResult& epa, CoreDistance& result) {
  Direction best = descend(pair, epa.normal, 0.5, 1e-7);
  for (int k = 0; k < epa.lead_count; ++k) {
    const Direction other = descend(pair, epa.leads[static_cast<std::size_t>(k)], 0.1, 1e-6);
    if (other.depth < best.depth) best = other;
  }
  best = refine(pair, best);
  result.distance = -best.depth;
  result.normal = best.n;
  result.error = std::max(0.0, best.depth - epa.lower);
}

}  // namespace achilles
