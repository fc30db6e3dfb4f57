#include "methods/shock_propagation/loads.hpp"

#include "math/tangents.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace achilles {
namespace {

constexpr double kSoft = 1e-9;            // of the trace: a body on one point or one edge has a singular gram
constexpr double kUpward = 0.5;           // cosine: what pushes farther aside carries no weight
constexpr double kMostEnergyRatio = 100;  // of the energy to be taken out: less than a tenth of the pushes would stay

/// Push on b, by normal impulse, as nearly along `aim` as friction lets; zero where that is far from it.
Vec3 choose_push_direction(const ContactManifold& manifold, const Vec3& aim) {
  const double along = aim.dot(manifold.n);
  if (!(along > 0)) return Vec3::Zero();
  const Vec3 aside = aim / along - manifold.n;
  const double length = aside.norm();
  const Vec3 push =
      length > manifold.friction ? Vec3(manifold.n + aside * (manifold.friction / length)) : Vec3(aim / along);
  return aim.dot(push) < kUpward * push.norm() ? Vec3(Vec3::Zero()) : push;
}

Vec3 point_of(const ContactManifold::PerPoint (&lanes)[3], int i) { return {lanes[0][i], lanes[1][i], lanes[2][i]}; }

class LoadPropagation {
 public:
  LoadPropagation(World& world, const LoadOptions& options, const ShockIsland& island, ShockWorkspace& work)
      : bodies_(world.bodies),
        options_(options),
        manifolds_(island.manifolds),
        pushes_(std::span(work.loads.pushes).subspan(island.first_manifold, island.manifolds.size())),
        is_in_order_(island.blocks.size() == 1),
        order_(std::span(work.loads.order).subspan(island.first_manifold, island.manifolds.size())),
        layer_start_(work.loads.layer_start),
        height_(work.stack.layers.height),
        loads_(work.loads.bodies),
        step_(work.loads.step),
        before_(work.velocity_before),
        movable_(work.movable),
        inverse_mass_(work.inverse_mass),
        up_(-world.gravity.normalized()) {
    std::tie(level1_, level2_) = make_tangents(up_);
  }

  void run() {
    find_needs();
    sort();
    double put_in = 0;
    for (std::size_t last = order_.size(); last > 0;) {
      std::size_t first = last;
      while (first > 0 && manifolds_[order_[first - 1]].layer == manifolds_[order_[last - 1]].layer) --first;
      for (std::size_t k = first; k < last; ++k) accumulate_gram(order_[k]);
      for (std::size_t k = first; k < last; ++k) choose_impulses(order_[k]);
      for (std::size_t k = first; k < last; ++k) put_in += measure_energy_left(order_[k]);
      if (put_in > kMostEnergyRatio * to_take_out_) return;
      last = first;
    }
    const double taken = take_least_energy();
    for (std::size_t k = 0; k < manifolds_.size(); ++k) add_to_impulses(taken, k);
  }

 private:
  void find_needs() {
    for (const ContactManifold& manifold : manifolds_) {
      find_need(manifold.body_a);
      find_need(manifold.body_b);
    }
  }

  /// The impulse and torques that take the change of its velocity in this step back.
  void find_need(std::uint32_t body) {
    if (movable_[body] == 0 || loads_[body].step == step_) return;  // others are shared by the islands
    const Mat3 R = bodies_.orientation[body].toRotationMatrix();
    const Vec3 gain = bodies_.mass[body] * (bodies_.velocity[body].linear - before_[body].linear);
    const Vec3 turn_B = R.transpose() * (bodies_.velocity[body].angular - before_[body].angular);
    const Vec3 turn = R * (bodies_.inertia_B[body] * turn_B);
    loads_[body] = {};
    loads_[body].step = step_;
    loads_[body].need = -options_.fraction * Vec3(up_.dot(gain), level1_.dot(turn), level2_.dot(turn));
    to_take_out_ += energy_of(body, loads_[body].need[0]);
  }

  [[nodiscard]] double energy_of(std::uint32_t body, double upward_momentum) const {
    return 0.5 * upward_momentum * upward_momentum / bodies_.mass[body];
  }

  /// By layers, those of a layer as they come.
  void sort() {
    if (is_in_order_) {
      std::iota(order_.begin(), order_.end(), 0U);
      return;
    }
    layer_start_.clear();
    for (const ContactManifold& manifold : manifolds_) {
      if (manifold.layer + 1 >= layer_start_.size()) layer_start_.resize(manifold.layer + 2);
      ++layer_start_[manifold.layer + 1];
    }
    std::partial_sum(layer_start_.begin(), layer_start_.end(), layer_start_.begin());
    for (std::uint32_t k = 0; k < manifolds_.size(); ++k) order_[layer_start_[manifolds_[k].layer]++] = k;
  }

  [[nodiscard]] bool is_support(std::uint32_t k, int i) const {
    return manifolds_[k].gap[i] <= options_.touching && !pushes_[k].push.isZero(0);
  }

  /// Column of G for one point, for the upper or the lower body, as if pushed up.
  [[nodiscard]] Vec3 column(std::uint32_t k, int i, bool of_upper) const {
    const ContactManifold& manifold = manifolds_[k];
    const bool a_above = height_[manifold.body_a] > height_[manifold.body_b];
    const Vec3 push = a_above ? Vec3(-pushes_[k].push) : pushes_[k].push;
    const Vec3 torque = point_of(a_above == of_upper ? manifold.arm_a : manifold.arm_b, i).cross(push);
    return {up_.dot(push), level1_.dot(torque), level2_.dot(torque)};
  }

  void accumulate_gram(std::uint32_t k) {
    const ContactManifold& manifold = manifolds_[k];
    const std::uint32_t a = height_[manifold.body_a], b = height_[manifold.body_b];
    const std::uint32_t upper = a > b ? manifold.body_a : manifold.body_b;
    pushes_[k] = {};
    if (a == b) return;
    pushes_[k].push = choose_push_direction(manifold, a > b ? Vec3(-up_) : up_);
    for (int i = 0; i < manifold.count; ++i) {
      if (!is_support(k, i)) continue;
      const Vec3 g = column(k, i, true);
      loads_[upper].gram += g * g.transpose();
    }
  }

  void choose_impulses(std::uint32_t k) {
    const ContactManifold& manifold = manifolds_[k];
    if (pushes_[k].push.isZero(0)) return;
    const bool a_above = height_[manifold.body_a] > height_[manifold.body_b];
    const std::uint32_t upper = a_above ? manifold.body_a : manifold.body_b,
                        lower = a_above ? manifold.body_b : manifold.body_a;
    const Vec3 solution = solve(loads_[upper]);
    for (int i = 0; i < manifold.count; ++i) {
      if (!is_support(k, i)) continue;
      const Vec3 g = column(k, i, true);
      pushes_[k].normal[i] = std::max(-manifold.normal[i], g.dot(solution));
      loads_[upper].given += pushes_[k].normal[i] * g[0];
      if (movable_[lower] != 0) loads_[lower].need += pushes_[k].normal[i] * column(k, i, false);
    }
  }

  /// What the upper body of a manifold is left with, once it has been pressed; of each body once.
  double measure_energy_left(std::uint32_t k) {
    const ContactManifold& manifold = manifolds_[k];
    const std::uint32_t upper = height_[manifold.body_a] > height_[manifold.body_b] ? manifold.body_a : manifold.body_b;
    Load& load = loads_[upper];
    if (!load.is_known) return 0;
    load.is_known = false;
    return energy_of(upper, load.need[0] - load.given);
  }

  static Vec3 solve(Load& load) {
    if (!load.is_known) {
      Mat3 gram = load.gram;
      gram.diagonal().array() += kSoft * gram.trace();
      load.solution = gram.trace() > 0 ? Vec3(gram.ldlt().solve(load.need)) : Vec3(Vec3::Zero());
      load.is_known = true;
    }
    return load.solution;
  }

  /// The pushes of a manifold.
  [[nodiscard]] Wrench wrench(std::size_t k) const {
    Wrench sum;
    for (int i = 0; i < manifolds_[k].count; ++i) {
      const Vec3 impulse = pushes_[k].normal[i] * pushes_[k].push;
      sum.impulse += impulse;
      sum.turn_a += point_of(manifolds_[k].arm_a, i).cross(impulse);
      sum.turn_b += point_of(manifolds_[k].arm_b, i).cross(impulse);
    }
    return sum;
  }

  [[nodiscard]] double power(std::size_t k, const Wrench& of) const {
    return power_of(of, bodies_.velocity[manifolds_[k].body_a], bodies_.velocity[manifolds_[k].body_b]);
  }

  /// Returns the energy that the bodies gain.
  double apply(double share) {
    double energy = 0;
    for (std::size_t k = 0; k < manifolds_.size(); ++k) {
      if (pushes_[k].push.isZero(0)) continue;
      const Wrench of = wrench(k);
      energy += 0.5 * share * power(k, of);
      push(manifolds_[k].body_a, -share * of.impulse, -share * of.turn_a);
      push(manifolds_[k].body_b, share * of.impulse, share * of.turn_b);
      energy += 0.5 * share * power(k, of);
    }
    return energy;
  }

  void push(std::uint32_t body, const Vec3& impulse, const Vec3& torque) {
    if (movable_[body] == 0) return;
    bodies_.velocity[body].linear += inverse_mass_[body].linear.cwiseProduct(impulse);
    bodies_.velocity[body].angular += inverse_mass_[body].angular * torque;
  }

  /// Applies the share of the pushes that has the least energy, and returns it.
  double take_least_energy() {
    const double energy = apply(1);  // a + b
    double slope = 0;                // a + 2 b
    for (std::size_t k = 0; k < manifolds_.size(); ++k) slope += power(k, wrench(k));
    const double b = slope - energy;
    if (slope <= 0 || b <= 0) return 1;
    const double least = std::max(0.0, 1 - slope / (2 * b));
    (void)apply(least - 1);
    return least;
  }

  void add_to_impulses(double share, std::size_t k) {
    ContactManifold& manifold = manifolds_[k];
    const double along1 = share * manifold.t1.dot(pushes_[k].push), along2 = share * manifold.t2.dot(pushes_[k].push);
    for (int i = 0; i < manifold.count; ++i) {
      manifold.normal[i] += share * pushes_[k].normal[i];
      manifold.slip1[i] += along1 * pushes_[k].normal[i];
      manifold.slip2[i] += along2 * pushes_[k].normal[i];
    }
  }

  BodyArrays& bodies_;
  LoadOptions options_;
  std::span<ContactManifold> manifolds_;
  std::span<LoadPush> pushes_;
  bool is_in_order_;
  std::span<std::uint32_t> order_;
  std::vector<std::uint32_t>& layer_start_;
  const std::vector<std::uint32_t>& height_;
  std::vector<Load>& loads_;
  std::uint64_t step_;
  std::span<const BodyVelocity> before_;
  std::span<const std::uint8_t> movable_;
  std::span<const BodyInverseMass> inverse_mass_;
  Vec3 up_, level1_, level2_;
  double to_take_out_ = 0;  // [J]
};

}  // namespace

void propagate_loads(World& world, const LoadOptions& options, const ShockIsland& island, ShockWorkspace& work) {
  LoadPropagation(world, options, island, work).run();
}

}  // namespace achilles
