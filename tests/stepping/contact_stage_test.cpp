// The stages of contacts: what is found, solved, recorded and remembered.
#include "stepping/contact_record.hpp"
#include "stepping/frame.hpp"
#include "world/contact_memory.hpp"

#include <gtest/gtest.h>

namespace achilles {
namespace {

using testing::kGravity;
using testing::make_ball;
using testing::make_fixed_ground;
using testing::make_scene_of;
using testing::StageFrame;

// The impulse of a step carries the weight of the step, m g h, and stays for the next one.
TEST(ContactStage, ARestingBallIsCarriedByItsWeightAndItsContactRemembered) {
  const double h = 0.01, weight = 2 * kGravity * h;
  StageFrame frame(make_scene_of(0, {make_fixed_ground(), make_ball("ball", Vec3(0, 0, 0.5))}));
  frame.build(h);
  ASSERT_EQ(frame.work.contacts.contacts.size(), 1U);
  EXPECT_EQ(frame.work.matches[0], -1);
  EXPECT_EQ(frame.work.movable[0], 0);
  EXPECT_EQ(frame.work.movable[1], 1);
  EXPECT_EQ(frame.work.inverse_mass[0].linear, Vec3::Zero());
  EXPECT_EQ(frame.work.inverse_mass[1].linear, Vec3::Constant(0.5));
  EXPECT_EQ(frame.work.islands.size(), 1U);
  frame.solve();
  EXPECT_LT(frame.world.bodies.velocity[1].linear.norm(), 1e-12);
  ASSERT_EQ(frame.work.records.size(), 1U);
  const ContactRecord& record = frame.work.records[0];
  EXPECT_LT((record.impulse - Vec3(0, 0, weight)).norm(), 1e-12 * weight);
  EXPECT_LT((record.normal - Vec3::UnitZ()).norm(), 1e-15);
  EXPECT_EQ(frame.report.new_contacts, 1);
  EXPECT_EQ(frame.work.constrained[1], 1);
  ASSERT_EQ(frame.world.memory().contact_cache.points.size(), 1U);
  EXPECT_EQ(frame.world.memory().contact_cache.points[0].impulse, record.impulse);
  frame.build(h);
  EXPECT_EQ(frame.work.matches[0], 0);
  EXPECT_DOUBLE_EQ(frame.work.impulses[0], weight);  // warm start
  frame.solve();
  EXPECT_EQ(frame.report.new_contacts, 0);
  EXPECT_EQ(frame.report.lost_contacts, 0);
}

// A gap of 20 mm is beyond a margin of 10 mm, unless the ball closes 11 mm or more within the step.
TEST(ContactStage, ContactsAreFoundUpToTheMarginAndWhatTheSpeedsClose) {
  for (const double speed : {0.0, 0.9, 1.2, 5.0}) {
    Scene scene = make_scene_of(0, {make_fixed_ground(), make_ball("ball", Vec3(0, 0, 0.52), Vec3(0, 0, -speed))});
    scene.gravity = Vec3::Zero();
    StageFrame frame(scene);
    frame.build(0.01);
    EXPECT_EQ(frame.work.contacts.contacts.size(), speed > 1 ? 1U : 0U) << speed;
  }
}

// Two balls on the ground far apart are two islands; a joint between them makes them one.
TEST(ContactStage, ContactsAndJointsTieBodiesToIslands) {
  Scene scene =
      make_scene_of(0, {make_fixed_ground(), make_ball("a", Vec3(0, 0, 0.5)), make_ball("b", Vec3(3, 0, 0.5))});
  StageFrame apart(scene);
  apart.build(0.01);
  EXPECT_EQ(apart.work.islands.size(), 2U);
  JointDescription rod;
  rod.kind = JointKind::kDistance;
  rod.first = "a";
  rod.second = "b";
  rod.at = Vec3(0, 0, 0.5);
  rod.at_second = Vec3(3, 0, 0.5);
  scene.joints = {rod};
  StageFrame tied(scene);
  tied.build(0.01);
  EXPECT_EQ(tied.work.islands.size(), 1U);
}

// The second body of a contact feels normal impulse times normal plus both friction impulses along their tangents;
// rows of the next point do not belong to it.
TEST(ContactRecords, SumTheRowsOfTheirPointAlone) {
  std::vector<Row> rows(5);
  rows[1].normal_row = rows[2].normal_row = 0;
  rows[1].linear_b = Vec3::UnitX();
  rows[2].linear_b = Vec3::UnitY();
  const std::vector<double> impulses{3, 0.5, -0.25, 7, 8};
  EXPECT_EQ(sum_impulse_of_point(rows, impulses, 0, Vec3::UnitZ()), Vec3(0.5, -0.25, 3));
  EXPECT_EQ(sum_impulse_of_point(rows, impulses, 3, Vec3::UnitZ()), Vec3(0, 0, 7));
  EXPECT_EQ(sum_impulse_of_point(rows, impulses, 4, Vec3::UnitZ()), Vec3(0, 0, 8));
}

TEST(ContactRecords, RememberAnApproachOnlyWhereAnImpulseActed) {
  ContactPoint point;
  point.feature = 9;
  EXPECT_EQ(make_cached_point(point, 2, Vec3::Zero(), Vec3::UnitX()).approach, 0);
  const CachedPoint acted = make_cached_point(point, 2, Vec3::UnitZ(), Vec3::UnitX());
  EXPECT_EQ(acted.approach, 2);
  EXPECT_EQ(acted.feature, 9U);
  EXPECT_EQ(acted.place, Vec3::UnitX());
}

// Both lists are sorted by pair: 1-2 is known, 1-3 new, 2-5 known; blocks of the list find the same as the whole.
TEST(ContactMemory, MatchesPairsInOnePassAndBlockByBlock) {
  ContactCache cache;
  cache.contacts = {{0, 4, 0, 0}, {1, 2, 0, 0}, {2, 5, 0, 0}};
  std::vector<Contact> contacts(3);
  contacts[0].collider_a = contacts[1].collider_a = 1;
  contacts[0].collider_b = 2;
  contacts[1].collider_b = 3;
  contacts[2].collider_a = 2;
  contacts[2].collider_b = 5;
  const std::vector<std::int32_t> expected{1, -1, 2};
  std::vector<std::int32_t> whole(3, 9), blocks(3, 9);
  match_contacts(contacts, cache, 0, 3, whole);
  match_contacts(contacts, cache, 0, 2, blocks);
  match_contacts(contacts, cache, 2, 3, blocks);
  EXPECT_EQ(whole, expected);
  EXPECT_EQ(blocks, expected);
}

TEST(ContactMemory, FindsAPointByItsFeatureElseTheNearestWithinTheTolerance) {
  ContactCache cache;
  cache.contacts = {{0, 1, 0, 2}};
  cache.points.resize(2);
  cache.points[0].feature = 5;
  cache.points[1].feature = 6;
  cache.points[1].place = Vec3(1, 0, 0);
  EXPECT_EQ(find_cached_point(cache, -1, 5, Vec3::Zero(), 1), nullptr);
  EXPECT_EQ(find_cached_point(cache, 0, 6, Vec3::Zero(), 0.1), &cache.points[1]);
  EXPECT_EQ(find_cached_point(cache, 0, 7, Vec3(0.95, 0, 0), 0.1), &cache.points[1]);
  EXPECT_EQ(find_cached_point(cache, 0, 7, Vec3(0.5, 0, 0), 0.1), nullptr);
}

}  // namespace
}  // namespace achilles
