#include "collision/contact/support_face.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace achilles {

namespace {

using Kind = ConvexCore::Kind;

constexpr int kRimCorners = 16;
constexpr std::uint32_t kFurthestCorner = kRimCorners;
constexpr double kSameAngle = 1e-8;  // [rad] a corner this near counts as the furthest point

// cos and sin of the multiples of 22.5°
constexpr double kC1 = 0.92387953251128675613, kC2 = 0.70710678118654752440, kC3 = 0.38268343236508977173;
constexpr std::array<std::array<double, 2>, kRimCorners> kRim{{{1, 0},
                                                               {kC1, kC3},
                                                               {kC2, kC2},
                                                               {kC3, kC1},
                                                               {0, 1},
                                                               {-kC3, kC1},
                                                               {-kC2, kC2},
                                                               {-kC1, kC3},
                                                               {-1, 0},
                                                               {-kC1, -kC3},
                                                               {-kC2, -kC2},
                                                               {-kC3, -kC1},
                                                               {0, -1},
                                                               {kC3, -kC1},
                                                               {kC2, -kC2},
                                                               {kC1, -kC3}}};

void set_polytope_face(const PolytopeView& polytope, const Vec3& direction, SupportFace& face) {
  if (polytope.face_count() == 0) {
    const std::uint32_t tip = support_vertex(polytope, direction);
    face.corners.push_back({polytope.vertices[tip], tip, tip});
    return;
  }
  const std::uint32_t number = facing_face(polytope, direction);
  face.number = number;
  face.normal = polytope.face_normals[number];
  face.offset = polytope.face_offsets[number];
  face.has_area = true;
  std::uint32_t side = polytope.face_start[number];
  for (const std::uint32_t v : polytope.loop(number)) {
    face.corners.push_back({polytope.vertices[v], v, side++});
  }
}

void set_box_face(const Vec3& half, const Vec3& direction, SupportFace& face) {
  Eigen::Index axis;
  direction.cwiseAbs().maxCoeff(&axis);
  const bool negative = direction[axis] < 0;
  const auto number = static_cast<std::uint32_t>(2 * axis + negative);
  face.number = number;
  face.normal = (negative ? -1.0 : 1.0) * Vec3::Unit(axis);
  face.offset = half[axis];
  face.has_area = true;
  const std::span<const std::uint32_t, 4> loop = box_face_loop(number);
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::uint32_t v = loop[i];
    face.corners.push_back({box_vertex(half, v), v, 4 * number + i});
  }
}

// The disc at height z, seen from outside counter-clockwise.
void set_disc_face(double radius, double z, bool up, const Vec3& direction, SupportFace& face) {
  face.number = up ? 0 : 1;
  face.normal = Vec3(0, 0, up ? 1 : -1);
  face.offset = up ? z : -z;
  face.has_area = true;
  const std::uint32_t base = up ? 0 : 32;
  const auto add = [&](double x, double y, std::uint32_t number) {
    face.corners.push_back({Vec3(radius * x, radius * y, z), base + number, base + number});
  };
  constexpr double kStep = 2 * std::numbers::pi / kRimCorners;
  double furthest = -1;  // in corners from the first, none while the disc is square to the direction
  const double lateral = std::hypot(direction.x(), direction.y());
  if (lateral > kSameAngle) {
    const double angle = std::atan2(direction.y(), direction.x());
    furthest = (angle < 0 ? angle + 2 * std::numbers::pi : angle) / kStep;
    if (std::abs(furthest - std::round(furthest)) * kStep < kSameAngle) {
      furthest = -1;
    }
  }
  for (int k = 0; k < kRimCorners; ++k) {
    const int i = up ? k : kRimCorners - 1 - k;
    if (!up && furthest >= i && furthest < i + 1) {
      add(direction.x() / lateral, direction.y() / lateral, kFurthestCorner);
    }
    add(kRim[static_cast<std::size_t>(i)][0], kRim[static_cast<std::size_t>(i)][1], static_cast<std::uint32_t>(i));
    if (up && furthest >= i && furthest < i + 1) {
      add(direction.x() / lateral, direction.y() / lateral, kFurthestCorner);
    }
  }
}

// The point of the rim at height z furthest along the direction.
Vec3 rim_point(double radius, double z, const Vec3& direction) {
  const double lateral = std::hypot(direction.x(), direction.y());
  return lateral > 0 ? Vec3(radius * direction.x() / lateral, radius * direction.y() / lateral, z) : Vec3(radius, 0, z);
}

void set_line_face(const Vec3& low, const Vec3& high, SupportFace& face) {
  face.number = 2;
  face.corners.push_back({low, 64, 64});
  face.corners.push_back({high, 65, 65});
}

Segment cylinder_line(const Vec3& half, const Vec3& direction) {
  return {rim_point(half.x(), -half.z(), direction), rim_point(half.x(), half.z(), direction)};
}
Segment cone_line(const Vec3& half, const Vec3& direction) {
  return {rim_point(half.x(), -half.z(), direction), Vec3(0, 0, half.z())};
}

FarthestEdge square_line(const Segment& segment, const Vec3& direction, double max_sine, std::uint32_t number) {
  const Vec3 along = segment.end - segment.start;
  return {std::abs(direction.dot(along)) <= max_sine * along.norm() && along.squaredNorm() > 0, segment, number};
}

FarthestEdge find_polytope_edge(const PolytopeView& polytope, const Vec3& direction, double max_sine) {
  const std::uint32_t tip = support_vertex(polytope, direction);
  FarthestEdge best;
  double best_sine = max_sine;
  for (std::uint32_t e = 0; e < polytope.edges.size(); ++e) {
    const HullGeometry::Edge& edge = polytope.edges[e];
    if (edge.tail != tip && edge.head != tip) {
      continue;
    }
    const Vec3 along = polytope.vertices[edge.head] - polytope.vertices[edge.tail];
    const double length = along.norm();
    const double sine = std::abs(direction.dot(along));
    if (length > 0 && sine <= best_sine * length) {
      best_sine = sine / length;
      best = {true, {polytope.vertices[edge.tail], polytope.vertices[edge.head]}, e};
    }
  }
  return best;
}

// The edge at the furthest corner along the axis that is squarest to the direction. Its number is that of the axis and
// of which of the four edges along it.
FarthestEdge find_box_edge(const Vec3& half, const Vec3& direction, double max_sine) {
  Eigen::Index axis;
  if (direction.cwiseAbs().minCoeff(&axis) > max_sine || half[axis] == 0) {
    return {};
  }
  const Eigen::Index next = (axis + 1) % 3, last = (axis + 2) % 3;
  Vec3 end;
  end[next] = std::copysign(half[next], direction[next]);
  end[last] = std::copysign(half[last], direction[last]);
  end[axis] = half[axis];
  Vec3 start = end;
  start[axis] = -half[axis];
  const auto number = static_cast<std::uint32_t>(4 * axis + 2 * (direction[next] > 0) + (direction[last] > 0));
  return {true, {start, end}, number};
}

}  // namespace

void find_support_face(const ConvexCore& core, const Vec3& direction, SupportFace& face) {
  face.corners.clear();
  face.has_area = false;
  face.number = 0;
  const Vec3& half = core.half;
  const auto lateral = [&] { return std::hypot(direction.x(), direction.y()); };
  switch (core.kind) {
    case Kind::kPoint:
      face.corners.push_back({Vec3::Zero(), 0, 0});
      return;
    case Kind::kSegment:
      set_line_face(Vec3(0, 0, -half.z()), Vec3(0, 0, half.z()), face);
      return;
    case Kind::kBox:
      set_box_face(half, direction, face);
      return;
    case Kind::kCylinder:
      if (std::abs(direction.z()) > lateral()) {
        set_disc_face(half.x(), std::copysign(half.z(), direction.z()), direction.z() > 0, direction, face);
      } else {
        const Segment line = cylinder_line(half, direction);
        set_line_face(line.start, line.end, face);
      }
      return;
    case Kind::kCone:
      if (-direction.z() > lateral()) {
        set_disc_face(half.x(), -half.z(), false, direction, face);
      } else {
        const Segment line = cone_line(half, direction);
        set_line_face(line.start, line.end, face);
      }
      return;
    case Kind::kPolytope:
      set_polytope_face(core.polytope, direction, face);
      return;
  }
}

FarthestEdge find_edge(const ConvexCore& core, const Vec3& direction, double max_sine) {
  switch (core.kind) {
    case Kind::kPoint:
      return {};
    case Kind::kSegment:
      return square_line({Vec3(0, 0, -core.half.z()), Vec3(0, 0, core.half.z())}, direction, max_sine, 0);
    case Kind::kBox:
      return find_box_edge(core.half, direction, max_sine);
    case Kind::kCylinder:
      return square_line(cylinder_line(core.half, direction), direction, max_sine, 0);
    case Kind::kCone:
      return square_line(cone_line(core.half, direction), direction, max_sine, 0);
    case Kind::kPolytope:
      return find_polytope_edge(core.polytope, direction, max_sine);
  }
  return {};
}

}  // namespace achilles
