// A scene while it is drawn: JSON, which is YAML, so that it can be reduced and kept as a file.
#pragma once

#include "soak/random.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace achilles::program::soak {

using Json = nlohmann::ordered_json;

/// A drawn shape and the box around its frame's origin that holds it.
struct DrawnShape {
  Json json;
  Vec3 half = Vec3::Zero();  // [m]
};

struct Draft {
  Random random;
  double size = 1;        // [m] of a typical body
  double gravity = 9.81;  // [m/s²]
  double speed = 1;       // [m/s] of a fall by `size`
  Json bodies = Json::array(), joints = Json::array(), scripts = Json::array();

  explicit Draft(std::uint64_t seed) : random(seed) {}
};

/// Rounded to four digits: what fails shall fail as it is written.
[[nodiscard]] double round_to_digits(double value, int digits = 4);
[[nodiscard]] Json to_json(const Vec3& v);
[[nodiscard]] Json to_json(const Quat& q);

/// Edges of about `size`; what is drawn can be dynamic.
[[nodiscard]] DrawnShape draw_shape(Random& random, double size);
[[nodiscard]] DrawnShape draw_box(Random& random, double size, double slenderness);
/// A shape with a flat bottom and top: box or cylinder.
[[nodiscard]] DrawnShape draw_brick(Random& random, double size);

/// What everything stands on, at least as far as `reach` [m] in x and y. Flat: its surface is z = 0. Returns the height
/// [m] above which nothing of it lies within reach.
double add_support(Draft& draft, double reach, bool is_flat);

/// Adds a dynamic body and returns its entry, to be changed as long as no other body is added.
Json& add_body(Draft& draft, const std::string& name, const Json& shape, const Vec3& position);

/// A turn by at most `angle` [rad] about a random axis.
[[nodiscard]] Quat draw_turn(Random& random, double angle);

// The families: each adds bodies, joints and scripts.
void draw_single(Draft& draft);
void draw_stack(Draft& draft);
void draw_wall(Draft& draft);
void draw_pyramid(Draft& draft);
void draw_pile(Draft& draft);
void draw_crowd(Draft& draft);
void draw_sweep(Draft& draft);
void draw_turntable(Draft& draft);
void draw_dominoes(Draft& draft);
void draw_chain(Draft& draft);
void draw_bridge(Draft& draft);
void draw_mechanism(Draft& draft);
void draw_car(Draft& draft);
void draw_tree(Draft& draft);

}  // namespace achilles::program::soak
