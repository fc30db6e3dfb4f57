#include "math/blocks.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
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

constexpr int kAwake = 2000;   // looks at a variable before the core is offered to others: some microseconds
constexpr int kDrowsy = 2000;  // offers of the core before a thread without work falls asleep

/// Waits until `current` is another than `stage`: some microseconds awake, then giving the core to others.
std::size_t wait_for_next(const std::atomic<std::size_t>& current, std::size_t stage) {
  for (int k = 0;; ++k) {
    const std::size_t now = current.load(std::memory_order_acquire);
    if (now != stage) return now;
    k < kAwake ? pause() : std::this_thread::yield();
  }
}

thread_local std::size_t own_index = 0;  // of this thread in the team; 0 for those who are not in it
thread_local bool takes_part = false;    // in some runner's work

/// The threads of the process that help whoever has work, one at a time. They stay awake for a while after each piece
/// of work: the pieces of a step follow each other within microseconds, and waking a thread takes fifty.
class Team {
 public:
  static Team& shared() {
    static Team team;
    return team;
  }

  /// Calls job() here and on up to `helpers` other threads, fewer when those are late or busy with somebody else's;
  /// returns when all calls have returned. Job must not throw.
  void run(int helpers, const std::function<void()>& job) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock.owns_lock()) {
      job();
      return;
    }
    helpers = std::min({helpers, cores_ - 1, kMost});
    while (static_cast<int>(threads_.size()) < helpers) {
      threads_.emplace_back([this, index = threads_.size() + 1] { help(index); });
    }
    job_ = &job;
    helpers_ = helpers;
    gate_.store((gate_.load(std::memory_order_relaxed) & ~kCount) + kCall + kOpen, std::memory_order_release);
    gate_.notify_all();
    job();
    gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
    for (int k = 0; (gate_.load(std::memory_order_acquire) & kCount) != 0; ++k) {
      k < kAwake ? pause() : std::this_thread::yield();
    }
  }

  ~Team() {
    stop_.store(true, std::memory_order_relaxed);
    gate_.fetch_add(kCall, std::memory_order_release);
    gate_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  // The gate: whether there is work to join, how many have joined, and which call it is.
  static constexpr std::uint32_t kOpen = 1, kJoined = 2, kCount = 0x1fe, kCall = 0x200;
  static constexpr int kMost = kCount / kJoined;  // helpers that can be counted

  void help(std::size_t index) {
    own_index = index;
    takes_part = true;
    for (std::uint32_t seen = 0; !stop_.load(std::memory_order_relaxed);) {
      std::uint32_t now = wait_for_call(seen);
      seen = now / kCall;
      // Whoever comes late finds the gate shut and is not waited for.
      while ((now & kOpen) != 0 && now / kCall == seen &&
             !gate_.compare_exchange_weak(now, now + kJoined, std::memory_order_acq_rel)) {
      }
      if ((now & kOpen) == 0 || now / kCall != seen) continue;
      if (static_cast<int>(index) <= helpers_) (*job_)();
      gate_.fetch_sub(kJoined, std::memory_order_release);
    }
  }

  std::uint32_t wait_for_call(std::uint32_t seen) {
    for (int k = 0;; ++k) {
      const std::uint32_t now = gate_.load(std::memory_order_acquire);
      if (now / kCall != seen) return now;
      if (k < kAwake) {
        pause();
      } else if (k < kAwake + kDrowsy) {
        std::this_thread::yield();
      } else {
        gate_.wait(now, std::memory_order_acquire);
      }
    }
  }

  const int cores_ = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));  // asking takes microseconds
  std::mutex busy_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint32_t> gate_ = 0;
  std::atomic<bool> stop_ = false;
  const std::function<void()>* job_ = nullptr;
  int helpers_ = 0;
};

}  // namespace

struct BlockRunner::Arena {
  std::vector<StageProgress> stages;
  std::atomic<std::size_t> current = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
  std::mutex failing;

  /// Takes part until no stage is left. Every thread does the same; the one that ends a stage begins the next.
  void take_part(std::size_t count, const std::function<void(std::size_t, std::size_t)>& block) {
    for (std::size_t stage = current.load(std::memory_order_acquire); stage < count;) {
      StageProgress& progress = stages[stage];
      const std::size_t b = progress.next.fetch_add(1, std::memory_order_relaxed);
      if (b >= progress.blocks) {
        stage = wait_for_next(current, stage);
        continue;
      }
      call(block, stage, b);
      if (progress.done.fetch_add(1, std::memory_order_acq_rel) + 1 != progress.blocks) continue;
      do {
        ++stage;
      } while (stage < count && stages[stage].blocks == 0);
      current.store(stage, std::memory_order_release);
    }
  }

  /// After the first exception blocks are counted but not run.
  void call(const std::function<void(std::size_t, std::size_t)>& block, std::size_t stage, std::size_t b) {
    if (failed.load(std::memory_order_relaxed)) return;
    try {
      block(stage, b);
    } catch (...) {
      const std::lock_guard lock(failing);
      if (!failed.exchange(true)) failure = std::current_exception();
    }
  }
};

BlockRunner::BlockRunner() = default;
BlockRunner::BlockRunner(int threads) { set_threads(threads); }
BlockRunner::~BlockRunner() = default;
BlockRunner::BlockRunner(BlockRunner&&) noexcept = default;
BlockRunner& BlockRunner::operator=(BlockRunner&&) noexcept = default;

void BlockRunner::set_threads(int threads) { threads_ = std::max(threads, 1); }

void BlockRunner::run_parallel(std::size_t blocks, const std::function<void(std::size_t)>& block) {
  const StageSize stage{blocks, 1};
  run_stages_parallel({&stage, 1}, [&](std::size_t, std::size_t b) { block(b); });
}

void BlockRunner::run_stages_parallel(std::span<const StageSize> stages,
                                      const std::function<void(std::size_t, std::size_t)>& block) {
  // Work within a block of other work: the threads are taken.
  if (takes_part) {
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      const std::size_t blocks = count_blocks(stages[stage].count, stages[stage].block_size);
      for (std::size_t b = 0; b < blocks; ++b) block(stage, b);
    }
    return;
  }
  if (!arena_) arena_ = std::make_unique<Arena>();
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
  arena.failed.store(false, std::memory_order_relaxed);
  arena.failure = nullptr;
  takes_part = true;
  Team::shared().run(threads_ - 1, [&] { arena.take_part(stages.size(), block); });
  takes_part = false;
  if (arena.failure) std::rethrow_exception(arena.failure);
}

std::size_t BlockRunner::thread_index() { return own_index; }

}  // namespace achilles
