// Every write of a recording made to fail, to be the last thing that the process does, or to be done by half; every
// allocation refused. Whatever happens, the file is a recording of the same run, as far as it was saved, and can be
// resumed to the same bits; what happens is an error that names the file.
#include "api/faulty_system.hpp"
#include "record/recording.hpp"
#include "support/full_size.hpp"
#include "support/temporary_folder.hpp"

#include <achilles/run.hpp>
#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace achilles {
namespace {

using testing::arm;
using testing::disarm;
using testing::Fault;

Scene make_heap() {
  return parse_scene(R"(
achilles: 1
name: a heap
time: {step: 0.01, duration: 0.12}
bodies:
  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: ball, repeat: {count: [2, 1, 2], spacing: [0.3, 0, 0.3]}, shape: {sphere: {radius: 0.151}}, position: [0, 0, 0.15]}
)");
}

/// Every step is a frame, and after every step the world is saved.
RunOptions make_options(const std::string& path) {
  RunOptions options;
  options.record_path = path;
  options.every = 0.01;
  options.checkpoint_seconds = 0;
  return options;
}

enum Outcome { kDone, kNamed, kUnnamed, kKilled };

/// Runs `work` in a process of its own, with one call made to fail.
Outcome attempt(Fault fault, std::int64_t call, const std::string& path, const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = kDone;
    // Destructors of JSON trees allocate: there the program ends with the message, as main.cpp sees to.
    if (fault == Fault::kNoMemory) std::set_terminate([] { ::_exit(kNamed); });
    try {
      arm(fault, call);
      work();
      (void)disarm();
    } catch (const std::bad_alloc&) {
      (void)disarm();
      status = kNamed;
    } catch (const std::exception& error) {
      (void)disarm();
      status = std::string(error.what()).find(path) != std::string::npos ? kNamed : kUnnamed;
      if (status == kUnnamed) std::fprintf(stderr, "call %ld: %s\n", static_cast<long>(call), error.what());
    }
    ::_exit(status);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFSIGNALED(status)) {
    EXPECT_EQ(WTERMSIG(status), SIGKILL) << "call " << call;
    return kKilled;
  }
  return static_cast<Outcome>(WEXITSTATUS(status));
}

class Faults : public ::testing::Test {
 protected:
  void SetUp() override {
    if (ACHILLES_OWN_MALLOC == 0) GTEST_SKIP() << "sanitizers have functions of their own in place of those that fail";
    (void)run_scene(scene, make_options(whole));
    reference = read_states(whole);
  }

  static std::vector<std::vector<double>> read_states(const std::string& file) {
    const Recording recording(file);
    std::vector<std::vector<double>> states;
    Instant instant;
    for (std::size_t k = 0; k < recording.instants(); ++k) {
      recording.read(k, instant);
      states.push_back(instant.position);
      states.push_back(instant.orientation);
      states.push_back(instant.velocity);
      states.push_back(instant.spin);
    }
    return states;
  }

  /// Calls that some work makes when nothing fails.
  static std::int64_t count(Fault fault, const std::function<void()>& work) {
    arm(fault, 0);
    work();
    return disarm();
  }

  /// All calls in the full test, else some forty-five of them: the first and last ten, and every so many between.
  static std::vector<std::int64_t> choose_calls(std::int64_t count) {
    const std::int64_t stride = is_full() ? 1 : std::max<std::int64_t>(1, count / 25);
    std::vector<std::int64_t> calls;
    for (std::int64_t k = 0; k < count; ++k) {
      if (k < 10 || k >= count - 10 || k % stride == 0) calls.push_back(k);
    }
    return calls;
  }

  void clear() const {
    std::filesystem::remove(path);
    std::filesystem::remove(path + ".part");
  }

  std::optional<std::size_t> saved_instants(const std::string& file) const {
    try {
      const Recording recording(file);
      EXPECT_EQ(recording.find_first_altered(), std::nullopt);
      const std::optional<Checkpoint> checkpoint = recording.last_checkpoint();
      if (checkpoint) return checkpoint->instants;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(file), std::string::npos) << error.what();
    }
    return std::nullopt;
  }

  /// What is left resumes to the same bits as if nothing had happened.
  void expect_resumes(const std::string& where) const {
    ASSERT_NO_THROW((void)resume_run(path, make_options(""))) << where;
    EXPECT_EQ(read_states(path), reference) << where;
    EXPECT_FALSE(std::filesystem::exists(path + ".part")) << where;
  }

  const testing::TemporaryFolder folder;
  const Scene scene = make_heap();
  const std::string path = folder.file("run.h5");
  const std::string whole = folder.file("whole.h5");
  std::vector<std::vector<double>> reference;
};

class FaultyWrites : public Faults, public ::testing::WithParamInterface<Fault> {};

TEST_P(FaultyWrites, LeaveARecordingThatResumesToTheSameBits) {
  const auto run = [&] { (void)run_scene(scene, make_options(path)); };
  clear();
  const std::int64_t writes = count(Fault::kNone, run);
  ASSERT_GT(writes, 100);
  std::size_t least_saved = 0;  // by an earlier failure than the one that is looked at
  for (const std::int64_t call : choose_calls(writes)) {
    clear();
    const std::string where = "call " + std::to_string(call) + " of " + std::to_string(writes);
    const Outcome outcome = attempt(GetParam(), call, path, run);
    ASSERT_NE(outcome, kUnnamed) << where;
    const std::optional<std::size_t> saved = saved_instants(path);
    // The later the failure, the more is saved: what was there once is never lost. HDF5 writes the index of a file in
    // place, so that a write torn by a loss of power may leave a file that is refused.
    ASSERT_TRUE(saved || least_saved == 0 || GetParam() == Fault::kTear) << where;
    if (!saved) continue;
    EXPECT_GE(*saved, least_saved) << where;
    least_saved = *saved;
    expect_resumes(where);
    if (HasFatalFailure()) return;
  }
  EXPECT_GE(least_saved, 12U) << "the last failures come after all was saved";
}

TEST_P(FaultyWrites, OfAContinuationLoseNothing) {
  clear();
  RunOptions first = make_options(path);
  first.duration = 0.05;
  (void)run_scene(scene, first);
  const std::string cut = folder.file("cut.h5");
  std::filesystem::copy_file(path, cut);
  RunOptions rest = make_options("");
  rest.duration = scene.duration;
  const auto go_on = [&] { (void)resume_run(path, rest); };
  const std::int64_t writes = count(Fault::kNone, go_on);
  ASSERT_GT(writes, 100);
  for (const std::int64_t call : choose_calls(writes)) {
    clear();
    std::filesystem::copy_file(cut, path);
    const std::string where = "call " + std::to_string(call) + " of " + std::to_string(writes);
    const Outcome outcome = attempt(GetParam(), call, path, go_on);
    ASSERT_NE(outcome, kUnnamed) << where;
    // The recording is the old one or the whole one, at every moment.
    const std::optional<std::size_t> saved = saved_instants(path);
    ASSERT_TRUE(saved) << where;
    EXPECT_TRUE(*saved == 6 || *saved == 13) << where << ": " << *saved;
    ASSERT_NO_THROW((void)resume_run(path, rest)) << where;
    EXPECT_EQ(read_states(path), reference) << where;
  }
}

std::string name_fault(const ::testing::TestParamInfo<Fault>& given) {
  switch (given.param) {
    case Fault::kFailOnce:
      return "FailingOnce";
    case Fault::kFailOn:
      return "FailingFromThereOn";
    case Fault::kKill:
      return "Killed";
    default:
      return "Torn";
  }
}

INSTANTIATE_TEST_SUITE_P(, FaultyWrites,
                         ::testing::Values(Fault::kFailOnce, Fault::kFailOn, Fault::kKill, Fault::kTear), name_fault);

// Memory that runs out while recording is an error; what was saved before stays.
TEST_F(Faults, AnAllocationThatFailsWhileRecordingLeavesWhatWasSaved) {
  const auto run = [&] { (void)run_scene(scene, make_options(path)); };
  const std::int64_t allocations = count(Fault::kCountMemory, run);
  ASSERT_GT(allocations, 1000);
  std::size_t least_saved = 0;
  for (const std::int64_t call : choose_calls(allocations)) {
    clear();
    const std::string where = "allocation " + std::to_string(call) + " of " + std::to_string(allocations);
    const Outcome outcome = attempt(Fault::kNoMemory, call, path, run);
    ASSERT_TRUE(outcome == kDone || outcome == kNamed) << where << ": " << outcome;
    const std::optional<std::size_t> saved = saved_instants(path);
    ASSERT_TRUE(saved || least_saved == 0) << where;
    if (!saved) continue;
    EXPECT_GE(*saved, least_saved) << where;
    least_saved = *saved;
    expect_resumes(where);
    if (HasFatalFailure()) return;
  }
}

TEST_F(Faults, AnAllocationThatFailsWhileReadingIsAnErrorAndTheNextReadIsRight) {
  const auto read = [&] {
    (void)read_states(whole);
    const Recording recording(whole);
    (void)recording.scene();
    (void)recording.events();
    (void)recording.last_checkpoint();
  };
  const std::int64_t allocations = count(Fault::kCountMemory, read);
  for (const std::int64_t call : choose_calls(allocations)) {
    const Outcome outcome = attempt(Fault::kNoMemory, call, whole, [&] {
      try {
        read();
      } catch (const std::exception&) {
        (void)disarm();
        if (read_states(whole) != reference) ::_exit(kUnnamed);
        throw;
      }
    });
    ASSERT_TRUE(outcome == kDone || outcome == kNamed)
        << "allocation " << call << " of " << allocations << ": " << outcome;
  }
}

}  // namespace
}  // namespace achilles
