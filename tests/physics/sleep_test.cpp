// Sleeping, [Erleben04, sec. 6.5].
#include "support/scenes.hpp"
#include "support/source_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::position_of;
using testing::run_to;
using testing::velocity_of;

void let_sleep(Scene& scene, const std::string& method) { scene.method = {method, "", "", {{"sleeping", true}}}; }

int count_sleepers(const Simulation& simulation) {
  const std::vector<std::uint8_t>& asleep = simulation.world().bodies.asleep;
  return static_cast<int>(std::count(asleep.begin(), asleep.end(), 1));
}

bool is_asleep(const Simulation& simulation, const std::string& name) {
  const World& world = simulation.world();
  return world.bodies.asleep[world.index_of(world.find(name))] != 0;
}

/// A column of boxes at x.
void add_column(Scene& scene, const std::string& name, double x, int count) {
  for (int k = 0; k < count; ++k) {
    scene.bodies.push_back(make_body(name + std::to_string(k), {Box{Vec3(1, 1, 1)}}, Vec3(x, 0, 0.5 + k)));
  }
}

class Sleep : public ::testing::TestWithParam<const char*> {};

TEST_P(Sleep, TwoColumnsSleepAndOnlyTheOneThatIsHitWakes) {
  Scene scene = make_scene(0.01, 0.5, 0);
  let_sleep(scene, GetParam());
  scene.bodies = {make_ground()};
  add_column(scene, "left", 0, 3);
  add_column(scene, "right", 5, 3);
  BodyDescription ball = make_body("ball", {Sphere{0.3}}, Vec3(0, 0, 8));
  scene.bodies.push_back(ball);
  Simulation simulation(scene);
  (void)run_to(simulation, 0.5);
  EXPECT_EQ(count_sleepers(simulation), 6);
  while (position_of(simulation, "ball").z() > 3.35) ASSERT_FALSE(simulation.step().stopped);
  (void)simulation.step();
  EXPECT_FALSE(is_asleep(simulation, "left0"));
  EXPECT_FALSE(is_asleep(simulation, "left2"));
  EXPECT_TRUE(is_asleep(simulation, "right0"));
  // The ball meets the box at 10 m/s: rigid contacts stop it, the springs of soft-step, of 48 Hz, give way a little.
  EXPECT_LT(simulation.penetration(), GetParam() == std::string("soft-step") ? 5e-3 : 1e-3);
}

// At its top a ball has no kinetic energy for an instant, and none at all in one step out of many with a small step.
TEST_P(Sleep, NothingSleepsInTheAir) {
  Scene scene = make_scene(1e-4, 0.5, 0);
  let_sleep(scene, GetParam());
  scene.method.options["sleep_energy"] = 1e-4;
  scene.method.options["sleep_steps"] = 2.0;
  BodyDescription lower = make_body("lower", {Box{Vec3(0.2, 0.2, 0.2)}}, Vec3(0, 0, 1));
  BodyDescription upper = make_body("upper", {Box{Vec3(0.2, 0.2, 0.2)}}, Vec3(0, 0, 1.2));
  BodyDescription wall = make_ground(Vec3::UnitX());
  wall.name = "wall";
  wall.pose.p = Vec3(-0.1, 0, 0);
  lower.velocity = upper.velocity = Vec3(0, 0, 0.05);
  scene.bodies = {make_ground(), wall, lower, upper};
  Simulation simulation(scene);
  for (int k = 0; k < 200; ++k) {
    ASSERT_FALSE(simulation.step().stopped);
    ASSERT_EQ(count_sleepers(simulation), 0) << k;
  }
}

TEST_P(Sleep, ForcesImpulsesAndPlacementWakeAllThatSleepsTogether) {
  Scene scene = make_scene(0.01, 0.5, 0);
  let_sleep(scene, GetParam());
  scene.bodies = {make_ground()};
  add_column(scene, "box", 0, 3);
  Simulation simulation(scene);
  const auto sleep_again = [&] {
    (void)run_to(simulation, simulation.world().time + 1);
    ASSERT_EQ(count_sleepers(simulation), 3);
  };
  sleep_again();
  World& world = simulation.world();
  const BodyHandle top = world.find("box2");
  world.apply_force(top, Vec3(0, 0, 1), world.bodies.position[world.index_of(top)]);
  EXPECT_EQ(count_sleepers(simulation), 0);
  sleep_again();
  world.gravity = Vec3(0, 0, -9);
  (void)simulation.step();
  EXPECT_EQ(count_sleepers(simulation), 0);
  sleep_again();
  world.remove_body(world.find("box0"));
  EXPECT_EQ(count_sleepers(simulation), 0);
  (void)run_to(simulation, world.time + 1);
  EXPECT_NEAR(position_of(simulation, "box1").z(), 0.5, 1e-3);
}

TEST_P(Sleep, ScriptThatBeginsToMoveWakesWhatLiesOnIt) {
  Scene scene = make_scene(0.01, 0.5, 0);
  let_sleep(scene, GetParam());
  BodyDescription floor = make_body("floor", {Box{Vec3(3, 3, 0.2)}}, Vec3(0, 0, -0.1));
  floor.kind = BodyKind::kScripted;
  scene.bodies = {floor, make_body("box", {Box{Vec3(1, 1, 1)}}, Vec3(0, 0, 0.5))};
  scene.scripts = {{"floor", {Vec3(0, 0, -0.1), Vec3(0, 0, 0.1), Vec3(0, 0, 0.3)}, {{0, 0}, {1, 0}, {2, 0.3}}, {}}};
  Simulation simulation(scene);
  bool slept = false;
  while (simulation.world().time < 2) {
    ASSERT_FALSE(simulation.step().stopped);
    slept = slept || count_sleepers(simulation) > 0;
  }
  EXPECT_TRUE(slept);
  EXPECT_EQ(count_sleepers(simulation), 0);
  EXPECT_NEAR(position_of(simulation, "box").z() - position_of(simulation, "floor").z(), 0.6, 1e-3);
}

TEST_P(Sleep, ResumesBitForBit) {
  Scene scene = make_scene(0.01, 0.5, 0.3);
  let_sleep(scene, GetParam());
  scene.bodies = {make_ground()};
  add_column(scene, "box", 0, 3);
  scene.bodies.push_back(make_body("ball", {Sphere{0.3}}, Vec3(0.1, 0, 6)));
  Simulation simulation(scene), resumed(scene);
  (void)run_to(simulation, 0.6);
  EXPECT_EQ(count_sleepers(simulation), 3);
  std::stringstream saved;
  simulation.world().save(saved);
  resumed.restore(World::load(saved));
  (void)run_to(simulation, 2);
  (void)run_to(resumed, 2);
  EXPECT_EQ(simulation.world().state_hash(), resumed.world().state_hash());
}

INSTANTIATE_TEST_SUITE_P(Methods, Sleep, ::testing::Values("lcp-fixed", "shock-propagation", "soft-step"));

// [Erleben04, figs. 6.67-6.69]: asleep by frame 5, by frame 28, and an explosion.
TEST(SleepingStack, DoesNotBlowUpWhateverTheRestitution) {
  for (const double restitution : {0.1, 0.4, 1.0}) {
    Scene scene = load_scene((source_folder() / "scenes" / "erleben" / "sleeping_stack.yaml").string());
    for (Material& material : scene.materials) material.law.restitution = restitution;
    let_sleep(scene, "shock-propagation");
    Simulation simulation(scene);
    const World start = simulation.world();
    (void)run_to(simulation, 0.28);
    EXPECT_EQ(count_sleepers(simulation), 10) << restitution;
    for (std::size_t i = 0; i < start.bodies.size(); ++i) {
      EXPECT_LT((simulation.world().bodies.position[i] - start.bodies.position[i]).norm(), 1e-4);
    }
  }
}

class SleepingWall : public ::testing::TestWithParam<const char*> {};

TEST_P(SleepingWall, SleepsWithinASecondAndWakesWhereItIsHit) {
  Scene scene = load_scene((source_folder() / "scenes" / "erleben" / "sleeping_wall.yaml").string());
  let_sleep(scene, GetParam());
  BodyDescription ball = make_body("ball", {Sphere{0.5}}, Vec3(0.3, -8, 9));
  ball.velocity = Vec3(0, 9, 0);
  scene.bodies.push_back(ball);
  Simulation simulation(scene);
  (void)run_to(simulation, 0.5);
  EXPECT_EQ(count_sleepers(simulation), 200);
  (void)run_to(simulation, 1.2);
  EXPECT_EQ(count_sleepers(simulation), 0);
  EXPECT_LT(simulation.penetration(), 0.01);
}

// With subgrouping and fixation a blow wakes a wall where it is felt: the far half sleeps through it, and nothing hangs
// in the air.
TEST(SleepingWallAlone, WakesOnlyWhereItIsHit) {
  Scene scene = load_scene((source_folder() / "scenes" / "erleben" / "sleeping_wall.yaml").string());
  let_sleep(scene, "shock-propagation");
  scene.method.options["subgrouping"] = true;
  scene.method.options["fixation"] = true;
  scene.method.options["sleep_energy"] = 1e-5;
  BodyDescription ball = make_body("ball", {Sphere{0.5}}, Vec3(0.3, -3.2, 9));
  ball.density = 10;  // as the bricks
  ball.velocity = Vec3(0, 3, 0);
  scene.bodies.push_back(ball);
  Simulation simulation(scene);
  (void)run_to(simulation, 0.5);
  EXPECT_EQ(count_sleepers(simulation), 200);
  int fewest = 200;
  while (simulation.world().time < 3) {
    (void)simulation.step();
    fewest = std::min(fewest, count_sleepers(simulation));
  }
  EXPECT_LT(fewest, 199);
  EXPECT_GT(fewest, 100);
  EXPECT_LT(simulation.penetration(), 0.01);
  // What sleeps at the end rests on something: awake, a body in the air would fall by ½ g t² = 0.05 m in 0.1 s.
  const World asleep = simulation.world();
  simulation.world().wake_all();
  (void)run_to(simulation, 3.1);
  for (std::size_t i = 0; i < asleep.bodies.size(); ++i) {
    if (asleep.bodies.asleep[i] == 0) continue;
    EXPECT_LT((simulation.world().bodies.position[i] - asleep.bodies.position[i]).norm(), 0.02) << asleep.names[i];
  }
}

// Without fixation waking spreads by one ring of neighbours a step: a column of eight that is hit on its top is awake
// down to the ground eight steps later, not at once.
TEST(SleepingColumn, WakesOneByOneWithoutFixation) {
  Scene scene = make_scene(0.01, 0.5, 0);
  let_sleep(scene, "shock-propagation");
  scene.method.options["subgrouping"] = true;
  scene.bodies = {make_ground()};
  add_column(scene, "box", 0, 8);
  scene.bodies.push_back(make_body("ball", {Sphere{0.3}}, Vec3(0, 0, 11)));
  Simulation simulation(scene);
  while (count_sleepers(simulation) < 8 && simulation.world().time < 1) (void)simulation.step();
  while (count_sleepers(simulation) == 8 && simulation.world().time < 2) (void)simulation.step();
  EXPECT_FALSE(is_asleep(simulation, "box7"));
  EXPECT_EQ(count_sleepers(simulation), 7);
  for (int awake = 2; awake <= 8; ++awake) {
    (void)simulation.step();
    EXPECT_EQ(count_sleepers(simulation), 8 - awake);
  }
}

class SleepAlone : public ::testing::TestWithParam<const char*> {};

// A weight comes down on one end of a plank that lies on a pivot (edge at 0.2 m) and on a block, with a box on its
// other end. All but the weight sleep. About the edge it has 800 kg at 1.5 m against 400 kg of the plank at 0.2 m and
// 64 kg of the box at 1.9 m: the plank tips, and its sleeping box must not hold it down.
TEST_P(SleepAlone, PlankTipsThoughTheBoxOnItSleeps) {
  Scene scene = make_scene(0.01, 0.5, 0);
  let_sleep(scene, GetParam());
  scene.method.options["subgrouping"] = true;
  BodyDescription pivot = make_body("pivot", {Box{Vec3(0.4, 1, 1)}}, Vec3(0, 0, 0.5));
  BodyDescription block = make_body("block", {Box{Vec3(0.4, 1, 1)}}, Vec3(-1.7, 0, 0.5));
  pivot.kind = block.kind = BodyKind::kFixed;
  scene.bodies = {make_ground(),
                  pivot,
                  block,
                  make_body("plank", {Box{Vec3(4, 1, 0.1)}}, Vec3(0, 0, 1.05)),
                  make_body("box", {Box{Vec3(0.4, 0.4, 0.4)}}, Vec3(-1.7, 0, 1.3)),
                  make_body("weight", {Box{Vec3(0.8, 1, 1)}}, Vec3(1.6, 0, 3))};
  Simulation simulation(scene);
  (void)run_to(simulation, 0.4);
  ASSERT_TRUE(is_asleep(simulation, "plank"));
  ASSERT_TRUE(is_asleep(simulation, "box"));
  (void)run_to(simulation, 1);
  EXPECT_GT(position_of(simulation, "box").z(), 1.5);
}

// 27 balls in a pit: who sleeps alone is woken by what moves, not by neighbours that are about to fall asleep. Balls
// that rock on others without slip lose nothing by it, so that some take their time.
TEST_P(SleepAlone, HeapComesToSleep) {
  Scene scene = make_scene(0.01, 0.5, 0);
  let_sleep(scene, GetParam());
  scene.method.options["subgrouping"] = true;
  scene.method.options["sleep_energy"] = 1e-5;
  scene.bodies = {make_ground()};
  for (const Vec3& normal : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)}) {
    BodyDescription wall = make_ground(normal);
    wall.name = "wall" + std::to_string(scene.bodies.size());
    wall.pose.p = -0.75 * normal;
    scene.bodies.push_back(wall);
  }
  for (int k = 0; k < 27; ++k) {
    const Vec3 place(0.45 * (k % 3 - 1) + 0.01 * (k / 9), 0.45 * (k / 3 % 3 - 1) + 0.02 * (k % 2), 0.3 + 0.5 * (k / 9));
    scene.bodies.push_back(make_body("ball" + std::to_string(k), {Sphere{0.2}}, place));
  }
  Simulation simulation(scene);
  (void)run_to(simulation, 20);
  EXPECT_EQ(count_sleepers(simulation), 27);
  EXPECT_LT(simulation.penetration(), 2e-3);
}

INSTANTIATE_TEST_SUITE_P(Methods, SleepAlone, ::testing::Values("lcp-fixed", "shock-propagation"));
INSTANTIATE_TEST_SUITE_P(Methods, SleepingWall, ::testing::Values("shock-propagation", "soft-step"));

// Sleeping takes away what little motion is left and gives nothing back: a wall that is hit and comes to rest again has
// no more energy than before, and each of its bodies stays above the ground.
TEST(SleepingPile, NeitherGainsEnergyNorSinksByFallingAsleepAndWaking) {
  Scene scene = make_scene(1.0 / 60, 0.5, 0);
  let_sleep(scene, "soft-step");
  scene.method.options["sleep_energy"] = 1e-4;
  scene.bodies = {make_ground()};
  for (int x = 0; x < 4; ++x) add_column(scene, "column" + std::to_string(x), 1.5 * x, 4);
  Simulation simulation(scene);
  World& world = simulation.world();
  (void)run_to(simulation, 2);
  ASSERT_EQ(count_sleepers(simulation), 16);
  const double rest = world.potential_energy();
  for (int k = 0; k < 20; ++k) {
    world.wake_all();
    (void)run_to(simulation, world.time + 1);
    EXPECT_EQ(count_sleepers(simulation), 16) << k;
  }
  // A millimetre is what springs of 48 Hz under four boxes give way, and it must not add up.
  const double per_metre = 16 * 1000 * 9.81;
  EXPECT_NEAR(world.potential_energy(), rest, 1e-3 * per_metre);
  EXPECT_EQ(world.kinetic_energy(), 0);
  EXPECT_LT(simulation.penetration(), 2e-3);
}

// What pulls on a sleeper through a joint wakes it: here a script that begins to move after all have lain down.
TEST(SleepingChain, IsWokenByTheJointThatMoves) {
  for (const char* method : {"lcp-fixed", "shock-propagation", "soft-step"}) {
    Scene scene = make_scene(0.01, 0.5, 0);
    let_sleep(scene, method);
    scene.method.options["sleep_energy"] = 1e-4;
    BodyDescription hook = make_body("hook", {Box{Vec3(0.2, 0.2, 0.2)}}, Vec3(0, 0, 3));
    hook.kind = BodyKind::kScripted;
    scene.bodies = {make_ground(), hook};
    std::string above = "hook";
    for (int k = 0; k < 6; ++k) {
      const std::string name = "link" + std::to_string(k);
      scene.bodies.push_back(make_body(name, {Sphere{0.1}}, Vec3(0, 0, 2.75 - 0.25 * k)));
      JointDescription joint;
      joint.name = "joint" + std::to_string(k);
      joint.first = above;
      joint.second = name;
      joint.at = Vec3(0, 0, 2.875 - 0.25 * k);
      scene.joints.push_back(joint);
      above = name;
    }
    scene.scripts = {{"hook", {Vec3(0, 0, 3), Vec3(0, 0, 3.5), Vec3(0, 0, 4)}, {{0, 0}, {3, 0}, {4, 0.5}}, {}}};
    Simulation simulation(scene);
    (void)run_to(simulation, 2.9);
    EXPECT_EQ(count_sleepers(simulation), 6) << method;
    (void)run_to(simulation, 3.5);
    EXPECT_EQ(count_sleepers(simulation), 0) << method;
    (void)run_to(simulation, 4.5);
    const double lifted = position_of(simulation, "hook").z() - position_of(simulation, "link5").z();
    EXPECT_NEAR(lifted, 1.5, 0.01) << method;
  }
}

// The relative test of [Erleben04, sec. 6.5]: what gains energy does not sleep, however little it has of it. A block on
// an incline speeds up by g/20, so slowly that friction may be said to hold it: for 2 s it has less than the threshold.
TEST(SleepingBlock, StaysAwakeWhileItSpeedsUp) {
  const double mu = 0.3, slope = 0.05;
  // sin a − µ cos a = slope: with t = tan a, t − µ = slope √(1 + t²).
  double t = mu;
  for (int k = 0; k < 50; ++k) t = mu + slope * std::sqrt(1 + t * t);
  const double angle = std::atan(t);
  for (const char* method : {"lcp-fixed", "shock-propagation"}) {
    Scene scene = make_scene(0.01, mu, 0);
    scene.method = {method, "", "", {{"sleeping", true}, {"sleep_energy", 1.0}, {"sleep_steps", 4.0}}};
    const Vec3 normal(std::sin(angle), 0, std::cos(angle));
    scene.bodies = {make_ground(normal), make_body("block", {Box{Vec3(1, 1, 0.2)}}, 0.1 * normal)};
    scene.bodies[1].pose.q = Quat(Eigen::AngleAxisd(angle, Vec3::UnitY()));
    Simulation simulation(scene);
    while (simulation.world().time < 1.995) {
      ASSERT_FALSE(simulation.step().stopped);
      ASSERT_FALSE(is_asleep(simulation, "block")) << method << " at " << simulation.world().time;
    }
    EXPECT_NEAR(velocity_of(simulation, "block").linear.norm(), 9.81 * slope * 2, 0.01) << method;
  }
}

}  // namespace
}  // namespace achilles
