#include "collision/narrow_phase/gjk.hpp"

#include "collision/narrow_phase/simplex.hpp"

#include <cmath>

namespace achilles {

SimplexVertex minkowski_support(const CorePair& pair, const Vec3& direction) {
  SimplexVertex vertex;
  vertex.a = support(pair.a, direction);
  vertex.b = pair.X_AB * support(pair.b, -(pair.X_AB.R.transpose() * direction));
  vertex.w = vertex.a - vertex.b;
  return vertex;
}

namespace {

constexpr double kRounding = 4e-16;
constexpr int kMaxFlatSteps = 6;

bool contains(const Simplex& simplex, const Vec3& w) {
  for (int i = 0; i < simplex.count; ++i) {
    if (simplex.vertices[i].w == w) {
      return true;
    }
  }
  return false;
}

void finish(const Vec3& v, double lower, GjkResult& result) {
  result.point_a.setZero();
  result.point_b.setZero();
  for (int i = 0; i < result.simplex.count; ++i) {
    result.point_a += result.simplex.weights[i] * result.simplex.vertices[i].a;
    result.point_b += result.simplex.weights[i] * result.simplex.vertices[i].b;
  }
  const double length = v.norm();
  result.distance = result.status == GjkStatus::kTouching ? 0 : length;
  result.error = std::max(0.0, length - lower);
  if (length > 0) {
    result.normal = -v / length;
  }
}

}  // namespace

GjkResult compute_gjk(const CorePair& pair, const GjkOptions& options, const Vec3& start) {
  GjkResult result;
  Simplex& simplex = result.simplex;
  simplex.vertices[0] = minkowski_support(pair, start.squaredNorm() > 0 ? start : Vec3::UnitX());
  simplex.weights[0] = 1;
  simplex.count = 1;

  const double touching = options.contact_tolerance * pair.size();
  Vec3 v = simplex.vertices[0].w;
  double lower = 0;
  int flat_steps = 0;
  for (;;) {
    const double length = v.norm();
    if (length <= touching) {
      result.status = GjkStatus::kTouching;
      break;
    }
    const SimplexVertex next = minkowski_support(pair, -v);
    lower = std::max(lower, v.dot(next.w) / length);
    if (lower > options.beyond) {
      result.status = GjkStatus::kBeyond;
      break;
    }
    if (length - lower <= options.relative_tolerance * length || contains(simplex, next.w)) {
      break;
    }
    if (result.iterations == options.max_iterations) {
      result.status = GjkStatus::kStalled;
      break;
    }
    ++result.iterations;
    simplex.vertices[static_cast<std::size_t>(simplex.count++)] = next;
    const SimplexPoint nearest = find_nearest(simplex);
    if (nearest.distance2 == 0) {
      reduce_to(nearest, simplex);
      v.setZero();
      result.status = GjkStatus::kTouching;
      break;
    }
    // |v| falls strictly in exact arithmetic; where it does not, rounding is all that is left of its progress. The
    // direction, which enters |v| squared, can still gain from a few more vertices.
    const double before2 = v.squaredNorm();
    if (nearest.distance2 >= before2 &&
        (nearest.distance2 > (1 + kRounding) * before2 || ++flat_steps > kMaxFlatSteps)) {
      --simplex.count;
      break;
    }
    reduce_to(nearest, simplex);
    v = nearest.point;
  }
  finish(v, lower, result);
  return result;
}

}  // namespace achilles
