// Vectors that may take many megabytes and are swept many times: on large pages, so that the processor need not look up
// where they are every few kilobytes.
#pragma once

#include "platform/system.hpp"

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace achilles {

template <class T>
struct HugeAllocator {
  using value_type = T;
  static constexpr std::size_t kPage = std::size_t{1} << 21;  // [byte]
  static constexpr std::size_t kLeast = 2 * kPage;            // smaller ones gain nothing

  HugeAllocator() = default;
  template <class U>
  explicit(false) HugeAllocator(const HugeAllocator<U>&) {}

  [[nodiscard]] T* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    void* const memory = ::operator new(n * sizeof(T), alignment_of(n));
    if (n * sizeof(T) >= kLeast) platform::advise_large_pages(memory, n * sizeof(T));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t n) { ::operator delete(memory, alignment_of(n)); }

  template <class U>
  bool operator==(const HugeAllocator<U>&) const {
    return true;
  }

 private:
  static std::align_val_t alignment_of(std::size_t n) {
    return std::align_val_t{n * sizeof(T) >= kLeast ? kPage : alignof(T)};
  }
};

template <class T>
using HugeVector = std::vector<T, HugeAllocator<T>>;

}  // namespace achilles
