#include "parallel/blocks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace achilles {
namespace {

using Range = std::array<std::size_t, 2>;

std::vector<Range> borders(int threads, std::size_t count, std::size_t block_size) {
  BlockRunner runner(threads);
  std::vector<Range> ranges(BlockRunner::count_blocks(count, block_size), Range{1, 0});
  runner.run(count, block_size, [&](std::size_t block, std::size_t first, std::size_t last) {
    ranges[block] = {first, last};
  });
  return ranges;
}

TEST(Blocks, CoverEveryElementOnceWithBordersThatDoNotDependOnTheThreads) {
  for (const std::size_t count : {0U, 1U, 7U, 8U, 9U, 1000U}) {
    const std::vector<Range> one = borders(1, count, 8);
    EXPECT_EQ(one, borders(2, count, 8));
    EXPECT_EQ(one, borders(4, count, 8));
    std::size_t next = 0;
    for (const Range& range : one) {
      EXPECT_EQ(range[0], next);
      EXPECT_GT(range[1], range[0]);
      EXPECT_LE(range[1] - range[0], 8U);
      next = range[1];
    }
    EXPECT_EQ(next, count);
  }
}

TEST(Blocks, OneThreadRunsThemInOrder) {
  BlockRunner runner(1);
  std::vector<std::size_t> order;
  runner.run(100, 7, [&](std::size_t block, std::size_t, std::size_t) { order.push_back(block); });
  std::vector<std::size_t> expected(order.size());
  std::iota(expected.begin(), expected.end(), 0U);
  EXPECT_EQ(order, expected);
}

// Scratch per thread is indexed by it: two blocks that run at the same time never see the same index.
TEST(Blocks, ThreadIndexIsBelowTheNumberOfThreadsAndOneBlockAtATimeHasIt) {
  BlockRunner runner(2);
  std::array<std::atomic<int>, 2> inside{};
  std::atomic<int> faults{0};
  runner.run(2000, 1, [&](std::size_t, std::size_t, std::size_t) {
    const std::size_t index = BlockRunner::thread_index();
    if (index >= inside.size()) {
      ++faults;
      return;
    }
    if (inside[index].fetch_add(1) != 0) ++faults;
    inside[index].fetch_sub(1);
  });
  EXPECT_EQ(faults, 0);
}

TEST(Blocks, ThreadsCanBeChangedBetweenRunsAndAreAtLeastOne) {
  BlockRunner runner;
  for (const int threads : {3, 1, 0, -5, 2}) {
    runner.set_threads(threads);
    EXPECT_GE(runner.threads(), 1);
    std::atomic<int> sum{0};
    runner.run(10, 1, [&](std::size_t, std::size_t first, std::size_t) { sum += static_cast<int>(first); });
    EXPECT_EQ(sum, 45);
  }
}

// Stages of all sizes, empty ones too, far more blocks than threads or fewer; the first block is the longest, so that
// whoever has ended its own share must help with the others.
TEST(Blocks, NoStageBeginsBeforeTheOneBeforeItHasEnded) {
  for (const int threads : {1, 2, 3, 7}) {
    BlockRunner runner(threads);
    const std::vector<StageSize> stages{{0, 1}, {1, 1}, {500, 1}, {0, 4}, {0, 1}, {3, 1}, {100, 7}, {2, 5}, {0, 1}};
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::vector<std::atomic<std::size_t>> done(stages.size());
      std::atomic<int> early{0};
      std::atomic<std::size_t> sink{0};
      runner.run_stages(stages, [&](std::size_t stage, std::size_t first, std::size_t last) {
        for (std::size_t before = 0; before < stage; ++before) {
          if (done[before].load(std::memory_order_relaxed) != stages[before].count) ++early;
        }
        for (std::size_t k = 0; first == 0 && k < 200; ++k) sink += k;
        done[stage].fetch_add(last - first, std::memory_order_relaxed);
      });
      EXPECT_EQ(early, 0);
      for (std::size_t stage = 0; stage < stages.size(); ++stage) EXPECT_EQ(done[stage], stages[stage].count);
    }
  }
}

// A helper may come late to a call, or still look for work when it has ended and the next one, of other length, begins.
TEST(Blocks, CallsThatFollowEachOtherKeepTheirBlocksAndStagesApart) {
  BlockRunner runner(2);
  std::atomic<int> faults{0};
  for (std::size_t call = 0; call < 20'000; ++call) {
    const std::size_t blocks = 1 + call % 5;
    const std::vector<StageSize> stages(1 + call * 7 % 41, StageSize{blocks, 1});
    std::vector<std::atomic<std::size_t>> ended(stages.size());  // is gone when the call returns
    runner.run_stages(stages, [&](std::size_t stage, std::size_t first, std::size_t last) {
      if (last != first + 1 || first >= blocks || stage >= stages.size()) ++faults;
      if (stage > 0 && ended[stage - 1].load() != blocks) ++faults;
      ++ended[stage];
    });
    for (const std::atomic<std::size_t>& count : ended) {
      if (count.load() != blocks) ++faults;
    }
  }
  EXPECT_EQ(faults.load(), 0);
}

TEST(Blocks, BlocksOfABlockRunOnTheThreadThatHasIt) {
  BlockRunner outer(2);
  std::vector<int> sums(20, 0);
  outer.run(20, 1, [&](std::size_t block, std::size_t, std::size_t) {
    BlockRunner own(2);
    own.run(10, 1, [&](std::size_t, std::size_t first, std::size_t) { sums[block] += static_cast<int>(first); });
  });
  EXPECT_EQ(sums, std::vector<int>(20, 45));
}

TEST(Blocks, WhatABlockThrowsArrivesAtTheCaller) {
  for (const int threads : {1, 2}) {
    BlockRunner runner(threads);
    EXPECT_THROW(runner.run(10, 1,
                            [](std::size_t block, std::size_t, std::size_t) {
                              if (block == 5) throw std::runtime_error("block");
                            }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace achilles
