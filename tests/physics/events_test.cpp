// Events of the contact graph, [Erleben04, sec. 5.3], against a recomputation that knows nothing of the graph.
#include "support/scenes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

namespace achilles {
namespace {

using testing::make_body;
using testing::make_ground;
using testing::make_scene;
using testing::run_to;

constexpr EventOptions kWatched{1e-4, 0.02, true};

/// Balls in a closed box, without gravity: they come near, touch and part all the time.
Scene make_gas(const std::string& method) {
  Scene scene = make_scene(0.005, 0, 1);
  scene.method = {method, "", "", {}};
  scene.gravity.setZero();
  std::mt19937_64 engine(7);
  const auto draw = [&] { return std::uniform_real_distribution<double>(-0.8, 0.8)(engine); };
  for (const Vec3& normal :
       {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0), Vec3(0, 0, 1), Vec3(0, 0, -1)}) {
    BodyDescription wall = make_ground(normal);
    wall.name = "wall" + std::to_string(scene.bodies.size());
    wall.pose.p = -normal;
    scene.bodies.push_back(wall);
  }
  for (int k = 0; k < 20; ++k) {
    BodyDescription ball = make_body("ball" + std::to_string(k), {Sphere{0.08}},
                                     Vec3(0.4 * (k % 5) - 0.8, 0.4 * (k / 5) - 0.7, 0.5 * draw()));
    ball.velocity = 2 * Vec3(draw(), draw(), draw());
    scene.bodies.push_back(ball);
  }
  scene.triggers = {{"middle", {Box{Vec3(0.8, 0.8, 0.8)}}, {}}};
  return scene;
}

/// 0 apart, 1 near, 2 touching, from centres and radii alone.
int state_of(const World& world, std::size_t a, std::size_t b) {
  const double radius = 0.08;
  double gap = 0;
  if (a < 6) {  // walls come first; they face inwards
    const Vec3 normal = -world.bodies.position[a].normalized();
    gap = normal.dot(world.bodies.position[b] - world.bodies.position[a]) - radius;
  } else {
    gap = (world.bodies.position[b] - world.bodies.position[a]).norm() - 2 * radius;
  }
  return gap <= kWatched.touching ? 2 : gap <= kWatched.proximity ? 1 : 0;
}

bool is_in_middle(const World& world, std::size_t body) {
  const Vec3 outside = (world.bodies.position[body].cwiseAbs() - Vec3::Constant(0.4)).cwiseMax(0.0);
  return outside.norm() <= 0.08;
}

/// The events that lead from one picture of the world to the next.
std::multiset<std::tuple<EventKind, std::uint32_t, std::uint32_t>> expect_events(const World& before, const World& now,
                                                                                 bool is_first) {
  std::multiset<std::tuple<EventKind, std::uint32_t, std::uint32_t>> events;
  const auto n = static_cast<std::uint32_t>(now.bodies.size());
  for (std::uint32_t b = 6; b < n; ++b) {
    for (std::uint32_t a = 0; a < b; ++a) {
      const int was = is_first ? 0 : state_of(before, a, b), is = state_of(now, a, b);
      const auto tell = [&](int state, EventKind fresh, EventKind persistent, EventKind vanished) {
        if (is == state) events.emplace(was == state ? persistent : fresh, a, b);
        if (is != state && was == state) events.emplace(vanished, a, b);
      };
      tell(1, EventKind::kNewProximity, EventKind::kPersistentProximity, EventKind::kVanishedProximity);
      tell(2, EventKind::kNewTouch, EventKind::kPersistentTouch, EventKind::kVanishedTouch);
    }
    const bool was = !is_first && is_in_middle(before, b), is = is_in_middle(now, b);
    if (is && !was) events.emplace(EventKind::kTriggerIn, 0, b);
    if (was && !is) events.emplace(EventKind::kTriggerOut, 0, b);
  }
  return events;
}

class Events : public ::testing::TestWithParam<const char*> {};

// lcp-retroactive and impulse-zeno-free step back within a step; what they tried and dropped is no event.
TEST_P(Events, AreThoseOfABruteForceComparisonOverAThousandSteps) {
  Simulation simulation(make_gas(GetParam()));
  simulation.watch_events(kWatched);
  World before = simulation.world();
  std::map<EventKind, int> counts;
  for (int k = 0; k < 1000; ++k) {
    const StepReport report = simulation.step();
    ASSERT_FALSE(report.stopped);
    std::multiset<std::tuple<EventKind, std::uint32_t, std::uint32_t>> found;
    for (const ContactEvent& event : simulation.events()) {
      found.emplace(event.kind, event.first, event.second);
      ++counts[event.kind];
      ASSERT_EQ(event.time, simulation.world().time);
    }
    ASSERT_EQ(found, expect_events(before, simulation.world(), k == 0)) << "step " << k;
    before = simulation.world();
  }
  // Every kind but the timer; where bounces are exact, no touch outlasts the step it came in.
  for (const EventKind kind :
       {EventKind::kTriggerIn, EventKind::kTriggerOut, EventKind::kNewTouch, EventKind::kVanishedTouch,
        EventKind::kNewProximity, EventKind::kPersistentProximity, EventKind::kVanishedProximity}) {
    EXPECT_GT(counts[kind], 0) << to_string(kind);
  }
}

// A ball lands; between the step and the reading of its events the body before them is removed.
TEST(EventLog, NamesBodiesByHandlesThatOutliveTheRemovalOfOthers) {
  Scene scene = testing::make_scene(0.01, 0.5, 0);
  scene.bodies = {testing::make_body("gone", {Sphere{0.1}}, Vec3(9, 9, 9)), testing::make_ground(),
                  testing::make_body("ball", {Sphere{0.1}}, Vec3(0, 0, 0.1001))};
  Simulation simulation(scene);
  simulation.watch_events({});
  std::vector<ContactEvent> touches;
  for (int k = 0; k < 50 && touches.empty(); ++k) {
    (void)simulation.step();
    for (const ContactEvent& event : simulation.events()) {
      if (event.kind == EventKind::kNewTouch) touches.push_back(event);
    }
  }
  ASSERT_EQ(touches.size(), 1U);
  World& world = simulation.world();
  EXPECT_EQ(world.names[touches[0].first], "ground");
  world.remove_body(world.find("gone"));
  EXPECT_EQ(world.names[world.index_of(touches[0].first_body)], "ground");
  EXPECT_EQ(world.names[world.index_of(touches[0].second_body)], "ball");
  world.remove_body(world.find("ball"));
  EXPECT_FALSE(world.is_alive(touches[0].second_body));
}

// What sleeps is not looked at again until one of a pair has moved: events must be those of a look at all.
TEST(EventLog, TellsOfSleepersWhatABruteForceComparisonDoes) {
  Scene scene = make_gas("shock-propagation");
  scene.gravity = Vec3(0, 0, -9.81);
  for (Material& material : scene.materials) {
    material.law.friction = 0.5;
    material.law.rolling_friction = material.law.torsional_friction = 0.01;
    material.law.restitution = 0;
  }
  scene.method.options = {{"sleeping", true}, {"subgrouping", true}, {"sleep_energy", 1e-3}};
  Simulation simulation(scene);
  simulation.watch_events(kWatched);
  World before = simulation.world();
  int most = 0;
  for (int k = 0; k < 1000; ++k) {
    if (k == 500) simulation.world().set_pose(simulation.world().find("ball3"), {Vec3(0, 0, 0.5), Quat::Identity()});
    if (k == 700) simulation.restore(World(before));
    (void)simulation.step();
    const std::vector<std::uint8_t>& asleep = simulation.world().bodies.asleep;
    most = std::max(most, static_cast<int>(std::count(asleep.begin(), asleep.end(), 1)));
    std::multiset<std::tuple<EventKind, std::uint32_t, std::uint32_t>> found;
    for (const ContactEvent& event : simulation.events()) found.emplace(event.kind, event.first, event.second);
    ASSERT_EQ(found, expect_events(before, simulation.world(), k == 0)) << "step " << k;
    before = simulation.world();
  }
  EXPECT_GT(most, 15);
}

INSTANTIATE_TEST_SUITE_P(Methods, Events,
                         ::testing::Values("lcp-fixed", "lcp-retroactive", "impulse-zeno-free", "shock-propagation"));

/// Islands by relaxation over the contact points of a step: every point between movable bodies hands the lower label
/// on.
int count_islands(const World& world, std::span<const ContactRecord> contacts) {
  std::vector<std::size_t> label(world.bodies.size());
  for (std::size_t i = 0; i < label.size(); ++i) label[i] = i;
  std::set<std::size_t> touched;
  for (bool changed = true; changed;) {
    changed = false;
    touched.clear();
    for (const ContactRecord& contact : contacts) {
      const bool a = world.bodies.is_movable(contact.body_a), b = world.bodies.is_movable(contact.body_b);
      const std::size_t low =
          a && b ? std::min(label[contact.body_a], label[contact.body_b]) : label[a ? contact.body_a : contact.body_b];
      for (const auto& [body, moves] : {std::pair(contact.body_a, a), std::pair(contact.body_b, b)}) {
        changed = changed || (moves && label[body] != low);
        if (moves) label[body] = low;
      }
      touched.insert(low);
    }
  }
  return static_cast<int>(touched.size());
}

// Steps keep their islands from the step before; a thousand of them with balls that come and part all the time.
TEST(StepIslands, AreThoseOfABruteForceSearchOverAThousandSteps) {
  for (const char* method : {"lcp-fixed", "anitescu", "shock-propagation"}) {
    Scene scene = make_gas(method);
    scene.gravity = Vec3(0, 0, -1);
    Simulation simulation(scene);
    int most = 0;
    for (int k = 0; k < 1000; ++k) {
      const StepReport report = simulation.step();
      ASSERT_EQ(report.islands, count_islands(simulation.world(), simulation.contacts())) << method << " step " << k;
      most = std::max(most, report.islands);
    }
    EXPECT_GT(most, 2) << method;
  }
}

TEST(EventLog, ListenerHearsWhatTheStepReports) {
  Simulation simulation(make_gas("lcp-fixed"));
  int in = 0, heard = 0;
  simulation.watch_events({}, [&](const ContactEvent& event) {
    ++heard;
    in += event.kind == EventKind::kTriggerIn ? 1 : 0;
  });
  int reported = 0, listed = 0;
  for (int k = 0; k < 200; ++k) {
    reported += simulation.step().triggers_in;
    listed += static_cast<int>(simulation.events().size());
  }
  EXPECT_GT(in, 0);
  EXPECT_EQ(in, reported);
  EXPECT_EQ(heard, listed);
}

TEST(EventLog, TimerTicksAtMultiplesOfItsPeriod) {
  Simulation simulation(make_gas("lcp-fixed"));
  (void)simulation.world().add_timer(0.1);
  std::vector<double> ticks;
  simulation.watch_events({}, [&](const ContactEvent& event) {
    if (event.kind == EventKind::kTimer) ticks.push_back(event.time);
  });
  (void)run_to(simulation, 1);
  ASSERT_EQ(ticks.size(), 10U);
  for (int k = 0; k < 10; ++k) EXPECT_NEAR(ticks[static_cast<std::size_t>(k)], 0.1 * (k + 1), 1e-12);
  EXPECT_THROW((void)simulation.world().add_timer(0), std::invalid_argument);
}

TEST(EventLog, BodyInThePlaceOfARemovedOneIsLookedAtAnew) {
  Scene scene = make_scene(0.01, 0, 0);
  scene.gravity.setZero();
  scene.bodies = {make_body("ball", {Sphere{0.5}}, Vec3::Zero()), make_body("other", {Sphere{0.4}}, Vec3(1, 0, 0))};
  Simulation simulation(scene);
  simulation.watch_events({});
  EXPECT_EQ(simulation.step().new_contacts, 0);
  World& world = simulation.world();
  world.remove_body(world.find("other"));
  (void)world.add_body(make_body("other", {Sphere{0.5}}, Vec3(1, 0, 0)));
  EXPECT_EQ(simulation.step().new_contacts, 1);
}

TEST(EventLog, ResumedWorldTellsTheSameEvents) {
  const Scene scene = make_gas("lcp-fixed");
  Simulation simulation(scene), resumed(scene);
  (void)run_to(simulation, 0.5);
  std::stringstream saved;
  simulation.world().save(saved);
  resumed.restore(World::load(saved));
  for (int k = 0; k < 100; ++k) {
    (void)simulation.step();
    (void)resumed.step();
    ASSERT_TRUE(std::equal(simulation.events().begin(), simulation.events().end(), resumed.events().begin(),
                           resumed.events().end()));
  }
}

}  // namespace
}  // namespace achilles
