#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <stdexcept>
#include <utility>

namespace achilles {
namespace {

TEST(Simulations, ThatWereMovedFromSaySo) {
  const Scene scene = parse_scene("achilles: 1\nbodies:\n  - {name: a, shape: {sphere: {radius: 1}}}\n");
  Simulation first(scene);
  Simulation second(std::move(first));
  EXPECT_THROW((void)first.step(), std::logic_error);      // NOLINT(bugprone-use-after-move)
  EXPECT_THROW((void)first.world(), std::logic_error);     // NOLINT(bugprone-use-after-move)
  EXPECT_THROW((void)first.contacts(), std::logic_error);  // NOLINT(bugprone-use-after-move)
  first = std::move(second);
  EXPECT_FALSE(first.step().stopped);
}

}  // namespace
}  // namespace achilles
