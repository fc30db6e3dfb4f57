// Measuring what has moved, and remembering the rest, gives the number of measuring everything anew.
#include "world/penetration_meter.hpp"

#include "world/colliders.hpp"
#include "world/random_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace achilles {
namespace {

/// Every pair, without boxes, trees or memory.
double measure_by_brute_force(const World& world) {
  std::vector<Collider> colliders;
  std::vector<IgnoredPair> ignored;
  std::vector<ContactPoint> points;
  place_colliders(world, 0, colliders);
  list_ignored_pairs(world, ignored);
  double depth = 0;
  for (const Collider& a : colliders) {
    for (const Collider& b : std::span(colliders).subspan(static_cast<std::size_t>(&a - colliders.data()) + 1)) {
      if (!may_collide({a.body, a.movable, a.filter}, {b.body, b.movable, b.filter}, ignored)) continue;
      depth = std::max(depth, compute_depth(*a.geometry, a.X_WG, *b.geometry, b.X_WG, points));
    }
  }
  return depth;
}

/// A world and what may befall it.
class Changes {
 public:
  explicit Changes(std::uint64_t seed) : random_(seed), world_(random_.world(80)) {
    for (std::uint32_t i = 0; i < world_.bodies.size(); ++i) world_.set_pose(world_.handle_of(i), pose());
    saved_ = world_;
  }

  const World& world() const { return world_; }

  /// Half of what is placed anew is one of the two that are deepest.
  void change(const MeasuredPenetration& deepest) {
    switch (random_.integer(0, 13)) {
      case 0:
        world_.add_body(placed_body());
        break;
      case 1:
        world_.remove_body(any_body());
        break;
      case 2:
        replace_last();
        break;
      case 3:
        world_.ignore_pair(0, any_index() / 2 + 1);
        break;
      case 4:
        random_.integer(0, 1) == 0 ? saved_ = world_ : world_ = saved_;
        break;
      case 5: {
        std::stringstream stream;
        world_.save(stream);
        world_ = World::load(stream);
        break;
      }
      case 6:
        break;  // nothing
      case 7:
        world_.bodies.position[any_index()] += random_.vector(0.01);  // by hand
        break;
      case 8:
        move_all();
        break;
      default: {
        const BodyHandle any = any_body();  // drawn before its pose, whatever the compiler
        const BodyHandle body = random_.integer(0, 1) == 0 ? any : world_.handle_of(deepest.body_b);
        world_.set_pose(body, pose());
      }
    }
  }

 private:
  Pose pose() { return {random_.vector(4), random_.rotation()}; }
  std::uint32_t any_index() {
    return static_cast<std::uint32_t>(random_.integer(0, static_cast<int>(world_.bodies.size()) - 1));
  }
  BodyHandle any_body() { return world_.handle_of(any_index()); }
  BodyDescription placed_body() {
    BodyDescription body = random_.body("newcomer");
    body.pose = pose();
    return body;
  }
  /// Another shape at the same place, perhaps at the same address in memory.
  void replace_last() {
    const auto last = static_cast<std::uint32_t>(world_.bodies.size() - 1);
    BodyDescription body = placed_body();
    body.pose = world_.bodies.frame(last);
    world_.remove_body(world_.handle_of(last));
    world_.add_body(body);
  }
  void move_all() {
    for (Vec3& position : world_.bodies.position) position += random_.vector(0.01);
  }

  testing::RandomWorlds random_;
  World world_, saved_;
};

TEST(PenetrationMeter, GivesWhatMeasuringAnewGivesWhateverHasChanged) {
  BlockRunner runner(2);
  int positive = 0, unequal = 0;
  double before = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Changes changes(seed);
    PenetrationMeter meter;
    DetectWorkspace scratch;
    for (int k = 0; k < 60; ++k) {
      const MeasuredPenetration measured = meter.measure(changes.world(), runner, scratch);
      DetectWorkspace other_scratch;
      const MeasuredPenetration anew = PenetrationMeter().measure(changes.world(), runner, other_scratch);
      ASSERT_EQ(measured.depth, anew.depth) << "seed " << seed << ", change " << k;
      ASSERT_EQ(measured.body_a, anew.body_a) << "seed " << seed << ", change " << k;
      ASSERT_EQ(measured.body_b, anew.body_b) << "seed " << seed << ", change " << k;
      ASSERT_EQ(measured.depth, measure_by_brute_force(changes.world())) << "seed " << seed << ", change " << k;
      positive += measured.depth > 0 ? 1 : 0;
      unequal += measured.depth != before ? 1 : 0;
      before = measured.depth;
      changes.change(measured);
    }
  }
  EXPECT_GT(positive, 300);  // of 360
  EXPECT_GT(unequal, 60);
}

TEST(PenetrationMeter, FindsItsWayBackFromAPoseThatIsNoNumber) {
  testing::RandomWorlds random(7);
  World world = random.world(40);
  BlockRunner runner;
  PenetrationMeter meter;
  DetectWorkspace scratch;
  for (std::uint32_t i = 0; i < world.bodies.size(); ++i) world.bodies.position[i] = random.vector(3);
  const double depth = meter.measure(world, runner, scratch).depth;
  ASSERT_GT(depth, 0);
  const Vec3 place = world.bodies.position[5];
  world.bodies.position[5].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)meter.measure(world, runner, scratch), std::invalid_argument);
  EXPECT_THROW((void)meter.measure(world, runner, scratch), std::invalid_argument);
  world.bodies.position[5] = place;
  EXPECT_EQ(meter.measure(world, runner, scratch).depth, depth);
}

}  // namespace
}  // namespace achilles
