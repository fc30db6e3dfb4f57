#include "collision/narrow_phase/closest_features.hpp"

#include "collision/narrow_phase/segment.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace achilles {

FeatureGraph::FeatureGraph(HullGeometry polyhedron) : hull(std::move(polyhedron)) {
  for (const Vec3& vertex : hull.vertices) size = std::max(size, vertex.norm());
  vertex_start.assign(hull.vertices.size() + 1, 0);
  for (const auto& edge : hull.edges) {
    ++vertex_start[edge.tail + 1];
    ++vertex_start[edge.head + 1];
  }
  for (std::size_t v = 1; v < vertex_start.size(); ++v) vertex_start[v] += vertex_start[v - 1];
  vertex_edges.resize(2 * hull.edges.size());
  face_edges.resize(hull.face_vertices.size());
  std::vector<std::uint32_t> filled(vertex_start.begin(), vertex_start.end() - 1);
  for (std::uint32_t e = 0; e < hull.edges.size(); ++e) {
    const auto& edge = hull.edges[e];
    vertex_edges[filled[edge.tail]++] = e;
    vertex_edges[filled[edge.head]++] = e;
    for (const std::uint32_t f : {edge.left, edge.right}) {
      const std::uint32_t first = f == edge.left ? edge.tail : edge.head;
      for (std::uint32_t i = hull.face_start[f]; i < hull.face_start[f + 1]; ++i) {
        if (hull.face_vertices[i] == first) face_edges[i] = e;
      }
    }
  }
}

namespace {

using Kind = Feature::Kind;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTie = 1e-13;       // of the size: a step must shorten the distance by more
constexpr double kTouching = 1e-12;  // of the size
constexpr int kMaxRestarts = 4;

// One of the two bodies, seen in the common frame.
struct Side {
  const FeatureGraph& graph;
  const Transform& X;

  [[nodiscard]] const HullGeometry& hull() const { return graph.hull; }
  [[nodiscard]] Vec3 vertex(std::uint32_t v) const { return X * hull().vertices[v]; }
  [[nodiscard]] Vec3 normal(std::uint32_t f) const { return X.R * hull().face_normals[f]; }
  [[nodiscard]] Segment edge(std::uint32_t e) const {
    return {vertex(hull().edges[e].tail), vertex(hull().edges[e].head)};
  }
  [[nodiscard]] double height(std::uint32_t f, const Vec3& x) const {
    return hull().face_normals[f].dot(X.to_local(x)) - hull().face_offsets[f];
  }
  // Square to an edge, into one of its faces.
  [[nodiscard]] Vec3 into_face(std::uint32_t e, std::uint32_t f) const {
    const Segment along = edge(e);
    const Vec3 left = normal(f).cross(along.end - along.start).normalized();
    return f == hull().edges[e].left ? left : Vec3(-left);
  }
  [[nodiscard]] bool is_over_face(std::uint32_t f, const Vec3& x) const {
    for (std::uint32_t i = hull().face_start[f]; i < hull().face_start[f + 1]; ++i) {
      const std::uint32_t e = graph.face_edges[i];
      if (into_face(e, f).dot(x - vertex(hull().edges[e].tail)) < 0) return false;
    }
    return true;
  }
};

// Two features with their nearest points. `near` is on the side that is being looked at, `far` on the other.
struct Meeting {
  Feature near, far;
  Vec3 point_near = Vec3::Zero(), point_far = Vec3::Zero();
  double distance = kInfinity;
  bool pierces = false;  // an edge passes through a face

  [[nodiscard]] Meeting swapped() const { return {far, near, point_far, point_near, distance, pierces}; }
};

void offer(const Meeting& candidate, Meeting& best) {
  const bool pierces = best.pierces || candidate.pierces;
  if (candidate.distance < best.distance) best = candidate;
  best.pierces = pierces;
}

// The vertex at an end of the edge, or the edge itself.
Feature reduce(const Side& side, std::uint32_t e, double t) {
  if (t <= 0) return {Kind::kVertex, side.hull().edges[e].tail};
  if (t >= 1) return {Kind::kVertex, side.hull().edges[e].head};
  return {Kind::kEdge, e};
}

Meeting meet(const Feature& near, const Feature& far, const Vec3& p, const Vec3& q) {
  return {near, far, p, q, (q - p).norm(), false};
}

Meeting meet_edges(const Side& near, std::uint32_t e, const Side& far, std::uint32_t other) {
  const Segment a = near.edge(e), b = far.edge(other);
  const SegmentPair at = nearest_parameters(a, b);
  return meet(reduce(near, e, at.s), reduce(far, other, at.t), a.at(at.s), b.at(at.t));
}

Meeting meet_edge_and_vertex(const Side& near, std::uint32_t e, const Side& far, std::uint32_t v) {
  const Segment a = near.edge(e);
  const Vec3 x = far.vertex(v);
  const double t = nearest_parameter(a, x);
  return meet(reduce(near, e, t), {Kind::kVertex, v}, a.at(t), x);
}

Meeting meet_face_and_vertex(const Side& near, std::uint32_t f, const Side& far, std::uint32_t v) {
  const Vec3 x = far.vertex(v);
  if (near.is_over_face(f, x))
    return meet({Kind::kFace, f}, {Kind::kVertex, v}, x - near.height(f, x) * near.normal(f), x);
  Meeting best;
  for (std::uint32_t i = near.hull().face_start[f]; i < near.hull().face_start[f + 1]; ++i) {
    offer(meet_edge_and_vertex(near, near.graph.face_edges[i], far, v), best);
  }
  return best;
}

// An edge comes nearest to a face at one of its ends or over one of the face's sides, or passes through it.
Meeting meet_face_and_edge(const Side& near, std::uint32_t f, const Side& far, std::uint32_t e) {
  const auto& edge = far.hull().edges[e];
  Meeting best = meet_face_and_vertex(near, f, far, edge.tail);
  offer(meet_face_and_vertex(near, f, far, edge.head), best);
  for (std::uint32_t i = near.hull().face_start[f]; i < near.hull().face_start[f + 1]; ++i) {
    offer(meet_edges(near, near.graph.face_edges[i], far, e), best);
  }
  const Segment along = far.edge(e);
  const double from = near.height(f, along.start), to = near.height(f, along.end);
  if (from * to < 0) best.pierces = near.is_over_face(f, along.at(from / (from - to)));
  return best;
}

Meeting meet_features(const Side& near, const Feature& a, const Side& far, const Feature& b) {
  if (a.kind > b.kind) return meet_features(far, b, near, a).swapped();
  if (b.kind == Kind::kVertex) return meet(a, b, near.vertex(a.index), far.vertex(b.index));
  if (b.kind == Kind::kEdge) {
    return a.kind == Kind::kEdge ? meet_edges(near, a.index, far, b.index)
                                 : meet_edge_and_vertex(far, b.index, near, a.index).swapped();
  }
  if (a.kind == Kind::kVertex) return meet_face_and_vertex(far, b.index, near, a.index).swapped();
  if (a.kind == Kind::kEdge) return meet_face_and_edge(far, b.index, near, a.index).swapped();
  return meet_features(near, a, far, {Kind::kVertex, far.hull().face_vertices[far.hull().face_start[b.index]]});
}

// The neighbour of the near feature into which the far point draws it most; false when the far point lies in the
// Voronoi region of the near feature.
bool find_violated(const Side& near, const Meeting& now, double tie, Feature& neighbor) {
  const Vec3 towards = now.point_far - now.point_near;
  double most = tie;
  const auto look = [&](const Vec3& direction, const Feature& feature) {
    const double pull = towards.dot(direction);
    if (pull > most) {
      most = pull;
      neighbor = feature;
    }
  };
  if (now.near.kind == Kind::kVertex) {
    const std::uint32_t v = now.near.index;
    for (std::uint32_t i = near.graph.vertex_start[v]; i < near.graph.vertex_start[v + 1]; ++i) {
      const std::uint32_t e = near.graph.vertex_edges[i];
      const Segment edge = near.edge(e);
      const Vec3 along = (edge.end - edge.start).normalized();
      look(near.hull().edges[e].tail == v ? along : Vec3(-along), {Kind::kEdge, e});
    }
  } else if (now.near.kind == Kind::kEdge) {
    const auto& edge = near.hull().edges[now.near.index];
    for (const std::uint32_t f : {edge.left, edge.right}) look(near.into_face(now.near.index, f), {Kind::kFace, f});
  }
  return most > tie;
}

// A point below a face: inside the body, or beyond another face, the one it is furthest above.
bool find_highest_face(const Side& near, const Vec3& x, double tolerance, std::uint32_t& face) {
  double highest = tolerance;
  bool found = false;
  for (std::uint32_t f = 0; f < near.hull().face_normals.size(); ++f) {
    const double height = near.height(f, x);
    if (height > highest) {
      highest = height;
      face = f;
      found = true;
    }
  }
  return found;
}

class Walk {
 public:
  Walk(const FeatureGraph& a, const FeatureGraph& b, const Transform& X_AB)
      : sides_{Side{a, identity_}, Side{b, X_AB}}, size_(a.size + b.size) {}

  TrackResult run(FeaturePair& pair) {
    now_ = meet_features(sides_[0], pair.a, sides_[1], pair.b);
    while (result_.status == TrackStatus::kSeparated && !now_.pierces && now_.distance > kTouching * size_ &&
           (step(0) || step(1) || leave_local_minimum(0) || leave_local_minimum(1))) {
    }
    if (now_.pierces || now_.distance <= kTouching * size_) result_.status = TrackStatus::kPenetrating;
    pair = {now_.near, now_.far};
    result_.distance = now_.distance;
    result_.point_a = now_.point_near;
    result_.point_b = now_.point_far;
    return result_;
  }

 private:
  [[nodiscard]] Meeting seen_from(std::size_t side) const { return side == 0 ? now_ : now_.swapped(); }
  void set(std::size_t side, const Meeting& next) {
    now_ = side == 0 ? next : next.swapped();
    ++result_.steps;
  }

  bool step(std::size_t side) {
    const Meeting from = seen_from(side);
    Feature neighbor;
    if (!find_violated(sides_[side], from, kTie * size_, neighbor)) return false;
    const Meeting next = meet_features(sides_[side], neighbor, sides_[1 - side], from.far);
    if (!next.pierces && next.distance >= from.distance) return false;
    set(side, next);
    return true;
  }

  bool leave_local_minimum(std::size_t side) {
    const Meeting from = seen_from(side);
    const Side& near = sides_[side];
    if (from.near.kind != Kind::kFace || near.height(from.near.index, from.point_far) >= 0) return false;
    std::uint32_t face = 0;
    if (!find_highest_face(near, from.point_far, kTouching * size_, face)) {
      result_.status = TrackStatus::kPenetrating;
      return false;
    }
    if (++restarts_ > kMaxRestarts) {
      result_.status = TrackStatus::kGaveUp;
      return false;
    }
    set(side, meet_features(near, {Kind::kFace, face}, sides_[1 - side], from.far));
    return true;
  }

  const Transform identity_;
  const std::array<Side, 2> sides_;
  const double size_;
  Meeting now_;
  TrackResult result_;
  int restarts_ = 0;
};

}  // namespace

TrackResult track_closest_features(const FeatureGraph& a, const FeatureGraph& b, const Transform& X_AB,
                                   FeaturePair& pair) {
  return Walk(a, b, X_AB).run(pair);
}

}  // namespace achilles
