// A parallel algorithm as a list of phases: loops that run one after the other, each in blocks on all threads.
//
// Where a phase ends, threads wait for each other, and another core may take up what one core has in its cache. Loops
// over the blocks of one partition need neither: what such a loop does to a block depends only on what the loops before
// it did to that block. Where they follow each other they are fused: a thread runs all of them on one block before it
// takes the next one. An algorithm states which of its loops are of that kind (add_over_blocks); fusing changes no
// result.
#pragma once

#include "parallel/blocks.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace achilles {

/// Elements of a loop that one thread takes at a time. An element takes 50 ns to 1 µs, a block some microseconds: long
/// against the 0.1 µs that taking a block costs, short against what threads wait for each other at the end of a phase.
/// No result depends on it.
inline constexpr std::size_t kElementsPerBlock = 32;

/// What the second-level cache of a core holds [bytes]: 0.5 to 2 MB on present processors. No result depends on it.
inline constexpr std::size_t kCoreCache = std::size_t{1} << 20;

/// Elements of a loop that one thread works on.
struct Elements {
  std::size_t first = 0, last = 0;
  bool is_cached = false;  // an earlier loop of the same fused phase has brought the block's data into the core's cache
};

template <class Algorithm>
class ParallelPhases {
 public:
  using Work = void (Algorithm::*)(Elements) const;

  /// One loop of a phase; loops of one phase are fused.
  struct Loop {
    std::string_view name;
    Work work;
    std::size_t first;  // element
    bool is_cached;
  };

  void clear() {
    loops_.clear();
    sizes_.clear();
    first_loops_.clear();
    is_over_blocks_ = false;
  }

  /// Room for so many loops: a step with more colours than any before then allocates nothing.
  void reserve(std::size_t loops) {
    loops_.reserve(loops);
    sizes_.reserve(loops);
    first_loops_.reserve(loops);
  }

  /// A loop over [first, first + count), `block_size` elements at a time. A loop without elements is left out.
  void add(std::string_view name, Work work, std::size_t first, std::size_t count, std::size_t block_size) {
    if (count == 0) return;
    begin_phase({count, block_size});
    loops_.push_back({name, work, first, false});
    is_over_blocks_ = false;
  }

  /// A loop over `count` blocks of the partition, always the same blocks. `brings_data`: it leaves the contacts of its
  /// block in the cache.
  void add_over_blocks(std::string_view name, Work work, std::size_t count, bool brings_data) {
    if (count == 0) return;
    if (!is_over_blocks_) {
      begin_phase({count, 1});
      is_cached_ = false;
    }
    loops_.push_back({name, work, 0, is_cached_});
    is_over_blocks_ = true;
    is_cached_ = is_cached_ || brings_data;
  }

  void run(BlockRunner& runner, const Algorithm& algorithm) const {
    runner.run_stages(sizes_, [&](std::size_t phase, std::size_t first, std::size_t last) {
      for (const Loop& loop : loops_of(phase)) {
        (algorithm.*loop.work)({loop.first + first, loop.first + last, loop.is_cached});
      }
    });
  }

  [[nodiscard]] std::size_t size() const { return sizes_.size(); }
  [[nodiscard]] const StageSize& size_of(std::size_t phase) const { return sizes_[phase]; }
  [[nodiscard]] std::span<const Loop> loops_of(std::size_t phase) const {
    const std::size_t first = first_loops_[phase];
    const std::size_t last = phase + 1 < first_loops_.size() ? first_loops_[phase + 1] : loops_.size();
    return std::span(loops_).subspan(first, last - first);
  }

 private:
  void begin_phase(const StageSize& size) {
    sizes_.push_back(size);
    first_loops_.push_back(static_cast<std::uint32_t>(loops_.size()));
  }

  std::vector<Loop> loops_;
  std::vector<StageSize> sizes_;            // per phase
  std::vector<std::uint32_t> first_loops_;  // per phase
  bool is_over_blocks_ = false;             // the last loop
  bool is_cached_ = false;                  // a loop of the last phase brings its block's data
};

}  // namespace achilles
