// Files that are not what they should be: an error that names the file, never a crash, never a wrong recording.
#include "record/small_world.hpp"

#include "record/page.hpp"
#include "record/recording.hpp"
#include "record/recording_writer.hpp"
#include "support/full_size.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include <sys/resource.h>
#include <sys/wait.h>

namespace achilles {
namespace {

using test::make_contacts;
using test::make_scene;
using test::record;
using test::set_state;
using test::TemporaryFolder;
using ::testing::HasSubstr;

std::string read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

enum class Outcome { kRefused, kAltered, kIntact };

/// Reads everything there is to read. Only errors that name the file may come out of it.
Outcome read_everything(const std::string& path) {
  try {
    const Recording recording(path);
    for (std::size_t k = 0; k < recording.head().shapes.size(); ++k) (void)recording.shape(k);
    Instant instant;
    for (std::size_t k = 0; k < recording.instants(); ++k) recording.read(k, instant);
    (void)recording.events();
    (void)recording.last_checkpoint();
    return recording.find_first_altered() ? Outcome::kAltered : Outcome::kIntact;
  } catch (const std::runtime_error&) {
    return Outcome::kRefused;
  }
}

/// A recording with a bit of everything.
void record_all_kinds(const std::string& path, std::uint64_t instants) {
  const Scene scene = make_scene();
  World world(scene);
  RecordingWriterOptions options;
  RecordingWriter recorder(path, world, scene, options);
  for (std::uint64_t k = 0; k < instants; ++k) {
    set_state(world, k);
    recorder.instant(world, make_contacts(k, world.bodies.size()), 0);
    recorder.event({world.time, RecordedKind::kNewContact, 0, 1});
    if (k == instants / 2) recorder.append_checkpoint(world);
  }
  recorder.finish(RunReport{});
}

/// Rounds a property test runs: `quick` of them by default, `full` when asked for everything.
std::size_t rounds(std::size_t quick, std::size_t full) { return is_full() ? full : quick; }

class Damage : public ::testing::Test {
 protected:
  TemporaryFolder folder;
  std::string path = folder.file("run.h5");
};

TEST_F(Damage, FilesThatAreNoRecordingsAreRefusedWithTheirNameAndWhy) {
  const auto message = [this] {
    try {
      (void)Recording(path);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("opened");
  };
  EXPECT_THAT(message(), HasSubstr(path + ": cannot open the recording: No such file"));
  write_file(path, "");
  EXPECT_THAT(message(), HasSubstr(path + ": not a recording"));
  write_file(path, "achilles: 1\nname: a scene, not a recording\n");
  EXPECT_THAT(message(), HasSubstr(path + ": not a recording: not a HDF5 file"));
  write_file(path, std::string(100'000, '\0'));
  EXPECT_THAT(message(), HasSubstr("not a recording"));
  EXPECT_THROW((void)Recording(folder.file("")), std::runtime_error);
}

// A file that lost its end says how much of it is there: nothing that was recorded goes missing unnoticed.
TEST_F(Damage, AFileCutShortIsRefusedAtEveryLength) {
  record_all_kinds(path, 20);
  const std::string whole = read_whole(path);
  ASSERT_EQ(read_everything(path), Outcome::kIntact);
  const std::size_t stride = std::max<std::size_t>(1, whole.size() / rounds(300, 20'000));
  for (std::size_t length = 0; length < whole.size(); length += stride) {
    write_file(path, whole.substr(0, length));
    ASSERT_EQ(read_everything(path), Outcome::kRefused) << "cut at " << length << " of " << whole.size();
  }
}

// Bits flipped anywhere: HDF5 or the reader refuses the file, the digest finds the change, or it lies where nothing is
// recorded. The library under it is not made for hostile files, so that each file is read by a process of its own: a
// crash there is a failure here.
TEST_F(Damage, FlippedBytesNeverCrashTheReader) {
  record_all_kinds(path, 20);
  const std::string whole = read_whole(path);
  std::mt19937_64 random(20'261'115);
  const std::size_t count = rounds(120, 20'000);
  std::size_t refused = 0, altered = 0, intact = 0;
  for (std::size_t round = 0; round < count; ++round) {
    std::string bytes = whole;
    const std::size_t flips = 1 + random() % 3;
    std::string where;
    for (std::size_t k = 0; k < flips; ++k) {
      const std::size_t at = random() % bytes.size();
      bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1U << (random() % 8)));
      where += ' ';
      where += std::to_string(at);
    }
    write_file(path, bytes);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const rlimit limit{20, 20};  // [s] of processor time: a reader that never ends is a failure too
      ::setrlimit(RLIMIT_CPU, &limit);
      int status = 9;
      try {
        status = static_cast<int>(read_everything(path));
      } catch (...) {
        status = 8;
      }
      ::_exit(status);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << ", bytes changed at" << where;
    ASSERT_LT(WEXITSTATUS(status), 8) << "an exception of another kind, bytes changed at" << where;
    switch (static_cast<Outcome>(WEXITSTATUS(status))) {
      case Outcome::kRefused:
        ++refused;
        break;
      case Outcome::kAltered:
        ++altered;
        break;
      case Outcome::kIntact:
        ++intact;
        break;
    }
  }
  RecordProperty("refused", static_cast<int>(refused));
  RecordProperty("altered", static_cast<int>(altered));
  RecordProperty("intact", static_cast<int>(intact));
  EXPECT_GT(refused, 0U);
}

// A run that is killed: whatever was committed is there, and nothing that is there is wrong.
TEST_F(Damage, AKilledRunLeavesAllThatItCommitted) {
  const Scene scene = make_scene();
  const std::size_t count = rounds(6, 100);
  for (std::size_t round = 0; round < count; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      World world(scene);
      RecordingWriterOptions options;
      options.flush_seconds = 0;
      RecordingWriter recorder(path, world, scene, options);
      for (std::uint64_t k = 0;; ++k) {
        set_state(world, k);
        recorder.instant(world, make_contacts(k, world.bodies.size()), 0);
        if (k % 10 == 9) recorder.append_checkpoint(world);
        const char byte = 1;
        if (::write(pipe_ends[1], &byte, 1) != 1) ::_exit(1);
      }
    }
    ::close(pipe_ends[1]);
    // As many instants as the child says it has committed, then the kill: in the middle of what follows.
    const std::size_t committed = 1 + 37 * round;
    for (std::size_t k = 0; k < committed; ++k) {
      char byte = 0;
      ASSERT_EQ(::read(pipe_ends[0], &byte, 1), 1);
    }
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ::close(pipe_ends[0]);
    const Recording recording(path);
    EXPECT_FALSE(recording.is_complete());
    EXPECT_GE(recording.instants(), committed);
    EXPECT_EQ(recording.find_first_altered(), std::nullopt);
    const std::optional<Checkpoint> checkpoint = recording.last_checkpoint();
    // The child made one after every tenth instant, before it told of that instant.
    ASSERT_TRUE(checkpoint.has_value() || committed < 10);
    if (checkpoint) {
      EXPECT_GE(checkpoint->instants, committed / 10 * 10);
      EXPECT_LE(checkpoint->instants, recording.instants());
    }
  }
}

// A disk that is full ends the recording with an error; what was committed before stays readable.
TEST_F(Damage, AFileThatCannotGrowIsAnErrorAndKeepsWhatItHas) {
  const Scene scene = test::make_balls(200);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{24'000'000, 24'000'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    World world(scene);
    RecordingWriterOptions options;
    options.flush_seconds = 0;
    try {
      RecordingWriter recorder(path, world, scene, options);
      for (std::uint64_t k = 0; k < 100'000; ++k) {
        set_state(world, k);
        recorder.instant(world, make_contacts(k, world.bodies.size()), 0);
      }
    } catch (const std::runtime_error& error) {
      ::_exit(std::string(error.what()).find(path) == 0 ? 7 : 6);
    }
    ::_exit(5);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  const Recording recording(path);
  EXPECT_GT(recording.instants(), 100U);
  EXPECT_EQ(recording.find_first_altered(), std::nullopt);
}

// A number changed with any HDF5 tool, checksums of the file kept right, is found at its instant.
TEST_F(Damage, ANumberChangedByHandIsFoundAtItsInstant) {
  record(path, make_scene(), 30);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  const hid_t dataset = H5Dopen2(file, "velocity", H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  const hsize_t start[3] = {17, 2, 1};
  const hsize_t count[3] = {1, 1, 1};
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
  const hsize_t one = 1;
  const hid_t memory = H5Screate_simple(1, &one, nullptr);
  double value = 0;
  H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value);
  value = std::nextafter(value, 1e300);  // the last bit
  H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(file);
  EXPECT_EQ(Recording(path).find_first_altered(), 17U);
}

}  // namespace
}  // namespace achilles
