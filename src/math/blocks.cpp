#include "math/blocks.hpp"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace achilles {

namespace {

/// What threads know of a stage: the next block to take, and how many are done. One per cache line.
struct alignas(64) StageProgress {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> done = 0;
  std::size_t blocks = 0;
};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

/// Waits until `current` is another than `stage`: some microseconds awake, then giving the core to others.
std::size_t wait_for_next(const std::atomic<std::size_t>& current, std::size_t stage) {
  constexpr int kAwake = 2000;
  for (int k = 0;; ++k) {
    const std::size_t now = current.load(std::memory_order_acquire);
    if (now != stage) return now;
    k < kAwake ? pause() : std::this_thread::yield();
  }
}

}  // namespace

struct BlockRunner::Arena {
  // Asking oneTBB for more threads than it has makes it complain on the terminal.
  explicit Arena(int threads) : arena(std::min(threads, tbb::info::default_concurrency())) {}
  tbb::task_arena arena;
  std::vector<StageProgress> stages;
  std::atomic<std::size_t> current = 0;

  /// Takes part until no stage is left. Every thread does the same; the one that ends a stage begins the next.
  void take_part(std::size_t count, const std::function<void(std::size_t, std::size_t)>& block) {
    for (std::size_t stage = current.load(std::memory_order_acquire); stage < count;) {
      StageProgress& progress = stages[stage];
      const std::size_t b = progress.next.fetch_add(1, std::memory_order_relaxed);
      if (b >= progress.blocks) {
        stage = wait_for_next(current, stage);
        continue;
      }
      block(stage, b);
      if (progress.done.fetch_add(1, std::memory_order_acq_rel) + 1 != progress.blocks) continue;
      do {
        ++stage;
      } while (stage < count && stages[stage].blocks == 0);
      current.store(stage, std::memory_order_release);
    }
  }
};

BlockRunner::BlockRunner() = default;
BlockRunner::BlockRunner(int threads) { set_threads(threads); }
BlockRunner::~BlockRunner() = default;
BlockRunner::BlockRunner(BlockRunner&&) noexcept = default;
BlockRunner& BlockRunner::operator=(BlockRunner&&) noexcept = default;

void BlockRunner::set_threads(int threads) {
  threads = std::max(threads, 1);
  if (threads != threads_) arena_.reset();
  threads_ = threads;
}

void BlockRunner::run_parallel(std::size_t blocks, const std::function<void(std::size_t)>& block) {
  if (!arena_) arena_ = std::make_unique<Arena>(threads_);
  arena_->arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, blocks, 1), [&](const tbb::blocked_range<std::size_t>& range) {
      for (std::size_t b = range.begin(); b != range.end(); ++b) block(b);
    });
  });
}

void BlockRunner::run_stages_parallel(std::span<const StageSize> stages,
                                      const std::function<void(std::size_t, std::size_t)>& block) {
  if (!arena_) arena_ = std::make_unique<Arena>(threads_);
  Arena& arena = *arena_;
  if (arena.stages.size() < stages.size()) arena.stages = std::vector<StageProgress>(2 * stages.size());
  std::size_t first = stages.size();
  for (std::size_t k = stages.size(); k-- > 0;) {
    arena.stages[k].next.store(0, std::memory_order_relaxed);
    arena.stages[k].done.store(0, std::memory_order_relaxed);
    arena.stages[k].blocks = count_blocks(stages[k].count, stages[k].block_size);
    if (arena.stages[k].blocks > 0) first = k;
  }
  arena.current.store(first, std::memory_order_release);
  arena.arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, arena.arena.max_concurrency(), 1),
        [&](const tbb::blocked_range<int>&) { arena.take_part(stages.size(), block); }, tbb::simple_partitioner());
  });
}

std::size_t BlockRunner::thread_index() {
  const int index = tbb::this_task_arena::current_thread_index();
  return index == tbb::task_arena::not_initialized ? 0U : static_cast<std::size_t>(index);
}

}  // namespace achilles
