// Families of scenes without joints.
#include "soak/draft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace achilles::program::soak {
namespace {

/// How far neighbours are from touching exactly: none, a gap, or an overlap at the start [m].
double draw_gap(Random& random, double size) {
  const double roll = random.unit();
  if (roll < 0.4) return 0;
  if (roll < 0.8) return size * random.log_uniform(1e-4, 1e-1);
  return -size * random.log_uniform(1e-4, 2e-2);
}

double draw_tilt(Random& random) { return random.chance(0.4) ? random.log_uniform(1e-4, 1e-1) : 0; }

void turn(Json& body, const Quat& q) { body["orientation"] = to_json(q); }

/// One body of a scene is much heavier or lighter than its shape makes it.
void change_density(Draft& draft, Json& body) {
  body["density"] = round_to_digits(1000 * draft.random.log_uniform(1e-3, 1e3));
}

void push(Draft& draft, Json& body, double most) {
  Random& random = draft.random;
  body["velocity"] = to_json(Vec3(random.uniform(0, most) * draft.speed * random.direction()));
  if (random.chance(0.5)) {
    body["spin"] = to_json(Vec3(random.log_uniform(0.1, 10) * draft.speed / draft.size * random.direction()));
  }
}

}  // namespace

void draw_single(Draft& draft) {
  Random& random = draft.random;
  const double floor = random.chance(0.9) ? add_support(draft, 10 * draft.size, false) : 0;
  const int count = random.integer(1, 3);
  for (int k = 0; k < count; ++k) {
    const DrawnShape shape = draw_shape(random, draft.size);
    const bool is_resting = random.chance(0.5);
    const double height = is_resting ? shape.half.z() + draw_gap(random, draft.size) : 1.8 * draft.size;
    const Vec3 at(2.5 * draft.size * (k - 1), 0, floor + height + (is_resting ? 0 : random.uniform(0, 3) * draft.size));
    Json& body = add_body(draft, fmt::format("body{}", k), shape.json, at);
    if (!is_resting) turn(body, draw_turn(random, 3.1));
    if (random.chance(0.7)) push(draft, body, 3);
  }
}

void draw_stack(Draft& draft) {
  Random& random = draft.random;
  add_support(draft, 5 * draft.size, true);
  const int count = random.integer(2, 20);
  const bool is_uniform = random.chance(0.6);
  const double offset = random.chance(0.5) ? 0.05 * draft.size : 0;
  const bool has_heavy = random.chance(0.3);
  const int heavy = random.integer(0, count - 1);
  DrawnShape shape = draw_brick(random, draft.size);
  double top = 0;
  for (int k = 0; k < count; ++k) {
    if (!is_uniform && k > 0) shape = draw_brick(random, draft.size);
    top += draw_gap(random, 2 * shape.half.z());
    const Vec3 at(random.uniform(-offset, offset), random.uniform(-offset, offset), top + shape.half.z());
    Json& body = add_body(draft, fmt::format("box{}", k), shape.json, at);
    if (const double tilt = draw_tilt(random); tilt > 0) turn(body, draw_turn(random, 0.1 * tilt));
    if (has_heavy && k == heavy) change_density(draft, body);
    top += 2 * shape.half.z();
  }
}

void draw_wall(Draft& draft) {
  Random& random = draft.random;
  const int width = random.integer(2, 6), height = random.integer(2, 60 / width / 2);
  add_support(draft, (width + 3) * draft.size, true);
  const DrawnShape shape = draw_box(random, draft.size, 3);
  const double gap = draw_gap(random, 2 * shape.half.z());
  const Vec3 edges = 2 * shape.half;
  for (int row = 0; row < height; ++row) {
    for (int k = 0; k < width; ++k) {
      const double x = (k + (row % 2 == 0 ? 0 : 0.5) - 0.5 * width) * 1.01 * edges.x();
      const Vec3 at(x, 0, row * (edges.z() + gap) + shape.half.z() + std::max(0.0, gap));
      add_body(draft, fmt::format("brick{}_{}", row, k), shape.json, at);
    }
  }
  if (random.chance(0.4)) {
    const DrawnShape ball = draw_shape(random, draft.size);
    Json& body = add_body(draft, "ball", ball.json, {0, -3 * draft.size, 0.6 * height * edges.z() + draft.size});
    body["velocity"] = to_json(Vec3(0, random.uniform(1, 6) * draft.speed, 0));
    change_density(draft, body);
  }
}

void draw_pyramid(Draft& draft) {
  Random& random = draft.random;
  const int rows = random.integer(2, 9);
  add_support(draft, (rows + 3) * draft.size, true);
  const DrawnShape shape = draw_box(random, draft.size, 2);
  const double gap = draw_gap(random, 2 * shape.half.z());
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < rows - row; ++k) {
      const double x = 2.1 * shape.half.x() * (k - 0.5 * (rows - row - 1));
      const double z = row * (2 * shape.half.z() + gap) + shape.half.z() + std::max(0.0, gap);
      Json& body = add_body(draft, fmt::format("box{}_{}", row, k), shape.json, {x, 0, z});
      if (row + 1 == rows && random.chance(0.3)) change_density(draft, body);
    }
  }
}

void draw_pile(Draft& draft) {
  Random& random = draft.random;
  const int count = random.integer(4, 40);
  const int across = random.integer(1, 3);
  const double floor = add_support(draft, (across + 2) * 1.6 * draft.size, false);
  const bool has_ratio = random.chance(0.2);
  for (int k = 0; k < count; ++k) {
    const double size = draft.size * random.log_uniform(0.3, 1);
    const DrawnShape shape = draw_shape(random, size);
    const double cell = 1.6 * draft.size;
    const Vec3 at(cell * (k % across - 0.5 * (across - 1)), cell * (k / across % across - 0.5 * (across - 1)),
                  floor + cell * (k / (across * across) + 0.6));
    Json& body = add_body(draft, fmt::format("body{}", k), shape.json, at + random.in_box(Vec3::Constant(0.1 * size)));
    turn(body, draw_turn(random, 3.1));
    if (has_ratio && random.chance(0.3)) change_density(draft, body);
    if (random.chance(0.1)) push(draft, body, 2);
  }
}

void draw_crowd(Draft& draft) {
  // Without weight, on each other.
  Random& random = draft.random;
  draft.gravity = random.chance(0.7) ? 0 : draft.gravity;
  const int count = random.integer(2, 24);
  const bool is_alike = random.chance(0.5);
  DrawnShape shape = draw_shape(random, draft.size);
  for (int k = 0; k < count; ++k) {
    if (!is_alike) shape = draw_shape(random, draft.size * random.log_uniform(0.3, 1));
    const Vec3 at = 1.9 * draft.size * Vec3(k % 3, k / 3 % 3, k / 9);
    Json& body = add_body(draft, fmt::format("body{}", k), shape.json, at);
    turn(body, draw_turn(random, 3.1));
    push(draft, body, 2);
  }
}

void draw_sweep(Draft& draft) {
  // A scripted body drives through a row of others, which can give way.
  Random& random = draft.random;
  const double size = draft.size;
  add_support(draft, 30 * size, true);
  const double way = random.uniform(2, 5) * size, speed = random.uniform(0.2, 2) * draft.speed;
  Json broom{{"name", "broom"}, {"kind", "scripted"}};
  broom["shape"] = {{"box", {{"size", to_json(Vec3(0.5 * size, 8 * size, size))}}}};
  const Vec3 start(-2 * size, 0, 0.6 * size);
  broom["position"] = to_json(start);
  draft.bodies.push_back(broom);
  const Json space{to_json(start), to_json(Vec3(start + Vec3(0.5 * way, 0, 0))),
                   to_json(Vec3(start + Vec3(way, 0, 0)))};
  const Json speeds{{0, 0}, {round_to_digits(way / speed), round_to_digits(way)}};
  draft.scripts.push_back({{"body", "broom"}, {"path", {{"space", space}, {"speed", speeds}}}});
  const int count = random.integer(1, 12);
  for (int k = 0; k < count; ++k) {
    const DrawnShape shape = draw_brick(random, size);
    const Vec3 at(1.3 * size * (k % 3), 1.5 * size * (k / 3 - 1), shape.half.z());
    add_body(draft, fmt::format("body{}", k), shape.json, at);
  }
}

void draw_turntable(Draft& draft) {
  // Bodies on a scripted disc that turns, about its axis or leaning more and more.
  Random& random = draft.random;
  const double size = draft.size;
  add_support(draft, 30 * size, true);
  const double thick = round_to_digits(0.3 * size), top = round_to_digits(2 * size);
  Json disc{{"name", "disc"}, {"kind", "scripted"}};
  disc["shape"] = {{"cylinder", {{"radius", round_to_digits(4 * size)}, {"height", thick}}}};
  disc["position"] = to_json(Vec3(0, 0, top - 0.5 * thick));
  draft.bodies.push_back(disc);
  const Vec3 axis = random.chance(0.6) ? Vec3::UnitZ() : (Vec3::UnitZ() + 0.5 * random.direction()).normalized();
  const double rate = random.uniform(-1, 1) * draft.speed / (3 * size);  // [rad/s]
  Json turn = Json::array();
  constexpr double kPart = 0.5;  // [rad] between two orientations
  for (int k = 0; k <= 8; ++k) {
    const double angle = std::copysign(kPart * k, rate);
    turn.push_back({round_to_digits(kPart * k / std::abs(rate), 6), to_json(Quat(Eigen::AngleAxisd(angle, axis)))});
  }
  draft.scripts.push_back({{"body", "disc"}, {"turn", turn}});
  const int count = random.integer(1, 6);
  for (int k = 0; k < count; ++k) {
    const DrawnShape shape = random.chance(0.7) ? draw_brick(random, size) : draw_shape(random, size);
    const double angle = 2.1 * k, radius = (0.3 + 0.45 * k) * size;
    const Vec3 at(radius * std::cos(angle), radius * std::sin(angle), top + shape.half.z() + draw_gap(random, size));
    add_body(draft, fmt::format("body{}", k), shape.json, at);
  }
}

void draw_dominoes(Draft& draft) {
  Random& random = draft.random;
  const int count = random.integer(3, 20);
  add_support(draft, count * draft.size, true);
  const Vec3 edges = draft.size * Vec3(random.uniform(0.1, 0.3), 0.5, 1);
  const double pitch = edges.x() + random.uniform(0.2, 0.6) * draft.size;
  for (int k = 0; k < count; ++k) {
    const Json shape{{"box", {{"size", to_json(edges)}}}};
    Json& body = add_body(draft, fmt::format("domino{}", k), shape, {pitch * (k - 0.5 * count), 0, 0.5 * edges.z()});
    if (k == 0) body["spin"] = to_json(Vec3(0, random.uniform(1, 3) * draft.speed / draft.size, 0));
  }
}

}  // namespace achilles::program::soak
