#include "parallel/blocks.hpp"

#include "parallel/worker_backoff.hpp"
#include "platform/system.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace achilles {

namespace {

constexpr int kSpins = 2000;                 // spins before the first yield: some microseconds
constexpr int kYields = 2000;                // yields before a thread without work sleeps
constexpr std::size_t kCacheLinePair = 128;  // [bytes] lines are fetched in pairs

thread_local std::size_t own_index = 0;  // of this thread in the team; 0 outside it
thread_local bool participates = false;  // in the work of a runner

/// Marks the thread as part of a runner's work while it lives.
struct ParticipationGuard {
  ParticipationGuard() { participates = true; }
  ParticipationGuard(const ParticipationGuard&) = delete;
  ParticipationGuard& operator=(const ParticipationGuard&) = delete;
  ~ParticipationGuard() { participates = false; }
};

using StageBlock = std::function<void(std::size_t stage, std::size_t block)>;

/// Block after block on the calling thread.
void run_alone(std::span<const StageSize> stages, const StageBlock& block) {
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    const std::size_t blocks = BlockRunner::count_blocks(stages[stage].count, stages[stage].block_size);
    for (std::size_t b = 0; b < blocks; ++b) block(stage, b);
  }
}

/// One call, packed into a word that workers poll: its number, threads and stages.
struct Call {
  std::uint64_t number, threads, stages;

  static constexpr std::uint64_t kMostThreads = 0xff, kMostStages = 0xffffff;

  [[nodiscard]] std::uint64_t pack() const { return number << 32U | threads << 24U | stages; }
  static Call unpack(std::uint64_t packed) {
    return {packed >> 32U, packed >> 24U & kMostThreads, packed & kMostStages};
  }
};

/// The stages of one call after the other, while threads work on them. Threads neither join nor leave a call: a taken
/// block keeps the call from ending, so that its data stay valid for the thread that took it, however late it arrived.
/// A thread that finds no block has read tickets only. Passing a cache line from core to core takes up to 0.3 us:
/// shared state is kept to few lines, each written by one thread where possible.
class Stages {
 public:
  explicit Stages(std::size_t most_threads) : seats_(most_threads) {}

  static bool can_hold(std::span<const StageSize> sizes) {
    return sizes.size() < Call::kMostStages &&
           std::all_of(sizes.begin(), sizes.end(), [](const StageSize& size) { return count(size) < kMostBlocks; });
  }

  /// Begins a call after the previous one has ended; returns its number of stages. `block` must live until the end of
  /// the call.
  std::size_t begin(std::span<const StageSize> sizes, std::size_t threads, const StageBlock& block) {
    if (sizes.size() > room_) make_room(2 * sizes.size());
    block_ = &block;
    end_ = count_done(threads);
    std::size_t stages = 0;
    for (std::size_t stage = 0; stage < sizes.size(); ++stage) {
      starts_[stage] = end_;
      end_ += count(sizes[stage]);
      if (end_ > starts_[stage]) stages = stage + 1;
    }
    Row* const rows = rows_.load(std::memory_order_relaxed);
    for (std::size_t stage = 0; stage < stages; ++stage) {
      const std::size_t blocks = count(sizes[stage]);
      for (std::size_t t = 0; t < threads; ++t) {
        const Ticket share{BlockRunner::count_blocks(blocks * t, threads),
                           BlockRunner::count_blocks(blocks * (t + 1), threads), threads};
        ticket(rows, t, stage).store(share.pack(), std::memory_order_release);
      }
    }
    return stages;
  }

  /// Works through the stages. Every thread of the call runs this.
  template <class WaitUntil>
  void participate(const Call& call, const WaitUntil& wait_until) {
    Row* const rows = rows_.load(std::memory_order_acquire);
    std::atomic<std::uint64_t>& done = seats_[own_index].done;
    for (std::size_t stage = 0; stage < call.stages; ++stage) {
      const std::uint64_t before = done.load(std::memory_order_relaxed);
      std::uint64_t own = before;
      bool is_open = stage == 0;
      for (std::size_t t = 0; t < call.threads; ++t) {
        Ticket taken{};
        while (take(ticket(rows, (own_index + t) % call.threads, stage), taken)) {
          if (!is_open) wait_until([&] { return count_done(taken.threads) >= starts_[stage]; });
          is_open = true;
          for (std::uint64_t b = taken.next; b < taken.end; ++b, ++own) run_block(stage, b);
        }
      }
      if (own > before) done.store(own, std::memory_order_release);
    }
  }

  /// Of the call that began last.
  [[nodiscard]] bool has_ended(std::size_t threads) const { return count_done(threads) >= end_; }
  void rethrow_failure() {
    if (!failed_.exchange(false, std::memory_order_relaxed)) return;
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  static constexpr std::uint64_t kMostBlocks = 0xffffff;
  /// The blocks of a stage that one thread starts with; a thread without blocks takes from the others. Blocks with the
  /// same number in consecutive stages mostly run on the same core, whose cache holds their data.
  struct Ticket {
    std::uint64_t next, end;
    std::uint64_t threads;  // of the call

    [[nodiscard]] std::uint64_t pack() const { return threads << 48U | end << 24U | next; }
    static Ticket unpack(std::uint64_t packed) {
      return {packed & kMostBlocks, packed >> 24U & kMostBlocks, packed >> 48U};
    }
  };
  /// Tickets of one thread share cache lines.
  static constexpr std::size_t kInRow = kCacheLinePair / sizeof(std::uint64_t);
  struct alignas(kCacheLinePair) Row {
    std::array<std::atomic<std::uint64_t>, kInRow> tickets{};
  };
  /// Blocks that a thread has finished, over all calls. A stage may start when the sum over the threads has reached its
  /// start, because no thread runs its blocks earlier.
  struct alignas(kCacheLinePair) Seat {
    std::atomic<std::uint64_t> done = 0;
  };

  static std::size_t count(const StageSize& size) { return BlockRunner::count_blocks(size.count, size.block_size); }

  /// Keeps the former tickets, all of which are taken: a late thread may still read them.
  void make_room(std::size_t stages) {
    const std::size_t rows = BlockRunner::count_blocks(stages, kInRow);
    room_ = rows * kInRow;
    starts_.resize(room_);
    all_rows_.push_back(std::make_unique<Row[]>(rows * seats_.size()));
    rows_.store(all_rows_.back().get(), std::memory_order_release);
  }

  [[nodiscard]] std::atomic<std::uint64_t>& ticket(Row* rows, std::size_t thread, std::size_t stage) const {
    return rows[stage / kInRow * seats_.size() + thread].tickets[stage % kInRow];
  }

  [[nodiscard]] std::uint64_t count_done(std::size_t threads) const {
    std::uint64_t sum = 0;
    for (std::size_t t = 0; t < threads; ++t) sum += seats_[t].done.load(std::memory_order_acquire);
    return sum;
  }

  /// Takes half of the remaining blocks at once, so that short blocks cost few atomic operations. False when none is
  /// left or the thread is not part of the call.
  static bool take(std::atomic<std::uint64_t>& ticket, Ticket& taken) {
    std::uint64_t seen = ticket.load(std::memory_order_acquire);
    while (true) {
      const Ticket left = Ticket::unpack(seen);
      if (left.next >= left.end || own_index >= left.threads) return false;
      taken = {left.next, left.next + (left.end - left.next + 1) / 2, left.threads};
      const std::uint64_t rest = Ticket{taken.end, left.end, left.threads}.pack();
      if (ticket.compare_exchange_weak(seen, rest, std::memory_order_acq_rel, std::memory_order_acquire)) return true;
    }
  }

  /// After the first exception blocks are counted but not run.
  void run_block(std::size_t stage, std::size_t b) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      (*block_)(stage, b);
    } catch (...) {
      const std::lock_guard lock(failing_);
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
  }

  // Rarely written.
  alignas(kCacheLinePair) std::atomic<Row*> rows_ = nullptr;  // for sixteen stages after the other, one per thread
  std::vector<Seat> seats_;                                   // per thread
  std::vector<std::uint64_t> starts_;  // per stage of the call: how many blocks are done when it may begin
  std::size_t room_ = 0;               // stages
  std::vector<std::unique_ptr<Row[]>> all_rows_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
  std::mutex failing_;
  // Written by every call.
  alignas(kCacheLinePair) const StageBlock* block_ = nullptr;
  std::uint64_t end_ = 0;  // how many blocks are done when it has ended
};

/// The worker threads of the process; they serve one caller at a time. They spin for a while after each call: the calls
/// of a step follow each other within microseconds, and waking a thread takes fifty.
class Team {
 public:
  static Team& shared() {
    static Team team;
    return team;
  }

  /// Runs the stages on the calling thread and on up to `workers` others, fewer when those are late or busy.
  void run(int workers, std::span<const StageSize> sizes, const StageBlock& block) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    workers = std::min(workers, max_workers_);
    if (!lock.owns_lock() || workers == 0 || !backoff_.should_call() || !Stages::can_hold(sizes)) {
      run_alone(sizes, block);
      return;
    }
    while (static_cast<int>(threads_.size()) < workers) {
      threads_.emplace_back([this, index = threads_.size() + 1, &self = backoff_.add_worker()] { work(index, self); });
    }
    Call call{++calls_, static_cast<std::uint64_t>(workers) + 1, 0};
    call.stages = stages_.begin(sizes, call.threads, block);
    call_.store(call.pack(), std::memory_order_release);
    call_.notify_all();
    stages_.participate(call, [this](const auto& done) { wait_until(done); });
    wait_until([&] { return stages_.has_ended(call.threads); });
    stages_.rethrow_failure();
  }

  /// Whether a call would get workers.
  [[nodiscard]] bool is_available() {
    const std::unique_lock lock(busy_, std::try_to_lock);
    return lock.owns_lock() && backoff_.should_call();
  }

  ~Team() {
    stop_.store(true, std::memory_order_relaxed);
    call_.store(Call{++calls_, 0, 0}.pack(), std::memory_order_release);
    call_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  /// Spins for some microseconds, then yields. The calling thread updates the back-off.
  template <class Done>
  void wait_until(const Done& done) {
    for (int k = 0; k < kSpins; ++k) {
      if (done()) return;
      platform::pause_processor();
    }
    if (own_index == 0) backoff_.begin_wait();
    while (!done()) std::this_thread::yield();
    if (own_index == 0) backoff_.end_wait();
  }

  void work(std::size_t index, WorkerBackoff::Worker& self) {
    self.clock.attach();
    own_index = index;
    participates = true;
    for (std::uint64_t seen = 0; !stop_.load(std::memory_order_relaxed);) {
      seen = wait_for_call(seen);
      self.is_busy.store(true, std::memory_order_release);
      stages_.participate(Call::unpack(seen), [this](const auto& done) { wait_until(done); });
      self.is_busy.store(false, std::memory_order_release);
    }
  }

  std::uint64_t wait_for_call(std::uint64_t seen) {
    for (int k = 0;; ++k) {
      const std::uint64_t now = call_.load(std::memory_order_acquire);
      if (now != seen) return now;
      if (k < kSpins) {
        platform::pause_processor();
      } else if (k < kSpins + kYields) {
        std::this_thread::yield();
      } else {
        call_.wait(now, std::memory_order_acquire);
      }
    }
  }

  // Stored because the query takes microseconds.
  const int max_workers_ =
      static_cast<int>(std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, Call::kMostThreads) - 1);
  Stages stages_{static_cast<std::size_t>(max_workers_) + 1};
  alignas(kCacheLinePair) std::atomic<std::uint64_t> call_ = 0;  // all that a waiting worker reads
  alignas(kCacheLinePair) std::atomic<bool> stop_ = false;
  std::uint64_t calls_ = 0;
  std::mutex busy_;
  WorkerBackoff backoff_;
  std::vector<std::thread> threads_;
};

}  // namespace

void BlockRunner::run_parallel(std::size_t blocks, const std::function<void(std::size_t)>& block) const {
  const StageSize stage{blocks, 1};
  run_stages_parallel({&stage, 1}, [&](std::size_t, std::size_t b) { block(b); });
}

void BlockRunner::run_stages_parallel(std::span<const StageSize> stages,
                                      const std::function<void(std::size_t, std::size_t)>& block) const {
  // Nested calls run on the calling thread: the workers are busy with the outer call.
  if (participates || stages.empty()) {
    run_alone(stages, block);
    return;
  }
  const ParticipationGuard part;
  Team::shared().run(threads_ - 1, stages, block);
}

bool BlockRunner::works_alone() const { return threads_ == 1 || participates || !Team::shared().is_available(); }

std::size_t BlockRunner::thread_index() { return own_index; }

}  // namespace achilles
