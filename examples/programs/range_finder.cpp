// Ask about space: a range finder casts rays around a room.
#include <achilles/achilles.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numbers>

int main() {
  achilles::Scene scene;
  const auto add_wall = [&scene](const char* name, const achilles::Vec3& size, const achilles::Vec3& position) {
    scene.bodies.push_back(
        {.name = name, .kind = achilles::BodyKind::kFixed, .shape = {achilles::Box{size}}, .pose = {position}});
  };
  add_wall("east", {0.2, 6, 2}, {3.1, 0, 1});
  add_wall("west", {0.2, 6, 2}, {-3.1, 0, 1});
  add_wall("north", {6, 0.2, 2}, {0, 3.1, 1});
  add_wall("south", {6, 0.2, 2}, {0, -3.1, 1});

  const achilles::World world(scene);
  const achilles::WorldQuery query(world);
  bool right = true;
  for (int k = 0; k < 8; ++k) {
    const double angle = std::numbers::pi / 4 * k;
    const achilles::Vec3 direction(std::cos(angle), std::sin(angle), 0);
    const auto hit = query.cast_ray({0, 0, 1}, direction, {}, 20);
    if (!hit) return 1;
    std::cout << 45 * k << " degrees: " << hit->distance << " m to " << world.names[world.index_of(hit->body)] << '\n';
    const double exact = 3 / std::max(std::abs(direction.x()), std::abs(direction.y()));  // a square of 6 m
    right = right && std::abs(hit->distance - exact) < 1e-9;
  }
  return right ? 0 : 1;
}
