// What began and ceased to touch: in the recording, after an interruption, and in the page.
#include "record/page_reader.hpp"

#include "record/recording_writer.hpp"
#include "record/touches.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace achilles {
namespace {

using test::make_balls;
using test::Page;
using test::PageTest;
using test::TemporaryFolder;

ContactRecord touch(std::uint32_t a, std::uint32_t b, double gap, double impulse = 0) {
  ContactRecord contact;
  contact.body_a = a;
  contact.body_b = b;
  contact.gap = gap;
  contact.impulse = Vec3(0, 0, impulse);
  return contact;
}

using Told = std::tuple<double, RecordedKind, std::uint32_t, std::uint32_t>;

std::vector<Told> tell(const std::vector<RecordedEvent>& events) {
  std::vector<Told> told;
  for (const RecordedEvent& event : events) told.emplace_back(event.time, event.kind, event.body_a, event.body_b);
  return told;
}

constexpr RecordedKind kNew = RecordedKind::kNewContact;
constexpr RecordedKind kLost = RecordedKind::kLostContact;

/// Touches of balls, told step after step.
struct ToldTouches {
  World world = World(make_balls(4));
  Touches touches;
  std::vector<RecordedEvent> events;

  void see(double time, const std::vector<ContactRecord>& contacts) {
    world.time = time;
    touches.see(world, contacts, events);
  }
};

TEST(Touches, BeginWithAPushOrAnOverlapAndEndWhenThePairIsNoLongerNear) {
  ToldTouches told;
  told.see(0.1, {touch(2, 1, 0.01)});  // near, but apart
  EXPECT_TRUE(told.events.empty());
  told.see(0.2, {touch(2, 1, -0.001)});
  told.see(0.3, {touch(1, 2, 0.001)});  // trembles: still the same touch
  told.see(0.4, {touch(1, 2, 0.001, 5)});
  EXPECT_EQ(tell(told.events), (std::vector<Told>{{0.2, kNew, 1, 2}}));
  told.see(0.5, {});
  EXPECT_EQ(tell(told.events).back(), Told(0.5, kLost, 1, 2));
  told.see(0.6, {touch(1, 2, 1e-9, 1)});
  EXPECT_EQ(tell(told.events).back(), Told(0.6, kNew, 1, 2));
}

TEST(Touches, PointsOfManyPairsInAnyOrderAreOneEventPerPair) {
  ToldTouches told;
  told.see(1, {touch(3, 0, -1), touch(0, 1, -1), touch(3, 0, -1), touch(0, 1, -1)});
  EXPECT_EQ(tell(told.events), (std::vector<Told>{{1, kNew, 0, 1}, {1, kNew, 0, 3}}));
  told.events.clear();
  told.see(2, {touch(1, 2, -1), touch(0, 3, 1)});
  EXPECT_EQ(tell(told.events), (std::vector<Told>{{2, kNew, 1, 2}, {2, kLost, 0, 1}}));
}

TEST(Touches, OfWhatFellAsleepGoOnUntilItWakesAndIsGone) {
  ToldTouches told;
  told.see(1, {touch(0, 1, -1), touch(1, 2, -1)});
  told.events.clear();
  std::vector<std::uint8_t>& asleep = told.world.bodies.asleep;
  asleep[0] = asleep[1] = 1;
  told.see(2, {touch(1, 2, -1)});
  told.see(3, {touch(1, 2, -1)});
  EXPECT_TRUE(told.events.empty());
  told.see(4, {});  // what is awake has gone
  EXPECT_EQ(tell(told.events), (std::vector<Told>{{4, kLost, 1, 2}}));
  asleep[0] = asleep[1] = 0;
  told.see(5, {touch(0, 1, -1)});
  told.see(6, {});
  EXPECT_EQ(tell(told.events), (std::vector<Told>{{4, kLost, 1, 2}, {6, kLost, 0, 1}}));
}

// Bodies that fall asleep and wake at random, contacts at random, told beside a plain set of pairs that is gone through
// in every step.
TEST(Touches, AreThoseOfLookingAtEveryPairInEveryStepWhoeverSleeps) {
  constexpr std::uint32_t kBodies = 7;
  std::mt19937 random(1);
  const auto one_in = [&](unsigned n) { return random() % n == 0; };
  World world(make_balls(kBodies));
  Touches touches;
  std::set<std::pair<std::uint32_t, std::uint32_t>> touching;
  std::vector<RecordedEvent> events;
  int ends = 0, rests = 0;
  for (int k = 0; k < 3000; ++k) {
    world.time = k;
    for (std::uint8_t& asleep : world.bodies.asleep) {
      if (one_in(8)) asleep ^= 1;
    }
    std::vector<ContactRecord> contacts;
    std::vector<Told> expected, lost;
    for (std::uint32_t a = 0; a < kBodies; ++a) {
      for (std::uint32_t b = a + 1; b < kBodies; ++b) {
        const bool both_sleep = world.bodies.asleep[a] != 0 && world.bodies.asleep[b] != 0;
        if (!one_in(both_sleep ? 200 : 2)) {  // a method may list what sleeps: a script comes by
          if (both_sleep) rests += touching.contains({a, b}) ? 1 : 0;
          if (!both_sleep && touching.erase({a, b}) > 0) lost.emplace_back(k, kLost, a, b);
          continue;
        }
        const bool pushes = one_in(2);
        contacts.push_back(touch(a, b, pushes ? -1 : 1));
        if (pushes && touching.insert({a, b}).second) expected.emplace_back(k, kNew, a, b);
      }
    }
    ends += static_cast<int>(lost.size());
    expected.insert(expected.end(), lost.begin(), lost.end());
    events.clear();
    touches.see(world, contacts, events);
    ASSERT_EQ(tell(events), expected) << "step " << k;
  }
  EXPECT_GT(ends, 1000);
  EXPECT_GT(rests, 1000);
}

/// Contacts of step k of a made-up run: pairs come and go with periods of their own.
std::vector<ContactRecord> contacts_of(int k) {
  std::vector<ContactRecord> contacts;
  for (std::uint32_t b = 1; b < 6; ++b) {
    if (k / static_cast<int>(b) % 2 == 1) contacts.push_back(touch(0, b, -0.1));
  }
  return contacts;
}

TEST(Touches, ARunThatGoesOnFromItsRecordingTellsWhatOneWithoutInterruptionTells) {
  const TemporaryFolder folder;
  const Scene scene = make_balls(6);
  World world(scene);
  const auto steps = [&](RecordingWriter& recorder, int first, int last) {
    for (int k = first; k < last; ++k) {
      world.time = 0.1 * k;
      recorder.after_step(world, {}, 0, contacts_of(k), {});
      if (k % 5 == 0) recorder.instant(world, {}, 0);
    }
  };
  {
    RecordingWriter whole(folder.file("whole.h5"), world, scene);
    steps(whole, 0, 40);
    RecordingWriter first(folder.file("first.h5"), world, scene);
    steps(first, 0, 30);
  }
  {
    // Saved after step 23; what the first run recorded after that does not count, what it did between instant and
    // checkpoint does.
    const Recording first(folder.file("first.h5"));
    RecordingWriter second(folder.file("second.h5"), world, scene);
    second.append_instants(first, 5, 0.1 * 23);
    steps(second, 24, 40);
  }
  const std::vector<Told> whole = tell(Recording(folder.file("whole.h5")).events());
  EXPECT_GT(whole.size(), 50U);
  EXPECT_EQ(tell(Recording(folder.file("second.h5")).events()), whole);
}

TEST_F(PageTest, EventsAreThoseOfTheRecording) {
  const Scene scene = make_balls(3);
  const World world(scene);
  {
    RecordingWriter recorder(folder.file("run.h5"), world, scene);
    recorder.instant(world, {}, 0);
    recorder.event({0.25, kNew, 0, 2});
    recorder.event({0.5, RecordedKind::kTriggerIn, 1, 7});
    recorder.event({0.75, RecordedKind::kStop, kNoBody, kNoBody});
    recorder.finish(RunReport{});
  }
  const Page page = make_page();
  EXPECT_EQ(page.header["recorded_events"], 3);
  EXPECT_EQ(page.array<double>("event_time"), (std::vector<double>{0.25, 0.5, 0.75}));
  EXPECT_EQ(page.array<std::uint8_t>("event_kind"), (std::vector<std::uint8_t>{0, 2, 5}));
  EXPECT_EQ(page.array<std::uint32_t>("event_body"), (std::vector<std::uint32_t>{0, 2, 1, 7, kNoBody, kNoBody}));
}

TEST_F(PageTest, EventsTakeATenthOfTheBudgetAtMostAndAreThinnedOutEvenly) {
  const Scene scene = make_balls(2);
  const World world(scene);
  constexpr std::size_t kEvents = 100'000;
  {
    RecordingWriter recorder(folder.file("run.h5"), world, scene);
    recorder.instant(world, {}, 0);
    for (std::size_t k = 0; k < kEvents; ++k) recorder.event({1e-3 * static_cast<double>(k), kNew, 0, 1});
    recorder.finish(RunReport{});
  }
  const Page page = make_page(1'000'000);
  EXPECT_EQ(page.header["recorded_events"], kEvents);
  const std::vector<double> time = page.array<double>("event_time");
  EXPECT_LE(24 * time.size(), 100'000U);
  ASSERT_GT(time.size(), 2'000U);
  for (std::size_t k = 2; k < time.size(); ++k) EXPECT_NEAR(time[k] - time[k - 1], time[1] - time[0], 1e-9);
  EXPECT_GT(time.back(), 0.99e-3 * kEvents);
  EXPECT_EQ(page.header["instants"], 1);
}

}  // namespace
}  // namespace achilles
