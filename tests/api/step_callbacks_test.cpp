// Callbacks around steps, and what events say of a touch.
#include "support/scenes.hpp"

#include <achilles/achilles.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace achilles {
namespace {

Scene make_ball_above_ground(const std::string& method) {
  Scene scene;
  scene.step = 0.001;
  scene.method.name = method;
  BodyDescription ball = testing::make_body("ball", {Sphere{0.1}}, Vec3(0.3, 0.2, 0.5));
  ball.mass = 2;
  scene.bodies = {testing::make_ground(), ball};
  return scene;
}

TEST(StepCallbacks, AreCalledInOrderBeforeAndAfterEveryStep) {
  Simulation simulation(make_ball_above_ground("lcp-fixed"));
  std::vector<int> order;
  std::vector<double> times;
  simulation.before_each_step([&](Simulation& s) {
    order.push_back(1);
    times.push_back(s.world().time);
  });
  simulation.before_each_step([&](Simulation&) { order.push_back(2); });
  simulation.after_each_step([&](Simulation& s, const StepReport& report) {
    order.push_back(3);
    times.push_back(s.world().time);
    EXPECT_FALSE(report.stopped.has_value());
  });
  (void)simulation.step();
  (void)simulation.step();
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(times, (std::vector<double>{0, 0.001, 0.001, 0.002}));
}

TEST(StepCallbacks, AForceThatCancelsGravityHoldsABallInTheAir) {
  Simulation simulation(make_ball_above_ground("lcp-fixed"));
  simulation.before_each_step([](Simulation& s) {
    World& world = s.world();
    const BodyHandle ball = world.find("ball");
    world.apply_force(ball, Vec3(0, 0, 2 * 9.81), world.pose(ball).p);
  });
  Simulation copy = simulation;  // has the callback, too, and it acts on the copy
  for (int k = 0; k < 100; ++k) (void)copy.step();
  EXPECT_NEAR(copy.world().pose(copy.world().find("ball")).p.z(), 0.5, 1e-12);
  EXPECT_EQ(simulation.world().step_index, 0);
}

TEST(StepCallbacks, AStepWithinAStepIsRefusedAndTheNextOneGoesOn) {
  Simulation simulation(make_ball_above_ground("soft-step"));
  bool is_bad = true;
  simulation.before_each_step([&](Simulation& s) {
    if (is_bad) (void)s.step();
  });
  EXPECT_THROW((void)simulation.step(), std::logic_error);
  EXPECT_EQ(simulation.world().step_index, 0);
  is_bad = false;
  (void)simulation.step();
  EXPECT_EQ(simulation.world().step_index, 1);
}

TEST(StepCallbacks, WhatTheyGiveIsNoErrorOfMomentum) {
  Simulation simulation(make_ball_above_ground("lcp-fixed"));
  simulation.before_each_step([](Simulation& s) {
    World& world = s.world();
    world.apply_impulse(world.find("ball"), Vec3(0.1, 0, 0), world.bodies.position[1]);
  });
  Recorder recorder(simulation);
  for (int k = 0; k < 50; ++k) (void)recorder.step();
  // Rounding of sums of momenta, relative to what is in play.
  EXPECT_LT(recorder.finish().momentum.linear_error.value(), 1e-12);
}

class TouchEvents : public ::testing::TestWithParam<const char*> {};

// A ball of 2 kg at v = 2.8 m/s reaches the ground after 100.25 steps. In the step of the touch it moves the last
// quarter of v h, so that its impulse is that of the other three quarters, 0.75 m v; what is left follows in the next
// step.
TEST_P(TouchEvents, SayWhereHowFastAndHowHard) {
  const double speed = 2.8;
  Scene scene = make_ball_above_ground(GetParam());
  scene.gravity = Vec3::Zero();
  scene.bodies[1].pose.p.z() = 0.1 + 100.25 * scene.step * speed;
  scene.bodies[1].velocity = Vec3(0, 0, -speed);
  Simulation simulation(scene);
  simulation.watch_events({});
  std::vector<ContactEvent> touches;
  for (int k = 0; k < 400; ++k) {
    (void)simulation.step();
    for (const ContactEvent& event : simulation.events()) {
      if (event.kind == EventKind::kNewTouch) touches.push_back(event);
    }
  }
  ASSERT_GE(touches.size(), 1U);
  const ContactEvent& touch = touches.front();
  EXPECT_EQ(touch.first, 0U);
  EXPECT_EQ(touch.second, 1U);
  EXPECT_NEAR(touch.approach, speed, 1e-9);
  EXPECT_NEAR(touch.normal.z(), 1, 1e-9);
  EXPECT_NEAR(touch.point.x(), 0.3, 1e-9);
  EXPECT_NEAR(touch.point.y(), 0.2, 1e-9);
  const double share = std::string(GetParam()) == "anitescu-potra" ? 1 : 0.75;
  EXPECT_NEAR(touch.impulse.z(), share * 2 * speed, 1e-6);
}

class ContactCallbacks : public ::testing::TestWithParam<const char*> {
 protected:
  static Scene make_box_on_ground(const std::string& method) {
    Scene scene = make_ball_above_ground(method);
    scene.bodies[1].shape = {Box{Vec3(0.2, 0.2, 0.2)}};
    scene.bodies[1].pose.p.z() = 0.1;
    return scene;
  }
};

// What is rejected is not there: the box falls through the ground as in free flight, by ½ g t².
TEST_P(ContactCallbacks, ARejectedContactLetsBodiesThrough) {
  Simulation simulation(make_box_on_ground(GetParam()));
  int seen = 0;
  simulation.set_contact_callback([&](const World&, ProposedContact& contact) {
    EXPECT_EQ(std::max(contact.body_a, contact.body_b), 1U);
    EXPECT_GT(contact.points.size(), 0U);
    ++seen;
    return false;
  });
  for (int k = 0; k < 200; ++k) (void)simulation.step();
  EXPECT_GT(seen, 0);
  EXPECT_NEAR(simulation.world().bodies.position[1].z(), 0.1 - 0.5 * 9.81 * 0.2 * 0.2, 2e-3);
  EXPECT_TRUE(simulation.contacts().empty());
}

// A box that slides at 1 m/s under friction µ stops after v / (µ g); the scene's own 0.5 is replaced by 0.2.
TEST_P(ContactCallbacks, AChangedLawHoldsInPlaceOfTheMaterials) {
  Scene scene = make_box_on_ground(GetParam());
  scene.bodies[1].velocity = Vec3(1, 0, 0);
  Simulation simulation(scene);
  simulation.set_contact_callback([](const World&, ProposedContact& contact) {
    contact.friction = 0.2;
    return true;
  });
  for (int k = 0; k < 400; ++k) (void)simulation.step();
  EXPECT_NEAR(simulation.world().bodies.velocity[1].linear.x(), 1 - 0.2 * 9.81 * 0.4, 5e-3);
  simulation.set_contact_callback({});  // the materials' friction holds again
  for (int k = 0; k < 400; ++k) (void)simulation.step();
  EXPECT_NEAR(simulation.world().bodies.velocity[1].linear.x(), 0, 1e-3);
}

TEST_P(ContactCallbacks, AnImpossibleLawIsRefusedAndTheStepNotTaken) {
  Simulation simulation(make_box_on_ground(GetParam()));
  simulation.set_contact_callback([](const World&, ProposedContact& contact) {
    contact.friction = -1;
    return true;
  });
  const std::uint64_t before = simulation.world().state_hash();
  EXPECT_THROW((void)simulation.step(), std::logic_error);
  EXPECT_EQ(simulation.world().state_hash(), before);
}

INSTANTIATE_TEST_SUITE_P(Methods, ContactCallbacks, ::testing::Values("lcp-fixed", "shock-propagation", "soft-step"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

TEST(ContactCallback, IsRefusedByMethodsThatDoNotTakeItIntoAccount) {
  Simulation simulation(make_ball_above_ground("impulse-zeno-free"));
  EXPECT_THROW(simulation.set_contact_callback([](const World&, ProposedContact&) { return true; }),
               std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(Methods, TouchEvents, ::testing::Values("lcp-fixed", "shock-propagation", "anitescu-potra"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace achilles
