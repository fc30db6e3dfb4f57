#include "time_control/shock/loads.hpp"

#include "math/tangents.hpp"
#include "time_control/shock/shock_workspace.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <tuple>

namespace achilles {
namespace {

constexpr double kSoft = 1e-9;  // of the trace: a body on one point or one edge has a singular gram

/// A patch seen by the body that rests on it.
struct Support {
  Patch& patch;
  std::uint32_t upper, lower;
  double sign;  // of the normal, towards the upper body
};

class LoadPass {
 public:
  LoadPass(const World& world, double touching, const RisingPatches& rising, StepWorkspace& scratch)
      : world_(world),
        touching_(touching),
        patches_(rising.patches),
        order_(rising.order),
        height_(scratch.shock->layers.height),
        loads_(scratch.shock->loads),
        before_(scratch.velocity_before),
        up_(-world.gravity.normalized()) {
    std::tie(level1_, level2_) = make_tangents(up_);
  }

  void run() {
    for (const Patch& patch : patches_) {
      weigh(patch.body_a);
      weigh(patch.body_b);
    }
    for (Patch& patch : patches_) std::fill_n(patch.load, Patch::kPoints, 0.0);
    for (std::size_t last = order_.size(); last > 0;) {
      std::size_t first = last;
      while (first > 0 && patches_[order_[first - 1]].layer == patches_[order_[last - 1]].layer) --first;
      for (std::size_t k = first; k < last; ++k) gather(patches_[order_[k]]);
      for (std::size_t k = first; k < last; ++k) press(patches_[order_[k]]);
      last = first;
    }
  }

 private:
  /// The body's own weight, and whatever else pulls it down.
  void weigh(std::uint32_t body) {
    if (!world_.bodies.is_movable(body)) return;  // shared by the groups
    loads_[body] = {};
    const Vec3 gain = world_.bodies.velocity[body].linear - before_[body].linear;
    loads_[body].need[0] = -world_.bodies.mass[body] * up_.dot(gain);
  }

  [[nodiscard]] bool is_support(const Patch& patch, int i) const { return patch.gap[i] <= touching_; }

  /// Column of G for a unit impulse on a body at one point.
  [[nodiscard]] Vec3 column(const Support& support, int i, bool of_upper) const {
    const bool of_a = (of_upper ? support.upper : support.lower) == support.patch.body_a;
    const Patch::Lane(&turn)[3] = of_a ? support.patch.turn_a : support.patch.turn_b;
    const Vec3 torque = support.sign * Vec3(turn[0][i], turn[1][i], turn[2][i]);
    return {support.sign * up_.dot(support.patch.n), torque.dot(level1_), torque.dot(level2_)};
  }

  [[nodiscard]] Support view(Patch& patch) const {
    const bool a_above = height_[patch.body_a] > height_[patch.body_b];
    return a_above ? Support{patch, patch.body_a, patch.body_b, -1.0} : Support{patch, patch.body_b, patch.body_a, 1.0};
  }

  void gather(Patch& patch) {
    if (height_[patch.body_a] == height_[patch.body_b]) return;
    const Support support = view(patch);
    for (int i = 0; i < patch.count; ++i) {
      if (!is_support(patch, i)) continue;
      const Vec3 g = column(support, i, true);
      loads_[support.upper].gram += g * g.transpose();
    }
  }

  void press(Patch& patch) {
    if (height_[patch.body_a] == height_[patch.body_b]) return;
    const Support support = view(patch);
    const Vec3 share = solve(loads_[support.upper]);
    for (int i = 0; i < patch.count; ++i) {
      if (!is_support(patch, i)) continue;
      patch.load[i] = std::max(0.0, column(support, i, true).dot(share));
      if (world_.bodies.is_movable(support.lower))
        loads_[support.lower].need += patch.load[i] * column(support, i, false);
    }
  }

  static Vec3 solve(Load& load) {
    if (!load.is_known) {
      Mat3 gram = load.gram;
      gram.diagonal().array() += kSoft * gram.trace();
      load.share = gram.trace() > 0 ? Vec3(gram.ldlt().solve(load.need)) : Vec3(Vec3::Zero());
      load.is_known = true;
    }
    return load.share;
  }

  const World& world_;
  double touching_;
  std::span<Patch> patches_;
  std::span<const std::uint32_t> order_;
  const std::vector<std::uint32_t>& height_;
  std::vector<Load>& loads_;
  const std::vector<BodyVelocity>& before_;
  Vec3 up_, level1_, level2_;
};

}  // namespace

void hand_down_loads(const World& world, double touching, const RisingPatches& rising, StepWorkspace& scratch) {
  LoadPass(world, touching, rising, scratch).run();
}

}  // namespace achilles
