// How far each collider looks ahead: the margin of a pair is the common one and the reach of both.
#include "collision/detect.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace achilles {
namespace {

std::vector<Collider> make_balls(const std::shared_ptr<const Geometry>& ball, std::span<const double> positions) {
  std::vector<Collider> colliders;
  for (const double x : positions) {
    Collider collider;
    collider.geometry = ball.get();
    collider.X_WG.p = {x, 0, 0};
    collider.body = static_cast<std::uint32_t>(colliders.size());
    colliders.push_back(collider);
  }
  return colliders;
}

std::size_t count_contacts(std::span<const Collider> colliders, double margin, const BroadPhaseMethod& method) {
  DetectOptions options;
  options.collide.margin = margin;
  options.broad_phase = method;
  DetectWorkspace scratch;
  ContactSet contacts;
  detect_contacts(colliders, {}, options, scratch, contacts);
  return contacts.contacts.size();
}

TEST(Reach, OfTwoCollidersAddsToTheMarginOfTheirPairAlone) {
  // Balls of radius 1/2, their surfaces 1 apart. The middle one reaches 0.6, the right one 0.3, the margin is 0.2: the
  // right pair looks 1.1 far and is found, the left one looks 0.8 far and is not.
  const auto ball = make_geometry({Sphere{0.5}}).front().geometry;
  std::vector<Collider> colliders = make_balls(ball, std::array{-2.0, 0.0, 2.0});
  colliders[1].reach = 0.6;
  colliders[2].reach = 0.3;
  for (const BroadPhaseMethod& method :
       {BroadPhaseMethod(TreeOptions{}), BroadPhaseMethod(SweepOptions{}), BroadPhaseMethod(BruteForceOptions{})}) {
    EXPECT_EQ(count_contacts(colliders, 0.2, method), 1U);
    EXPECT_EQ(count_contacts(colliders, 0.0, method), 0U);
    EXPECT_EQ(count_contacts(colliders, 0.4001, method), 2U);
  }
}

TEST(Reach, ReportsExactlyThePairsWhoseGapItCovers) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> place(-5, 5), reach(0, 0.5);
  const auto ball = make_geometry({Sphere{0.3}}).front().geometry;
  const auto floor = make_geometry({Plane{Vec3::UnitZ(), -4}}).front().geometry;
  std::vector<Collider> colliders(60);
  DetectWorkspace scratch;  // one for all rounds: reach changes from call to call as speeds do
  for (int round = 0; round < 50; ++round) {
    for (std::uint32_t i = 0; i < colliders.size(); ++i) {
      colliders[i].geometry = i == 0 ? floor.get() : ball.get();
      colliders[i].X_WG.p = i == 0 ? Vec3(Vec3::Zero()) : Vec3(place(random), place(random), place(random));
      colliders[i].body = i;
      colliders[i].movable = i != 0;
      colliders[i].reach = reach(random);
    }
    const double margin = 0.1;
    std::vector<ColliderPair> expected, found;
    for (std::uint32_t a = 0; a < colliders.size(); ++a) {
      for (std::uint32_t b = a + 1; b < colliders.size(); ++b) {
        const double gap = compute_signed_distance(*colliders[a].geometry, colliders[a].X_WG, *colliders[b].geometry,
                                                   colliders[b].X_WG)
                               .distance;
        if (gap <= margin + colliders[a].reach + colliders[b].reach) expected.push_back({a, b});
      }
    }
    DetectOptions options;
    options.collide.margin = margin;
    ContactSet contacts;
    detect_contacts(colliders, {}, options, scratch, contacts);
    for (const Contact& contact : contacts.contacts) found.push_back({contact.collider_a, contact.collider_b});
    ASSERT_EQ(found, expected) << "round " << round;
  }
}

TEST(Reach, ThatIsNotFiniteIsRefused) {
  const auto ball = make_geometry({Sphere{0.5}}).front().geometry;
  std::vector<Collider> colliders = make_balls(ball, std::array{0.0});
  colliders[0].reach = std::nan("");
  EXPECT_THROW(static_cast<void>(make_proxy(colliders[0], 0)), std::invalid_argument);
}

}  // namespace
}  // namespace achilles
