// A ball in a planar wedge of angle θ, normals (0, 1) and (sin θ, −cos θ).                         [Vouga17, fig. 3]
//
// A reflection at a wall is the same as going straight on into the wall's mirror image. Straight flight crosses the
// images, which lie at multiples of θ, until it is within the last of a half turn: with the velocity coming from
// direction α (so that −velocity points to angle α within [0, θ] of the wedge), it crosses the walls at angles in (α, α
// + π). So the number of reflections is the number of multiples of θ strictly between α and α + π.
#include <numbers>

#include "impact/touching_bodies.hpp"

namespace achilles::testing {
namespace {

constexpr double kPi = std::numbers::pi;

TouchingBodies make_wedge(double theta, double from_angle) {
  TouchingBodies wedge;
  wedge.add_ball(1, {-std::cos(from_angle), -std::sin(from_angle), 0});
  wedge.add_contact(TouchingBodies::kWall, 0, Vec3(0, 1, 0));
  wedge.add_contact(TouchingBodies::kWall, 0, Vec3(std::sin(theta), -std::cos(theta), 0));
  return wedge;
}

std::int64_t count_images(double theta, double from_angle) {
  // Multiples k θ with from < k θ < from + π.
  return static_cast<std::int64_t>(std::ceil((from_angle + kPi) / theta) - 1 - std::floor(from_angle / theta));
}

TEST(Wedge, ReflectionsAreCountedByMirrorImages) {
  for (const double degrees : {90.0, 60.0, 45.0, 37.0, 30.0, 20.0, 11.3, 10.0, 5.0, 3.7, 2.0, 1.0, 0.5, 0.25, 0.1}) {
    const double theta = degrees * kPi / 180;
    for (const double share : {0.13, 0.37, 0.71, 0.9}) {
      const double from = share * theta;
      for (const Selection selection : {Selection::kLexicographic, Selection::kMostViolated, Selection::kRandom}) {
        TouchingBodies wedge = make_wedge(theta, from);
        GaussSeidelLaw law;
        law.selection = selection;
        const ImpactReport report = wedge.resolve(law);
        EXPECT_EQ(report.status, ImpactStatus::kResolved);
        // Which wall comes first decides between the images above and below; both are counted from the wall struck.
        const std::int64_t above = count_images(theta, from), below = count_images(theta, theta - from);
        EXPECT_TRUE(report.iterations == above || report.iterations == below)
            << degrees << " degrees, share " << share << ": " << report.iterations << " for " << above << " or "
            << below;
        EXPECT_NEAR(wedge.velocities[0].linear.norm(), 1, 1e-13);
        EXPECT_EQ(report.lineality, 0);
      }
    }
  }
}

// Lexicographic order strikes the floor first, (0, 1). The image count from the floor is exact, not a choice of two.
TEST(Wedge, LexicographicOrderMeetsTheImagesAboveTheFloor) {
  for (const double degrees : {90.0, 45.0, 30.0, 10.0, 1.0, 0.1}) {
    const double theta = degrees * kPi / 180;
    TouchingBodies wedge = make_wedge(theta, 0.37 * theta);
    EXPECT_EQ(wedge.resolve(GaussSeidelLaw{}).iterations, count_images(theta, theta - 0.37 * theta)) << degrees;
  }
}

// The certificates w_i = (cos iθ/3, sin iθ/3), i = 1, 2: ⟨w_i, q⟩ rises with every application, [Vouga17, lemma 5.1].
TEST(Wedge, CertificatesRiseMonotonically) {
  for (const double degrees : {90.0, 30.0, 10.0, 3.0, 1.0, 0.1}) {
    const double theta = degrees * kPi / 180;
    for (const auto& one : make_operators()) {
      const auto& name = one.first;
      const auto& law = one.second;
      TouchingBodies wedge = make_wedge(theta, 0.41 * theta);
      double k[2] = {-1, -1};
      wedge.scratch.propagation.observer = [&](const ImpactApplication& application) {
        for (int i = 0; i < 2; ++i) {
          const double angle = (i + 1) * theta / 3;
          const double now = std::cos(angle) * application.velocity[0] + std::sin(angle) * application.velocity[1];
          EXPECT_GT(now, k[i]) << name << ", " << degrees << " degrees, application " << application.iteration;
          k[i] = now;
        }
      };
      ASSERT_EQ(wedge.resolve(law).status, ImpactStatus::kResolved) << name;
      // Out of the wedge: within θ of both certificates.
      EXPECT_GE(std::min(k[0], k[1]), std::cos(theta) - 1e-12);
    }
  }
}

// Both walls at once: reflection about the inelastic outcome, which is rest in the corner, so the ball goes back where
// it came from in one application, whatever θ.
TEST(Wedge, GeneralizedReflectionSendsABallInTheCornerStraightBack) {
  for (const double degrees : {90.0, 10.0, 1.0, 0.1}) {
    const double theta = degrees * kPi / 180, from = 0.4 * theta;
    TouchingBodies wedge = make_wedge(theta, from);
    const ImpactReport report = wedge.resolve(GeneralizedReflectionsLaw{});
    EXPECT_EQ(report.iterations, 1);
    EXPECT_NEAR(wedge.velocities[0].linear.x(), std::cos(from), 1e-11);
    EXPECT_NEAR(wedge.velocities[0].linear.y(), std::sin(from), 1e-11);
  }
}

// The margin of the wedge is sin(θ/2): the bisector opens both walls by as much.
TEST(Wedge, MarginIsTheSineOfHalfItsAngle) {
  for (const double degrees : {90.0, 20.0, 1.0, 0.1}) {
    const double theta = degrees * kPi / 180;
    TouchingBodies wedge = make_wedge(theta, 0.4 * theta);
    const ImpactReport report = wedge.resolve(GaussSeidelLaw{});
    EXPECT_NEAR(report.margin, std::sin(theta / 2), 1e-12);
  }
}

// Closer to shut than the margin asked for, a wedge counts as shut: the ball keeps the velocity along it, nothing else.
TEST(Wedge, NarrowerThanTheMarginItIsShut) {
  const double theta = 1e-6;
  TouchingBodies wedge = make_wedge(theta, kPi / 2);
  wedge.velocities[0].linear.z() = 2;
  const ImpactReport report = wedge.resolve(GaussSeidelLaw{});
  EXPECT_EQ(report.status, ImpactStatus::kResolved);
  EXPECT_GE(report.lineality, 1);
  EXPECT_LE(wedge.violation(), 1e-6);
  EXPECT_EQ(wedge.velocities[0].linear.z(), 2);
}

}  // namespace
}  // namespace achilles::testing
