#include <achilles/profile.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace achilles {
namespace {

// The first stage sleeps for at least 2 ms in each of three steps; nothing before a step or after its last mark counts,
// so that all stages together take less than the clock showed around the marks.
TEST(Profile, StagesAndCountersAddUpOverSteps) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kNap = std::chrono::milliseconds(2);
  Profile profile(true);
  double elapsed = 0;
  for (int step = 0; step < 3; ++step) {
    std::this_thread::sleep_for(kNap);
    const Clock::time_point start = Clock::now();
    profile.begin_step();
    std::this_thread::sleep_for(kNap);
    profile.mark("first");
    profile.mark("second");
    elapsed += std::chrono::duration<double>(Clock::now() - start).count();
    profile.count("pairs", step);
  }
  EXPECT_EQ(profile.steps(), 3);
  ASSERT_EQ(profile.stages().size(), 2U);
  EXPECT_EQ(profile.stages()[1].name, "second");
  EXPECT_EQ(profile.stages()[1].calls, 3);
  EXPECT_GE(profile.stages()[0].seconds, 0.006);
  EXPECT_GT(profile.stages()[1].seconds, 0);
  EXPECT_LE(profile.stages()[0].seconds + profile.stages()[1].seconds, elapsed);
  ASSERT_EQ(profile.counters().size(), 1U);
  EXPECT_EQ(profile.counters()[0].sum, 3);
  EXPECT_EQ(profile.counters()[0].largest, 2);
  const std::string trace = profile.write_trace();
  std::size_t spans = 0;
  for (std::size_t at = trace.find("\"ph\""); at != std::string::npos; at = trace.find("\"ph\"", at + 1)) ++spans;
  EXPECT_EQ(spans, 6U);
}

}  // namespace
}  // namespace achilles
