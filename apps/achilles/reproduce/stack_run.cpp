#include "reproduce/stack_run.hpp"

#include <achilles/profile.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>

namespace achilles::reproduce {
namespace {

constexpr int kSeldom = 10;  // steps between looks

/// Raises every body by `size` per height of a body and moves it aside by up to as much, the same in every run.
void perturb(double size, Scene& scene) {
  std::mt19937_64 engine(1);
  const auto draw = [&] { return 2 * static_cast<double>(engine() >> 11U) * 0x1p-53 - 1; };
  for (BodyDescription& body : scene.bodies) {
    if (body.kind != BodyKind::kDynamic) continue;
    body.pose.p += size * Vec3(draw(), draw(), std::round(body.pose.p.z()));
  }
}

Scene load(const std::filesystem::path& path, const StackMethod& method) {
  Scene scene = load_scene(path.string(), method.overrides);
  scene.method = {method.name, "", method.solver, method.options};
  perturb(method.perturbation, scene);
  if (method.restitution) {
    for (Material& material : scene.materials) material.law.restitution = *method.restitution;
  }
  return scene;
}

}  // namespace

StackMethod plain_gauss_seidel(int sweeps) {
  return {"lcp-fixed",
          "gauss-seidel",
          {{"iterations", static_cast<double>(sweeps)}, {"tolerance", 0.0}, {"warm_start", false}, {"correction", 0.0}},
          {},
          {}};
}

StackMethod shock_propagation(double gravity_fraction) {
  return {"shock-propagation", "", {{"gravity_fraction", gravity_fraction}}, {}, {}};
}

StackMethod thesis_propagation(double gravity_fraction) {
  StackMethod method = shock_propagation(gravity_fraction);
  method.options["propagation"] = std::string("thesis");
  return method;
}

StackRun::StackRun(const std::filesystem::path& scene, const StackMethod& method)
    : simulation_(load(scene, method)), start_(simulation_.world().bodies.position) {}

int StackRun::step() {
  const StepReport report = simulation_.step();
  stopped_ = stopped_ || report.stopped.has_value();
  return report.contacts;
}

StepCost StackRun::time_step() {
  Profile profile;
  simulation_.set_profile(&profile);
  const std::clock_t begin = std::clock();
  StepCost cost;
  cost.contacts = step();
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  simulation_.set_profile(nullptr);
  double detection = 0, all = 0;
  for (const Profile::Stage& stage : profile.stages()) {
    if (stage.name == "collision detection") detection = stage.seconds;
    all += stage.seconds;
  }
  cost.detection = seconds * detection / all;
  cost.stepping = seconds - cost.detection;
  return cost;
}

void StackRun::follow(double until, Curve& curve) {
  for (int k = 1; simulation_.world().time < until - 0.5 * simulation_.step_length() && !stopped_; ++k) {
    (void)step();
    if (k % kSeldom != 0) continue;
    penetration_ = std::max(penetration_, simulation_.penetration());
    curve.x.push_back(simulation_.world().time);
    curve.y.push_back(std::max(drift(), 1e-12));
  }
}

void StackRun::follow_energy(double until, Curve& curve) {
  while (simulation_.world().time < until - 0.5 * simulation_.step_length() && !stopped_) {
    (void)step();
    curve.x.push_back(simulation_.world().time);
    curve.y.push_back(std::max(simulation_.world().kinetic_energy(), 1e-16));
  }
}

double StackRun::measure_speed(double since, double until) {
  double fastest = 0;
  while (simulation_.world().time < until - 0.5 * simulation_.step_length() && !stopped_) {
    (void)step();
    if (simulation_.world().time < since) continue;
    for (const BodyVelocity& u : simulation_.world().bodies.velocity) fastest = std::max(fastest, u.linear.norm());
  }
  return fastest;
}

double StackRun::time_frames(int frames) {
  const std::clock_t begin = std::clock();
  for (int k = 0; k < frames; ++k) (void)step();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / frames;
}

double StackRun::drift() const {
  double worst = 0;
  for (std::size_t i = 0; i < start_.size(); ++i) {
    if (!simulation_.world().bodies.is_movable(i)) continue;
    worst = std::max(worst, (simulation_.world().bodies.position[i] - start_[i]).norm());
  }
  return worst;
}

bool StackRun::all_asleep() const {
  const BodyArrays& bodies = simulation_.world().bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.is_movable(i) && bodies.asleep[i] == 0) return false;
  }
  return true;
}

}  // namespace achilles::reproduce
