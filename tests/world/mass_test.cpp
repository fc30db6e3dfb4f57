#include "world/random_world.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <numbers>

namespace achilles {
namespace {

using testing::RandomWorlds;

BodyDescription make_body(const Shape& shape) {
  BodyDescription body;
  body.name = "body";
  body.shape = shape;
  return body;
}

World make_world(const BodyDescription& body) {
  World world;
  world.add_body(body);
  return world;
}

TEST(Mass, IsThatOfWaterWhenNothingIsSaid) {
  const World world = make_world(make_body({Box{Vec3(1, 2, 3)}}));
  EXPECT_DOUBLE_EQ(world.bodies.mass[0], 6000);
}

// A solid ball: m = ρ 4/3 π r³, I = 2/5 m r².
TEST(Mass, FollowsFromShapeAndDensity) {
  BodyDescription ball = make_body({Sphere{0.5}});
  ball.density = 8;
  const World world = make_world(ball);
  const double mass = 8 * 4.0 / 3 * std::numbers::pi * 0.125;
  EXPECT_NEAR(world.bodies.mass[0], mass, 1e-15 * mass * 4);
  EXPECT_LT((world.bodies.inertia_B[0] - 0.4 * mass * 0.25 * Mat3::Identity()).norm(), 1e-14);
}

// Inertia is linear in mass at a fixed shape.
TEST(Mass, GivenOneScalesTheInertiaOfTheShape) {
  BodyDescription box = make_body({Box{Vec3(1, 2, 3)}});
  box.mass = 12;
  const World world = make_world(box);
  EXPECT_EQ(world.bodies.mass[0], 12);
  const Mat3 expected = Vec3(4 + 9, 1 + 9, 1 + 4).asDiagonal();  // m/12 (b² + c²), ...
  EXPECT_LT((world.bodies.inertia_B[0] - expected).norm(), 1e-13);
}

// Steiner: two balls of mass m at ±d/2 on x, I_yy = I_zz = 2 (2/5 m r² + m d²/4), I_xx = 2 · 2/5 m r².
TEST(Mass, InertiaOfADumbbellHasSteinersTerm) {
  Compound dumbbell;
  for (const double x : {1.0, 4.0}) dumbbell.parts.push_back({{Sphere{0.5}}, {Vec3(x, 2, 0), Quat::Identity()}});
  BodyDescription body = make_body({dumbbell});
  body.mass = 2;  // two balls of 1 kg
  const World world = make_world(body);
  EXPECT_LT((world.bodies.center_B[0] - Vec3(2.5, 2, 0)).norm(), 1e-14);
  const double own = 2 * 0.4 * 0.25;
  const Mat3 expected = Vec3(own, own + 2 * 2.25, own + 2 * 2.25).asDiagonal();
  EXPECT_LT((world.bodies.inertia_B[0] - expected).norm(), 1e-13);
}

TEST(Mass, GivenCentreAndInertiaAreTakenAsTheyAre) {
  BodyDescription box = make_body({Box{Vec3(1, 1, 1)}});
  box.mass = 2;
  box.center = Vec3(0.1, 0.2, 0.3);
  Mat3 inertia;
  inertia << 3, 0.5, 0, 0.5, 4, 0.25, 0, 0.25, 5;
  box.inertia = inertia;
  const World world = make_world(box);
  EXPECT_EQ(world.bodies.center_B[0], *box.center);
  EXPECT_EQ(world.bodies.inertia_B[0], inertia);
  EXPECT_LT((world.bodies.inverse_inertia_B[0] * inertia - Mat3::Identity()).norm(), 1e-14);
}

// A scene writes where the body's frame is; the state holds where its centre of mass is.
RC_GTEST_PROP(BodyFrame, IsWhereTheDescriptionPutIt, (std::uint64_t seed)) {
  RandomWorlds random(seed);
  const BodyDescription body = random.body("body");
  World world;
  world.materials = MaterialTable(std::vector<Material>{{"default", {}}, {"rubber", {}}}, {});
  const BodyHandle handle = world.add_body(body);
  RC_ASSERT((world.bodies.frame(0).p - body.pose.p).norm() < 1e-14);  // positions of about 10 m: a few roundings
  RC_ASSERT(world.bodies.frame(0).q.isApprox(body.pose.q, 1e-15));
  const Pose pose{random.vector(10), random.rotation()};
  world.set_pose(handle, pose);
  RC_ASSERT((world.bodies.frame(0).p - pose.p).norm() < 1e-14);
  RC_ASSERT((world.bodies.position[0] - (pose.p + pose.q * world.bodies.center_B[0])).norm() < 1e-14);
}

TEST(Mass, OfFixedAndScriptedBodiesIsInfiniteAndNoImpulseMovesThem) {
  for (const BodyKind kind : {BodyKind::kFixed, BodyKind::kScripted}) {
    BodyDescription box = make_body({Box{Vec3(1, 1, 1)}});
    box.kind = kind;
    World world;
    const BodyHandle handle = world.add_body(box);
    EXPECT_EQ(world.bodies.mass[0], std::numeric_limits<double>::infinity());
    world.apply_impulse(handle, Vec3(1, 2, 3), Vec3(4, 5, 6));
    EXPECT_TRUE(world.bodies.velocity[0].linear.isZero(0));
    EXPECT_TRUE(world.bodies.velocity[0].angular.isZero(0));
    EXPECT_EQ(world.kinetic_energy(), 0);
  }
}

TEST(Mass, ImpossibleOnesAreRefusedWithTheBodysName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<BodyDescription> impossible(6, make_body({Box{Vec3(1, 1, 1)}}));
  impossible[0].mass = 0;
  impossible[1].mass = -1;
  impossible[2].mass = nan;
  impossible[3].inertia = Vec3(1, 1, 0).asDiagonal();
  impossible[4].inertia = Vec3(-1, -1, 1).asDiagonal();  // its determinant is positive all the same
  impossible[5].inertia = Mat3(Mat3::Identity() + Vec3::UnitX() * Vec3::UnitY().transpose());  // not symmetric
  for (const BodyDescription& body : impossible) {
    World world;
    try {
      world.add_body(body);
      ADD_FAILURE() << "case " << &body - impossible.data();
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find("'body'"), std::string::npos) << error.what();
    }
    EXPECT_EQ(world.bodies.size(), 0U) << "a refused body leaves nothing behind";
    EXPECT_TRUE(world.pieces.empty());
  }
}

TEST(Mass, PlaneCannotMove) { EXPECT_THROW(make_world(make_body({Plane{Vec3::UnitZ(), 0}})), std::invalid_argument); }

}  // namespace
}  // namespace achilles
