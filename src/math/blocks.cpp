#include "math/blocks.hpp"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#include <algorithm>

namespace achilles {

struct BlockRunner::Arena {
  // Asking oneTBB for more threads than it has makes it complain on the terminal.
  explicit Arena(int threads) : arena(std::min(threads, tbb::info::default_concurrency())) {}
  tbb::task_arena arena;
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

std::size_t BlockRunner::thread_index() {
  const int index = tbb::this_task_arena::current_thread_index();
  return index == tbb::task_arena::not_initialized ? 0U : static_cast<std::size_t>(index);
}

}  // namespace achilles
