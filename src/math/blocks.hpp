// Work cut into blocks whose borders do not depend on the number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace achilles {

/// Runs body(block, first, last) for consecutive blocks of `block_size` that cover [0, count): in order on the calling
/// thread when there is one thread (oneTBB is then not touched), else on `threads` threads. A block that writes only to
/// its own buffer gives the same result either way.
class BlockRunner {
 public:
  BlockRunner();
  explicit BlockRunner(int threads);
  ~BlockRunner();
  BlockRunner(BlockRunner&&) noexcept;
  BlockRunner& operator=(BlockRunner&&) noexcept;

  /// At least 1; the arena of threads is kept until the number changes.
  void set_threads(int threads);
  [[nodiscard]] int threads() const { return threads_; }

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

 private:
  void run_parallel(std::size_t blocks, const std::function<void(std::size_t)>& block);

  struct Arena;
  std::unique_ptr<Arena> arena_;
  int threads_ = 1;
};

}  // namespace achilles
