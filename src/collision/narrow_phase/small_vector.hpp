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

  void push_back(const T& value) {
    if (size_ < N) {
      inline_[size_] = value;
    } else {
      if (size_ == N) {
        overflow_.assign(inline_.begin(), inline_.end());
      }
      overflow_.push_back(value);
    }
    ++size_;
  }
  void clear() {
    size_ = 0;
    overflow_.clear();
  }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T* data() { return size_ > N ? overflow_.data() : inline_.data(); }
  [[nodiscard]] const T* data() const { return size_ > N ? overflow_.data() : inline_.data(); }
  [[nodiscard]] T& operator[](std::size_t i) { return data()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] T& back() { return data()[size_ - 1]; }
  [[nodiscard]] T* begin() { return data(); }
  [[nodiscard]] T* end() { return data() + size_; }
  [[nodiscard]] const T* begin() const { return data(); }
  [[nodiscard]] const T* end() const { return data() + size_; }

  /// Keeps the first `count` elements.
  void shrink(std::size_t count) {
    if (size_ > N && count <= N) {
      for (std::size_t i = 0; i < count; ++i) {
        inline_[i] = overflow_[i];
      }
      overflow_.clear();
    } else if (size_ > N) {
      overflow_.resize(count);
    }
    size_ = count;
  }

 private:
  std::array<T, N> inline_;
  std::vector<T> overflow_;
  std::size_t size_ = 0;
};

}  // namespace achilles
