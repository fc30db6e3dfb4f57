#include "collision/narrow_phase/polytope.hpp"

#include <algorithm>
#include <cstring>

namespace achilles {

namespace {

using Edge = HullGeometry::Edge;

const std::array<Vec3, 6> kBoxNormals{Vec3(1, 0, 0),  Vec3(-1, 0, 0), Vec3(0, 1, 0),
                                      Vec3(0, -1, 0), Vec3(0, 0, 1),  Vec3(0, 0, -1)};
constexpr std::array<std::uint32_t, 7> kBoxFaceStart{0, 4, 8, 12, 16, 20, 24};
constexpr std::array<std::uint32_t, 24> kBoxFaceVertices{1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3,
                                                         0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1};

constexpr std::array<Edge, 12> make_box_edges() {
  std::array<Edge, 12> edges{};
  std::size_t count = 0;
  for (std::uint32_t f = 0; f < 6; ++f) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t tail = kBoxFaceVertices[4 * f + i];
      const std::uint32_t head = kBoxFaceVertices[4 * f + (i + 1) % 4];
      for (std::uint32_t g = f + 1; g < 6; ++g) {
        for (std::uint32_t k = 0; k < 4; ++k) {
          if (kBoxFaceVertices[4 * g + k] == head && kBoxFaceVertices[4 * g + (k + 1) % 4] == tail) {
            edges[count++] = {tail, head, f, g};
          }
        }
      }
    }
  }
  return edges;
}
constexpr std::array<Edge, 12> kBoxEdges = make_box_edges();

constexpr std::array<std::uint32_t, 9> kBoxNeighborStart{0, 3, 6, 9, 12, 15, 18, 21, 24};
constexpr std::array<std::uint32_t, 24> make_box_neighbors() {
  std::array<std::uint32_t, 24> neighbors{};
  for (std::uint32_t v = 0; v < 8; ++v) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      neighbors[3 * v + k] = v ^ (1u << k);
    }
  }
  return neighbors;
}
constexpr std::array<std::uint32_t, 24> kBoxNeighbors = make_box_neighbors();

constexpr std::array<std::uint32_t, 3> kTriangleFaceStart{0, 3, 6};
constexpr std::array<std::uint32_t, 6> kTriangleFaceVertices{0, 1, 2, 0, 2, 1};
constexpr std::array<Edge, 3> kTriangleEdges{Edge{0, 1, 0, 1}, Edge{1, 2, 0, 1}, Edge{2, 0, 0, 1}};
constexpr std::array<std::uint32_t, 4> kTriangleNeighborStart{0, 2, 4, 6};
constexpr std::array<std::uint32_t, 6> kTriangleNeighbors{1, 2, 2, 0, 0, 1};

}  // namespace

PolytopeView make_view(const HullGeometry& hull, double size) {
  PolytopeView view;
  view.vertices = hull.vertices;
  view.face_normals = hull.face_normals;
  view.face_offsets = hull.face_offsets;
  view.face_start = hull.face_start;
  view.face_vertices = hull.face_vertices;
  view.edges = hull.edges;
  view.neighbor_start = hull.neighbor_start;
  view.neighbors = hull.neighbors;
  view.vertex_lanes = hull.vertex_lanes;
  view.center = hull.center;
  view.size = size;
  return view;
}

BoxPolytope::BoxPolytope(const Vec3& half) : size_(half.norm()) {
  for (std::uint32_t i = 0; i < 8; ++i) {
    vertices_[i] = box_vertex(half, i);
  }
  offsets_ = {half.x(), half.x(), half.y(), half.y(), half.z(), half.z()};
}

PolytopeView BoxPolytope::view() const {
  PolytopeView view;
  view.vertices = vertices_;
  view.face_normals = kBoxNormals;
  view.face_offsets = offsets_;
  view.face_start = kBoxFaceStart;
  view.face_vertices = kBoxFaceVertices;
  view.edges = kBoxEdges;
  view.neighbor_start = kBoxNeighborStart;
  view.neighbors = kBoxNeighbors;
  view.size = size_;
  return view;
}

TrianglePolytope::TrianglePolytope(const std::array<Vec3, 3>& corners, const Vec3& normal)
    : middle_((corners[0] + corners[1] + corners[2]) / 3), normals_{normal, -normal} {
  size_ = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    vertices_[i] = corners[i] - middle_;
    size_ = std::max(size_, vertices_[i].norm());
  }
  const double offset = normal.dot(vertices_[0]);
  offsets_ = {offset, -offset};
}

PolytopeView TrianglePolytope::view() const {
  PolytopeView view;
  view.vertices = vertices_;
  if (!normals_[0].isZero(0)) {
    view.face_normals = normals_;
    view.face_offsets = offsets_;
    view.face_start = kTriangleFaceStart;
    view.face_vertices = kTriangleFaceVertices;
  }
  view.edges = kTriangleEdges;
  view.neighbor_start = kTriangleNeighborStart;
  view.neighbors = kTriangleNeighbors;
  view.size = size_;
  return view;
}

std::span<const std::uint32_t, 4> box_face_loop(std::uint32_t face) {
  return std::span<const std::uint32_t, 4>(kBoxFaceVertices.data() + 4 * face, 4);
}

namespace {

// Up to here a scan is faster than climbing, four at a time and one by one.
constexpr std::size_t kLaneLimit = 96;
constexpr std::size_t kScanLimit = 40;

// Two at a time, the width every x86-64 has; a block of four is two of them.
using Pair = double __attribute__((vector_size(16)));
using PairIndex = std::int64_t __attribute__((vector_size(16)));

Pair load(const double* from) {
  Pair pair;
  std::memcpy(&pair, from, sizeof pair);
  return pair;
}

struct Highest {
  Pair height;
  PairIndex vertex;

  void offer(const Pair& other, const PairIndex& index) {
    const PairIndex higher = other > height;
    height = higher ? other : height;
    vertex = higher ? index : vertex;
  }
};

// Without branches: whether a vertex beats the ones before it is nothing a processor can guess.
std::uint32_t scan_lanes(std::span<const double> coordinates, const Vec3& d) {
  const Pair x = {d.x(), d.x()}, y = {d.y(), d.y()}, z = {d.z(), d.z()};
  const auto height = [&](const double* at) { return x * load(at) + y * load(at + 4) + z * load(at + 8); };
  const double* block = coordinates.data();
  const PairIndex step = {4, 4};
  PairIndex first = {0, 1}, second = {2, 3};
  Highest left{height(block), first}, right{height(block + 2), second};
  for (const double* end = block + coordinates.size(); (block += 12) != end;) {
    first += step;
    second += step;
    left.offer(height(block), first);
    right.offer(height(block + 2), second);
  }
  left.offer(right.height, right.vertex);
  return static_cast<std::uint32_t>(left.vertex[left.height[1] > left.height[0] ? 1 : 0]);
}

std::uint32_t scan(std::span<const Vec3> vertices, const Vec3& direction) {
  std::uint32_t best = 0;
  double best_value = direction.dot(vertices[0]);
  for (std::uint32_t i = 1; i < vertices.size(); ++i) {
    const double value = direction.dot(vertices[i]);
    if (value > best_value) {
      best_value = value;
      best = i;
    }
  }
  return best;
}

// Each move strictly raises the value, so no vertex is visited twice; convexity makes the last one a maximum.
std::uint32_t climb(const PolytopeView& polytope, const Vec3& direction) {
  const std::span<const Vec3> vertices = polytope.vertices;
  std::uint32_t best = 0;
  double best_value = direction.dot(vertices[0]);
  for (bool moved = true; moved;) {
    moved = false;
    for (const std::uint32_t neighbor : polytope.neighbors_of(best)) {
      const double value = direction.dot(vertices[neighbor]);
      if (value > best_value) {
        best_value = value;
        best = neighbor;
        moved = true;
      }
    }
  }
  return best;
}

}  // namespace

std::uint32_t support_vertex(const PolytopeView& polytope, const Vec3& direction) {
  const std::size_t count = polytope.vertices.size();
  std::uint32_t best;
  if (!polytope.vertex_lanes.empty() && count <= kLaneLimit) {
    best = scan_lanes(polytope.vertex_lanes, direction);
  } else {
    best = count <= kScanLimit ? scan(polytope.vertices, direction) : climb(polytope, direction);
  }
  return best < count ? best : 0;  // lanes beyond the last vertex hold the first
}

std::uint32_t facing_face(const PolytopeView& polytope, const Vec3& direction) {
  const Vec3& tip = polytope.vertices[support_vertex(polytope, direction)];
  const double tolerance = 1e-9 * polytope.size;
  std::uint32_t best = 0;
  double best_cosine = -std::numeric_limits<double>::infinity();
  for (std::uint32_t f = 0; f < polytope.face_count(); ++f) {
    const double cosine = polytope.face_normals[f].dot(direction);
    if (cosine > best_cosine && polytope.face_normals[f].dot(tip) >= polytope.face_offsets[f] - tolerance) {
      best_cosine = cosine;
      best = f;
    }
  }
  return best;
}

}  // namespace achilles
