#include "math/blocks.hpp"

#include "math/helper_trust.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace achilles {

namespace {

/// How much of a stage is done. One per cache line, as the shares.
struct alignas(64) StageProgress {
  std::atomic<std::size_t> done = 0;
  std::size_t blocks = 0;
};

/// The blocks of a stage that one thread begins with; who has ended its own takes from those of the others. Blocks at
/// the same place of stage after stage are so worked on by the same core, which has what they touch in its cache.
struct alignas(64) Share {
  std::atomic<std::size_t> next = 0;
  std::size_t end = 0;
};

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

constexpr int kAwake = 2000;   // looks at a variable before the core is offered to others: some microseconds
constexpr int kDrowsy = 2000;  // offers of the core before a thread without work falls asleep

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
    if (helpers == 0 || !trust_.is_given()) {
      job();
      return;
    }
    while (static_cast<int>(threads_.size()) < helpers) {
      threads_.emplace_back([this, index = threads_.size() + 1, &self = trust_.add_helper()] { help(index, self); });
    }
    job_ = &job;
    helpers_ = helpers;
    gate_.store((gate_.load(std::memory_order_relaxed) & ~kCount) + kCall + kOpen, std::memory_order_release);
    gate_.notify_all();
    job();
    gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
    wait_until([this] { return (gate_.load(std::memory_order_acquire) & kCount) == 0; });
  }

  /// False: a call would be done alone.
  [[nodiscard]] bool helps() {
    const std::unique_lock lock(busy_, std::try_to_lock);
    return lock.owns_lock() && trust_.is_given();
  }

  /// Some microseconds awake, then giving the core to others. The one who called looks whether helpers are worth it.
  template <class Done>
  void wait_until(const Done& done) {
    for (int k = 0; k < kAwake; ++k) {
      if (done()) return;
      pause();
    }
    if (own_index == 0) trust_.begin_waiting();
    while (!done()) std::this_thread::yield();
    if (own_index == 0) trust_.end_waiting();
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

  void help(std::size_t index, HelperTrust::Helper& self) {
    self.clock.follow();
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
      self.is_busy.store(true, std::memory_order_release);
      if (static_cast<int>(index) <= helpers_) (*job_)();
      self.is_busy.store(false, std::memory_order_release);
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
  HelperTrust trust_;
  std::vector<std::thread> threads_;
  std::atomic<std::uint32_t> gate_ = 0;
  std::atomic<bool> stop_ = false;
  const std::function<void()>* job_ = nullptr;
  int helpers_ = 0;
};

}  // namespace

struct BlockRunner::Arena {
  std::vector<StageProgress> stages;
  std::vector<Share> shares;  // stage after stage, one per thread
  std::size_t threads = 1;
  std::atomic<std::size_t> current = 0;
  std::atomic<bool> failed = false;
  std::exception_ptr failure;
  std::mutex failing;

  void prepare(std::span<const StageSize> sizes, std::size_t number_of_threads) {
    threads = number_of_threads;
    if (stages.size() < sizes.size()) stages = std::vector<StageProgress>(2 * sizes.size());
    if (shares.size() < sizes.size() * threads) shares = std::vector<Share>(2 * sizes.size() * threads);
    std::size_t first = sizes.size();
    for (std::size_t k = sizes.size(); k-- > 0;) {
      const std::size_t blocks = count_blocks(sizes[k].count, sizes[k].block_size);
      stages[k].done.store(0, std::memory_order_relaxed);
      stages[k].blocks = blocks;
      for (std::size_t t = 0; t < threads; ++t) {
        shares[k * threads + t].next.store(count_blocks(blocks * t, threads), std::memory_order_relaxed);
        shares[k * threads + t].end = count_blocks(blocks * (t + 1), threads);
      }
      if (blocks > 0) first = k;
    }
    current.store(first, std::memory_order_release);
    failed.store(false, std::memory_order_relaxed);
    failure = nullptr;
  }

  /// Takes part until no stage is left. Every thread does the same; the one that ends a stage begins the next.
  void take_part(std::size_t count, const std::function<void(std::size_t, std::size_t)>& block) {
    for (std::size_t stage = current.load(std::memory_order_acquire); stage < count;) {
      const std::size_t ended = work_on(stage, block);
      const bool all =
          ended > 0 && stages[stage].done.fetch_add(ended, std::memory_order_acq_rel) + ended == stages[stage].blocks;
      if (!all) {
        Team::shared().wait_until([&] { return current.load(std::memory_order_acquire) != stage; });
        stage = current.load(std::memory_order_acquire);
        continue;
      }
      do {
        ++stage;
      } while (stage < count && stages[stage].blocks == 0);
      current.store(stage, std::memory_order_release);
    }
  }

  /// Blocks of the stage while there are any, its own first; returns how many it did.
  std::size_t work_on(std::size_t stage, const std::function<void(std::size_t, std::size_t)>& block) {
    std::size_t ended = 0;
    for (std::size_t t = 0; t < threads; ++t) {
      Share& share = shares[stage * threads + (own_index + t) % threads];
      for (std::size_t next = share.next.load(std::memory_order_relaxed); next < share.end;) {
        // Half of what is left at once: between short blocks, taking them one by one would be felt.
        const std::size_t taken = (share.end - next + 1) / 2;
        const std::size_t first = share.next.fetch_add(taken, std::memory_order_relaxed);
        const std::size_t last = std::min(first + taken, share.end);
        for (std::size_t b = first; b < last; ++b, ++ended) call(block, stage, b);
        next = first + taken;
      }
    }
    return ended;
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
  arena.prepare(stages, static_cast<std::size_t>(threads_));
  takes_part = true;
  Team::shared().run(threads_ - 1, [&] { arena.take_part(stages.size(), block); });
  takes_part = false;
  if (arena.failure) std::rethrow_exception(arena.failure);
}

bool BlockRunner::works_alone() const { return threads_ == 1 || takes_part || !Team::shared().helps(); }

std::size_t BlockRunner::thread_index() { return own_index; }

}  // namespace achilles
