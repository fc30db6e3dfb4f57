#include "scene/build/lattice.hpp"

#include "scene/build/read.hpp"
#include "scene/build/solid.hpp"

#include <fmt/format.h>

namespace achilles::scene_file {
namespace {

bool is_bearable(Build& build, const Node& repeat, const Vec3& count, const BodyDescription& body,
                 const std::string& field) {
  const double bodies = count.prod() + static_cast<double>(build.scene.bodies.size());
  if (bodies > static_cast<double>(kMaxBodies)) {
    build.complaints.error(repeat.place, field + ".repeat.count",
                           fmt::format("the scene would have {:.0f} bodies; allowed: at most {}", bodies, kMaxBodies));
    return false;
  }
  build.shape_bytes += count.prod() * static_cast<double>(count_bytes(body.shape));
  if (build.shape_bytes > static_cast<double>(kMaxShapeBytes)) {
    build.complaints.error(repeat.place, field + ".repeat.count",
                           fmt::format("the shapes of all copies would take {:.0f} bytes; allowed: at most {}",
                                       build.shape_bytes, kMaxShapeBytes));
    return false;
  }
  return true;
}

}  // namespace

std::optional<Lattice> read_lattice(Build& build, const Node& node, const BodyDescription& body,
                                    const std::string& field) {
  const Node* repeat = usable(node, "repeat");
  if (repeat == nullptr) return std::nullopt;
  const std::optional<Vec3> count = read_vec3(*repeat, "count");
  if (!count || !is_bearable(build, *repeat, *count, body, field)) return std::nullopt;
  Lattice lattice;
  for (int axis = 0; axis < 3; ++axis) lattice.count[static_cast<std::size_t>(axis)] = static_cast<int>((*count)[axis]);
  lattice.spacing = read_vec3(*repeat, "spacing").value_or(lattice.spacing);
  lattice.stagger = read_vec3(*repeat, "stagger").value_or(lattice.stagger);
  if ((lattice.stagger.array() != 0).all()) {
    build.complaints.error(children(*repeat, "stagger").place, field + ".repeat.stagger",
                           "found no 0; allowed: at least one 0, along the axis that counts rows");
  }
  const Vec3 farthest = lattice.spacing.cwiseProduct(*count - Vec3::Ones()) + lattice.stagger + body.pose.p;
  if (!farthest.allFinite()) {
    build.complaints.error(repeat->place, field + ".repeat", "the last copy stands beyond what a number can hold");
    return std::nullopt;
  }
  return lattice;
}

Vec3 offset_of(const Lattice& lattice, int i, int j, int k) {
  const std::array<int, 3> index{i, j, k};
  int row = 0;
  for (int axis = 0; axis < 3; ++axis) {
    if (lattice.stagger[axis] == 0) row += index[static_cast<std::size_t>(axis)];
  }
  const Vec3 offset = lattice.spacing.cwiseProduct(Vec3(i, j, k));
  return row % 2 == 1 ? Vec3(offset + lattice.stagger) : offset;
}

}  // namespace achilles::scene_file
