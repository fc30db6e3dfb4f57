// A vector whose first N elements live on the stack.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace achilles {

/// Sequence of trivially copyable values that allocates only beyond N of them. Not for storage: neither copied nor
/// moved.
template <typename T, std::size_t N>
class SmallVector {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  SmallVector() = default;
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;

  [[gnu::always_inline]] void push_back(const T& value) {
    if (size_ == capacity_) grow();
    data_[size_++] = value;
  }
  void clear() { size_ = 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] T& back() { return data_[size_ - 1]; }
  [[nodiscard]] T* begin() { return data_; }
  [[nodiscard]] T* end() { return data_ + size_; }
  [[nodiscard]] const T* begin() const { return data_; }
  [[nodiscard]] const T* end() const { return data_ + size_; }

  /// Keeps the first `count` elements.
  void shrink(std::size_t count) { size_ = count; }

 private:
  [[gnu::noinline]] void grow() {
    if (overflow_.empty()) overflow_.assign(inline_.begin(), inline_.end());
    overflow_.resize(2 * capacity_);
    data_ = overflow_.data();
    capacity_ = overflow_.size();
  }

  std::array<T, N> inline_;
  T* data_ = inline_.data();
  std::size_t size_ = 0;
  std::size_t capacity_ = N;
  std::vector<T> overflow_;
};

}  // namespace achilles
