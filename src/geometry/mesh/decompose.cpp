#include "geometry/mesh/decompose.hpp"

#include "geometry/hull.hpp"
#include "geometry/mesh/winding.hpp"
#include "geometry/mesh_geometry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace achilles {
namespace {

constexpr int kEvenCuts = 11;       // per axis, evenly spaced
constexpr int kCornerCuts = 24;     // per axis, at corners of concave edges
constexpr int kSampleRows = 16;     // per triangle of a hull's faces
constexpr double kUneven = 0.1;     // weight of the difference between two halves against their volume
constexpr double kLeastCut = 0.02;  // of the box's edge: nearer to its sides nothing is cut

struct Part {
  Aabb box;                  // the part of space it is cut from
  std::vector<Vec3> points;  // [m] whose hull it is
  HullGeometry hull;
  double volume = 0;     // [m³] of the hull
  double stick_out = 0;  // [m]
};

double compute_volume(const HullGeometry& hull) {
  double six_volumes = 0;
  for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
    const Vec3 a = hull.vertices[hull.face_vertices[hull.face_start[f]]] - hull.center;
    for (std::uint32_t i = hull.face_start[f] + 1; i + 1 < hull.face_start[f + 1]; ++i) {
      const Vec3 b = hull.vertices[hull.face_vertices[i]] - hull.center;
      const Vec3 c = hull.vertices[hull.face_vertices[i + 1]] - hull.center;
      six_volumes += a.dot(b.cross(c));
    }
  }
  return six_volumes / 6;
}

/// Keeps the part of a convex polygon where sign · (x[axis] - at) ≤ 0.
void cut_polygon(std::vector<Vec3>& polygon, int axis, double at, double sign, std::vector<Vec3>& scratch) {
  scratch.clear();
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec3& p = polygon[i];
    const Vec3& q = polygon[(i + 1) % polygon.size()];
    const double dp = sign * (p[axis] - at), dq = sign * (q[axis] - at);
    if (dp <= 0) scratch.push_back(p);
    if ((dp < 0 && dq > 0) || (dp > 0 && dq < 0)) {
      Vec3 x = p + dp / (dp - dq) * (q - p);
      x[axis] = at;
      scratch.push_back(x);
    }
  }
  polygon.swap(scratch);
}

class Decomposer {
 public:
  explicit Decomposer(const Mesh& mesh) : mesh_(make_mesh_geometry(mesh)), winding_(make_winding_tree(mesh_)) {
    if (!mesh_.is_closed) throw std::invalid_argument("Only a closed mesh can be decomposed; this one has open edges.");
    for (const Vec3& vertex : mesh_.vertices) bounds_.include(vertex);
    collect_corners();
  }

  Decomposition run(const DecomposeOptions& options) {
    std::vector<Part> parts;
    std::optional<Part> whole = make_part(bounds_);
    if (!whole) throw std::invalid_argument("The mesh to decompose encloses no volume.");
    whole->stick_out = measure_stick_out(whole->hull);
    parts.push_back(*std::move(whole));
    while (static_cast<int>(parts.size()) < options.max_parts) {
      const auto worst = std::max_element(parts.begin(), parts.end(),
                                          [](const Part& p, const Part& q) { return p.stick_out < q.stick_out; });
      if (worst->stick_out <= options.error) break;
      std::vector<Part> halves = split(*worst);
      if (halves.empty()) break;
      for (Part& half : halves) half.stick_out = measure_stick_out(half.hull);
      *worst = std::move(halves[0]);
      for (std::size_t k = 1; k < halves.size(); ++k) parts.push_back(std::move(halves[k]));
    }
    Decomposition result;
    for (const Part& part : parts) {
      result.parts.push_back({part.hull.vertices, {}});
      result.error = std::max(result.error, part.stick_out);
    }
    return result;
  }

 private:
  [[nodiscard]] bool is_inside(const Vec3& x) const { return compute_winding_number(mesh_, winding_, x) > 0.5; }

  void collect_corners() {
    for (std::uint32_t t = 0; t < mesh_.triangles.size(); ++t) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (mesh_.edge_kinds[t][k] == MeshEdgeKind::kConcave) corners_.push_back(mesh_.vertices[mesh_.triangles[t][k]]);
      }
    }
  }

  /// Whether a piece of surface cut to the box bounds solid within the box. One that only touches a side of the box
  /// does so if it lies in that side and the solid is on this side of it.
  [[nodiscard]] bool bounds_part_inside(const std::vector<Vec3>& polygon, const Vec3& normal, const Aabb& box) const {
    const double thin = 1e-12 * bounds_.extent().norm();
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {-1.0, 1.0}) {
        const double side = sign < 0 ? box.lower[axis] : box.upper[axis];
        const bool is_in_side = std::all_of(polygon.begin(), polygon.end(),
                                            [&](const Vec3& x) { return std::abs(x[axis] - side) <= thin; });
        if (is_in_side && sign * normal[axis] < 1 - 1e-9) return false;
      }
    }
    return !polygon.empty();
  }

  /// Extreme points of the solid within a box lie on the surface cut to the box, or are corners of the box.
  [[nodiscard]] std::vector<Vec3> collect_points(const Aabb& box) const {
    std::vector<Vec3> points, polygon, scratch;
    visit_triangles(mesh_, box, [&](const SurfaceTriangle& triangle) {
      polygon.assign(triangle.corners.begin(), triangle.corners.end());
      for (int axis = 0; axis < 3; ++axis) {
        cut_polygon(polygon, axis, box.upper[axis], 1, scratch);
        cut_polygon(polygon, axis, box.lower[axis], -1, scratch);
      }
      if (bounds_part_inside(polygon, triangle.normal, box)) {
        points.insert(points.end(), polygon.begin(), polygon.end());
      }
    });
    for (int corner = 0; corner < 8; ++corner) {
      const Vec3 x(corner & 1 ? box.upper.x() : box.lower.x(), corner & 2 ? box.upper.y() : box.lower.y(),
                   corner & 4 ? box.upper.z() : box.lower.z());
      if (is_inside(x)) points.push_back(x);
    }
    return points;
  }

  /// Nothing where the solid within the box is too thin to have a hull.
  [[nodiscard]] std::optional<Part> make_part(const Aabb& box) const {
    Part part;
    part.box = box;
    part.points = collect_points(box);
    if (part.points.size() < 4) return std::nullopt;
    try {
      part.hull = make_hull(part.points);
    } catch (const std::invalid_argument&) {
      return std::nullopt;
    }
    part.volume = compute_volume(part.hull);
    return part;
  }

  /// The largest distance to the solid over points spread over the faces of the hull.
  [[nodiscard]] double measure_stick_out(const HullGeometry& hull) const {
    double most = 0;
    const auto look = [&](const Vec3& x) {
      const double distance = find_closest_point(mesh_, x).distance;
      if (distance > most && !is_inside(x)) most = distance;
    };
    for (std::size_t f = 0; f < hull.face_normals.size(); ++f) {
      const Vec3& a = hull.vertices[hull.face_vertices[hull.face_start[f]]];
      for (std::uint32_t i = hull.face_start[f] + 1; i + 1 < hull.face_start[f + 1]; ++i) {
        const Vec3 u = hull.vertices[hull.face_vertices[i]] - a, v = hull.vertices[hull.face_vertices[i + 1]] - a;
        const double length = std::max({u.norm(), v.norm(), (u - v).norm()});
        const int rows = 1 + static_cast<int>(kSampleRows * length / bounds_.extent().norm());
        for (int s = 0; s <= rows; ++s) {
          for (int t = 0; s + t <= rows; ++t) look(a + (s * u + t * v) / rows);
        }
      }
    }
    return most;
  }

  [[nodiscard]] std::vector<double> collect_cuts(const Part& part, int axis) const {
    const Aabb& box = part.box;
    const double low = box.lower[axis], width = box.upper[axis] - low;
    std::vector<double> corners, cuts;
    for (const Vec3& x : corners_) {
      const bool is_near = (x.array() >= box.lower.array()).all() && (x.array() <= box.upper.array()).all();
      const double at = (x[axis] - low) / width;
      if (is_near && at > kLeastCut && at < 1 - kLeastCut) corners.push_back(x[axis]);
    }
    std::sort(corners.begin(), corners.end());
    corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
    const std::size_t stride = 1 + corners.size() / kCornerCuts;
    for (std::size_t i = 0; i < corners.size(); i += stride) cuts.push_back(corners[i]);
    for (int k = 1; k <= kEvenCuts; ++k) cuts.push_back(low + width * k / (kEvenCuts + 1));
    return cuts;
  }

  /// The two parts (or one, where the other side is a sliver) of the best cut. A first cut through a ring saves no
  /// volume wherever it is: then the most even one makes the next cuts count.
  [[nodiscard]] std::vector<Part> split(const Part& part) const {
    std::vector<Part> best;
    double least = std::numeric_limits<double>::infinity();
    for (int axis = 0; axis < 3; ++axis) {
      for (const double at : collect_cuts(part, axis)) {
        std::vector<Part> halves;
        double volume = 0, difference = 0;
        for (const bool upper : {false, true}) {
          Aabb box = part.box;
          (upper ? box.lower : box.upper)[axis] = at;
          std::optional<Part> half = make_part(box);
          if (!half) continue;
          volume += half->volume;
          difference += upper ? half->volume : -half->volume;
          halves.push_back(*std::move(half));
        }
        const double cost = volume + kUneven * std::abs(difference);
        if (cost < least && !halves.empty()) {
          least = cost;
          best = std::move(halves);
        }
      }
    }
    // Boxes shrink to what they hold, so that the next cuts are spread over it.
    for (Part& half : best) {
      Aabb tight;
      for (const Vec3& x : half.points) tight.include(x);
      half.box = tight;
    }
    return best;
  }

  const MeshGeometry mesh_;
  const WindingTree winding_;
  Aabb bounds_;
  std::vector<Vec3> corners_;  // of concave edges
};

}  // namespace

Decomposition decompose(const Mesh& mesh, const DecomposeOptions& options) {
  if (options.max_parts < 1 || !(options.error > 0)) {
    throw std::invalid_argument("A decomposition needs at least one part and a positive error.");
  }
  return Decomposer(mesh).run(options);
}

Compound to_compound(Decomposition decomposition) {
  Compound compound;
  for (Hull& part : decomposition.parts) compound.parts.push_back({{std::move(part)}, Pose{}});
  return compound;
}

}  // namespace achilles
