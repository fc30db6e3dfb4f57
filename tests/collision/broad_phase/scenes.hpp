// Random populations of boxes for the tests of the broad phase.
#pragma once

#include "collision/broad_phase/broad_phase.hpp"

#include <random>
#include <vector>

namespace achilles::broad_phase_test {

inline Vec3 draw_vector(std::mt19937_64& random, double lower, double upper) {
  std::uniform_real_distribution<double> draw(lower, upper);
  return {draw(random), draw(random), draw(random)};
}

inline BroadPhaseProxy make_box(const Vec3& center, const Vec3& half, std::uint32_t body, bool movable) {
  BroadPhaseProxy proxy;
  proxy.box = {center - half, center + half};
  proxy.body = body;
  proxy.movable = movable;
  return proxy;
}

inline BroadPhaseProxy make_half_space(const Vec3& normal, double offset, std::uint32_t body) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  BroadPhaseProxy proxy;
  proxy.box = {Vec3::Constant(-infinity), Vec3::Constant(infinity)};
  proxy.body = body;
  proxy.movable = false;
  proxy.half_space = true;
  proxy.normal = normal.normalized();
  proxy.offset = offset;
  return proxy;
}

/// Boxes of sizes over three decades in a cube of the given width, a fifth of them fixed, some bodies of two boxes.
inline std::vector<BroadPhaseProxy> make_population(std::mt19937_64& random, int count, double width) {
  std::vector<BroadPhaseProxy> proxies;
  for (int i = 0; i < count; ++i) {
    const double size = std::pow(10.0, draw_vector(random, -2, 0.3).x());
    const bool movable = i % 5 != 0;
    const auto body = static_cast<std::uint32_t>(i / 2);
    const Vec3 center = draw_vector(random, -0.5 * width, 0.5 * width);
    proxies.push_back(make_box(center, size * draw_vector(random, 0.1, 0.5), body, movable));
  }
  return proxies;
}

inline void move(BroadPhaseProxy& proxy, const Vec3& step) {
  proxy.box.lower += step;
  proxy.box.upper += step;
}

}  // namespace achilles::broad_phase_test
