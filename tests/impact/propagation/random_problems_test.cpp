// Every impact ends.                                                                  [Vouga17, theorems 5.4 and 7.3]
#include "impact/random_problems.hpp"

#include <cinttypes>
#include <cstdio>

namespace achilles::testing {
namespace {

/// Watches every application from outside and checks it with the rows as they were given: only while no equality
/// constraint was removed, since afterwards impulses act along projected gradients.
class Witness {
 public:
  explicit Witness(const TouchingBodies& bodies) : bodies_(bodies), velocities_(bodies.velocities) {}

  void watch(ImpactWorkspace& scratch) {
    scratch.propagation.observer = [this](const ImpactApplication& application) { see(application); };
  }
  [[nodiscard]] const std::string& fault() const { return fault_; }

 private:
  void see(const ImpactApplication& application) {
    if (!fault_.empty()) return;
    // ‖q‖_M of the part alone, which is what its tolerance refers to.
    double size = 0;
    for (const std::uint32_t body : application.bodies) size += energy_of(body, velocities_[body]);
    size = std::sqrt(2 * size);
    double total = size;
    bool struck = false;
    std::vector<BodyVelocity> after = velocities_;
    for (std::size_t k = 0; k < application.rows.size(); ++k) {
      const Row& row = bodies_.rows[application.rows[k]];
      const double impulse = application.impulses[k], norm = bodies_.row_norm(application.rows[k]);
      if (impulse < 0) fault_ = "ONE";
      if (impulse > 0 && row_velocity(row, velocities_) / norm > -0.9e-9 * size) fault_ = "VIO";
      struck |= impulse > 0;
      total += impulse * norm;
      apply_impulse(row, impulse, after);
    }
    if (!struck) fault_ = "MOD";
    double difference = 0, energy_before = 0, energy_after = 0;
    for (std::size_t i = 0; i < application.bodies.size(); ++i) {
      const std::uint32_t body = application.bodies[i];
      const Vec3 linear(application.velocity.data() + 6 * i), angular(application.velocity.data() + 6 * i + 3);
      difference += energy_of(body, {after[body].linear - linear, after[body].angular - angular});
      energy_before += energy_of(body, velocities_[body]);
      velocities_[body] = {linear, angular};
      energy_after += energy_of(body, velocities_[body]);
    }
    if (std::sqrt(2 * difference) > 1e-12 * total) fault_ = "NORM";
    if (std::abs(energy_after - energy_before) > 1e-12 * total * total) fault_ = "KIN";
  }

  [[nodiscard]] double energy_of(std::uint32_t body, const BodyVelocity& v) const {
    double energy = 0.5 * bodies_.mass(body) * v.linear.squaredNorm();
    if (!bodies_.inverse_mass[body].angular.isZero(0)) {
      energy += 0.5 * v.angular.dot(bodies_.inverse_mass[body].angular.inverse() * v.angular);
    }
    return energy;
  }

  const TouchingBodies& bodies_;
  std::vector<BodyVelocity> velocities_;
  std::string fault_;
};

TEST(RandomImpacts, EveryOneEndsAndKeepsAllDesiderata) {
  RandomProblems problems(2017);
  const auto operators = make_operators();
  std::vector<std::int64_t> worst(operators.size(), 0);
  int with_lineality = 0, faults = 0, unexplained = 0, hastened = 0;
  const int count = sized(1000, 100000);
  for (int trial = 0; trial < count && faults < 10; ++trial) {
    const TouchingBodies bodies = problems.make(60);
    const std::size_t k = static_cast<std::size_t>(trial) % operators.size();
    TouchingBodies copy = bodies;
    Witness witness(bodies);
    witness.watch(copy.scratch);
    const double energy = copy.kinetic_energy();
    const ImpactReport report = copy.resolve(operators[k].second);
    with_lineality += report.lineality > 0;
    worst[k] = std::max(worst[k], report.iterations_max);
    const std::string where = operators[k].first + ", trial " + std::to_string(trial);
    const int before = ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count();
    EXPECT_EQ(to_string(report.status), to_string(ImpactStatus::kResolved)) << where;
    hastened += report.hastened_parts > 0;
    if (report.lineality == 0) {
      EXPECT_EQ(witness.fault(), "") << where;
    }
    EXPECT_LE(copy.violation(), 1.1e-9 * std::sqrt(energy / copy.kinetic_energy())) << where;
    EXPECT_NEAR(copy.kinetic_energy() + report.energy_removed, energy, 1e-12 * energy) << where;
    for (const double impulse : copy.impulses) EXPECT_GE(impulse, 0) << where;
    // The report is honest about impulses, and they fall short only where contacts are nearly, not exactly, opposed.
    // Adding up impulses rounds in proportion to them, renormalization by a rounding per application.
    const double rounding = 1e-14 * (1 + copy.total_impulse() / std::sqrt(energy)) + 1e-15 * report.iterations;
    EXPECT_LE(copy.unexplained_share(bodies.velocities), 1.01 * report.impulse_residual + rounding) << where;
    EXPECT_LE(report.impulse_residual, report.lineality == 0 ? 10 * rounding : 2) << where;
    unexplained += report.impulse_residual > 1e-6;
    faults += ::testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count() > before;
  }
  EXPECT_GT(with_lineality, count / 10);
  for (std::size_t k = 0; k < operators.size(); ++k) {
    std::printf("%s: at most %" PRId64 " applications\n", operators[k].first.c_str(), worst[k]);
  }
  std::printf("%d of %d held opposed contacts, in %d impulses do not tell the whole change; %d ran out of patience\n",
              with_lineality, count, unexplained, hastened);
}

}  // namespace
}  // namespace achilles::testing
