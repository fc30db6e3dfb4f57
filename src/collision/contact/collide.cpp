#include "collision/contact/collide.hpp"

#include "collision/contact/pair_contacts.hpp"

#include <array>
#include <stdexcept>

namespace achilles {

namespace {

constexpr std::size_t kKinds = std::variant_size_v<GeometryKind>;
using Table = std::array<std::array<PairContacts*, kKinds>, kKinds>;

void flip_normals(std::size_t begin, std::vector<ContactPoint>& points) {
  for (std::size_t k = begin; k < points.size(); ++k) {
    points[k].normal = -points[k].normal;
  }
}

template <typename Kind, std::size_t I = 0>
constexpr std::size_t index_of() {
  if constexpr (std::is_same_v<std::variant_alternative_t<I, GeometryKind>, Kind>) {
    return I;
  } else {
    return index_of<Kind, I + 1>();
  }
}

template <typename A, typename B>
constexpr void set(Table& table, PairContacts* function) {
  static_assert(index_of<A>() <= index_of<B>());
  table[index_of<A>()][index_of<B>()] = function;
}

void collide_unsupported(const Geometry&, const Transform&, const Geometry&, const Transform&, const CollideOptions&,
                         std::vector<ContactPoint>&) {
  throw std::invalid_argument(
      "A mesh or height field has no contacts with planes, meshes and height fields: at least one of the two bodies "
      "must be made of convex shapes or distance maps.");
}

// Hulls come after planes among the alternatives, so this one pair arrives the other way round.
void collide_plane_hull(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
                        const CollideOptions& options, std::vector<ContactPoint>& points) {
  const std::size_t begin = points.size();
  collide_convex_plane(b, X_WB, a, X_WA, options, points);
  flip_normals(begin, points);
}

// Rows and columns by alternative of GeometryKind; the lower triangle stays empty and is reached by swapping.
constexpr Table make_table() {
  Table table{};
  for (auto& row : table) {
    row.fill(collide_unsupported);
  }
  constexpr std::size_t kPlane = index_of<PlaneGeometry>();
  constexpr std::size_t kHull = index_of<std::shared_ptr<const HullGeometry>>();
  static_assert(kHull == kPlane + 1);
  for (std::size_t i = 0; i <= kHull; ++i) {
    for (std::size_t j = i; j <= kHull; ++j) {
      table[i][j] = i == kPlane || j == kPlane ? collide_convex_plane : collide_convex;
    }
  }
  constexpr std::size_t kMesh = index_of<std::shared_ptr<const MeshGeometry>>();
  constexpr std::size_t kHeightfield = index_of<std::shared_ptr<const HeightfieldGeometry>>();
  for (std::size_t i = 0; i <= kHull; ++i) {
    if (i == kPlane) continue;
    table[i][kMesh] = collide_convex_mesh;
    table[i][kHeightfield] = collide_convex_heightfield;
  }
  constexpr std::size_t kMap = index_of<std::shared_ptr<const DistanceMapGeometry>>();
  static_assert(kMap == kKinds - 1);
  for (std::size_t i = 0; i <= kMap; ++i) table[i][kMap] = collide_distance_map;
  set<SphereGeometry, SphereGeometry>(table, collide_sphere_sphere);
  set<SphereGeometry, BoxGeometry>(table, collide_sphere_box);
  set<SphereGeometry, CapsuleGeometry>(table, collide_sphere_capsule);
  set<BoxGeometry, BoxGeometry>(table, collide_box_box);
  set<CapsuleGeometry, CapsuleGeometry>(table, collide_capsule_capsule);
  set<PlaneGeometry, PlaneGeometry>(table, collide_nothing);
  table[kPlane][kHull] = collide_plane_hull;
  return table;
}
constexpr Table kTable = make_table();

}  // namespace

void collide(const Geometry& a, const Transform& X_WA, const Geometry& b, const Transform& X_WB,
             const CollideOptions& options, std::vector<ContactPoint>& points) {
  const std::size_t i = a.kind.index(), j = b.kind.index();
  if (i <= j) {
    kTable[i][j](a, X_WA, b, X_WB, options, points);
    return;
  }
  const std::size_t begin = points.size();
  kTable[j][i](b, X_WB, a, X_WA, options, points);
  flip_normals(begin, points);
}

}  // namespace achilles
