// One collision with friction, integrated over the normal impulse.                    [Mirtich95, sec. 4], [Routh05]
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <numbers>
#include <sstream>

#include "impact/law/two_body.hpp"
#include "impact/random_problems.hpp"
#include "support/source_folder.hpp"

namespace achilles::testing {
namespace {

/// K of a rod of half length l and mass m whose lower end hits the floor, leaning towards +x by `lean` from the floor.
Mat3 rod_response(double m, double l, double lean) {
  const double I = m * l * l / 3, x = -l * std::cos(lean), z = -l * std::sin(lean);
  Mat3 K = Mat3::Identity() / m;
  K(0, 0) += z * z / I;
  K(2, 2) += x * x / I;
  K(0, 2) = K(2, 0) = -x * z / I;
  K(1, 1) += (x * x + z * z) / I;
  return K;
}

/// A sphere against something immovable: tangents turn it, the normal does not.
Mat3 sphere_response(double m) { return Vec3(3.5 / m, 3.5 / m, 1 / m).asDiagonal(); }

/// Two bodies of random shape meeting at a random point.
TwoBodyCollision random_collision(RandomProblems& random) {
  TwoBodyCollision c;
  c.K.setZero();
  for (int body = 0; body < 2; ++body) {
    const double m = std::pow(10.0, 2 * random.unit() - 1);
    const Vec3 squares = Vec3(0.1 + random.unit(), 0.1 + random.unit(), 0.1 + random.unit()).cwiseAbs2();
    const Vec3 moments = m / 3 * Vec3(squares.y() + squares.z(), squares.x() + squares.z(), squares.x() + squares.y());
    const Quat q = Quat(random.normal(), random.normal(), random.normal(), random.normal()).normalized();
    const Mat3 inverse = q.toRotationMatrix() * moments.cwiseInverse().asDiagonal() * q.toRotationMatrix().transpose();
    const Vec3 r = random.vector();
    Mat3 cross;
    cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
    c.K += Mat3::Identity() / m - cross * inverse * cross;
  }
  c.u = random.vector();
  c.u.z() = -std::abs(c.u.z()) - 1e-3;
  c.restitution = random.integer(4) == 0 ? std::round(random.unit()) : random.unit();
  c.friction = 2 * random.unit() * random.unit();
  return c;
}

double energy_gain(const TwoBodyCollision& c, const Vec3& p) { return p.dot(c.u + 0.5 * c.K * p); }

/// Routh's construction in the plane: straight pieces, solved by hand.
Vec3 routh(const TwoBodyCollision& c) {
  const double xx = c.K(0, 0), xz = c.K(0, 2), zz = c.K(2, 2);
  double px = 0, pz = 0, ux = c.u.x(), uz = c.u.z(), end = -1;
  const auto resting_slope = [&] {
    const double stick = -xz / xx;
    return std::abs(stick) <= c.friction ? stick : (xz > 0 ? -c.friction : c.friction);
  };
  double slope = ux == 0 ? resting_slope() : (ux > 0 ? -c.friction : c.friction);
  bool sliding = ux != 0;
  for (;;) {
    const double ux_rate = xx * slope + xz, uz_rate = xz * slope + zz;
    double step = end >= 0 ? end - pz : (uz_rate > 0 ? -uz / uz_rate : 1e300);
    const bool stops = sliding && ux * ux_rate < 0 && -ux / ux_rate < step;
    if (stops) step = -ux / ux_rate;
    px += slope * step;
    pz += step;
    ux += ux_rate * step;
    uz += uz_rate * step;
    if (stops) {
      ux = 0;
      sliding = false;
      slope = resting_slope();
    } else if (end < 0) {
      end = (1 + c.restitution) * pz;
      uz = 0;
      if (end == pz) break;
    } else {
      break;
    }
  }
  return {px, 0, pz};
}

TEST(MirtichLaw, PlanarCollisionsFollowRouthsConstruction) {
  RandomProblems random(31);
  std::array<int, 4> seen{};
  for (int trial = 0; trial < sized(5000, 100000); ++trial) {
    TwoBodyCollision c;
    c.K = rod_response(0.2 + random.unit(), 0.2 + random.unit(), 0.05 + 1.5 * random.unit());
    c.u = {random.integer(5) == 0 ? 0.0 : random.normal(), 0, -0.01 - random.unit()};
    c.friction = 1.5 * random.unit();
    c.restitution = random.unit();
    const MirtichOutcome outcome = collide_mirtich(c, MirtichLaw{});
    const Vec3 expected = routh(c);
    ASSERT_TRUE(outcome.complete);
    EXPECT_LE((outcome.p - expected).norm(), 1e-9 * expected.norm()) << "trial " << trial;
    ++seen[static_cast<std::size_t>(outcome.path)];
  }
  EXPECT_GT(seen[static_cast<std::size_t>(SlidingPath::kSlides)], 0);
  EXPECT_GT(seen[static_cast<std::size_t>(SlidingPath::kSticks)], 0);
  EXPECT_GT(seen[static_cast<std::size_t>(SlidingPath::kReverses)], 0);
}

// A sphere keeps sliding while µ (1 + e) |u_z| 7/2 < |u_t|, and leaves rolling otherwise.
TEST(MirtichLaw, SphereSlidesOrRolls) {
  for (const double mu : {0.05, 0.1, 0.3}) {
    for (const double e : {0.0, 0.5, 1.0}) {
      TwoBodyCollision c{sphere_response(2), {0.6, -0.8, -1}, e, mu};
      const Vec3 u = collide_mirtich(c, MirtichLaw{}).u;
      const double slip = std::max(0.0, 1 - 3.5 * mu * (1 + e));
      EXPECT_NEAR(u.x(), 0.6 * slip, 1e-12);
      EXPECT_NEAR(u.y(), -0.8 * slip, 1e-12);
      EXPECT_NEAR(u.z(), e, 1e-12);
    }
  }
}

// Figure 6: the rod's end does not slide when it hits, but the normal impulse turns the rod and drives it sideways
// against friction, which is too weak: u_x = (K_xz − µ K_xx) p_z from the start.
TEST(MirtichLaw, RodStartsToSlideThoughFrictionResists) {
  TwoBodyCollision c{rod_response(1, 0.5, std::numbers::pi / 4), {0, 0, -1}, 0.5, 0.2};
  c.K(0, 2) *= -1;  // leaning towards −x
  c.K(2, 0) *= -1;
  const double xz = c.K(0, 2), xx = c.K(0, 0);
  ASSERT_GT(std::abs(xz), c.friction * xx);
  std::vector<MirtichSample> path;
  const MirtichOutcome outcome = collide_mirtich(c, MirtichLaw{}, &path);
  EXPECT_EQ(outcome.path, SlidingPath::kSlides);
  ASSERT_GT(path.size(), 4U);
  for (const MirtichSample& sample : path) {
    const double expected = (xz - (xz > 0 ? 1 : -1) * c.friction * xx) * sample.p_z;
    EXPECT_NEAR(sample.u.x(), expected, 1e-12);
    EXPECT_NEAR(sample.u.y(), 0, 1e-15);
  }
}

// Figure 7: path A slides throughout, C stops and stays, B stops and slides on in a direction of its own. All three
// from one response matrix; only friction differs. Path B comes to a stop because its direction is drawn to the one
// that leads into rest: the response is much stiffer across it, K_xx ≫ K_yy.
TEST(MirtichLaw, PathsABAndCOfFigureSeven) {
  TwoBodyCollision c;
  c.K << 10, 0.5, 0.6, 0.5, 1, 1, 0.6, 1, 2.5;
  c.u = {0.05, -0.3, -2};
  c.restitution = 0.5;
  const auto run = [&c](double mu, std::vector<MirtichSample>& path) {
    c.friction = mu;
    return collide_mirtich(c, MirtichLaw{}, &path);
  };
  // Sticking needs (α, β) with K_tt (α, β) = −K_tz, [Mirtich95, eq. 10].
  const double sticking = (c.K.topLeftCorner<2, 2>().inverse() * c.K.topRightCorner<2, 1>()).norm();
  std::vector<MirtichSample> a, b, stuck;
  EXPECT_EQ(run(0.01, a).path, SlidingPath::kSlides);
  for (const MirtichSample& sample : a) EXPECT_GT(sample.u.head<2>().norm(), 1e-3);
  const MirtichOutcome C = run(1.2 * sticking, stuck);
  EXPECT_EQ(C.path, SlidingPath::kSticks);
  EXPECT_LE(C.u.head<2>().norm(), 1e-9);
  const MirtichOutcome B = run(0.5 * sticking, b);
  EXPECT_EQ(B.path, SlidingPath::kSticksSlides);
  double least = 1;
  for (const MirtichSample& sample : b) least = std::min(least, sample.u.head<2>().norm());
  EXPECT_LE(least, 1e-9);
  EXPECT_GT(B.u.head<2>().norm(), 1e-3);
}

// Equation 9 by many small steps of Heun's method, without any of the reformulation.
TEST(MirtichLaw, CurvedSlidingAgreesWithSmallSteps) {
  RandomProblems random(33);
  int compared = 0;
  for (int trial = 0; trial < 200; ++trial) {
    TwoBodyCollision c = random_collision(random);
    c.friction *= 0.3;
    const MirtichOutcome outcome = collide_mirtich(c, MirtichLaw{});
    if (outcome.path != SlidingPath::kSlides) continue;
    const auto rate = [&c](const Vec3& u) {
      const Vec2 t = u.head<2>().normalized();
      return Vec3(c.K * Vec3(-c.friction * t.x(), -c.friction * t.y(), 1));
    };
    Vec3 u = c.u;
    const int steps = 4000;
    const double h = outcome.p.z() / steps;
    double slowest = u.head<2>().norm();
    for (int k = 0; k < steps; ++k) {
      const Vec3 first = rate(u);
      u += 0.5 * h * (first + rate(u + h * first));
      slowest = std::min(slowest, u.head<2>().norm());
    }
    if (slowest < 0.05 * c.u.norm()) continue;  // Heun is inaccurate where the direction turns fast
    EXPECT_LE((u - outcome.u).norm(), 2e-5 * c.u.norm()) << "trial " << trial;
    ++compared;
  }
  EXPECT_GT(compared, 50);
}

TEST(MirtichLaw, NeverGainsEnergyAndStaysWithinTheCone) {
  RandomProblems random(34);
  std::array<int, 4> seen{};
  double worst = -1e300;
  for (int trial = 0; trial < sized(20000, 1000000); ++trial) {
    const TwoBodyCollision c = random_collision(random);
    MirtichLaw law;
    law.hypothesis = trial % 2 == 0 ? RestitutionHypothesis::kPoisson : RestitutionHypothesis::kStronge;
    const MirtichOutcome outcome = collide_mirtich(c, law);
    const double scale = 0.5 * c.u.dot(c.K.inverse() * c.u);  // energy of the relative motion
    ASSERT_TRUE(outcome.complete) << "trial " << trial;
    ASSERT_LE(energy_gain(c, outcome.p), 1e-9 * scale) << "trial " << trial;
    ASSERT_LE(outcome.p.head<2>().norm(), c.friction * outcome.p.z() * (1 + 1e-9) + 1e-300) << "trial " << trial;
    ASSERT_GE(outcome.u.z(), -1e-8 * c.u.norm()) << "trial " << trial;
    if (law.hypothesis == RestitutionHypothesis::kPoisson) {
      ASSERT_NEAR(outcome.p.z(), (1 + c.restitution) * outcome.compression_impulse, 1e-9 * outcome.p.z());
    }
    worst = std::max(worst, energy_gain(c, outcome.p) / scale);
    ++seen[static_cast<std::size_t>(outcome.path)];
  }
  std::printf("slides %d, sticks %d, sticks and slides %d, reverses %d; largest relative gain %.3g\n", seen[0], seen[1],
              seen[2], seen[3], worst);
  for (int path = 0; path < 3; ++path) EXPECT_GT(seen[static_cast<std::size_t>(path)], 0);
}

// Friction can turn the sliding into a direction along which pushing brings the bodies nearer, [Mirtich95, footnote 1].
// After one compression and its restitution they then approach; a second one parts them.
TEST(MirtichLaw, BodiesThatApproachAgainWhileTheyPartAreCompressedAgain) {
  std::ifstream in(source_folder() / "tests/data/impact/recompression.txt");
  int read = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    double k[6];
    TwoBodyCollision c;
    for (double& entry : k) words >> entry;
    words >> c.u.x() >> c.u.y() >> c.u.z() >> c.restitution >> c.friction;
    ASSERT_TRUE(words) << line;
    c.K << k[0], k[1], k[2], k[1], k[3], k[4], k[2], k[4], k[5];
    ++read;
    const MirtichOutcome outcome = collide_mirtich(c, MirtichLaw{});
    EXPECT_TRUE(outcome.complete);
    EXPECT_EQ(outcome.compressions, 2);
    EXPECT_GE(outcome.u.z(), 0);
    EXPECT_LE(energy_gain(c, outcome.p), 0);
    EXPECT_NEAR(outcome.p.z(), (1 + c.restitution) * outcome.compression_impulse, 1e-12 * outcome.p.z());
  }
  EXPECT_EQ(read, 5);
}

// Without friction every law is Newton's: p_z = (1 + e) |u_z| / K_zz.
TEST(TwoBodyLaws, AgreeWithoutFriction) {
  RandomProblems random(35);
  for (int trial = 0; trial < 1000; ++trial) {
    TwoBodyCollision c = random_collision(random);
    c.friction = 0;
    const Vec3 expected(0, 0, -(1 + c.restitution) * c.u.z() / c.K(2, 2));
    MirtichLaw stronge;
    stronge.hypothesis = RestitutionHypothesis::kStronge;
    EXPECT_LE((collide_newton(c) - expected).norm(), 1e-12 * expected.norm());
    EXPECT_LE((collide_poisson(c) - expected).norm(), 1e-12 * expected.norm());
    EXPECT_LE((collide_mirtich(c, MirtichLaw{}).p - expected).norm(), 1e-12 * expected.norm());
    EXPECT_LE((collide_mirtich(c, stronge).p - expected).norm(), 1e-9 * expected.norm());
  }
}

// Kane's paradox: Newton's restitution with friction can raise the energy; integrating over the impulse cannot.
TEST(TwoBodyLaws, NewtonsLawMayGainEnergyWhereMirtichsDoesNot) {
  RandomProblems random(36);
  int gains = 0;
  for (int trial = 0; trial < 5000; ++trial) {
    const TwoBodyCollision c = random_collision(random);
    const double scale = 0.5 * c.u.dot(c.K.inverse() * c.u);
    if (energy_gain(c, collide_newton(c)) <= 1e-6 * scale) continue;
    ++gains;
    EXPECT_LE(energy_gain(c, collide_mirtich(c, MirtichLaw{}).p), 1e-9 * scale);
  }
  EXPECT_GT(gains, 0);
}

// [Mirtich95, sec. 4.5]: a slow approach is answered by reversing the whole contact velocity if the cone allows, which
// does no work; a fast one, or one outside the cone, by the full computation.
TEST(MirtichLaw, MicrocollisionsReverseTheContactVelocityWithoutWork) {
  TwoBodyCollision c{sphere_response(1), {0.001, 0, -0.01}, 0.3, 0.5};
  MirtichLaw law;
  law.microcollision_speed = 0.05;
  const MirtichOutcome outcome = collide_mirtich(c, law);
  EXPECT_TRUE(outcome.microcollision);
  EXPECT_LE((outcome.u + c.u).norm(), 1e-15);
  EXPECT_NEAR(energy_gain(c, outcome.p), 0, 1e-18);
  c.u.x() = 1;  // p = (−2 · 2/7, 0, 0.02): far outside
  EXPECT_FALSE(collide_mirtich(c, law).microcollision);
  c.u = {0, 0, -1};
  EXPECT_FALSE(collide_mirtich(c, law).microcollision);
}

}  // namespace
}  // namespace achilles::testing
