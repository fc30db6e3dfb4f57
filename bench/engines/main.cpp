// The same scene in every engine found, the same run, results measured by our own geometry.
#include "collision/detect.hpp"
#include "engines/engine.hpp"
#include "engines/scenes.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace achilles::bench {
namespace {

struct Contestant {
  const char* name;
  MakeEngine* make;
  int threads;
};

std::vector<Contestant> contestants() {
  std::vector<Contestant> all{{"achilles", make_achilles, 1}, {"achilles, 2 threads", make_achilles, 2}};
#ifdef ACHILLES_BENCH_BULLET
  all.push_back({"bullet", make_bullet, 1});
#endif
#ifdef ACHILLES_BENCH_ODE
  all.push_back({"ode", make_ode, 1});
#endif
  return all;
}

struct Result {
  double milliseconds = 0;  // per step after the first 60
  double penetration = 0;   // [m] deepest at the end
  double drift = 0;         // [m] farthest that a body came from its start
  double height = 0;        // [m] mean of the bodies
};

double measure_depth(const Scene& scene, const Engine& engine) {
  std::vector<GeometryPiece> pieces;
  std::vector<Collider> colliders;
  for (const BodyDescription& body : scene.bodies) pieces.push_back(make_geometry(body.shape).front());
  for (std::uint32_t i = 0; i < scene.bodies.size(); ++i) {
    colliders.push_back({pieces[i].geometry.get(), to_transform(engine.pose(i)) * to_transform(pieces[i].pose), i, 0,
                         scene.bodies[i].kind == BodyKind::kDynamic});
  }
  DetectWorkspace scratch;
  return measure_penetration(colliders, {}, 1, scratch).depth;
}

Result run(const Scene& scene, const Contestant& contestant, int steps) {
  constexpr int kUntimed = 60;
  const std::unique_ptr<Engine> engine = contestant.make(scene, contestant.threads);
  auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < steps; ++k) {
    if (k == kUntimed) start = std::chrono::steady_clock::now();
    engine->step();
  }
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
  Result result;
  result.milliseconds = time.count() / (steps - kUntimed);
  result.penetration = measure_depth(scene, *engine);
  int movable = 0;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].kind != BodyKind::kDynamic) continue;
    const Vec3 p = engine->pose(i).p;
    result.drift = std::max(result.drift, (p - scene.bodies[i].pose.p).norm());
    result.height += p.z();
    ++movable;
  }
  result.height /= movable;
  return result;
}

}  // namespace
}  // namespace achilles::bench

int main(int argc, char** argv) {
  using namespace achilles::bench;
  const int steps = argc > 1 ? std::max(61, std::atoi(argv[1])) : 600;
  const std::string_view only = argc > 2 ? argv[2] : "";
  fmt::print("{:<14} {:<20} {:>9} {:>12} {:>10} {:>10}\n", "scene", "engine", "ms/step", "depth [m]", "drift [m]",
             "height [m]");
  for (const achilles::Scene& scene : {make_pyramid(20), make_pit(2000)}) {
    if (!only.empty() && scene.name.find(only) == std::string::npos) continue;
    for (const Contestant& contestant : contestants()) {
      const Result result = run(scene, contestant, steps);
      fmt::print("{:<14} {:<20} {:>9.3f} {:>12.2e} {:>10.3g} {:>10.3f}\n", scene.name, contestant.name,
                 result.milliseconds, result.penetration, result.drift, result.height);
      std::fflush(stdout);
    }
  }
  return 0;
}
