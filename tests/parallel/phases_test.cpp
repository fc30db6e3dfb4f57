#include "parallel/phases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

namespace achilles {
namespace {

/// Writes down what its loops do; each loop of a block multiplies the block's number, so that the order shows.
struct Recorder {
  mutable std::vector<std::string> log;
  mutable std::vector<double> blocks = std::vector<double>(20, 1);
  mutable std::atomic<int> elements = 0;

  void note(Elements e) const {
    log.push_back(std::to_string(e.first) + "-" + std::to_string(e.last) + (e.is_cached ? "c" : ""));
  }
  void count(Elements e) const { elements += static_cast<int>(e.last - e.first); }
  void add(Elements e) const {
    for (std::size_t k = e.first; k < e.last; ++k) blocks[k] += static_cast<double>(k + 1);
  }
  void double_it(Elements e) const {
    for (std::size_t k = e.first; k < e.last; ++k) blocks[k] *= 2;
  }
};

TEST(Phases, LoopsRunOneAfterTheOtherInBlocks) {
  ParallelPhases<Recorder> phases;
  phases.add("one", &Recorder::note, 10, 5, 2);
  phases.add("none", &Recorder::note, 3, 0, 2);
  phases.add("two", &Recorder::note, 0, 2, 4);
  const Recorder recorder;
  BlockRunner runner(1);
  phases.run(runner, recorder);
  EXPECT_EQ(recorder.log, (std::vector<std::string>{"10-12", "12-14", "14-15", "0-2"}));
  EXPECT_EQ(phases.size(), 2U);
}

TEST(Phases, ConsecutiveLoopsOverBlocksAreFusedBlockByBlock) {
  ParallelPhases<Recorder> phases;
  phases.add_over_blocks("bodies", &Recorder::note, 2, false);
  phases.add_over_blocks("contacts", &Recorder::note, 2, true);
  phases.add_over_blocks("contacts again", &Recorder::note, 2, true);
  phases.add("border", &Recorder::note, 7, 1, 1);
  phases.add_over_blocks("contacts", &Recorder::note, 2, true);
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases.loops_of(0).size(), 3U);
  EXPECT_EQ(phases.loops_of(0)[1].name, "contacts");
  const Recorder recorder;
  BlockRunner runner(1);
  phases.run(runner, recorder);
  // A loop finds in the cache what a loop before it in the same phase brought there.
  EXPECT_EQ(recorder.log, (std::vector<std::string>{"0-1", "0-1", "0-1c", "1-2", "1-2", "1-2c", "7-8", "0-1", "1-2"}));
}

TEST(Phases, LoopWithoutElementsDoesNotPartLoopsOverBlocks) {
  ParallelPhases<Recorder> phases;
  phases.add_over_blocks("contacts", &Recorder::note, 3, true);
  phases.add("border", &Recorder::note, 7, 0, 1);
  phases.add_over_blocks("contacts", &Recorder::note, 3, true);
  EXPECT_EQ(phases.size(), 1U);
}

TEST(Phases, FusedLoopsGiveTheResultOfLoopsOneByOneOnAnyNumberOfThreads) {
  const auto run = [](bool is_fused, int threads) {
    ParallelPhases<Recorder> phases;
    for (int k = 0; k < 30; ++k) {
      const auto work = k % 3 == 0 ? &Recorder::double_it : &Recorder::add;
      if (is_fused) {
        phases.add_over_blocks("loop", work, 20, false);
      } else {
        phases.add("loop", work, 0, 20, 1);
      }
    }
    const Recorder recorder;
    BlockRunner runner(threads);
    phases.run(runner, recorder);
    return recorder.blocks;
  };
  const std::vector<double> expected = run(false, 1);
  EXPECT_EQ(run(true, 1), expected);
  EXPECT_EQ(run(true, 3), expected);
  EXPECT_EQ(run(false, 3), expected);
}

TEST(Phases, EveryElementIsWorkedOnOnceOnManyThreads) {
  ParallelPhases<Recorder> phases;
  for (std::size_t k = 0; k < 50; ++k) phases.add("loop", &Recorder::count, 3, 100 * k, 7);
  const Recorder recorder;
  BlockRunner runner(4);
  phases.run(runner, recorder);
  EXPECT_EQ(recorder.elements, 100 * 49 * 50 / 2);
  phases.clear();
  EXPECT_EQ(phases.size(), 0U);
  phases.run(runner, recorder);
  EXPECT_EQ(recorder.elements, 100 * 49 * 50 / 2);
}

}  // namespace
}  // namespace achilles
