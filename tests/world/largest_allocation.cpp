#include "world/largest_allocation.hpp"

#include "support/sanitizers.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::size_t> largest{0};
}

// The sanitizers have operators of their own, which must not be mixed with these.
#if ACHILLES_OWN_MALLOC
void* operator new(std::size_t size) {
  if (size > largest.load(std::memory_order_relaxed)) largest.store(size, std::memory_order_relaxed);
  void* memory = std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void operator delete(void* memory) noexcept { std::free(memory); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (size > largest.load(std::memory_order_relaxed)) largest.store(size, std::memory_order_relaxed);
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace achilles::testing {
void forget_allocations() { largest.store(0, std::memory_order_relaxed); }
std::size_t largest_allocation() { return largest.load(std::memory_order_relaxed); }
}  // namespace achilles::testing
