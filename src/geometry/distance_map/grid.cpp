#include "geometry/distance_map_geometry.hpp"
#include "geometry/mesh/topology.hpp"
#include "geometry/mesh/winding.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

constexpr double kMaxBlocks = 4194304;  // 2^22
// The distance of a point differs from that of a node by at most the way between them. With trilinear weights the mean
// of the squared ways to the corners of a cell is u(1 − u) + v(1 − v) + w(1 − w) ≤ 3/4 of the cell's: the error of an
// interpolation is at most √(3/4) cells. Rounded up for the nodes' single precision.
constexpr double kInterpolation = 0.8661;  // cells
constexpr double kSingle = 1.2e-7;         // twice the relative rounding of single precision
constexpr double kRim = 2;                 // cells: how far from the surface the box ends, and what has no nodes

std::size_t index_of(int i, int j, int k, int columns, int rows) {
  return (static_cast<std::size_t>(k) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(j)) *
             static_cast<std::size_t>(columns) +
         static_cast<std::size_t>(i);
}

class GridMaker {
 public:
  GridMaker(const MeshGeometry& mesh, double cell) : mesh_(mesh), winding_(make_winding_tree(mesh)) {
    Aabb box;
    for (const Vec3& v : mesh.vertices) box.include(v);
    box = box.grown(kRim * cell);
    grid_.cell = cell;
    const double block = DistanceGrid::kBlock * cell;
    double count = 1;
    for (std::size_t k = 0; k < 3; ++k) {
      const double blocks = std::ceil(box.extent()[static_cast<int>(k)] / block);
      count *= blocks;
      if (!(count <= kMaxBlocks))
        throw std::invalid_argument("The cell of the distance map is too small for its mesh.");
      grid_.blocks[k] = static_cast<int>(blocks);
    }
    const Vec3 size(grid_.blocks[0] * block, grid_.blocks[1] * block, grid_.blocks[2] * block);
    grid_.origin = box.center() - 0.5 * size;
  }

  DistanceGrid make() {
    const auto [nx, ny, nz] = grid_.blocks;
    for (int k = 0; k <= nz; ++k) {
      for (int j = 0; j <= ny; ++j) {
        for (int i = 0; i <= nx; ++i) grid_.coarse.push_back(static_cast<float>(measure(node(i, j, k, 0, 0, 0))));
      }
    }
    for (int k = 0; k < nz; ++k) {
      for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) add_block(i, j, k);
      }
    }
    if (std::find(grid_.block_at.begin(), grid_.block_at.end(), DistanceGrid::kCoarse) == grid_.block_at.end()) {
      grid_.steepness = find_steepness();
    }
    return std::move(grid_);
  }

 private:
  // The gradient's components are affine in each coordinate, so that its length is convex in each: within a cell it is
  // greatest at a corner.
  [[nodiscard]] double find_steepness() const {
    constexpr int n = DistanceGrid::kBlock, side = n + 1;
    double greatest = 0;
    for (std::size_t base = 0; base < grid_.fine.size(); base += DistanceGrid::kNodes) {
      const auto at = [&](int i, int j, int k) {
        return static_cast<double>(grid_.fine[base + index_of(i, j, k, side, side)]);
      };
      for (int cell = 0; cell < n * n * n; ++cell) {
        const int i = cell % n, j = cell / n % n, k = cell / (n * n);
        for (int c = 0; c < 8; ++c) {
          const int x = i + (c & 1), y = j + (c >> 1 & 1), z = k + (c >> 2);
          const Vec3 change(at(i + 1, y, z) - at(i, y, z), at(x, j + 1, z) - at(x, j, z),
                            at(x, y, k + 1) - at(x, y, k));
          greatest = std::max(greatest, change.squaredNorm());
        }
      }
    }
    return std::sqrt(greatest) / grid_.cell * (1 + kSingle);
  }
  [[nodiscard]] Vec3 node(int bi, int bj, int bk, int i, int j, int k) const {
    constexpr int n = DistanceGrid::kBlock;
    return grid_.origin + grid_.cell * Vec3(n * bi + i, n * bj + j, n * bk + k);
  }
  [[nodiscard]] double measure(const Vec3& x) const {
    const double distance = find_closest_point(mesh_, x).distance;
    return compute_winding_number(mesh_, winding_, x) > 0.5 ? -distance : distance;
  }
  void add_block(int bi, int bj, int bk) {
    constexpr int n = DistanceGrid::kBlock;
    // Half the diagonal of the block, and two cells more, so that the surface and what is near it have all nodes.
    const double reach = (0.5 * n * std::sqrt(3.0) + kRim) * grid_.cell;
    const Vec3 middle = node(bi, bj, bk, 0, 0, 0) + Vec3::Constant(0.5 * n * grid_.cell);
    if (find_closest_point(mesh_, middle, reach).triangle == kNoTriangle) {
      grid_.block_at.push_back(DistanceGrid::kCoarse);
      return;
    }
    grid_.block_at.push_back(static_cast<std::uint32_t>(grid_.fine.size() / DistanceGrid::kNodes));
    for (int k = 0; k <= n; ++k) {
      for (int j = 0; j <= n; ++j) {
        for (int i = 0; i <= n; ++i) grid_.fine.push_back(static_cast<float>(measure(node(bi, bj, bk, i, j, k))));
      }
    }
  }

  const MeshGeometry& mesh_;
  WindingTree winding_;
  DistanceGrid grid_;
};

/// The block of a place inside the grid, given in cells from its origin.
std::array<int, 3> find_block(const DistanceGrid& grid, const Vec3& cells) {
  std::array<int, 3> block{};
  for (std::size_t k = 0; k < 3; ++k) {
    block[k] = std::min(static_cast<int>(cells[static_cast<int>(k)] / DistanceGrid::kBlock), grid.blocks[k] - 1);
  }
  return block;
}

// Value and gradient of the trilinear function with these corner values (x fastest) at u in [0, 1]³, per cell.
DistanceGrid::Value interpolate(const std::array<double, 8>& f, const Vec3& u) {
  const auto mix = [](double a, double b, double t) { return a + t * (b - a); };
  const double x00 = mix(f[0], f[1], u.x()), x10 = mix(f[2], f[3], u.x());
  const double x01 = mix(f[4], f[5], u.x()), x11 = mix(f[6], f[7], u.x());
  const double y0 = mix(x00, x10, u.y()), y1 = mix(x01, x11, u.y());
  DistanceGrid::Value value;
  value.distance = mix(y0, y1, u.z());
  value.gradient = {mix(mix(f[1] - f[0], f[3] - f[2], u.y()), mix(f[5] - f[4], f[7] - f[6], u.y()), u.z()),
                    mix(x10 - x00, x11 - x01, u.z()), y1 - y0};
  return value;
}

}  // namespace

DistanceGrid::Value DistanceGrid::look_up(const Vec3& x) const {
  const Vec3 cells = (x - origin) / cell;
  const Vec3 last(kBlock * blocks[0], kBlock * blocks[1], kBlock * blocks[2]);
  const Vec3 inside = cells.cwiseMax(Vec3::Zero()).cwiseMin(last);
  const std::array<int, 3> block = find_block(*this, inside);
  const Vec3 local = inside - kBlock * Vec3(block[0], block[1], block[2]);
  const std::uint32_t stored = block_at[index_of(block[0], block[1], block[2], blocks[0], blocks[1])];
  std::array<double, 8> corners{};
  Value value;
  if (stored == kCoarse) {
    for (int c = 0; c < 8; ++c) {
      corners[static_cast<std::size_t>(c)] = static_cast<double>(coarse[index_of(
          block[0] + (c & 1), block[1] + (c >> 1 & 1), block[2] + (c >> 2), blocks[0] + 1, blocks[1] + 1)]);
    }
    value = interpolate(corners, local / kBlock);
    value.gradient /= kBlock * cell;
  } else {
    const auto at = [&](int k) { return std::min(static_cast<int>(local[k]), kBlock - 1); };
    const int i = at(0), j = at(1), k = at(2);
    const std::size_t base = static_cast<std::size_t>(stored) * kNodes;
    for (int c = 0; c < 8; ++c) {
      corners[static_cast<std::size_t>(c)] = static_cast<double>(
          fine[base + index_of(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2), kBlock + 1, kBlock + 1)]);
    }
    value = interpolate(corners, local - Vec3(i, j, k));
    value.gradient /= cell;
  }
  const Vec3 beyond = cell * (cells - inside);
  const double way = beyond.norm();
  if (way > 0) {
    value.distance += way;
    for (int k = 0; k < 3; ++k) {
      if (beyond[k] != 0) value.gradient[k] = 0;
    }
    value.gradient += beyond / way;
  }
  return value;
}

// The distance of x differs from that of the nearest node by at most the way to it: one look instead of eight.
double DistanceGrid::bound_below(const Vec3& x) const {
  const Vec3 cells = (x - origin) / cell;
  const Vec3 last(kBlock * blocks[0], kBlock * blocks[1], kBlock * blocks[2]);
  const Vec3 inside = cells.cwiseMax(Vec3::Zero()).cwiseMin(last);
  const std::array<int, 3> block = find_block(*this, inside);
  const std::uint32_t stored = block_at[index_of(block[0], block[1], block[2], blocks[0], blocks[1])];
  const double spacing = stored == kCoarse ? kBlock : 1;
  const auto nearest = [&](int k) { return static_cast<int>(inside[k] / spacing + 0.5); };
  const int i = nearest(0), j = nearest(1), k = nearest(2);
  const float at_node =
      stored == kCoarse
          ? coarse[index_of(i, j, k, blocks[0] + 1, blocks[1] + 1)]
          : fine[static_cast<std::size_t>(stored) * kNodes +
                 index_of(i - kBlock * block[0], j - kBlock * block[1], k - kBlock * block[2], kBlock + 1, kBlock + 1)];
  const double distance = static_cast<double>(at_node);
  const double way = cell * (cells - spacing * Vec3(i, j, k)).norm();
  const double beyond = (cells - inside).squaredNorm();
  const double bound = beyond > 0 ? std::max(distance - way, cell * (std::sqrt(beyond) + kRim)) : distance - way;
  return bound - kSingle * (std::abs(distance) + way);
}

double DistanceGrid::bound_look_up(const Vec3& x, double radius) const {
  constexpr double none = -std::numeric_limits<double>::infinity();
  if (!std::isfinite(steepness)) return none;
  const Vec3 end = origin + kBlock * cell * Vec3(blocks[0], blocks[1], blocks[2]);
  const double inward = std::min((x - origin).minCoeff(), (end - x).minCoeff());
  return inward < radius ? none : look_up(x).distance - steepness * radius;
}

double DistanceGrid::error_up_to(double distance) const {
  const bool all_fine =
      distance < kRim * cell || std::find(block_at.begin(), block_at.end(), kCoarse) == block_at.end();
  return (all_fine ? 1 : kBlock) * kInterpolation * cell;
}

DistanceGrid make_distance_grid(const MeshGeometry& mesh, double cell) { return GridMaker(mesh, cell).make(); }

DistanceMapGeometry make_distance_map(const DistanceMap& map) {
  if (!(map.cell > 0) || !std::isfinite(map.cell)) {
    throw std::invalid_argument("The cell of a distance map must be positive.");
  }
  if (!(map.sampling >= 0) || !std::isfinite(map.sampling)) {
    throw std::invalid_argument("The sampling of a distance map must be zero or positive.");
  }
  check_mesh(map.mesh.vertices, map.mesh.triangles);
  const Closedness closedness = compute_closedness(map.mesh.vertices, map.mesh.triangles);
  if (!closedness.is_closed()) throw std::invalid_argument(closedness.complaint());
  if (!(compute_six_volumes(map.mesh.vertices, map.mesh.triangles) > 0)) {
    throw std::invalid_argument(
        "The mesh of a distance map must enclose a volume, its triangles counter-clockwise from outside.");
  }
  DistanceMapGeometry geometry;
  geometry.mesh = make_mesh_geometry(map.mesh);
  geometry.grid = make_distance_grid(geometry.mesh, map.cell);
  geometry.samples = make_samples(geometry.mesh, map.cell, SampleKind::kAllAndInsetCorners, map.sampling);
  geometry.balls = make_sample_tree(geometry.samples);
  geometry.cones = make_normal_cones(geometry.mesh, geometry.samples);
  return geometry;
}

}  // namespace achilles
