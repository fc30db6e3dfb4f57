#include "engines/engine.hpp"

#include "geometry/mass_properties.hpp"

#include <achilles/error.hpp>
#include <achilles/simulation.hpp>

namespace achilles::bench {
namespace {

class AchillesEngine final : public Engine {
 public:
  AchillesEngine(const Scene& scene, int threads) : simulation_(scene, threads) {}
  void step() override { (void)simulation_.step(); }
  [[nodiscard]] Pose pose(std::size_t body) const override { return simulation_.world().bodies.frame(body); }

 private:
  Simulation simulation_;
};

}  // namespace

std::unique_ptr<Engine> make_achilles(const Scene& scene, int threads) {
  try {
    return std::make_unique<AchillesEngine>(scene, threads);
  } catch (const SceneError&) {
    return nullptr;  // the method refuses, e.g. joints
  }
}

SolidMass weigh(const BodyDescription& body) {
  const MassProperties solid = compute_mass_properties(body.shape, body.density.value_or(1000));
  return {solid.mass, solid.inertia.diagonal()};
}

}  // namespace achilles::bench
