#include "collision/contact/polytope_manifold.hpp"

#include "collision/narrow_phase/segment.hpp"

#include <cmath>

namespace achilles {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEdgeSlack = 1e-6;  // of the size: corners this far outside the reference face are kept as corners
constexpr double kSamePoint = 1e-7;  // of the size: points nearer than this are one
constexpr std::uint32_t kNoEdge = 0xffffffffu;

// A corner of the clipped polygon: where its incoming and its outgoing side meet. Sides are half edges of the incident
// face, or of the reference face where it cut. This tells vertices from crossings without comparing coordinates.
struct ClipPoint {
  Vec3 x;
  std::uint32_t in_side;
  std::uint32_t out_side;
  bool in_is_reference;
  bool out_is_reference;
};
using ClipPolygon = SmallVector<ClipPoint, 32>;

// The incident polygon in the reference frame; a polytope without faces is a segment, walked there and back.
void load_incident(const PolytopeView& incident, std::uint32_t face, const Transform& X_RI, ClipPolygon& polygon) {
  polygon.clear();
  const bool has_faces = incident.face_count() > 0;
  const std::size_t count = has_faces ? incident.loop(face).size() : incident.vertices.size();
  const std::uint32_t start = has_faces ? incident.face_start[face] : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t vertex = has_faces ? incident.loop(face)[i] : i;
    const std::uint32_t out = start + static_cast<std::uint32_t>(i);
    const std::uint32_t in = start + static_cast<std::uint32_t>((i + count - 1) % count);
    polygon.push_back({X_RI * incident.vertices[vertex], in, out, false, false});
  }
}

// One step of Sutherland-Hodgman: keeps the part of `in` where side·x ≤ offset.
void clip(const ClipPolygon& in, const Vec3& side, double offset, std::uint32_t label, ClipPolygon& out) {
  out.clear();
  const std::size_t count = in.size();
  for (std::size_t i = 0; i < count; ++i) {
    const ClipPoint& p = in[i];
    const ClipPoint& q = in[i + 1 == count ? 0 : i + 1];
    const double dp = side.dot(p.x) - offset;
    const double dq = side.dot(q.x) - offset;
    if (dp <= 0) {
      out.push_back(p);
    }
    if (dp <= 0 && dq > 0) {
      out.push_back({p.x + (dp / (dp - dq)) * (q.x - p.x), p.out_side, label, p.out_is_reference, true});
    } else if (dp > 0 && dq <= 0) {
      out.push_back({p.x + (dp / (dp - dq)) * (q.x - p.x), label, p.out_side, true, p.out_is_reference});
    }
  }
}

// Cuts the polygon by the planes through the edges of the reference face, parallel to its normal.
ClipPolygon& clip_to_face(const PolytopeView& reference, std::uint32_t face, double slack, ClipPolygon& polygon,
                          ClipPolygon& scratch) {
  const std::span<const std::uint32_t> loop = reference.loop(face);
  ClipPolygon* current = &polygon;
  ClipPolygon* next = &scratch;
  for (std::size_t i = 0; i < loop.size() && !current->empty(); ++i) {
    const Vec3& tail = reference.vertices[loop[i]];
    const Vec3& head = reference.vertices[loop[i + 1 == loop.size() ? 0 : i + 1]];
    const Vec3 side = (head - tail).cross(reference.face_normals[face]).normalized();
    const auto label = reference.face_start[face] + static_cast<std::uint32_t>(i);
    clip(*current, side, side.dot(tail) + slack, label, *next);
    std::swap(current, next);
  }
  return *current;
}

// The vertex of the polytope at which half edge `side` of its face begins.
std::uint32_t tail_of(const PolytopeView& polytope, std::uint32_t side) {
  return polytope.face_vertices.empty() ? side : polytope.face_vertices[side];
}

std::uint32_t clip_feature(const ClipPoint& point, const PolytopeView& reference, std::uint32_t reference_face,
                           const PolytopeView& incident, std::uint32_t incident_face, bool reference_is_a) {
  const auto feature = [&](FeatureKind kind, std::uint32_t of_reference, std::uint32_t of_incident) {
    return reference_is_a ? make_feature(kind, of_reference, of_incident)
                          : make_feature(kind, of_incident, of_reference);
  };
  if (point.in_is_reference && point.out_is_reference) {
    return feature(reference_is_a ? FeatureKind::kVertexOfA : FeatureKind::kVertexOfB,
                   tail_of(reference, point.in_side), incident_face);
  }
  if (!point.in_is_reference && !point.out_is_reference) {
    return feature(reference_is_a ? FeatureKind::kVertexOfB : FeatureKind::kVertexOfA, reference_face,
                   tail_of(incident, point.out_side));
  }
  return point.in_is_reference ? feature(FeatureKind::kEdges, point.in_side, point.out_side)
                               : feature(FeatureKind::kEdges, point.out_side, point.in_side);
}

void push_distinct(Manifold& manifold, const ManifoldPoint& point, double tolerance) {
  for (const ManifoldPoint& other : manifold.points) {
    if ((other.position - point.position).squaredNorm() <= tolerance * tolerance) {
      return;
    }
  }
  manifold.points.push_back(point);
}

}  // namespace

double make_face_manifold(const PolytopePair& pair, const ReferenceFace& reference, double margin, Manifold& manifold) {
  const PolytopeView& ref = reference.of_a ? pair.a : pair.b;
  const PolytopeView& inc = reference.of_a ? pair.b : pair.a;
  const Transform X_RI = reference.of_a ? pair.X_AB : pair.X_AB.inverse();
  const double radius_inc = reference.of_a ? pair.radius_b : pair.radius_a;
  const Vec3& n_R = ref.face_normals[reference.face];

  const std::uint32_t inc_face = inc.face_count() > 0 ? facing_face(inc, -(X_RI.R.transpose() * n_R)) : 0;
  ClipPolygon polygon, scratch;
  load_incident(inc, inc_face, X_RI, polygon);
  const ClipPolygon& clipped = clip_to_face(ref, reference.face, kEdgeSlack * pair.size(), polygon, scratch);

  manifold.points.clear();
  manifold.normal = reference.of_a ? n_R : Vec3(-(pair.X_AB.R * n_R));
  double smallest = kInfinity;
  for (const ClipPoint& point : clipped) {
    const double gap = n_R.dot(point.x) - ref.face_offsets[reference.face] - pair.radius();
    if (gap > margin) {
      continue;
    }
    const Vec3 midway = point.x - (radius_inc + 0.5 * gap) * n_R;
    const std::uint32_t id = clip_feature(point, ref, reference.face, inc, inc_face, reference.of_a);
    push_distinct(manifold, {reference.of_a ? midway : Vec3(pair.X_AB * midway), gap, id}, kSamePoint * pair.size());
    smallest = std::min(smallest, gap);
  }
  return smallest;
}

namespace {

struct SquareFace {
  double cosine = -1;
  std::uint32_t face = 0;
};

SquareFace squarest_face(const PolytopeView& polytope, const Vec3& direction) {
  SquareFace best;
  for (std::uint32_t f = 0; f < polytope.face_count(); ++f) {
    const double cosine = polytope.face_normals[f].dot(direction);
    if (cosine > best.cosine) {
      best = {cosine, f};
    }
  }
  return best;
}

// The edge at the furthest vertex along `direction` that is squarest to it, if square within kFaceAngle.
std::uint32_t square_edge(const PolytopeView& polytope, const Vec3& direction) {
  const std::uint32_t tip = support_vertex(polytope, direction);
  std::uint32_t best = kNoEdge;
  double best_sine = kFaceAngle;
  for (std::uint32_t e = 0; e < polytope.edges.size(); ++e) {
    const HullGeometry::Edge& edge = polytope.edges[e];
    if (edge.tail != tip && edge.head != tip) {
      continue;
    }
    const Vec3 along = polytope.vertices[edge.head] - polytope.vertices[edge.tail];
    const double length = along.norm();
    const double sine = std::abs(direction.dot(along));
    if (length > 0 && sine < best_sine * length) {
      best_sine = sine / length;
      best = e;
    }
  }
  return best;
}

Segment edge_segment(const PolytopeView& polytope, std::uint32_t edge) {
  return {polytope.vertices[polytope.edges[edge].tail], polytope.vertices[polytope.edges[edge].head]};
}

// Both ends of the common stretch of two parallel edges.
bool add_parallel_edges(const PolytopePair& pair, const NearestFeatures& nearest, double margin, Manifold& manifold) {
  const std::uint32_t edge_a = square_edge(pair.a, nearest.normal);
  const std::uint32_t edge_b = square_edge(pair.b, -(pair.X_AB.R.transpose() * nearest.normal));
  if (edge_a == kNoEdge || edge_b == kNoEdge) {
    return false;
  }
  const Segment a = edge_segment(pair.a, edge_a);
  const Segment b_local = edge_segment(pair.b, edge_b);
  const Segment b{pair.X_AB * b_local.start, pair.X_AB * b_local.end};
  const Vec3 da = a.end - a.start, db = b.end - b.start;
  if (da.cross(db).squaredNorm() > kFaceAngle * kFaceAngle * da.squaredNorm() * db.squaredNorm()) {
    return false;
  }
  const double s0 = nearest_parameter(a, b.start), s1 = nearest_parameter(a, b.end);
  std::uint32_t end = 0;
  for (const double s : {s0, s1}) {
    const Vec3 on_a = a.at(s);
    const Vec3 on_b = b.at(nearest_parameter(b, on_a));
    const double gap = nearest.normal.dot(on_b - on_a) - pair.radius();
    if (gap <= margin) {
      const Vec3 midway = 0.5 * (on_a + on_b + (pair.radius_a - pair.radius_b) * nearest.normal);
      push_distinct(manifold, {midway, gap, make_feature(FeatureKind::kEdges, edge_a, 2 * edge_b + end)},
                    kSamePoint * pair.size());
    }
    ++end;
  }
  return !manifold.points.empty();
}

}  // namespace

void make_nearest_manifold(const PolytopePair& pair, const NearestFeatures& nearest, double margin,
                           Manifold& manifold) {
  const SquareFace face_a = squarest_face(pair.a, nearest.normal);
  const SquareFace face_b = squarest_face(pair.b, -(pair.X_AB.R.transpose() * nearest.normal));
  // cos(kFaceAngle) to within its fourth power
  constexpr double kSquare = 1 - 0.5 * kFaceAngle * kFaceAngle;
  const double tolerance = kFaceAngle * kFaceAngle * pair.size();
  if (std::max(face_a.cosine, face_b.cosine) >= kSquare) {
    const bool of_a = face_a.cosine >= face_b.cosine - 1e-9;
    const double gap = make_face_manifold(pair, {of_a, of_a ? face_a.face : face_b.face}, margin, manifold);
    if (gap <= nearest.separation - pair.radius() + tolerance) {
      return;
    }
  }
  manifold.points.clear();
  manifold.normal = nearest.normal;
  if (add_parallel_edges(pair, nearest, margin, manifold)) {
    return;
  }
  const double gap = nearest.separation - pair.radius();
  if (gap <= margin) {
    const Vec3 midway = 0.5 * (nearest.point_a + nearest.point_b + (pair.radius_a - pair.radius_b) * nearest.normal);
    manifold.points.push_back({midway, gap, make_feature(FeatureKind::kWitness, 0, 0)});
  }
}

}  // namespace achilles
