// Bytes as base64 (RFC 4648, with padding), written to a file as they come.
#pragma once

#include "record/output_file.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace achilles {

/// A whole text at once.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

class Base64Writer {
 public:
  explicit Base64Writer(OutputFile& file) : file_(file) {}

  void write(std::string_view bytes);
  /// Values as they lie in memory, which is little-endian here.
  template <class T>
  void write_values(std::span<const T> values) {
    write({reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }
  /// Zero bytes up to a multiple of `alignment`.
  void pad(std::size_t alignment);
  /// The last bytes and the padding; nothing can be written after.
  void finish();

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  OutputFile& file_;
  std::uint64_t bytes_ = 0;
  std::string rest_;  // fewer than three bytes that wait for more
  std::string text_;  // scratch
};

}  // namespace achilles
