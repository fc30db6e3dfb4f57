#include "collision/continuous/turning_slab.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace achilles {
namespace {

std::size_t count_vertices(const ConvexCore& core) {
  switch (core.kind) {
    case ConvexCore::Kind::kPoint:
      return 1;
    case ConvexCore::Kind::kSegment:
      return 2;
    case ConvexCore::Kind::kBox:
      return 8;
    case ConvexCore::Kind::kPolytope:
      return core.polytope.vertices.size();
    case ConvexCore::Kind::kCylinder:
    case ConvexCore::Kind::kCone:
      break;
  }
  return std::numeric_limits<std::size_t>::max();
}

Vec3 vertex_of(const ConvexCore& core, std::size_t i) {
  switch (core.kind) {
    case ConvexCore::Kind::kSegment:
      return i == 0 ? core.half : Vec3(-core.half);
    case ConvexCore::Kind::kBox:
      return box_vertex(core.half, static_cast<std::uint32_t>(i));
    case ConvexCore::Kind::kPolytope:
      return core.polytope.vertices[i];
    default:
      return Vec3::Zero();
  }
}

Vec3 velocity_at(const FlyingCore& flying, const Vec3& x) { return flying.v + flying.w.cross(x - flying.center); }

}  // namespace

bool TurningSlab::is_possible(const ConvexCore& core) { return count_vertices(core) <= kMaxVertices; }

TurningSlab::TurningSlab(const FlyingCore& a, const FlyingCore& b, const Vec3& n, const Vec3& origin)
    : origin_(origin), velocity_(0.5 * (velocity_at(a, origin) + velocity_at(b, origin))) {
  place(a, -1, n, below_);
  place(b, 1, n, above_);
  choose_turn(n);
  differentiate(-1, n, below_);
  differentiate(1, n, above_);
}

void TurningSlab::place(const FlyingCore& flying, double sign, const Vec3& n, Side& side) const {
  side.count = count_vertices(*flying.core);
  side.radius = flying.core->radius;
  side.fall = flying.a.norm();
  const double spin = flying.w.norm();
  for (std::size_t i = 0; i < side.count; ++i) {
    Vertex& vertex = side.vertices[i];
    const Vec3 x = flying.X_WG * vertex_of(*flying.core, i);
    const Vec3 turn = flying.w.cross(x - flying.center);
    vertex.d0 = x - origin_;
    vertex.d1 = flying.v + turn - velocity_;
    vertex.d2 = flying.a + flying.w.cross(turn);
    vertex.f0 = sign * n.dot(vertex.d0);
    const double rim = turn.norm();
    side.reach = std::max(side.reach, vertex.d0.norm());
    side.speed = std::max(side.speed, (flying.v - velocity_).norm() + rim);
    side.pull = std::max(side.pull, side.fall + spin * rim);
    side.change = std::max(side.change, spin * spin * rim);
  }
}

// f' = n'·d + n·d' of the vertices of a side should be one number. With weights that fall off with the height above the
// slab this is a weighted least-squares problem for n', two components across n.
void TurningSlab::choose_turn(const Vec3& n) {
  Mat3 M = Mat3::Zero();
  Vec3 rhs = Vec3::Zero();
  for (const Side* side : {&below_, &above_}) {
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < side->count; ++i) lowest = std::min(lowest, side->vertices[i].f0);
    const double near = 1e-4 * side->reach;
    const auto weight = [&](const Vertex& vertex) {
      const double height = (vertex.f0 - lowest) / near + 1;
      return 1 / (height * height);
    };
    double total = 0, mean_speed = 0;
    Vec3 mean = Vec3::Zero();
    for (std::size_t i = 0; i < side->count; ++i) {
      const Vertex& vertex = side->vertices[i];
      total += weight(vertex);
      mean += weight(vertex) * vertex.d0;
      mean_speed += weight(vertex) * n.dot(vertex.d1);
    }
    mean /= total;
    mean_speed /= total;
    for (std::size_t i = 0; i < side->count; ++i) {
      const Vertex& vertex = side->vertices[i];
      Vec3 arm = vertex.d0 - mean;
      arm -= n.dot(arm) * n;
      M += weight(vertex) * arm * arm.transpose();
      rhs -= weight(vertex) * (n.dot(vertex.d1) - mean_speed) * arm;
    }
  }
  const double scale = M.trace();
  if (!(scale > 0)) return;
  M += scale * (n * n.transpose() + 1e-12 * Mat3::Identity());
  const Vec3 change = M.ldlt().solve(rhs);
  if (change.allFinite()) turn_ = n.cross(change);
}

void TurningSlab::differentiate(double sign, const Vec3& n, Side& side) const {
  const Vec3 n1 = turn_.cross(n), n2 = turn_.cross(n1);
  for (std::size_t i = 0; i < side.count; ++i) {
    Vertex& vertex = side.vertices[i];
    vertex.f1 = sign * (n1.dot(vertex.d0) + n.dot(vertex.d1));
    vertex.f2 = std::min(0.0, sign * (n2.dot(vertex.d0) + 2 * n1.dot(vertex.d1) + n.dot(vertex.d2)));
  }
}

// |f'''| ≤ |Ω|³ |d| + 3 |Ω|² |d'| + 3 |Ω| |d''| + |d'''|, with the largest of each up to s.
double TurningSlab::lower(const Side& side, double s) const {
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < side.count; ++i) {
    const Vertex& vertex = side.vertices[i];
    lowest = std::min(lowest, vertex.f0 + s * (vertex.f1 + 0.5 * s * vertex.f2));
  }
  const double turn = turn_.norm();
  const double speed = side.speed + s * side.fall;
  const double third = turn * turn * (turn * (side.reach + s * speed) + 3 * speed) + 3 * turn * side.pull + side.change;
  return lowest - side.radius - s * s * s / 6 * third;
}

}  // namespace achilles
