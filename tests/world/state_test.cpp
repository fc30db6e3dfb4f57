#include "world/random_world.hpp"

#include "world/inverse_mass.hpp"
#include "world/world_memory.hpp"

#include <achilles/query.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <limits>

namespace achilles {
namespace {

using testing::RandomWorlds;

/// One free body of a random shape.
World make_single(RandomWorlds& random, std::uint8_t locks = 0) {
  World world;
  world.materials = MaterialTable(std::vector<Material>{{"default", {}}, {"rubber", {}}}, {});
  BodyDescription body = random.body("body");
  body.kind = BodyKind::kDynamic;
  body.shape = random.shape();
  body.locks.bits = locks;
  world.add_body(body);
  return world;
}

Vec3 point_velocity(const World& world, const Vec3& point) {
  const BodyVelocity& u = world.bodies.velocity[0];
  return u.linear + u.angular.cross(point - world.bodies.position[0]);
}

// An impulse P at x changes momentum by P and angular momentum about the origin by x × P, and does the work
// P · ½ (v + v′) of the point it acts on.
RC_GTEST_PROP(Impulse, ChangesMomentumByItselfAngularMomentumByItsMomentAndEnergyByItsWork, (std::uint64_t seed)) {
  RandomWorlds random(seed);
  World world = make_single(random);
  const Vec3 impulse = random.vector(5) * world.bodies.mass[0];
  const Vec3 point = world.bodies.position[0] + random.vector(0.5);
  const Vec3 momentum = world.linear_momentum();
  const Vec3 angular = world.angular_momentum();
  const double energy = world.kinetic_energy();
  const Vec3 before = point_velocity(world, point);
  world.apply_impulse(world.handle_of(0), impulse, point);
  const Vec3 after = point_velocity(world, point);
  // Rounding of quantities of this size: m · 10 m/s, times 20 m from the origin; inertia of thin bodies is conditioned
  // to about a thousand.
  const double size = world.bodies.mass[0] * 10 * 20;
  RC_ASSERT((world.linear_momentum() - momentum - impulse).norm() < 1e-14 * size);
  RC_ASSERT((world.angular_momentum() - angular - point.cross(impulse)).norm() < 1e-12 * size);
  const double work = impulse.dot(0.5 * (before + after));
  RC_ASSERT(std::abs(world.kinetic_energy() - energy - work) < 1e-12 * (energy + std::abs(work)));
}

// What is locked feels nothing; the rest still obeys the reduced equations: on the free axes the torque is I ω̇.
RC_GTEST_PROP(Impulse, LeavesLockedVelocitiesAsTheyAreAndDoesItsWorkOnTheFreeOnes, (std::uint64_t seed)) {
  RandomWorlds random(seed);
  const auto locks = static_cast<std::uint8_t>(random.integer(0, 63));
  World world = make_single(random, locks);
  BodyVelocity& u = world.bodies.velocity[0];
  for (int axis = 0; axis < 3; ++axis) {
    if ((locks & (1U << axis)) != 0) u.linear[axis] = 0;
    if ((locks & (8U << axis)) != 0) u.angular[axis] = 0;
  }
  const Vec3 impulse = random.vector(5) * world.bodies.mass[0];
  const Vec3 point = world.bodies.position[0] + random.vector(0.5);
  const double energy = world.kinetic_energy();
  const Vec3 before = point_velocity(world, point);
  world.apply_impulse(world.handle_of(0), impulse, point);
  for (int axis = 0; axis < 3; ++axis) {
    if ((locks & (1U << axis)) != 0) RC_ASSERT(u.linear[axis] == 0);
    if ((locks & (8U << axis)) != 0) RC_ASSERT(u.angular[axis] == 0);
  }
  const double work = impulse.dot(0.5 * (before + point_velocity(world, point)));
  RC_ASSERT(std::abs(world.kinetic_energy() - energy - work) < 1e-12 * (1 + energy + std::abs(work)));
}

// Koenig: the energy is that of the centre of mass plus ½ ω·Iω in world axes; angular momentum likewise.
RC_GTEST_PROP(Energy, IsThatOfTheCentreOfMassPlusThatOfTheSpin, (std::uint64_t seed)) {
  RandomWorlds random(seed);
  const World world = make_single(random);
  const Mat3 R = world.bodies.orientation[0].toRotationMatrix();
  const Mat3 inertia_W = R * world.bodies.inertia_B[0] * R.transpose();
  const BodyVelocity& u = world.bodies.velocity[0];
  const double m = world.bodies.mass[0];
  const double expected = 0.5 * m * u.linear.squaredNorm() + 0.5 * u.angular.dot(inertia_W * u.angular);
  RC_ASSERT(std::abs(world.kinetic_energy() - expected) < 1e-13 * expected);
  const Vec3 angular = m * world.bodies.position[0].cross(u.linear) + inertia_W * u.angular;
  RC_ASSERT((world.angular_momentum() - angular).norm() < 1e-13 * m * 200);
  RC_ASSERT(std::abs(world.potential_energy() + m * world.gravity.dot(world.bodies.position[0])) < 1e-13 * m * 200);
}

TEST(Force, AtAPointPushesTheCentreAndTurnsAboutIt) {
  World world;
  BodyDescription box;
  box.name = "box";
  box.shape = {Box{Vec3(1, 1, 1)}};
  box.pose.p = Vec3(1, 0, 0);
  const BodyHandle handle = world.add_body(box);
  world.apply_force(handle, Vec3(0, 2, 0), Vec3(1.5, 0, 0));
  world.apply_force(handle, Vec3(0, 3, 0), Vec3(1, 0, 0));
  EXPECT_EQ(world.bodies.applied_force[0], Vec3(0, 5, 0));
  EXPECT_EQ(world.bodies.applied_torque[0], Vec3(0, 0, 1));
}

TEST(Sleep, EndsWhenAnythingIsDoneToTheBody) {
  World world;
  BodyDescription ball;
  ball.name = "ball";
  ball.shape = {Sphere{1}};
  const BodyHandle handle = world.add_body(ball);
  const auto wakes = [&](const auto& act) {
    world.bodies.asleep[0] = 1;
    act();
    return world.bodies.asleep[0] == 0;
  };
  EXPECT_TRUE(wakes([&] { world.set_pose(handle, {}); }));
  EXPECT_TRUE(wakes([&] { world.set_velocity(handle, {}); }));
  EXPECT_TRUE(wakes([&] { world.apply_force(handle, Vec3::UnitX(), Vec3::Zero()); }));
  EXPECT_TRUE(wakes([&] { world.apply_impulse(handle, Vec3::UnitX(), Vec3::Zero()); }));
}

TEST(World, RefusesWhatABodyCannotTakeAndKeepsItsState) {
  World world;
  BodyDescription ball;
  ball.name = "ball";
  ball.shape = {Sphere{1}};
  const BodyHandle moving = world.add_body(ball);
  ball.name = "anchor";
  ball.kind = BodyKind::kFixed;
  const BodyHandle fixed = world.add_body(ball);
  const std::uint64_t hash = world.state_hash();
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  EXPECT_THROW(world.set_velocity(fixed, {Vec3::UnitX(), Vec3::Zero()}), std::invalid_argument);
  EXPECT_THROW(world.set_velocity(moving, {Vec3(nan, 0, 0), Vec3::Zero()}), std::invalid_argument);
  EXPECT_THROW(world.set_velocity(moving, {Vec3::Zero(), Vec3(0, infinity, 0)}), std::invalid_argument);
  EXPECT_THROW(world.set_pose(moving, {Vec3::Zero(), Quat(0, 0, 0, 0)}), std::invalid_argument);
  EXPECT_THROW(world.set_pose(moving, {Vec3(0, 0, nan), Quat::Identity()}), std::invalid_argument);
  EXPECT_THROW(world.apply_force(moving, Vec3(infinity, 0, 0), Vec3::Zero()), std::invalid_argument);
  EXPECT_THROW(world.apply_impulse(moving, Vec3::UnitX(), Vec3(0, nan, 0)), std::invalid_argument);
  EXPECT_EQ(world.state_hash(), hash);
}

TEST(Snapshot, CopyKnowsNothingOfWhatHappensToTheOriginal) {
  RandomWorlds random(11);
  World world = random.world(6);
  const World copy = world;
  const std::uint64_t hash = world.state_hash();
  world.bodies.position[0].x() += 1;
  world.memory().contact_cache.points.clear();
  world.remove_body(world.handle_of(1));
  EXPECT_EQ(copy.state_hash(), hash);
  EXPECT_EQ(copy.bodies.size(), world.bodies.size() + 1);
  EXPECT_NE(world.state_hash(), hash);
}

/// Flips one bit of one double among many.
void flip_bit(RandomWorlds& random, double& value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  bits ^= std::uint64_t{1} << static_cast<unsigned>(random.integer(0, 63));
  std::memcpy(&value, &bits, sizeof(bits));
}

// Every step of the hash is a bijection of its sum, so that a single changed word can never go unnoticed.
RC_GTEST_PROP(StateHash, ChangesWithAnyBitOfTheState, (std::uint64_t seed)) {
  RandomWorlds random(seed);
  World world = random.world(4);
  const std::uint64_t hash = world.state_hash();
  const auto body = static_cast<std::size_t>(random.integer(0, static_cast<int>(world.bodies.size()) - 1));
  const int axis = random.integer(0, 2);
  BodyArrays& b = world.bodies;
  const std::vector<double*> choices{&b.position[body][axis],
                                     &b.orientation[body].coeffs()[axis + 1],
                                     &b.velocity[body].linear[axis],
                                     &b.velocity[body].angular[axis],
                                     &b.applied_force[body][axis],
                                     &b.applied_torque[body][axis],
                                     &world.time};
  flip_bit(random, *choices[static_cast<std::size_t>(random.integer(0, static_cast<int>(choices.size()) - 1))]);
  RC_ASSERT(world.state_hash() != hash);
}

TEST(StateHash, IsThatOfTheStateAndNotOfTheObject) {
  const World a = RandomWorlds(5).world(6);
  const World b = RandomWorlds(5).world(6);
  EXPECT_EQ(a.state_hash(), b.state_hash());
}

TEST(Finite, FirstBodyThatIsNotIsNamed) {
  World world = RandomWorlds(9).world(8);
  EXPECT_FALSE(world.first_not_finite());
  world.bodies.velocity[3].angular.y() = std::numeric_limits<double>::quiet_NaN();
  world.bodies.position[5].x() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(world.first_not_finite(), 3U);
}

// The square of a number beyond 1e±154 is beyond what a double holds: no length, and no direction.
TEST(Finite, OrientationWhoseLengthCannotBeMadeOneIsRefused) {
  World world;
  BodyDescription body;
  body.shape = {Box{Vec3(1, 1, 1)}};
  const BodyHandle box = world.add_body(body);
  const WorldQuery query(world);
  for (const double w : {0.0, 1e-160, 1e160, std::numeric_limits<double>::quiet_NaN()}) {
    const Pose pose{Vec3::Zero(), Quat(w, 0, 0, 0)};
    body.pose = pose;
    EXPECT_THROW((void)world.add_body(body), std::invalid_argument) << w;
    EXPECT_THROW(world.set_pose(box, pose), std::invalid_argument) << w;
    EXPECT_THROW((void)query.find_overlaps(body.shape, pose), std::invalid_argument) << w;
  }
  for (const double w : {1e-150, -1.0, 1e150}) {
    world.set_pose(box, {Vec3::Zero(), Quat(w, 0, 0, 0)});
    EXPECT_DOUBLE_EQ(std::abs(world.bodies.orientation[0].w()), 1) << w;
  }
}

TEST(IgnoredPairs, AreKeptOnceInOrderWhicheverWayTheyAreGiven) {
  World world;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    BodyDescription ball;
    ball.name = name;
    ball.shape = {Sphere{1}};
    ball.mass = 1;
    world.add_body(ball);
  }
  for (const auto& [first, second] : {std::pair{4U, 1U}, {0U, 2U}, {1U, 4U}, {2U, 0U}, {0U, 1U}}) {
    world.ignore_pair(first, second);
  }
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> expected{{0, 1}, {0, 2}, {1, 4}};
  EXPECT_EQ(world.ignored_pairs, expected);
}

TEST(IgnoredPairs, OfARuleAreAllPairsOfTheTwoGroupsButNoneOfABodyWithItself) {
  Scene scene;
  scene.materials = {{"default", {}}};
  for (const char* name : {"a", "b", "c", "d"}) {
    BodyDescription ball;
    ball.name = name;
    ball.shape = {Sphere{1}};
    if (std::string(name) < "c") ball.group = "pair";
    scene.bodies.push_back(ball);
  }
  scene.rules = {{"pair", "pair"}, {"pair", "d"}};
  const World world(scene);
  const std::vector<std::pair<std::uint32_t, std::uint32_t>> expected{{0, 1}, {0, 3}, {1, 3}};
  EXPECT_EQ(world.ignored_pairs, expected);
}

}  // namespace
}  // namespace achilles
