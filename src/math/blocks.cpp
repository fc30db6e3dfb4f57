#include "math/blocks.hpp"

#include "math/helper_trust.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace achilles {

namespace {

void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

constexpr int kAwake = 2000;         // looks at a variable before the core is offered to others: some microseconds
constexpr int kDrowsy = 2000;        // offers of the core before a thread without work falls asleep
constexpr std::size_t kApart = 128;  // bytes: lines of the cache come in pairs

thread_local std::size_t own_index = 0;  // of this thread in the team; 0 for those who are not in it
thread_local bool takes_part = false;    // in some runner's work

/// Takes part as long as it lives.
struct PartTaker {
  PartTaker() { takes_part = true; }
  PartTaker(const PartTaker&) = delete;
  PartTaker& operator=(const PartTaker&) = delete;
  ~PartTaker() { takes_part = false; }
};

using StageBlock = std::function<void(std::size_t stage, std::size_t block)>;

/// Block after block on the calling thread.
void run_alone(std::span<const StageSize> stages, const StageBlock& block) {
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const std::size_t blocks = BlockRunner::count_blocks(stages[stage].count, stages[stage].block_size);
    for (std::size_t b = 0; b < blocks; ++b) block(stage, b);
  }
}

/// Stages while threads work on them. Passing a line of the cache from core to core takes up to 0.3 us, so that what
/// threads tell each other is kept to few lines, and each is written by one thread where possible.
class alignas(kApart) Stages {
 public:
  /// For so many threads, out of a team of so many.
  void prepare(std::span<const StageSize> sizes, std::size_t threads, std::size_t team) {
    threads_ = threads;
    rows_ = BlockRunner::count_blocks(sizes.size(), kInRow);
    if (tickets_.size() < threads * rows_) tickets_ = std::vector<Tickets>(2 * threads * rows_);
    if (seats_.size() < team) seats_ = std::vector<Seat>(team);
    ends_.resize(sizes.size());
    last_ = 0;
    std::size_t sum = 0;
    for (std::size_t stage = 0; stage < sizes.size(); ++stage) {
      const std::size_t blocks = BlockRunner::count_blocks(sizes[stage].count, sizes[stage].block_size);
      for (std::size_t t = 0; t < threads; ++t) {
        const std::uint64_t next = BlockRunner::count_blocks(blocks * t, threads);
        const std::uint64_t end = BlockRunner::count_blocks(blocks * (t + 1), threads);
        ticket(t, stage).store(end << kEndShift | next, std::memory_order_relaxed);
      }
      if (blocks > 0) last_ = stage;
      ends_[stage] = sum += blocks;
    }
    for (Seat& seat : seats_) seat.done.store(0, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
    failure_ = nullptr;
  }

  /// Takes part from stage to stage. Every thread does the same. Helpers leave when nothing is left to begin with, the
  /// one who called when all is done.
  template <class WaitUntil>
  void take_part(const StageBlock& block, const WaitUntil& wait_until) {
    std::atomic<std::uint64_t>& done = seats_[own_index].done;
    std::uint64_t own = 0;
    for (std::size_t stage = 0; stage <= last_; ++stage) {
      own += work_on(stage, block);
      const bool leaves = own_index > 0 && stage == last_;
      done.store(leaves ? own | kLeft : own, std::memory_order_release);
      if (leaves) return;  // from here on nothing of this may be there any more
      wait_until([&] { return count_done() >= ends_[stage]; });
    }
  }
  /// Of a helper that has nothing to do.
  void leave() { seats_[own_index].done.fetch_or(kLeft, std::memory_order_release); }

  [[nodiscard]] std::size_t count_left() const {
    return static_cast<std::size_t>(std::count_if(seats_.begin(), seats_.end(), [](const Seat& seat) {
      return (seat.done.load(std::memory_order_acquire) & kLeft) != 0;
    }));
  }
  void rethrow_failure() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  /// The blocks of a stage that one thread begins with, as the next and the end; who has ended its own takes from those
  /// of the others. Blocks at the same place of stage after stage are so worked on by the same core, which has what
  /// they touch in its cache. Those of one thread lie together.
  static constexpr std::size_t kInRow = kApart / sizeof(std::uint64_t);
  static constexpr int kEndShift = 32;
  struct alignas(kApart) Tickets {
    std::array<std::atomic<std::uint64_t>, kInRow> of;
  };
  /// How many blocks a thread has done, of all stages: what lies before a stage is done when the sum says so, because
  /// nobody begins with it earlier. And whether the thread has left.
  struct alignas(kApart) Seat {
    std::atomic<std::uint64_t> done = 0;
  };
  static constexpr std::uint64_t kLeft = std::uint64_t{1} << 63U;

  [[nodiscard]] std::atomic<std::uint64_t>& ticket(std::size_t thread, std::size_t stage) {
    return tickets_[thread * rows_ + stage / kInRow].of[stage % kInRow];
  }

  [[nodiscard]] std::uint64_t count_done() const {
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < threads_; ++t) sum += seats_[t].done.load(std::memory_order_acquire) & ~kLeft;
    return sum;
  }

  /// Blocks of the stage while there are any, its own first; returns how many it did.
  std::uint64_t work_on(std::size_t stage, const StageBlock& block) {
    std::uint64_t ended = 0;
    for (std::size_t t = 0; t < threads_; ++t) {
      std::atomic<std::uint64_t>& share = ticket((own_index + t) % threads_, stage);
      const std::uint64_t before = share.load(std::memory_order_relaxed), end = before >> kEndShift;
      for (std::uint64_t next = static_cast<std::uint32_t>(before); next < end;) {
        // Half of what is left at once: between short blocks, taking them one by one would be felt.
        const std::uint64_t taken = (end - next + 1) / 2;
        const std::uint64_t first = static_cast<std::uint32_t>(share.fetch_add(taken, std::memory_order_relaxed));
        const std::uint64_t last = std::min(first + taken, end);
        for (std::uint64_t b = first; b < last; ++b, ++ended) call(block, stage, b);
        next = first + taken;
      }
    }
    return ended;
  }

  /// After the first exception blocks are counted but not run.
  void call(const StageBlock& block, std::size_t stage, std::size_t b) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      block(stage, b);
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
  }

  std::size_t threads_ = 1, rows_ = 0, last_ = 0;
  std::vector<Tickets> tickets_;     // thread after thread, one per stage
  std::vector<std::uint64_t> ends_;  // per stage: how many blocks there are up to its end
  std::vector<Seat> seats_;          // per thread
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
  std::mutex failing_;
};

/// The threads of the process that help whoever has work, one at a time. They stay awake for a while after each piece
/// of work: the pieces of a step follow each other within microseconds, and waking a thread takes fifty.
class Team {
 public:
  static Team& shared() {
    static Team team;
    return team;
  }

  /// Runs the stages here and on up to `helpers` other threads, fewer when those are late or busy with somebody else's.
  void run(int helpers, std::span<const StageSize> sizes, const StageBlock& block, Stages& stages) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    helpers = std::min({helpers, cores_ - 1, kMost});
    if (!lock.owns_lock() || helpers == 0 || !trust_.is_given()) {
      run_alone(sizes, block);
      return;
    }
    while (static_cast<int>(threads_.size()) < helpers) {
      threads_.emplace_back([this, index = threads_.size() + 1, &self = trust_.add_helper()] { help(index, self); });
    }
    stages.prepare(sizes, static_cast<std::size_t>(helpers) + 1, threads_.size() + 1);
    call_.stages.store(&stages, std::memory_order_relaxed);
    call_.block.store(&block, std::memory_order_relaxed);
    call_.helpers = static_cast<std::size_t>(helpers);
    std::atomic<std::uint32_t>& gate = call_.gate;
    gate.store((gate.load(std::memory_order_relaxed) | kOpen | kCount) - kCount + kCall, std::memory_order_release);
    gate.notify_all();
    const auto wait = [this](const auto& done) { wait_until(done); };
    stages.take_part(block, wait);
    // Whoever has joined may still look for work; when all have left none can come late.
    if (stages.count_left() < threads_.size()) {
      const std::size_t joined = (gate.fetch_and(~kOpen, std::memory_order_acq_rel) & kCount) / kJoined;
      wait_until([&] { return stages.count_left() == joined; });
    }
    stages.rethrow_failure();
  }

  /// False: a call would be done alone.
  [[nodiscard]] bool helps() {
    const std::unique_lock lock(busy_, std::try_to_lock);
    return lock.owns_lock() && trust_.is_given();
  }

  ~Team() {
    call_.stop.store(true, std::memory_order_relaxed);
    call_.gate.store((call_.gate.load() | kOpen) - kOpen + kCall, std::memory_order_release);
    call_.gate.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  // The gate: whether there is work to join, how many have joined, and which call it is.
  static constexpr std::uint32_t kOpen = 1, kJoined = 2, kCount = 0x1fe, kCall = 0x200;
  static constexpr int kMost = kCount / kJoined;  // helpers that can be counted

  /// All that a helper looks at while it waits, and first when it comes.
  struct alignas(kApart) Call {
    std::atomic<std::uint32_t> gate = 0;
    std::atomic<bool> stop = false;
    std::size_t helpers = 0;
    std::atomic<const StageBlock*> block = nullptr;
    std::atomic<Stages*> stages = nullptr;
  };

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

  void help(std::size_t index, HelperTrust::Helper& self) {
    self.clock.follow();
    own_index = index;
    takes_part = true;
    const auto wait = [this](const auto& done) { wait_until(done); };
    for (std::uint32_t seen = 0; !call_.stop.load(std::memory_order_relaxed);) {
      std::uint32_t now = wait_for_call(seen);
      seen = now / kCall;
      // What comes next is on its way while the gate is passed.
      __builtin_prefetch(call_.stages.load(std::memory_order_relaxed));
      __builtin_prefetch(call_.block.load(std::memory_order_relaxed));
      // Whoever comes late finds the gate shut and is not waited for.
      while ((now & kOpen) != 0 && now / kCall == seen &&
             !call_.gate.compare_exchange_weak(now, now + kJoined, std::memory_order_acq_rel)) {
      }
      if ((now & kOpen) == 0 || now / kCall != seen) continue;
      self.is_busy.store(true, std::memory_order_release);
      Stages& stages = *call_.stages.load(std::memory_order_relaxed);
      index <= call_.helpers ? stages.take_part(*call_.block.load(std::memory_order_relaxed), wait) : stages.leave();
      self.is_busy.store(false, std::memory_order_release);
    }
  }

  std::uint32_t wait_for_call(std::uint32_t seen) {
    for (int k = 0;; ++k) {
      const std::uint32_t now = call_.gate.load(std::memory_order_acquire);
      if (now / kCall != seen) return now;
      if (k < kAwake) {
        pause();
      } else if (k < kAwake + kDrowsy) {
        std::this_thread::yield();
      } else {
        call_.gate.wait(now, std::memory_order_acquire);
      }
    }
  }

  Call call_;
  const int cores_ = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));  // asking takes microseconds
  std::mutex busy_;
  HelperTrust trust_;
  std::vector<std::thread> threads_;
};

}  // namespace

struct BlockRunner::Arena : Stages {};

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
  if (takes_part || stages.empty()) {
    run_alone(stages, block);
    return;
  }
  if (!arena_) arena_ = std::make_unique<Arena>();
  const PartTaker part;
  Team::shared().run(threads_ - 1, stages, block, *arena_);
}

bool BlockRunner::works_alone() const { return threads_ == 1 || takes_part || !Team::shared().helps(); }

std::size_t BlockRunner::thread_index() { return own_index; }

}  // namespace achilles
