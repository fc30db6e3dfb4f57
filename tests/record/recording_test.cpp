// What was recorded comes back bit for bit.
#include "record/small_world.hpp"

#include "record/recording.hpp"
#include "record/recording_writer.hpp"
#include "record/run_report.hpp"

#include <gtest/gtest.h>
#include <hdf5.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>

namespace achilles {
namespace {

using test::make_balls;
using test::make_contacts;
using test::make_scene;
using test::make_step;
using test::record;
using test::set_state;
using test::TemporaryFolder;

void expect_same_bits(const Instant& got, const Instant& expected) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(got.time), std::bit_cast<std::uint64_t>(expected.time));
  EXPECT_EQ(got.step, expected.step);
  EXPECT_EQ(got.hash, expected.hash);
  EXPECT_EQ(chain_digest(0, got), chain_digest(0, expected));
  // No state of these tests holds a NaN, so equality of doubles is equality of bits up to the sign of zero.
  EXPECT_EQ(got.position, expected.position);
  EXPECT_EQ(got.orientation, expected.orientation);
  EXPECT_EQ(got.velocity, expected.velocity);
  EXPECT_EQ(got.spin, expected.spin);
  EXPECT_EQ(got.asleep, expected.asleep);
  EXPECT_EQ(got.contact_a, expected.contact_a);
  EXPECT_EQ(got.contact_b, expected.contact_b);
  EXPECT_EQ(got.contact_position, expected.contact_position);
  EXPECT_EQ(got.contact_normal, expected.contact_normal);
  EXPECT_EQ(got.contact_gap, expected.contact_gap);
  EXPECT_EQ(got.contact_impulse, expected.contact_impulse);
}

Instant expected_instant(const Scene& scene, std::uint64_t k) {
  World world(scene);
  set_state(world, k);
  Instant instant;
  gather(world, make_contacts(k, world.bodies.size()), instant);
  const StepReport step = k > 0 ? make_step(k) : StepReport{};
  instant.scalars.penetration = 1e-3 * static_cast<double>(k);
  instant.scalars.steps = k > 0 ? 1 : 0;
  instant.scalars.step_seconds = k > 0 ? 0.25 : 0;
  instant.scalars.contacts = step.contacts;
  instant.scalars.iterations = step.iterations;
  instant.scalars.residual = step.residual;
  instant.scalars.impacts = step.impacts;
  instant.scalars.external_work = step.external_work;
  return instant;
}

void expect_round_trip(const Scene& scene, std::uint64_t count, const RecordingWriterOptions& options) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  record(path, scene, count, options);
  const Recording recording(path);
  ASSERT_EQ(recording.instants(), count);
  ASSERT_TRUE(recording.is_complete());
  Instant instant;
  for (std::uint64_t k = 0; k < count; ++k) {
    recording.read(k, instant);
    expect_same_bits(instant, expected_instant(scene, k));
    if (::testing::Test::HasFailure()) FAIL() << "at instant " << k;
  }
  EXPECT_EQ(recording.find_first_altered(), std::nullopt);
}

// 8,300 instants: a commit by number (every 8,192) and a rest; 4 bodies: chunks of 682 positions.
TEST(Recording, EveryInstantComesBackBitForBit) { expect_round_trip(make_scene(), 8300, {}); }

// Every instant is committed by itself: chunks are seen before they are full and filled up in place.
TEST(Recording, CommittingEveryInstantChangesNothing) {
  RecordingWriterOptions options;
  options.flush_seconds = 0;
  expect_round_trip(make_scene(), 700, options);
}

// 3,000 bodies: a row of positions (72 kB) is larger than a chunk of many instants.
TEST(Recording, OneInstantPerChunkComesBack) { expect_round_trip(make_balls(3000), 3, {}); }

// 50,000 bodies: a row of positions (1.2 MB) is cut into pieces.
TEST(Recording, AnInstantLargerThanAChunkComesBack) { expect_round_trip(make_balls(50'000), 2, {}); }

TEST(Recording, AWorldWithoutBodiesCanBeRecorded) { expect_round_trip(make_balls(0), 3, {}); }

TEST(Recording, ARunWithoutInstantsCanBeRead) { expect_round_trip(make_scene(), 0, {}); }

TEST(Recording, HoldsWhatIsNeededToRepeatTheRun) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  Scene scene = make_scene();
  scene.name = std::string(1'000'000, 'n');  // longer than an attribute of HDF5 1.8 may be
  RecordingWriterOptions options;
  options.threads = 7;
  options.overrides = {{"time.step", "0.005"}, {"bodies.left.velocity", "[5,0,0]"}};
  record(path, scene, 1, options);
  const Recording recording(path);
  const RecordingHead& head = recording.head();
  EXPECT_EQ(head.scene_name, scene.name);
  EXPECT_EQ(head.scene_text, scene.text);
  EXPECT_EQ(head.scene_file, "small.yaml");
  EXPECT_EQ(head.source, "a test");
  EXPECT_EQ(head.method, "lcp-fixed");
  EXPECT_EQ(head.threads, 7);
  EXPECT_EQ(head.step, 0.005);
  EXPECT_EQ(head.duration, 3.0);
  EXPECT_EQ(head.gravity, Vec3(0, 0, -9.81));
  EXPECT_FALSE(head.version.empty());
  EXPECT_EQ(head.overrides, R"([["time.step","0.005"],["bodies.left.velocity","[5,0,0]"]])");
  EXPECT_EQ(head.options, R"({"iterations":20.0,"warm_start":true})");
}

TEST(Recording, BodiesAreDescribedAndEqualShapesStoredOnce) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  record(path, scene, 1);
  const Recording recording(path);
  const World world(scene);
  ASSERT_EQ(recording.body_count(), 4U);
  EXPECT_EQ(recording.head().shapes.size(), 3U);  // plane, box (twice), sphere
  for (std::size_t k = 0; k < 4; ++k) {
    const RecordedBody& body = recording.head().bodies[k];
    EXPECT_EQ(body.name, scene.bodies[k].name);
    EXPECT_EQ(body.kind, scene.bodies[k].kind);
    EXPECT_EQ(body.material, scene.bodies[k].material);
    EXPECT_EQ(body.mass, world.bodies.mass[k]);
    EXPECT_EQ(body.center, world.bodies.center_B[k]);
    EXPECT_EQ(body.inertia, world.bodies.inertia_B[k]);
  }
  EXPECT_TRUE(std::isinf(recording.head().bodies[0].mass));
  EXPECT_EQ(recording.head().bodies[1].shape, recording.head().bodies[3].shape);
  const Shape box = recording.shape(recording.head().bodies[1].shape);
  EXPECT_EQ(std::get<Box>(box.kind).size, Vec3(1, 2, 3));
}

// Steps between two instants: largest iterations and residual, sums of work and impacts, contacts of the last step.
TEST(Recording, ScalarsCoverAllStepsSinceTheInstantBefore) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  const World world(scene);
  {
    RecordingWriter recorder(path, world, scene);
    recorder.instant(world, {}, 0);
    for (const int iterations : {3, 9, 4}) {
      StepReport step;
      step.iterations = iterations;
      step.residual = 0.5 * iterations;
      step.contacts = 10 * iterations;
      step.impacts = 1;
      step.external_work = iterations;
      recorder.after_step(world, step, 0.125, {}, {});
    }
    recorder.instant(world, {}, 0.75);
    recorder.finish(RunReport{});
  }
  const Recording recording(path);
  Instant instant;
  recording.read(1, instant);
  EXPECT_EQ(instant.scalars.steps, 3);
  EXPECT_EQ(instant.scalars.iterations, 9);
  EXPECT_EQ(instant.scalars.residual, 4.5);
  EXPECT_EQ(instant.scalars.contacts, 40);
  EXPECT_EQ(instant.scalars.impacts, 3);
  EXPECT_EQ(instant.scalars.external_work, 16);
  EXPECT_EQ(instant.scalars.step_seconds, 0.375);
  EXPECT_EQ(instant.scalars.penetration, 0.75);
  EXPECT_EQ(instant.scalars.energy_potential, world.potential_energy());
}

TEST(Recording, RangesOfOneArrayCanBeReadAlone) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  record(path, scene, 20);
  const Recording recording(path);
  std::vector<double> penetration(5);
  recording.read_rows("scalars/penetration", 7, 5, penetration);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_EQ(penetration[k], 1e-3 * static_cast<double>(7 + k));
  EXPECT_EQ(recording.row_size("position"), 12U);
  std::vector<double> position(12);
  recording.read_rows("position", 3, 1, position);
  EXPECT_EQ(position, expected_instant(scene, 3).position);
  EXPECT_THROW(recording.read_rows("position", 20, 1, position), std::out_of_range);
  EXPECT_THROW(recording.read_rows("nothing", 0, 1, position), std::out_of_range);
  Instant instant;
  EXPECT_THROW(recording.read(20, instant), std::out_of_range);
}

TEST(Recording, EventsComeBackInOrder) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  const World world(scene);
  {
    RecordingWriter recorder(path, world, scene);
    recorder.event({0.5, RecordedKind::kNewContact, 0, 1});
    recorder.event({0.75, RecordedKind::kTriggerIn, 2, kNoBody});
    recorder.finish(RunReport{});
  }
  const std::vector<RecordedEvent> events = Recording(path).events();
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].time, 0.5);
  EXPECT_EQ(events[0].kind, RecordedKind::kNewContact);
  EXPECT_EQ(events[0].body_b, 1U);
  EXPECT_EQ(events[1].kind, RecordedKind::kTriggerIn);
  EXPECT_EQ(events[1].body_b, kNoBody);
}

TEST(Recording, TheLastCheckpointIsTheWorldThatWasSaved) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  World world(scene);
  std::uint64_t saved = 0;
  {
    RecordingWriter recorder(path, world, scene);
    for (std::uint64_t k = 0; k < 9; ++k) {
      set_state(world, k);
      recorder.instant(world, {}, 0);
      if (k % 3 == 1) {
        recorder.append_checkpoint(world);
        saved = world.state_hash();
      }
    }
  }
  const Recording recording(path);
  EXPECT_FALSE(recording.is_complete());  // it was never finished
  ASSERT_EQ(recording.instants(), 9U);
  const std::optional<Checkpoint> checkpoint = recording.last_checkpoint();
  ASSERT_TRUE(checkpoint.has_value());
  EXPECT_EQ(checkpoint->instants, 8U);
  EXPECT_EQ(checkpoint->world.state_hash(), saved);
  EXPECT_EQ(checkpoint->world.step_index, 7);
}

// Cut at the checkpoint, copied and continued, a run records what it would have recorded without the interruption.
TEST(Recording, AContinuedRecordingEqualsAnUninterruptedOne) {
  const TemporaryFolder folder;
  const Scene scene = make_scene();
  record(folder.file("whole.h5"), scene, 12);
  record(folder.file("first.h5"), scene, 9);
  {
    const Recording first(folder.file("first.h5"));
    World world(scene);
    RecordingWriter recorder(folder.file("second.h5"), world, scene);
    recorder.append_instants(first, 7, first.time(6));
    for (std::uint64_t k = 7; k < 12; ++k) {
      set_state(world, k);
      recorder.after_step(world, make_step(k), 0.25, {}, {});
      recorder.instant(world, make_contacts(k, world.bodies.size()), 1e-3 * static_cast<double>(k));
    }
    recorder.finish(RunReport{});
  }
  const Recording whole(folder.file("whole.h5"));
  const Recording second(folder.file("second.h5"));
  ASSERT_EQ(second.instants(), whole.instants());
  Instant a, b;
  for (std::size_t k = 0; k < whole.instants(); ++k) {
    whole.read(k, a);
    second.read(k, b);
    expect_same_bits(b, a);
  }
  EXPECT_EQ(second.find_first_altered(), std::nullopt);
}

TEST(Recording, TheReportIsInside) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  const World world(scene);
  RunReport report;
  report.scene = "inside";
  report.steps = 42;
  {
    RecordingWriter recorder(path, world, scene);
    recorder.finish(report);
    EXPECT_THROW(recorder.instant(world, {}, 0), std::runtime_error);
  }
  const auto json = nlohmann::json::parse(Recording(path).report());
  EXPECT_EQ(json["scene"], "inside");
  EXPECT_EQ(json["steps"], 42);
}

TEST(Recording, AChangeOfBodiesIsRefused) {
  const TemporaryFolder folder;
  const Scene scene = make_scene();
  World world(scene);
  RecordingWriter recorder(folder.file("run.h5"), world, scene);
  recorder.instant(world, {}, 0);
  world.remove_body(world.find("twin"));
  EXPECT_THROW(recorder.instant(world, {}, 0), std::runtime_error);
  BodyDescription other = scene.bodies.back();
  other.name = "other";
  world.add_body(other);  // as many bodies as before, but not the same
  EXPECT_THROW(recorder.instant(world, {}, 0), std::runtime_error);
}

// Sixteen bodies at rest for 2,000 instants: 2,000 * 16 * (13 * 8 + 1) bytes = 3.4 MB before compression; repeated
// rows leave next to nothing, and each of the 41 arrays costs at most a chunk and its index.
TEST(Recording, WhatDoesNotMoveTakesLittleSpace) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_balls(16);
  const World world(scene);
  RecordingWriterOptions options;
  options.flush_seconds = 3600;
  {
    RecordingWriter recorder(path, world, scene, options);
    for (int k = 0; k < 2000; ++k) recorder.instant(world, {}, 0);
    recorder.finish(RunReport{});
  }
  EXPECT_LT(std::filesystem::file_size(path), 340'000U);
}

// A chunk that is seen early is written once uncompressed and filled up in place. The file may therefore be as large as
// the raw data plus one chunk per array, and must not grow with the number of commits.
TEST(Recording, ManyCommitsDoNotInflateTheFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  World world(scene);
  RecordingWriterOptions options;
  options.flush_seconds = 0;
  const std::uint64_t count = 2000;
  {
    RecordingWriter recorder(path, world, scene, options);
    for (std::uint64_t k = 0; k < count; ++k) {
      set_state(world, k);
      recorder.instant(world, {}, 0);
    }
    recorder.finish(RunReport{});
  }
  const std::uint64_t raw = count * (4 * (13 * 8 + 1) + 8 * (3 + 7 + 6 + 11 + 2));
  const std::uint64_t one_chunk_each = 5 * 65536 + 36 * 4096;
  const std::uint64_t indices = 41 * 4096;
  EXPECT_LT(std::filesystem::file_size(path), raw + one_chunk_each + indices);
}

// The same file is readable while its writer lives; what was committed is there.
TEST(Recording, CanBeReadWhileItIsWritten) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  World world(scene);
  RecordingWriter recorder(path, world, scene);
  for (std::uint64_t k = 0; k < 5; ++k) {
    set_state(world, k);
    recorder.instant(world, {}, 0);
  }
  recorder.commit();
  const Recording recording(path);
  EXPECT_EQ(recording.instants(), 5U);
  EXPECT_FALSE(recording.is_complete());
  EXPECT_EQ(recording.find_first_altered(), std::nullopt);
}

// While one run records, another does not wipe out its file.
TEST(Recording, TwoRunsCannotRecordToOneFile) {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.h5");
  const Scene scene = make_scene();
  const World world(scene);
  RecordingWriter recorder(path, world, scene);
  EXPECT_THROW(RecordingWriter(path, world, scene), std::runtime_error);
  recorder.instant(world, {}, 0);
  recorder.finish(RunReport{});
  EXPECT_EQ(Recording(path).instants(), 1U);
}

}  // namespace
}  // namespace achilles
