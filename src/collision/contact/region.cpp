#include "collision/contact/region.hpp"

#include "collision/narrow_phase/penetration.hpp"

#include <algorithm>
#include <cmath>

namespace achilles {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A corner of the clipped polygon: where its incoming and its outgoing side meet. Sides are those of the incident
// face, or of the reference where it cut. This separates vertices from crossings without comparing coordinates.
struct ClipPoint {
  Vec3 x;
  std::uint16_t in_side;  // index into the corners of its face
  std::uint16_t out_side;
  bool in_is_reference;
  bool out_is_reference;
};
constexpr std::uint16_t kMarginSide = 0xffff;  // the side made where the polygon was cut off at the margin
constexpr std::size_t kClipRoom = 48;
using ClipPolygon = SmallVector<ClipPoint, kClipRoom>;

double scale_of(const CorePair& pair) { return std::min(pair.a.size, pair.b.size); }

// The line through a side of the reference face, `side` pointing out of the face.
struct SideLine {
  Vec3 side;
  double offset;        // [m]
  std::uint16_t label;  // of the side within the face
};

void load_incident(const SupportFace& incident, const Transform& X_RI, ClipPolygon& polygon) {
  polygon.clear();
  const std::size_t count = incident.corners.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t before = i == 0 ? count - 1 : i - 1;
    polygon.push_back({X_RI * incident.corners[i].x, static_cast<std::uint16_t>(before), static_cast<std::uint16_t>(i),
                       false, false});
  }
}

// One step of Sutherland-Hodgman: keeps the part of `in` where side·x ≤ offset. A corner outside by no more than
// `slack` stays the corner it is, so that boxes stacked edge over edge do not lose their corners to rounding. Crossings
// lie on the line itself, but for sides nearly parallel to it, of which no length may be lost at once when their far
// corner leaves the slack: their crossings rise to the end of the slack. Segments and points pass as polygons without
// area. False when nothing is cut off; then `out` is not filled.
bool clip(const ClipPolygon& in, const SideLine& line, double slack, ClipPolygon& out) {
  const std::size_t count = in.size();
  SmallVector<double, kClipRoom> height;
  bool outside = false;
  for (std::size_t i = 0; i < count; ++i) {
    height.push_back(line.side.dot(in[i].x) - line.offset);
    outside = outside || height[i] > slack;
  }
  if (!outside) {
    return false;
  }
  out.clear();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t next = i + 1 == count ? 0 : i + 1;
    const ClipPoint& p = in[i];
    const double dp = height[i], dq = height[next];
    const bool p_in = dp <= slack, q_in = dq <= slack;
    if (p_in) {
      out.push_back(p);
    }
    if (p_in != q_in) {
      const double level = compute_cut_level(dp - dq, slack);
      const Vec3 x = p.x + std::clamp((dp - level) / (dp - dq), 0.0, 1.0) * (in[next].x - p.x);
      if (p_in) {
        out.push_back({x, p.out_side, line.label, p.out_is_reference, true});
      } else {
        out.push_back({x, line.label, p.out_side, true, p.out_is_reference});
      }
    }
  }
  return true;
}

// Whether a corner lies beyond the line through `tail` that `side`, of any length, points away from.
bool reaches_beyond(const ClipPolygon& polygon, const Vec3& side, const Vec3& tail) {
  const double offset = side.dot(tail);
  bool beyond = false;
  for (const ClipPoint& point : polygon) {
    beyond = beyond || side.dot(point.x) > offset;
  }
  return beyond;
}

// Cuts off what is further than `top` along the face's normal, which leaves little of an incident face that is
// tilted, and then cuts by the planes through the sides of the reference face, parallel to its normal.
ClipPolygon& clip_to_face(const SupportFace& reference, double top, double slack, ClipPolygon& polygon,
                          ClipPolygon& scratch) {
  ClipPolygon* current = &polygon;
  ClipPolygon* next = &scratch;
  if (clip(*current, {reference.normal, top, kMarginSide}, 0, *next)) {
    std::swap(current, next);
  }
  const std::size_t count = reference.corners.size();
  for (std::size_t i = 0; i < count && !current->empty(); ++i) {
    const Vec3& tail = reference.corners[i].x;
    const Vec3& head = reference.corners[i + 1 == count ? 0 : i + 1].x;
    const Vec3 along = (head - tail).cross(reference.normal);
    if (!reaches_beyond(*current, along, tail)) {
      continue;
    }
    const Vec3 side = along.normalized();
    if (clip(*current, {side, side.dot(tail), static_cast<std::uint16_t>(i)}, slack, *next)) {
      std::swap(current, next);
    }
  }
  return *current;
}

std::uint32_t clip_feature(const ClipPoint& point, const SupportFace& reference, const SupportFace& incident,
                           bool reference_is_a) {
  const auto feature = [&](FeatureKind kind, std::uint32_t of_reference, std::uint32_t of_incident) {
    return reference_is_a ? make_feature(kind, of_reference, of_incident)
                          : make_feature(kind, of_incident, of_reference);
  };
  if (point.in_is_reference && point.out_is_reference) {
    // A corner of the reference is where two of its neighbouring sides meet; the later one begins there.
    const auto count = static_cast<std::uint32_t>(reference.corners.size());
    const bool in_first = (point.in_side + 1) % count == point.out_side;
    const std::uint32_t corner = in_first ? point.out_side : point.in_side;
    return feature(reference_is_a ? FeatureKind::kVertexOfA : FeatureKind::kVertexOfB, reference.corners[corner].vertex,
                   incident.number);
  }
  if (!point.in_is_reference && !point.out_is_reference) {
    return feature(reference_is_a ? FeatureKind::kVertexOfB : FeatureKind::kVertexOfA, reference.number,
                   incident.corners[point.out_side].vertex);
  }
  const std::uint32_t of_reference = point.in_is_reference ? point.in_side : point.out_side;
  const std::uint32_t of_incident = point.in_is_reference ? point.out_side : point.in_side;
  return feature(FeatureKind::kEdges, reference.corners[of_reference].side, incident.corners[of_incident].side);
}

}  // namespace

double make_face_manifold(const CorePair& pair, const SupportFace& reference, const SupportFace& incident,
                          bool reference_is_a, double margin, Manifold& manifold) {
  const Transform X_RI = reference_is_a ? pair.X_AB : pair.X_AB.inverse();
  const double radius_incident = reference_is_a ? pair.b.radius : pair.a.radius;
  const double scale = scale_of(pair);
  const Vec3& n_R = reference.normal;
  ClipPolygon polygon, scratch;
  load_incident(incident, X_RI, polygon);
  const double surface = reference.offset + pair.radius();
  const ClipPolygon& clipped = clip_to_face(reference, surface + margin, kEdgeSlack * scale, polygon, scratch);

  manifold.points.clear();
  manifold.normal = reference_is_a ? n_R : Vec3(-(pair.X_AB.R * n_R));
  double smallest = kInfinity;
  for (const ClipPoint& point : clipped) {
    if (point.in_side == kMarginSide || point.out_side == kMarginSide) {
      continue;
    }
    const double gap = n_R.dot(point.x) - surface;
    const Vec3 midway = point.x - (radius_incident + 0.5 * gap) * n_R;
    const std::uint32_t id = clip_feature(point, reference, incident, reference_is_a);
    push_distinct(manifold, {reference_is_a ? midway : Vec3(pair.X_AB * midway), gap, id}, kSamePoint * scale);
    smallest = std::min(smallest, gap);
  }
  return smallest;
}

namespace {

// No face of a box is square to a normal that is not near one of its axes.
bool may_have_square_face(const ConvexCore& core, const Vec3& normal) {
  return core.kind != ConvexCore::Kind::kBox || normal.cwiseAbs().maxCoeff() >= kFaceCosine;
}

// The face region about a nearest pair; false when no face is square to the normal, or the region misses the pair.
bool add_face_region(const CorePair& pair, const Vec3& normal, const Vec3& normal_B, double gap, double margin,
                     Manifold& manifold) {
  if (!may_have_square_face(pair.a, normal) && !may_have_square_face(pair.b, normal_B)) {
    return false;
  }
  SupportFace face_a, face_b;
  find_support_face(pair.a, normal, face_a);
  find_support_face(pair.b, -normal_B, face_b);
  // A's face is tried first wherever it is square, so that rounding does not make the reference alternate. A face
  // region that misses the nearest pair is not the contact: its gap would be wrong.
  const double attained = gap + 1e-6 * scale_of(pair) + 1e-3 * std::abs(gap);
  if (face_a.has_area && face_a.normal.dot(normal) >= kFaceCosine &&
      make_face_manifold(pair, face_a, face_b, true, margin, manifold) <= attained) {
    return true;
  }
  return face_b.has_area && -face_b.normal.dot(normal_B) >= kFaceCosine &&
         make_face_manifold(pair, face_b, face_a, false, margin, manifold) <= attained;
}

// Both ends of the common stretch of two parallel edges.
bool add_parallel_edges(const CorePair& pair, const NearestFeatures& nearest, double margin, Manifold& manifold) {
  const FarthestEdge edge_a = find_edge(pair.a, nearest.normal, kFaceAngle);
  if (!edge_a.found) {
    return false;
  }
  const FarthestEdge edge_b = find_edge(pair.b, -(pair.X_AB.R.transpose() * nearest.normal), kFaceAngle);
  if (!edge_b.found) {
    return false;
  }
  const Segment& a = edge_a.segment;
  const Segment b{pair.X_AB * edge_b.segment.start, pair.X_AB * edge_b.segment.end};
  const Vec3 da = a.end - a.start, db = b.end - b.start;
  if (da.cross(db).squaredNorm() > kFaceAngle * kFaceAngle * da.squaredNorm() * db.squaredNorm()) {
    return false;
  }
  std::uint32_t end = 0;
  for (const double s : {nearest_parameter(a, b.start), nearest_parameter(a, b.end)}) {
    const Vec3 on_a = a.at(s);
    const Vec3 on_b = b.at(nearest_parameter(b, on_a));
    const double gap = nearest.normal.dot(on_b - on_a) - pair.radius();
    if (gap <= margin) {
      const Vec3 midway = 0.5 * (on_a + on_b + (pair.a.radius - pair.b.radius) * nearest.normal);
      push_distinct(manifold, {midway, gap, make_feature(FeatureKind::kEdges, edge_a.edge, 2 * edge_b.edge + end)},
                    kSamePoint * scale_of(pair));
    }
    ++end;
  }
  return !manifold.points.empty();
}

}  // namespace

void make_nearest_manifold(const CorePair& pair, const NearestFeatures& nearest, double margin, Manifold& manifold) {
  const double gap = nearest.separation - pair.radius();
  manifold.points.clear();
  if (gap > margin) {
    return;
  }
  const Vec3 normal_B = pair.X_AB.R.transpose() * nearest.normal;
  if (add_face_region(pair, nearest.normal, normal_B, gap, margin, manifold)) {
    return;
  }
  manifold.points.clear();
  manifold.normal = nearest.normal;
  if (add_parallel_edges(pair, nearest, margin, manifold)) {
    return;
  }
  CoreDistance cores{nearest.separation, 0, nearest.normal, nearest.point_a, nearest.point_b};
  if (!nearest.has_points) {
    find_witnesses(pair, cores);
  }
  const Vec3 midway = 0.5 * (cores.point_a + cores.point_b + (pair.a.radius - pair.b.radius) * nearest.normal);
  manifold.points.push_back({midway, gap, make_feature(FeatureKind::kWitness, 0, 0)});
}

}  // namespace achilles
