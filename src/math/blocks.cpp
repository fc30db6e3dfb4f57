#include "math/blocks.hpp"

#include "math/helper_trust.hpp"

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

/// A call as a helper hears of it: which one it is, of how many threads and stages.
struct Call {
  std::uint64_t number, threads, stages;

  static constexpr std::uint64_t kMostThreads = 0xff, kMostStages = 0xffffff;

  [[nodiscard]] std::uint64_t pack() const { return number << 32U | threads << 24U | stages; }
  static Call unpack(std::uint64_t packed) {
    return {packed >> 32U, packed >> 24U & kMostThreads, packed & kMostStages};
  }
};

/// The stages of one call after the other, while threads work on them. Nobody joins or leaves a call: whoever has taken
/// a block keeps it from ending, so that what he reads from then on is of that call, however late he came. Who finds no
/// block has looked at nothing but tickets. Passing a line of the cache from core to core takes up to 0.3 us, so that
/// what threads tell each other is kept to few lines, and each is written by one thread where possible.
class Stages {
 public:
  explicit Stages(std::size_t most_threads) : seats_(most_threads) {}

  static bool can_hold(std::span<const StageSize> sizes) {
    return sizes.size() < Call::kMostStages &&
           std::all_of(sizes.begin(), sizes.end(), [](const StageSize& size) { return count(size) < kMostBlocks; });
  }

  /// Begins a call, after the one before has ended, and returns how many stages it has. The work is to stay until it
  /// has ended.
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

  /// Takes part from stage to stage. Every thread does the same.
  template <class WaitUntil>
  void take_part(const Call& call, const WaitUntil& wait_until) {
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
  /// The blocks of a stage that one thread begins with; who has ended its own takes from those of the others. Blocks at
  /// the same place of stage after stage are so worked on by the same core, which has what they touch in its cache.
  struct Ticket {
    std::uint64_t next, end;
    std::uint64_t threads;  // of the call

    [[nodiscard]] std::uint64_t pack() const { return threads << 48U | end << 24U | next; }
    static Ticket unpack(std::uint64_t packed) {
      return {packed & kMostBlocks, packed >> 24U & kMostBlocks, packed >> 48U};
    }
  };
  /// Tickets of one thread lie together.
  static constexpr std::size_t kInRow = kApart / sizeof(std::uint64_t);
  struct alignas(kApart) Row {
    std::array<std::atomic<std::uint64_t>, kInRow> tickets{};
  };
  /// How many blocks a thread has done, of all calls: what lies before a stage is done when the sum says so, because
  /// nobody begins with it earlier.
  struct alignas(kApart) Seat {
    std::atomic<std::uint64_t> done = 0;
  };

  static std::size_t count(const StageSize& size) { return BlockRunner::count_blocks(size.count, size.block_size); }

  /// Somebody late may still look at the former tickets, all of which are taken: they stay.
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

  /// Half of what is left at once: between short blocks, taking them one by one would be felt. False: there is nothing,
  /// or not for this thread.
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

  // What hardly ever changes.
  alignas(kApart) std::atomic<Row*> rows_ = nullptr;  // for sixteen stages after the other, one per thread
  std::vector<Seat> seats_;                           // per thread
  std::vector<std::uint64_t> starts_;  // per stage of the call: how many blocks are done when it may begin
  std::size_t room_ = 0;               // stages
  std::vector<std::unique_ptr<Row[]>> all_rows_;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
  std::mutex failing_;
  // What changes with every call.
  alignas(kApart) const StageBlock* block_ = nullptr;
  std::uint64_t end_ = 0;  // how many blocks are done when it has ended
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
  void run(int helpers, std::span<const StageSize> sizes, const StageBlock& block) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    helpers = std::min(helpers, most_helpers_);
    if (!lock.owns_lock() || helpers == 0 || !trust_.is_given() || !Stages::can_hold(sizes)) {
      run_alone(sizes, block);
      return;
    }
    while (static_cast<int>(threads_.size()) < helpers) {
      threads_.emplace_back([this, index = threads_.size() + 1, &self = trust_.add_helper()] { help(index, self); });
    }
    Call call{++calls_, static_cast<std::uint64_t>(helpers) + 1, 0};
    call.stages = stages_.begin(sizes, call.threads, block);
    call_.store(call.pack(), std::memory_order_release);
    call_.notify_all();
    stages_.take_part(call, [this](const auto& done) { wait_until(done); });
    wait_until([&] { return stages_.has_ended(call.threads); });
    stages_.rethrow_failure();
  }

  /// False: a call would be done alone.
  [[nodiscard]] bool helps() {
    const std::unique_lock lock(busy_, std::try_to_lock);
    return lock.owns_lock() && trust_.is_given();
  }

  ~Team() {
    stop_.store(true, std::memory_order_relaxed);
    call_.store(Call{++calls_, 0, 0}.pack(), std::memory_order_release);
    call_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
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
    for (std::uint64_t seen = 0; !stop_.load(std::memory_order_relaxed);) {
      seen = wait_for_call(seen);
      self.is_busy.store(true, std::memory_order_release);
      stages_.take_part(Call::unpack(seen), [this](const auto& done) { wait_until(done); });
      self.is_busy.store(false, std::memory_order_release);
    }
  }

  std::uint64_t wait_for_call(std::uint64_t seen) {
    for (int k = 0;; ++k) {
      const std::uint64_t now = call_.load(std::memory_order_acquire);
      if (now != seen) return now;
      if (k < kAwake) {
        pause();
      } else if (k < kAwake + kDrowsy) {
        std::this_thread::yield();
      } else {
        call_.wait(now, std::memory_order_acquire);
      }
    }
  }

  // Asking for the number of cores takes microseconds.
  const int most_helpers_ =
      static_cast<int>(std::clamp<std::uint64_t>(std::thread::hardware_concurrency(), 1, Call::kMostThreads) - 1);
  Stages stages_{static_cast<std::size_t>(most_helpers_) + 1};
  alignas(kApart) std::atomic<std::uint64_t> call_ = 0;  // all that a helper looks at while it waits
  alignas(kApart) std::atomic<bool> stop_ = false;
  std::uint64_t calls_ = 0;
  std::mutex busy_;
  HelperTrust trust_;
  std::vector<std::thread> threads_;
};

}  // namespace

void BlockRunner::run_parallel(std::size_t blocks, const std::function<void(std::size_t)>& block) const {
  const StageSize stage{blocks, 1};
  run_stages_parallel({&stage, 1}, [&](std::size_t, std::size_t b) { block(b); });
}

void BlockRunner::run_stages_parallel(std::span<const StageSize> stages,
                                      const std::function<void(std::size_t, std::size_t)>& block) const {
  // Work within a block of other work: the threads are taken.
  if (takes_part || stages.empty()) {
    run_alone(stages, block);
    return;
  }
  const PartTaker part;
  Team::shared().run(threads_ - 1, stages, block);
}

bool BlockRunner::works_alone() const { return threads_ == 1 || takes_part || !Team::shared().helps(); }

std::size_t BlockRunner::thread_index() { return own_index; }

}  // namespace achilles
