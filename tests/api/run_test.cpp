#include "record/recording.hpp"
#include "record/recording_writer.hpp"
#include "support/temporary_folder.hpp"

#include <achilles/run.hpp>
#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

namespace achilles {
namespace {

using testing::TemporaryFolder;

/// Balls and boxes that fall on the ground and on each other: contacts begin, slide and rest.
Scene make_scene() {
  return parse_scene(R"(
achilles: 1
name: a small heap
time: {step: 0.005, duration: 1}
materials:
  default: {friction: 0.5, restitution: 0.3}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - name: ball
    repeat: {count: [2, 2, 3], spacing: [0.31, 0.33, 0.4]}
    shape: {sphere: {radius: 0.15}}
    position: [0, 0, 0.3]
  - name: box
    repeat: {count: [1, 1, 3], spacing: [0, 0, 0.5]}
    shape: {box: {size: [0.4, 0.3, 0.2]}}
    position: [0.2, 0.1, 2]
)");
}

/// Every state of two recordings, bit for bit.
void expect_same_states(const std::string& path_a, const std::string& path_b) {
  const Recording a(path_a);
  const Recording b(path_b);
  ASSERT_EQ(a.instants(), b.instants());
  Instant x;
  Instant y;
  for (std::size_t k = 0; k < a.instants(); ++k) {
    a.read(k, x);
    b.read(k, y);
    ASSERT_EQ(x.time, y.time);
    ASSERT_EQ(x.position, y.position) << "instant " << k;
    ASSERT_EQ(x.orientation, y.orientation) << "instant " << k;
    ASSERT_EQ(x.velocity, y.velocity) << "instant " << k;
    ASSERT_EQ(x.spin, y.spin) << "instant " << k;
  }
}

TEST(Run, TakesTheStepsOfItsDurationAndRecordsEverySixtiethOfASecond) {
  const TemporaryFolder folder;
  RunOptions options;
  options.record_path = folder.file("run.h5");
  const RunReport report = run_scene(make_scene(), options);
  EXPECT_EQ(report.steps, 200);
  EXPECT_NEAR(report.time, 1, 1e-12);
  EXPECT_FALSE(report.stopped);
  const Recording recording(options.record_path);
  EXPECT_TRUE(recording.is_complete());
  // 1/60 s is 3.33 steps, so an instant every 3 steps, the start, and the end, which is no multiple of 3.
  EXPECT_EQ(recording.instants(), 1U + 200U / 3U + 1U);
  EXPECT_EQ(recording.time(0), 0);
}

TEST(Run, TimesBeyondAllStepsAreNeverReached) {
  const TemporaryFolder folder;
  RunOptions options;
  options.record_path = folder.file("run.h5");
  options.every = 1e300;
  (void)run_scene(make_scene(), options);
  EXPECT_EQ(Recording(options.record_path).instants(), 2U) << "the start and the end";
  RunOptions endless;
  endless.duration = 1e300;
  endless.progress = [](const RunProgress& progress) { return progress.steps < 5; };
  const RunReport report = run_scene(make_scene(), endless);
  EXPECT_EQ(report.steps, 5);
  ASSERT_TRUE(report.stopped);
  EXPECT_EQ(report.stopped->reason, "interrupted");
}

TEST(Run, ResumedRunHasTheBitsOfAnUninterruptedOne) {
  const TemporaryFolder folder;
  const Scene scene = make_scene();
  RunOptions whole;
  whole.record_path = folder.file("whole.h5");
  const RunReport expected = run_scene(scene, whole);

  // Interrupted at an instant and between two.
  for (const std::int64_t steps : {60, 61}) {
    RunOptions part;
    part.record_path = folder.file("part.h5");
    part.progress = [steps](const RunProgress& progress) { return progress.steps < steps; };
    const RunReport interrupted = run_scene(scene, part);
    ASSERT_TRUE(interrupted.stopped);
    EXPECT_EQ(interrupted.stopped->reason, "interrupted");
    EXPECT_EQ(interrupted.steps, steps);

    const RunReport resumed = resume_run(part.record_path);
    EXPECT_FALSE(resumed.stopped);
    EXPECT_EQ(resumed.time, expected.time);
    EXPECT_EQ(resumed.energy.initial, expected.energy.initial);
    EXPECT_EQ(resumed.energy.final, expected.energy.final);
    EXPECT_EQ(resumed.penetration.max, expected.penetration.max);
    expect_same_states(whole.record_path, part.record_path);
  }
}

// Cut before the second instant, when no two instants tell how far apart they should be.
TEST(Run, ResumedRunKeepsTheTimeBetweenInstantsThatWasAskedFor) {
  const TemporaryFolder folder;
  const Scene scene = make_scene();
  RunOptions whole;
  whole.record_path = folder.file("whole.h5");
  whole.every = 0.1;
  (void)run_scene(scene, whole);
  ASSERT_EQ(Recording(whole.record_path).instants(), 11U);
  for (const std::int64_t steps : {1, 19, 20, 21}) {
    RunOptions part = whole;
    part.record_path = folder.file("part.h5");
    part.progress = [steps](const RunProgress& progress) { return progress.steps < steps; };
    (void)run_scene(scene, part);
    (void)resume_run(part.record_path);
    expect_same_states(whole.record_path, part.record_path);
  }
}

TEST(Run, RecordsTheEventsThatTheSceneAsksForAndResumesTheirLog) {
  const TemporaryFolder folder;
  const Scene scene = parse_scene(make_scene().text, "<text>", {{"events", "{timers: [0.25]}"}});
  RunOptions whole;
  whole.record_path = folder.file("whole.h5");
  (void)run_scene(scene, whole);
  const std::vector<RecordedEvent> expected = Recording(whole.record_path).events();
  const auto count = [&](RecordedKind kind) {
    return std::count_if(expected.begin(), expected.end(), [&](const RecordedEvent& e) { return e.kind == kind; });
  };

  Simulation simulation(scene);
  std::map<EventKind, std::ptrdiff_t> heard;
  for (int k = 0; k < 200; ++k) {
    (void)simulation.step();
    for (const ContactEvent& event : simulation.events()) ++heard[event.kind];
  }
  EXPECT_EQ(count(RecordedKind::kTimer), 4);
  EXPECT_GT(count(RecordedKind::kNewProximity), 0);
  EXPECT_EQ(count(RecordedKind::kNewProximity), heard[EventKind::kNewProximity]);
  EXPECT_EQ(count(RecordedKind::kVanishedProximity), heard[EventKind::kVanishedProximity]);

  // At a tick of the timer and between two instants.
  for (const std::int64_t steps : {50, 61}) {
    RunOptions part;
    part.record_path = folder.file("part.h5");
    part.progress = [steps](const RunProgress& progress) { return progress.steps < steps; };
    (void)run_scene(scene, part);
    (void)resume_run(part.record_path);
    const std::vector<RecordedEvent> resumed = Recording(part.record_path).events();
    ASSERT_EQ(resumed.size(), expected.size());
    for (std::size_t k = 0; k < expected.size(); ++k) {
      EXPECT_EQ(resumed[k].time, expected[k].time);
      EXPECT_EQ(resumed[k].kind, expected[k].kind);
      EXPECT_EQ(resumed[k].body_a, expected[k].body_a);
      EXPECT_EQ(resumed[k].body_b, expected[k].body_b);
    }
  }
}

/// How often the log of a recording says this.
std::int64_t count_logged(const std::string& path, RecordedKind kind) {
  const std::vector<RecordedEvent> events = Recording(path).events();
  return std::count_if(events.begin(), events.end(), [&](const RecordedEvent& e) { return e.kind == kind; });
}

TEST(Run, ReportCountsTheTouchesOfTheLog) {
  const TemporaryFolder folder;
  for (const char* method : {"lcp-fixed", "soft-step", "shock-propagation", "penalty", "impulse-conservative"}) {
    const Scene scene = parse_scene(make_scene().text, "<text>", {{"method.name", method}});
    RunOptions whole;
    whole.record_path = folder.file("whole.h5");
    const RunReport expected = run_scene(scene, whole);
    EXPECT_GT(expected.new_contacts, 0) << method;
    EXPECT_EQ(expected.new_contacts, count_logged(whole.record_path, RecordedKind::kNewContact)) << method;
    EXPECT_EQ(expected.lost_contacts, count_logged(whole.record_path, RecordedKind::kLostContact)) << method;

    RunOptions part = whole;
    part.record_path = folder.file("part.h5");
    part.progress = [](const RunProgress& progress) { return progress.steps < 67; };
    (void)run_scene(scene, part);
    const RunReport resumed = resume_run(part.record_path);
    EXPECT_EQ(resumed.new_contacts, expected.new_contacts) << method;
    EXPECT_EQ(resumed.lost_contacts, expected.lost_contacts) << method;
  }
}

TEST(Run, CompleteRecordingCanBeMadeLonger) {
  const TemporaryFolder folder;
  const Scene scene = make_scene();
  RunOptions whole;
  whole.record_path = folder.file("whole.h5");
  whole.duration = 0.6;
  (void)run_scene(scene, whole);
  RunOptions part = whole;
  part.record_path = folder.file("part.h5");
  part.duration = 0.3;
  (void)run_scene(scene, part);
  RunOptions rest;
  rest.duration = 0.6;
  (void)resume_run(part.record_path, rest);
  expect_same_states(whole.record_path, part.record_path);
}

TEST(Run, CompleteRecordingThatIsResumedStaysAsItIs) {
  const TemporaryFolder folder;
  RunOptions options;
  options.record_path = folder.file("run.h5");
  const RunReport expected = run_scene(make_scene(), options);
  const std::string again = folder.file("again.h5");
  std::filesystem::copy_file(options.record_path, again);
  const RunReport resumed = resume_run(again);
  expect_same_states(options.record_path, again);
  EXPECT_EQ(resumed.steps, expected.steps);
  EXPECT_EQ(resumed.time, expected.time);
  EXPECT_EQ(resumed.penetration.max, expected.penetration.max);
  EXPECT_EQ(resumed.penetration.final, expected.penetration.final);
}

TEST(Run, StackThatFallsAsleepTouchesOn) {
  const TemporaryFolder folder;
  RunOptions options;
  options.record_path = folder.file("run.h5");
  const RunReport report = run_scene(parse_scene(R"(
achilles: 1
name: a stack that falls asleep
time: {step: 0.01, duration: 1}
method: {name: shock-propagation, sleeping: true}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - name: box
    repeat: {count: [1, 1, 3], spacing: [0, 0, 1]}
    shape: {box: {size: [1, 1, 1]}}
    position: [0, 0, 0.5]
)"),
                                     options);
  EXPECT_TRUE(report.bodies.back().asleep);
  const std::vector<RecordedEvent> events = Recording(options.record_path).events();
  EXPECT_EQ(events.size(), 3U);
  for (const RecordedEvent& event : events) EXPECT_EQ(event.kind, RecordedKind::kNewContact);
}

TEST(Run, ThreadsDoNotChangeTheBits) {
  const TemporaryFolder folder;
  RunOptions one;
  one.record_path = folder.file("one.h5");
  RunOptions two = one;
  two.threads = 2;
  two.record_path = folder.file("two.h5");
  (void)run_scene(make_scene(), one);
  (void)run_scene(make_scene(), two);
  expect_same_states(one.record_path, two.record_path);
}

TEST(Run, ResumingWhatIsNoRecordingSaysSoAndLeavesItAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("notes.txt");
  std::ofstream(path) << "not a recording\n";
  EXPECT_THROW((void)resume_run(path), std::runtime_error);
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "not a recording");
}

TEST(Replay, RepeatsARecordingBitForBit) {
  const TemporaryFolder folder;
  RunOptions options;
  options.record_path = folder.file("run.h5");
  (void)run_scene(make_scene(), options);
  const ReplayResult result = replay_recording(options.record_path);
  EXPECT_EQ(result.instants, Recording(options.record_path).instants());
  EXPECT_FALSE(result.first_difference);
}

// The recording of another motion under the same scene: one body is pushed half-way.
TEST(Replay, NamesTheFirstInstantAndTheBodyThatDiffer) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  Simulation simulation(scene);
  RecordingWriter recorder(path, simulation.world(), scene);
  for (int k = 0; k <= 10; ++k) {
    recorder.instant(simulation.world(), simulation.contacts(), 0);
    if (k == 5) simulation.world().bodies.velocity[3].linear.x() += 1e-9;
    (void)simulation.step();
  }
  recorder.commit();
  const ReplayResult result = replay_recording(path);
  ASSERT_TRUE(result.first_difference);
  EXPECT_EQ(result.first_difference->instant, 6U);
  EXPECT_EQ(result.first_difference->body, simulation.world().names[3]);
}

}  // namespace
}  // namespace achilles
