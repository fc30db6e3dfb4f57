#include <achilles/profile.hpp>

#include <gtest/gtest.h>

namespace achilles {
namespace {

TEST(Profile, StagesAndCountersAddUpOverSteps) {
  Profile profile(true);
  for (int step = 0; step < 3; ++step) {
    profile.begin_step();
    profile.mark("first");
    profile.mark("second");
    profile.count("pairs", step);
  }
  EXPECT_EQ(profile.steps(), 3);
  ASSERT_EQ(profile.stages().size(), 2U);
  EXPECT_EQ(profile.stages()[1].name, "second");
  EXPECT_EQ(profile.stages()[1].calls, 3);
  EXPECT_GE(profile.stages()[0].seconds, 0);
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
