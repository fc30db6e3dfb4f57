#include "geometry/heightfield_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

namespace achilles {
namespace {

struct GridPlace {
  int i, j;  // row, column
};

// Lower cell corner of a triangle and which half of the cell it is.
struct Half {
  int i, j;
  bool is_left;
};

Half half_of(const HeightfieldGeometry& field, std::uint32_t triangle) {
  const auto across = static_cast<std::uint32_t>(field.columns - 1);
  const std::uint32_t cell = triangle / 2;
  return {static_cast<int>(cell / across), static_cast<int>(cell % across), triangle % 2 == 1};
}

std::array<GridPlace, 3> corners_of(const HeightfieldGeometry& field, std::uint32_t triangle) {
  const auto [i, j, is_left] = half_of(field, triangle);
  if (is_left) return {{{i, j}, {i + 1, j + 1}, {i + 1, j}}};
  return {{{i, j}, {i, j + 1}, {i + 1, j + 1}}};
}

Vec3 at(const HeightfieldGeometry& field, const GridPlace& place) { return field.vertex(place.i, place.j); }

std::uint32_t triangle_id(const HeightfieldGeometry& field, int i, int j, bool is_left) {
  if (i < 0 || j < 0 || i >= field.rows - 1 || j >= field.columns - 1) return kNoTriangle;
  const auto across = static_cast<std::uint32_t>(field.columns - 1);
  return 2U * (static_cast<std::uint32_t>(i) * across + static_cast<std::uint32_t>(j)) + (is_left ? 1U : 0U);
}

// The cell column or row that holds a coordinate, clamped to the grid.
int cell_at(double coordinate, double spacing, int vertices) {
  const double index = std::floor(coordinate / spacing + 0.5 * (vertices - 1));
  return static_cast<int>(std::clamp(index, 0.0, static_cast<double>(vertices - 2)));
}

template <typename Visit>
void visit_tile(const HeightfieldGeometry& field, std::uint32_t tile, Visit&& visit) {
  const CellRange cells = tile_cells(field, tile);
  for (int i = cells.first_row; i < cells.last_row; ++i) {
    for (int j = cells.first_column; j < cells.last_column; ++j) {
      visit(triangle_id(field, i, j, false));
      visit(triangle_id(field, i, j, true));
    }
  }
}

Vec3 inward(const HeightfieldGeometry& field, std::uint32_t triangle, std::size_t k) {
  const SurfaceTriangle t = field.triangle(triangle);
  return t.normal.cross((t.corners[(k + 1) % 3] - t.corners[k]).normalized());
}

void check(const Heightfield& field) {
  if (field.rows < 2 || field.columns < 2) {
    throw std::invalid_argument(fmt::format("A height field needs at least 2 rows and 2 columns, but has {} and {}.",
                                            field.rows, field.columns));
  }
  const auto count = static_cast<std::size_t>(field.rows) * static_cast<std::size_t>(field.columns);
  if (field.heights.size() != count || count > (1U << 30)) {
    throw std::invalid_argument(fmt::format("A height field of {} rows and {} columns cannot have {} heights.",
                                            field.rows, field.columns, field.heights.size()));
  }
  const bool has_size = field.cell.allFinite() && field.cell.x() > 0 && field.cell.y() > 0;
  if (!has_size) throw std::invalid_argument("The cell of a height field must have a positive size along x and y.");
  for (std::size_t i = 0; i < count; ++i) {
    if (!std::isfinite(field.heights[i])) throw std::invalid_argument(fmt::format("Height {} is not finite.", i));
  }
}

}  // namespace

SurfaceTriangle HeightfieldGeometry::triangle(std::uint32_t id) const {
  const auto places = corners_of(*this, id);
  SurfaceTriangle result{{at(*this, places[0]), at(*this, places[1]), at(*this, places[2])}, Vec3::Zero(), id};
  const auto& [a, b, c] = result.corners;
  result.normal = (b - a).cross(c - a).normalized();  // never zero: the cell has an area seen from above
  return result;
}

HeightfieldGeometry make_heightfield_geometry(const Heightfield& field) {
  check(field);
  HeightfieldGeometry geometry;
  geometry.heights = field.heights;
  geometry.rows = field.rows;
  geometry.columns = field.columns;
  geometry.cell = field.cell;
  std::vector<Aabb> tiles(static_cast<std::size_t>(geometry.tile_rows()) *
                          static_cast<std::size_t>(geometry.tile_columns()));
  for (std::uint32_t tile = 0; tile < tiles.size(); ++tile) {
    const CellRange cells = tile_cells(geometry, tile);
    for (int i = cells.first_row; i <= cells.last_row; ++i) {
      for (int j = cells.first_column; j <= cells.last_column; ++j) tiles[tile].include(geometry.vertex(i, j));
    }
  }
  geometry.tree = build_bvh(tiles, 1);
  return geometry;
}

CellRange tile_cells(const HeightfieldGeometry& field, std::uint32_t tile) {
  constexpr int kTile = HeightfieldGeometry::kTile;
  const int row = static_cast<int>(tile) / field.tile_columns() * kTile;
  const int column = static_cast<int>(tile) % field.tile_columns() * kTile;
  return {row, std::min(row + kTile, field.rows - 1), column, std::min(column + kTile, field.columns - 1)};
}

CellRange overlapping_cells(const HeightfieldGeometry& field, const Aabb& box) {
  // One cell more on each side: a box that only touches a grid line overlaps the cells on both sides of it.
  const auto first = [](double low, double spacing, int vertices) {
    return std::max(0, cell_at(low, spacing, vertices) - 1);
  };
  const auto last = [](double high, double spacing, int vertices) {
    return std::min(vertices - 1, cell_at(high, spacing, vertices) + 2);
  };
  return {first(box.lower.y(), field.cell.y(), field.rows), last(box.upper.y(), field.cell.y(), field.rows),
          first(box.lower.x(), field.cell.x(), field.columns), last(box.upper.x(), field.cell.x(), field.columns)};
}

std::optional<double> compute_height(const HeightfieldGeometry& field, double x, double y) {
  const double half_x = 0.5 * (field.columns - 1) * field.cell.x(), half_y = 0.5 * (field.rows - 1) * field.cell.y();
  if (!(std::abs(x) <= half_x && std::abs(y) <= half_y)) return std::nullopt;
  const int i = cell_at(y, field.cell.y(), field.rows), j = cell_at(x, field.cell.x(), field.columns);
  const Vec3 corner = field.vertex(i, j);
  const double u = (x - corner.x()) / field.cell.x(), v = (y - corner.y()) / field.cell.y();
  const double opposite = field.vertex(i + 1, j + 1).z();
  // Affine on each side of the diagonal u = v.
  if (u >= v) {
    const double side = field.vertex(i, j + 1).z();
    return corner.z() + u * (side - corner.z()) + v * (opposite - side);
  }
  const double side = field.vertex(i + 1, j).z();
  return corner.z() + v * (side - corner.z()) + u * (opposite - side);
}

SurfacePoint find_closest_point(const HeightfieldGeometry& field, const Vec3& x, double limit) {
  SurfacePoint best;
  double squared_limit = limit * limit;
  visit_nearest(field.tree, x, squared_limit, [&](std::uint32_t tile, double& squared) {
    visit_tile(field, tile, [&](std::uint32_t id) {
      const auto places = corners_of(field, id);
      const TrianglePoint candidate =
          closest_point_on_triangle(x, at(field, places[0]), at(field, places[1]), at(field, places[2]));
      const double distance = (x - candidate.point).squaredNorm();
      if (distance >= squared) return;
      squared = distance;
      best = {candidate.point, 0, id, candidate.feature};
    });
  });
  if (best.triangle != kNoTriangle) best.distance = (x - best.point).norm();
  return best;
}

std::optional<RayHit> cast_ray(const HeightfieldGeometry& field, const Ray& ray, double limit) {
  std::optional<RayHit> best;
  visit_along(field.tree, ray, limit, [&](std::uint32_t tile, double& nearest) {
    visit_tile(field, tile, [&](std::uint32_t id) {
      const auto places = corners_of(field, id);
      const auto t =
          intersect_ray(ray.origin, ray.direction, at(field, places[0]), at(field, places[1]), at(field, places[2]));
      if (!t || *t > nearest || (best && *t >= best->t)) return;
      nearest = *t;
      best = {*t, id};
    });
  });
  return best;
}

std::uint32_t triangle_across(const HeightfieldGeometry& field, std::uint32_t triangle, std::uint32_t k) {
  const auto [i, j, is_left] = half_of(field, triangle);
  if (is_left) {
    if (k == 0) return triangle_id(field, i, j, false);  // the diagonal
    return k == 1 ? triangle_id(field, i + 1, j, false) : triangle_id(field, i, j - 1, false);
  }
  if (k == 2) return triangle_id(field, i, j, true);
  return k == 0 ? triangle_id(field, i - 1, j, true) : triangle_id(field, i, j + 1, true);
}

MeshEdgeKind compute_edge_kind(const HeightfieldGeometry& field, std::uint32_t triangle, std::uint32_t k) {
  const std::uint32_t other = triangle_across(field, triangle, k);
  if (other == kNoTriangle) return MeshEdgeKind::kBorder;
  const SurfaceTriangle t = field.triangle(triangle);
  return classify_edge(t.corners[k], t.corners[(k + 1) % 3], t.normal, field.triangle(other).normal);
}

bool is_possible_normal(const HeightfieldGeometry& field, std::uint32_t triangle, TriangleFeature feature,
                        const Vec3& n_out, double tolerance) {
  const std::uint32_t k = feature_number(feature);
  if (is_vertex(feature)) {
    const GridPlace v = corners_of(field, triangle)[k];
    constexpr std::array<GridPlace, 6> kSteps = {{{0, 1}, {1, 1}, {1, 0}, {0, -1}, {-1, -1}, {-1, 0}}};
    for (const auto& [di, dj] : kSteps) {
      const GridPlace w{v.i + di, v.j + dj};
      if (w.i < 0 || w.j < 0 || w.i >= field.rows || w.j >= field.columns) continue;
      if (n_out.dot((at(field, w) - at(field, v)).normalized()) > tolerance) return false;
    }
    return true;
  }
  if (is_edge(feature)) {
    if (n_out.dot(inward(field, triangle, k)) > tolerance) return false;
    const std::uint32_t other = triangle_across(field, triangle, k);
    if (other == kNoTriangle) return true;
    // Across the diagonal edge 0 meets 2; across a grid line edge 1 meets 0 on the left half's top, 2 meets 1 on its
    // side.
    const bool is_left = triangle % 2 == 1;
    constexpr std::array<std::uint32_t, 3> kFromLeft = {2, 0, 1}, kFromRight = {1, 2, 0};
    return n_out.dot(inward(field, other, (is_left ? kFromLeft : kFromRight)[k])) <= tolerance;
  }
  return n_out.cross(field.triangle(triangle).normal).norm() <= tolerance;
}

}  // namespace achilles
