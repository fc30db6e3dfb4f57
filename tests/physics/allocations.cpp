#include "support/allocations.hpp"

#include "support/sanitizers.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>

// The sanitizers have a malloc of their own.
#if !ACHILLES_OWN_MALLOC

namespace achilles::testing {
std::int64_t count_allocations() { return 0; }
}  // namespace achilles::testing

#else

namespace {
std::atomic<std::int64_t> allocations{0};
void count() { allocations.fetch_add(1, std::memory_order_relaxed); }
}  // namespace

// What operator new, Eigen and everyone else end up in, in front of the C library's own.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  count();
  return __libc_calloc(number, size);
}
void* realloc(void* memory, std::size_t size) {
  count();
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count();
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  count();
  *memory = __libc_memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}

namespace achilles::testing {
std::int64_t count_allocations() { return allocations.load(std::memory_order_relaxed); }
}  // namespace achilles::testing

#endif
