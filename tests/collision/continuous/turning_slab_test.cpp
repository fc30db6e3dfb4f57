// The slab that turns along with what it separates, against the gap itself.
#include "collision/continuous/turning_slab.hpp"
#include "collision/continuous/moving.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

using namespace continuous_test;

FlyingCore make_flying(const ConvexCore& core, const BallisticMotion& motion) {
  return {&core, motion.X_WG, motion.center, motion.velocity, motion.spin, motion.acceleration};
}

// At time 0 the slab is as wide as the gap; later it lies within the gap, whatever the motion, and it is concave.
TEST(TurningSlab, LiesWithinTheGapOfRandomPairs) {
  Draw draw(11);
  const int pairs = choose_count(100000, 2000);
  int looked_at = 0;
  for (int i = 0; i < pairs; ++i) {
    const auto a = make_solid(draw_shape(draw)), b = make_solid(draw_shape(draw));
    const ConvexCore core_a = make_core(*a), core_b = make_core(*b);
    if (!TurningSlab::is_possible(core_a) || !TurningSlab::is_possible(core_b)) continue;
    BallisticMotion motion_a = make_motion(Vec3::Zero(), draw.vector(5), draw.vector(20));
    BallisticMotion motion_b = make_motion(draw.number(0.8, 2) * draw.direction(), draw.vector(5), draw.vector(20));
    motion_a.X_WG.R = draw.rotation();
    motion_b.X_WG.R = draw.rotation();
    motion_b.acceleration = draw.vector(20);
    // Down to a hair above touch.
    const Motion before_a = motion_a, before_b = motion_b;
    SignedDistance gap = MovingPair(*a, before_a, *b, before_b).compute_gap(0);
    if (gap.distance < 1e-3) continue;
    const Vec3 shift = (gap.distance - std::pow(10.0, draw.number(-7, -3))) * gap.normal;
    motion_b.X_WG.p -= shift;
    motion_b.center -= shift;
    const Motion moving_b = motion_b;
    const MovingPair pair(*a, before_a, *b, moving_b);
    gap = pair.compute_gap(0);
    const TurningSlab slab(make_flying(core_a, motion_a), make_flying(core_b, motion_b), gap.normal, gap.point_a);
    ++looked_at;
    ASSERT_NEAR(slab(0), gap.distance, 1e-9) << i;
    double last = slab(0), fall = -std::numeric_limits<double>::infinity();
    for (const double s : {1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2}) {
      ASSERT_LE(slab(s), pair.compute_gap(s).distance + 1e-9) << i << " at " << s;
    }
    for (int k = 1; k <= 20; ++k) {
      const double now = slab(1e-3 * k);
      ASSERT_GE(last - now, fall - 1e-12) << i;
      fall = last - now;
      last = now;
    }
  }
  EXPECT_GT(looked_at, pairs / 20);
}

/// Two rods that lie across each other, `gap` apart, the upper one turning about an axis between them.
int count_iterations(const Vec3& spin, const Vec3& velocity, double gap) {
  const auto rod = make_solid({Box{Vec3(1, 0.1, 0.1)}});
  // Edges up and down, one along x, the other along y.
  const Quat edge(Eigen::AngleAxisd(M_PI / 4, Vec3::UnitX()));
  BallisticMotion lower = make_motion(Vec3::Zero());
  lower.X_WG.R = edge.toRotationMatrix();
  const double height = 0.1 * std::sqrt(2.0) + gap;
  BallisticMotion upper = make_motion(Vec3(0, 0, height), velocity, spin);
  upper.X_WG.R = (Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ())) * edge).toRotationMatrix();
  const FirstContact found = find_first_contact({*rod, lower, *rod, upper}, 0.002, {.tolerance = 1e-7});
  EXPECT_NE(found.status, ContactSearchStatus::kCapped);
  return found.iterations;
}

// An edge that rocks on another: its ends come down at metres per second where nothing is. A direction held fixed
// certifies no more than the tolerance over that speed at a time, 10,000 steps here; one that turns along goes by the
// curvature of the motion, √(ε/|w × (w × r)|): some dozens.
TEST(TurningSlab, RockingEdgesTakeDozensOfStepsNotThousands) {
  EXPECT_LT(count_iterations(Vec3(10, 0, 0), Vec3::Zero(), 2e-7), 100);
  EXPECT_LT(count_iterations(Vec3(0, 10, 0), Vec3(0.3, 0.2, 0), 2e-7), 100);
  EXPECT_LT(count_iterations(Vec3(7, -5, 3), Vec3(0.5, -0.5, 0.01), 2e-7), 100);
}

}  // namespace
}  // namespace achilles
