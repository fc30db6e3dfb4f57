#include "collision/narrow_phase/epa.hpp"

#include <array>
#include <cmath>
#include <cstdint>

namespace achilles {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFlatness = 1e-12;  // of the size: a Minkowski difference thinner than that has no volume
constexpr double kCoplanar = 1e-15;  // of the size: a point no higher above a face does not see it
constexpr std::size_t kMaxVertices = 168;
constexpr std::size_t kMaxFaces = 2 * kMaxVertices;  // Euler: 2 V - 4
constexpr std::uint16_t kNone = 0xffff;

struct Face {
  Vec3 normal;      // outward, unit
  double distance;  // [m] of its plane from the origin, negative if the origin lies outside; +∞ for a face without area
  std::array<std::uint16_t, 3> vertex;
  std::array<std::uint16_t, 3> across;  // face beyond the edge vertex[i] → vertex[i + 1]
  std::uint16_t seen;                   // number of the last expansion that removed it, kNone while alive
};

struct HorizonEdge {
  std::uint16_t face;  // beyond the edge, stays
  std::uint16_t edge;  // of that face
  std::uint16_t tail;
  std::uint16_t head;
};

class Expander {
 public:
  Expander(const CorePair& pair, const EpaOptions& options) : pair_(pair), options_(options), size_(pair.size()) {}

  EpaResult run(const Simplex& simplex) {
    if (!start(simplex)) {
      return result_;
    }
    while (step()) {
    }
    if (result_.status == EpaStatus::kStalled) {
      collect_leads();
    }
    return result_;
  }

 private:
  // Support along a unit direction, which also bounds the depth.
  SimplexVertex sample(const Vec3& direction) {
    const SimplexVertex vertex = minkowski_support(pair_, direction);
    const double height = direction.dot(vertex.w);
    if (height < result_.depth) {
      result_.depth = height;
      result_.normal = direction;
    }
    return vertex;
  }

  bool start(const Simplex& simplex);
  bool take_tetrahedron(std::array<SimplexVertex, 4> corners);
  void set_plane(Face& face) const;
  std::uint16_t nearest_face() const;
  bool step();
  bool expand(std::uint16_t from, const SimplexVertex& vertex);
  void finish(const Face& nearest);
  bool find_horizon(std::uint16_t from, const Vec3& w);
  bool close_horizon();
  void collect_leads();

  const CorePair& pair_;
  const EpaOptions& options_;
  const double size_;
  EpaResult result_{EpaStatus::kStalled, kInfinity, -kInfinity, Vec3::UnitZ(), Vec3::Zero(), false, 0, {}, 0};
  std::array<Vec3, kMaxVertices> vertices_;
  std::array<Vec3, kMaxVertices> points_b_;  // the points of B that they are made of
  std::array<Face, kMaxFaces> faces_;
  std::array<std::uint16_t, kMaxFaces> free_;
  std::array<std::uint16_t, kMaxFaces> stack_;
  std::array<HorizonEdge, kMaxFaces> horizon_;
  std::size_t vertex_count_ = 0;
  std::size_t face_count_ = 0;
  std::size_t free_count_ = 0;
  std::size_t horizon_count_ = 0;
};

void Expander::set_plane(Face& face) const {
  const Vec3& a = vertices_[face.vertex[0]];
  const Vec3& b = vertices_[face.vertex[1]];
  const Vec3& c = vertices_[face.vertex[2]];
  // The two shorter edges give the normal with the least cancellation.
  const Vec3 ab = b - a, bc = c - b, ca = a - c;
  const double lab = ab.squaredNorm(), lbc = bc.squaredNorm(), lca = ca.squaredNorm();
  const Vec3 normal = lab >= lbc && lab >= lca ? bc.cross(ca) : (lbc >= lca ? ca.cross(ab) : ab.cross(bc));
  const double area = normal.norm();
  if (area <= 1e-15 * std::max({lab, lbc, lca}) || area == 0) {
    face.normal.setZero();
    face.distance = kInfinity;
    return;
  }
  face.normal = normal / area;
  face.distance = face.normal.dot(a + b + c) / 3;
}

bool Expander::take_tetrahedron(std::array<SimplexVertex, 4> corners) {
  const Vec3& origin = corners[0].w;
  const double volume = (corners[1].w - origin).dot((corners[2].w - origin).cross(corners[3].w - origin));
  if (volume < 0) {
    std::swap(corners[2], corners[3]);
  }
  for (const SimplexVertex& corner : corners) {
    points_b_[vertex_count_] = corner.b;
    vertices_[vertex_count_++] = corner.w;
  }
  constexpr std::array<std::array<std::uint16_t, 3>, 4> kLoops{{{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}}};
  constexpr std::array<std::array<std::uint16_t, 3>, 4> kAcross{{{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {0, 1, 2}}};
  for (std::size_t f = 0; f < 4; ++f) {
    faces_[f].vertex = kLoops[f];
    faces_[f].across = kAcross[f];
    faces_[f].seen = kNone;
    set_plane(faces_[f]);
  }
  face_count_ = 4;
  return true;
}

// GJK's tetrahedron if it has volume, else the widest one that a few support points allow. The origin need not be
// inside: distances of faces are signed, and the most negative one is expanded first.
bool Expander::start(const Simplex& simplex) {
  if (simplex.count == 4) {
    const std::array<SimplexVertex, 4>& corners = simplex.vertices;
    const Vec3& origin = corners[0].w;
    const Vec3 u = corners[1].w - origin, v = corners[2].w - origin, t = corners[3].w - origin;
    const double longest = std::max({u.norm(), v.norm(), t.norm()});
    if (std::abs(u.dot(v.cross(t))) > 1e-9 * longest * longest * longest) {
      return take_tetrahedron(corners);
    }
  }
  SimplexVertex low = sample(-Vec3::UnitX()), high = sample(Vec3::UnitX());
  for (int axis = 1; axis < 3; ++axis) {
    const SimplexVertex other_low = sample(-Vec3::Unit(axis)), other_high = sample(Vec3::Unit(axis));
    if ((other_high.w - other_low.w).squaredNorm() > (high.w - low.w).squaredNorm()) {
      low = other_low;
      high = other_high;
    }
  }
  const auto furthest = [&](const Vec3& direction) {
    const SimplexVertex forth = sample(direction), back = sample(-direction);
    return direction.dot(forth.w - low.w) >= direction.dot(low.w - back.w) ? forth : back;
  };
  result_.status = EpaStatus::kFlat;
  const Vec3 along = high.w - low.w;
  if (along.norm() <= kFlatness * size_) {
    result_.lower = result_.depth;
    return false;
  }
  const Vec3 side = along.unitOrthogonal();
  const Vec3 other_side = along.cross(side).normalized();
  const SimplexVertex p = furthest(side), q = furthest(other_side);
  const double p_off = std::abs(side.dot(p.w - low.w)), q_off = std::abs(other_side.dot(q.w - low.w));
  const SimplexVertex& third = p_off >= q_off ? p : q;
  if (std::max(p_off, q_off) <= kFlatness * size_) {
    result_.lower = result_.depth;
    return false;
  }
  const Vec3 thin = along.cross(third.w - low.w).normalized();
  const SimplexVertex fourth = furthest(thin);
  if (std::abs(thin.dot(fourth.w - low.w)) <= kFlatness * size_) {
    result_.lower = result_.depth;
    return false;
  }
  result_.status = EpaStatus::kStalled;
  return take_tetrahedron({low, high, third, fourth});
}

std::uint16_t Expander::nearest_face() const {
  std::uint16_t best = kNone;
  double best_distance = kInfinity;
  for (std::size_t f = 0; f < face_count_; ++f) {
    if (faces_[f].seen == kNone && faces_[f].distance < best_distance) {
      best_distance = faces_[f].distance;
      best = static_cast<std::uint16_t>(f);
    }
  }
  return best;
}

bool Expander::step() {
  const std::uint16_t nearest = nearest_face();
  if (nearest == kNone) {
    return false;
  }
  result_.lower = faces_[nearest].distance;
  if (result_.depth - result_.lower <= options_.tolerance * size_) {
    finish(faces_[nearest]);
    return false;
  }
  if (result_.iterations == options_.max_iterations || vertex_count_ == kMaxVertices) {
    return false;
  }
  ++result_.iterations;
  const SimplexVertex vertex = sample(faces_[nearest].normal);
  if (result_.depth - result_.lower <= options_.tolerance * size_) {
    finish(faces_[nearest]);
    return false;
  }
  return expand(nearest, vertex);
}

// The foot of the origin on the nearest face is where the depth is realized. Of several triangles in one plane it may
// lie in another than the one that rounding made the nearest.
void Expander::finish(const Face& nearest) {
  result_.status = EpaStatus::kConverged;
  const std::array<std::size_t, 3> at{nearest.vertex[0], nearest.vertex[1], nearest.vertex[2]};
  const Vec3 u = vertices_[at[1]] - vertices_[at[0]], v = vertices_[at[2]] - vertices_[at[0]];
  const Vec3 foot = nearest.distance * nearest.normal - vertices_[at[0]];
  const double area = nearest.normal.dot(u.cross(v));
  const double s = nearest.normal.dot(foot.cross(v)) / area, t = nearest.normal.dot(u.cross(foot)) / area;
  result_.has_point = s >= 0 && t >= 0 && s + t <= 1;
  result_.point_b = (1 - s - t) * points_b_[at[0]] + s * points_b_[at[1]] + t * points_b_[at[2]];
}

bool Expander::find_horizon(std::uint16_t from, const Vec3& w) {
  const auto expansion = static_cast<std::uint16_t>(result_.iterations);
  const double above = kCoplanar * size_;
  horizon_count_ = 0;
  std::size_t pending = 0;
  stack_[pending++] = from;
  faces_[from].seen = expansion;
  while (pending > 0) {
    const std::uint16_t f = stack_[--pending];
    free_[free_count_++] = f;
    for (std::uint16_t i = 0; i < 3; ++i) {
      const std::uint16_t g = faces_[f].across[i];
      if (faces_[g].seen == expansion) {
        continue;
      }
      if (std::isfinite(faces_[g].distance) && faces_[g].normal.dot(w) - faces_[g].distance > above) {
        faces_[g].seen = expansion;
        stack_[pending++] = g;
        continue;
      }
      const std::uint16_t tail = faces_[f].vertex[i], head = faces_[f].vertex[(i + 1) % 3];
      const auto edge =
          static_cast<std::uint16_t>(faces_[g].vertex[0] == head ? 0 : (faces_[g].vertex[1] == head ? 1 : 2));
      horizon_[horizon_count_++] = {g, edge, tail, head};
    }
  }
  return horizon_count_ >= 3;
}

// Joins the new vertex to every edge of the horizon. The horizon must be one closed loop; rounding can break it into
// several, which ends the search with the bounds found so far.
bool Expander::close_horizon() {
  std::array<std::uint16_t, kMaxVertices> face_from;
  face_from.fill(kNone);
  const auto apex = static_cast<std::uint16_t>(vertex_count_ - 1);
  for (std::size_t k = 0; k < horizon_count_; ++k) {
    const HorizonEdge& edge = horizon_[k];
    if (face_from[edge.tail] != kNone) {
      return false;
    }
    std::uint16_t f;
    if (free_count_ > 0) {
      f = free_[--free_count_];
    } else if (face_count_ < kMaxFaces) {
      f = static_cast<std::uint16_t>(face_count_++);
    } else {
      return false;
    }
    face_from[edge.tail] = f;
    faces_[f].vertex = {edge.tail, edge.head, apex};
    faces_[f].across = {edge.face, kNone, kNone};
    faces_[f].seen = kNone;
    set_plane(faces_[f]);
    faces_[edge.face].across[edge.edge] = f;
  }
  for (std::size_t k = 0; k < horizon_count_; ++k) {
    const std::uint16_t f = face_from[horizon_[k].tail];
    const std::uint16_t next = face_from[horizon_[k].head];
    if (next == kNone) {
      return false;
    }
    faces_[f].across[1] = next;
    faces_[next].across[2] = f;
  }
  return true;
}

// The true depth lies beyond a face whose plane is nearer than it, so these faces are all that is left to search.
void Expander::collect_leads() {
  constexpr double kApart = 0.97;  // cosine: nearer directions lead into the same valley
  const auto is_apart = [&](const Vec3& n) {
    bool apart = n.dot(result_.normal) < kApart;
    for (int k = 0; k < result_.lead_count; ++k) {
      apart = apart && n.dot(result_.leads[static_cast<std::size_t>(k)]) < kApart;
    }
    return apart;
  };
  while (result_.lead_count < kMaxEpaLeads) {
    const Face* nearest = nullptr;
    for (std::size_t f = 0; f < face_count_; ++f) {
      const Face& face = faces_[f];
      if (face.seen == kNone && face.distance < (nearest ? nearest->distance : result_.depth) &&
          is_apart(face.normal)) {
        nearest = &face;
      }
    }
    if (nearest == nullptr) {
      return;
    }
    result_.leads[static_cast<std::size_t>(result_.lead_count++)] = nearest->normal;
  }
}

bool Expander::expand(std::uint16_t from, const SimplexVertex& vertex) {
  points_b_[vertex_count_] = vertex.b;
  vertices_[vertex_count_++] = vertex.w;
  return find_horizon(from, vertex.w) && close_horizon();
}

}  // namespace

EpaResult compute_epa(const CorePair& pair, const Simplex& simplex, const EpaOptions& options) {
  Expander expander(pair, options);
  return expander.run(simplex);
}

}  // namespace achilles
