#include "scene/warn/warn.hpp"
#include "scene/wording.hpp"

#include <fmt/format.h>

namespace achilles::scene_file {
namespace {

constexpr double kSmall = 1e-4;   // [m]
constexpr double kLarge = 1e3;    // [m]
constexpr double kLargeTurn = 1;  // [rad]

// Of the whole shape, in the body's frame; infinite for a plane.
Vec3 extent_of(const BodySource& source) {
  Aabb box;
  for (const GeometryPiece& piece : source.pieces) {
    box.include(compute_bounds(*piece.geometry, to_transform(piece.pose)));
  }
  return box.extent();
}

// How far the shape reaches along a direction: the chord of the ellipsoid that its box holds, exact for a ball.
double thickness_along(const Vec3& direction_B, const Vec3& extent) {
  return direction_B.stableNorm() / direction_B.cwiseQuotient(extent).stableNorm();
}

// Where the value stands, else the body.
Place place_of(const BodySource& source, const char* key) {
  const Node* value = source.node->find(key);
  return value != nullptr ? value->place : source.node->place;
}

std::string field_of(const BodySource& source) { return "bodies." + shorten(source.name); }

bool is_usable(const BodySource& source) { return source.count > 0 && !source.pieces.empty(); }

}  // namespace

void warn_of_speeds(Build& build) {
  const double step = build.scene.step;
  for (const BodySource& source : build.sources) {
    if (!is_usable(source)) continue;
    const BodyDescription& body = build.scene.bodies[source.first];
    if (body.kind != BodyKind::kDynamic) continue;
    const double travel = body.velocity.stableNorm() * step;
    const double half = 0.5 * thickness_along(body.pose.q.conjugate() * body.velocity, extent_of(source));
    if (travel > half) {
      build.complaints.warning(
          place_of(source, "velocity"), field_of(source) + ".velocity",
          fmt::format("moves {:.3g} m in one step of {:.3g} s, more than half of the "
                      "{:.3g} m it reaches along its way: it may pass through others; a shorter step is safer",
                      travel, step, 2 * half));
    }
    const double turn = body.spin.stableNorm() * step;
    if (turn > kLargeTurn) {
      build.complaints.warning(
          place_of(source, "spin"), field_of(source) + ".spin",
          fmt::format("turns by {:.3g} rad in one step of {:.3g} s; a shorter step is safer", turn, step));
    }
  }
}

void warn_of_sizes(Build& build) {
  for (const BodySource& source : build.sources) {
    if (!is_usable(source) || build.scene.bodies[source.first].kind != BodyKind::kDynamic) continue;
    const double largest = extent_of(source).maxCoeff();
    if (largest >= kSmall && largest <= kLarge) continue;
    build.complaints.warning(place_of(source, "shape"), field_of(source) + ".shape",
                             fmt::format("is {:.3g} m large; lengths are in metres", largest));
  }
}

}  // namespace achilles::scene_file
