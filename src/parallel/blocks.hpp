// Work cut into blocks whose borders do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace achilles {

/// How much work a stage has and how it is cut.
struct StageSize {
  std::size_t count = 0;
  std::size_t block_size = 1;
};

/// Runs body(block, first, last) for consecutive blocks of `block_size` that cover [0, count): in order on the calling
/// thread when there is one thread (no other is then touched), else on `threads` threads. A block that writes only to
/// its own buffer gives the same result either way.
class BlockRunner {
 public:
  BlockRunner() = default;
  explicit BlockRunner(int threads) { set_threads(threads); }

  /// At least 1.
  void set_threads(int threads) { threads_ = threads > 1 ? threads : 1; }
  [[nodiscard]] int threads() const { return threads_; }
  /// Whether no other thread helps now: there is one thread, or the others' cores are taken. Where one thread has a
  /// shorter way to the same result, it may then be taken, but without run().
  [[nodiscard]] bool works_alone() const;

  /// Which of the threads runs this block, in [0, threads()): for scratch that one thread at a time uses. Results must
  /// not depend on it.
  [[nodiscard]] static std::size_t thread_index();

  static std::size_t count_blocks(std::size_t count, std::size_t block_size) {
    return (count + block_size - 1) / block_size;
  }

  template <class Body>
  void run(std::size_t count, std::size_t block_size, const Body& body) {
    const auto block = [&](std::size_t b) {
      const std::size_t first = b * block_size;
      body(b, first, first + block_size < count ? first + block_size : count);
    };
    const std::size_t blocks = count_blocks(count, block_size);
    if (threads_ == 1 || blocks <= 1) {
      for (std::size_t b = 0; b < blocks; ++b) block(b);
    } else {
      run_parallel(blocks, std::cref(block));
    }
  }

  /// Runs work(stage, first, last) for the blocks of one stage after the other; a stage begins when the one before has
  /// ended. The threads stay together from the first stage to the last: passing from stage to stage costs them some
  /// hundred nanoseconds, not a fork and a join. No stage waits for a thread that has no block of it, so a core that is
  /// taken away is missed but not waited for.
  template <class Work>
  void run_stages(std::span<const StageSize> stages, const Work& work) {
    const auto block = [&](std::size_t stage, std::size_t b) {
      const std::size_t first = b * stages[stage].block_size, last = first + stages[stage].block_size;
      work(stage, first, last < stages[stage].count ? last : stages[stage].count);
    };
    if (threads_ > 1) {
      run_stages_parallel(stages, std::cref(block));
      return;
    }
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      const std::size_t blocks = count_blocks(stages[stage].count, stages[stage].block_size);
      for (std::size_t b = 0; b < blocks; ++b) block(stage, b);
    }
  }

 private:
  void run_parallel(std::size_t blocks, const std::function<void(std::size_t)>& block) const;
  void run_stages_parallel(std::span<const StageSize> stages,
                           const std::function<void(std::size_t, std::size_t)>& block) const;

  int threads_ = 1;
};

}  // namespace achilles
