// Random moving pairs against fine sampling of the gap.
#include "collision/continuous/moving.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace achilles {
namespace {

using namespace continuous_test;

constexpr double kTolerance = 1e-5;  // [m]

struct RandomPair {
  std::shared_ptr<const Geometry> a, b;
  Motion motion_a, motion_b;

  explicit RandomPair(Draw& draw) : a(make_solid(draw_shape(draw))), b(make_solid(draw_shape(draw))) {
    // They fly roughly towards each other, at up to 50 m/s: a good part of the pairs meets.
    motion_a = draw_motion(draw, Vec3::Zero());
    motion_b = draw_motion(draw, draw.number(0.8, 2) * draw.direction());
  }
  MovingPair moving() const { return {*a, motion_a, *b, motion_b}; }

 private:
  static BallisticMotion draw_motion(Draw& draw, const Vec3& position) {
    BallisticMotion motion = make_motion(position, draw.number(0, 20) * draw.direction() - 15 * position,
                                         std::pow(10.0, draw.number(-1, 2)) * draw.direction());
    motion.X_WG.R = draw.rotation();
    motion.center += draw.vector(0.1);
    if (draw.index(2) == 0) motion.acceleration = draw.vector(20);
    return motion;
  }
};

constexpr double kInterval = 0.05;  // [s] up to five radians of spin

TEST(RandomMovingPairs, FirstContactIsNeverMissedAndNeverLate) {
  Draw draw(1);
  const int pairs = choose_count(100000, 1500);
  const int samples = 64;
  int contacts = 0;
  int most_iterations = 0;
  double iterations = 0;
  for (int i = 0; i < pairs; ++i) {
    const RandomPair random(draw);
    const MovingPair pair = random.moving();
    const FirstContact found = find_first_contact(pair, kInterval, {.tolerance = kTolerance});
    ASSERT_TRUE(found.status == ContactSearchStatus::kApart || found.status == ContactSearchStatus::kContact) << i;
    most_iterations = std::max(most_iterations, found.iterations);
    iterations += found.iterations;
    const bool contact = found.status == ContactSearchStatus::kContact;
    contacts += contact ? 1 : 0;
    if (contact) {
      ASSERT_LE(pair.compute_gap(found.time).distance, kTolerance) << i;
    }
    if (found.time == 0) continue;  // touched from the start: there is no time before
    // Up to the reported time the gap is at least half the tolerance, up to the 1e-9 the distance itself is good for.
    // Half of the samples over the whole time, half close before its end, where a late report would show first.
    for (int k = 0; k < samples; ++k) {
      const double share = (k + draw.number(0, 1)) / samples;
      const double t = k % 2 == 0 ? share * found.time : found.time * (1 - std::pow(10.0, -8 * share));
      ASSERT_GE(pair.compute_gap(t).distance, 0.5 * kTolerance - 1e-9) << "pair " << i << " at " << t;
    }
  }
  // The sample must be of some use, and the bound on iterations is what makes the cap of 1,000 harmless.
  EXPECT_GT(contacts, pairs / 5);
  EXPECT_LT(contacts, pairs * 9 / 10);
  EXPECT_LT(most_iterations, 300);
  EXPECT_LT(iterations / pairs, 12);
  RecordProperty("most_iterations", most_iterations);
  RecordProperty("mean_iterations", std::to_string(iterations / pairs));
}

/// Until the first contact that deepens, the sampled gap stays above min(0, gap at the last reported time), less the
/// tolerance, up to the 1e-9 that the distance is good for.
void expect_no_impact_missed(const MovingPair& pair, const ContactTimeSet& set, int samples) {
  double floor = kTolerance / 2;  // before the first contact the gap is larger still
  std::size_t next = 0;
  for (int k = 0; k <= samples; ++k) {
    const double t = kInterval * k / samples;
    for (; next < set.times.size() && set.times[next].time <= t; ++next) {
      if (set.times[next].kind == ContactTimeKind::kDeepens) return;
      floor = std::min(0.0, set.times[next].gap.distance) - kTolerance;
    }
    ASSERT_GE(pair.compute_gap(t).distance, floor - 1e-9) << "at " << t;
  }
}

/// Whenever the sampled gap has been above the tolerance for longer than a part of the interval and then falls below
/// minus the tolerance, a time is reported in between.
void expect_every_return_reported(const MovingPair& pair, const ContactTimeSet& set, int samples, int parts) {
  int apart = 0;  // samples in a row
  double last_apart = 0;
  for (int k = 0; k <= samples; ++k) {
    const double t = kInterval * k / samples;
    const double gap = pair.compute_gap(t).distance;
    if (gap > kTolerance) {
      ++apart;
      last_apart = t;
      continue;
    }
    if (gap < -kTolerance && apart > samples / parts + 1) {
      const bool reported = std::any_of(set.times.begin(), set.times.end(), [&](const ContactTime& contact) {
        return contact.time > last_apart && contact.time <= t;
      });
      ASSERT_TRUE(reported) << "between " << last_apart << " and " << t;
    }
    if (gap < -kTolerance) apart = 0;
  }
}

TEST(RandomMovingPairs, NoImpactOfTheIntervalIsMissedAndEveryReturnIsReported) {
  Draw draw(2);
  const int pairs = choose_count(20000, 300);
  const int samples = 256, parts = 64;
  int several = 0;
  for (int i = 0; i < pairs; ++i) {
    SCOPED_TRACE("pair " + std::to_string(i));
    const RandomPair random(draw);
    const MovingPair pair = random.moving();
    ContactTimeSet set;
    append_contact_times(pair, kInterval, {.tolerance = kTolerance, .parts = parts}, set);
    several += set.times.size() > 1 ? 1 : 0;
    ASSERT_TRUE(std::is_sorted(set.times.begin(), set.times.end(),
                               [](const ContactTime& a, const ContactTime& b) { return a.time < b.time; }));
    for (const ContactTime& contact : set.times) {
      ASSERT_NE(contact.kind, ContactTimeKind::kUnknown);
      ASSERT_LE(pair.compute_gap(contact.time).distance, kTolerance);
    }
    ASSERT_NO_FATAL_FAILURE(expect_no_impact_missed(pair, set, samples));
    ASSERT_NO_FATAL_FAILURE(expect_every_return_reported(pair, set, samples, parts));
  }
  EXPECT_GT(several, pairs / 20);
}

}  // namespace
}  // namespace achilles
