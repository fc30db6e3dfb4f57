// Bytes as base64 (RFC 4648, with padding), written to a file as they come, compressed (zlib, RFC 1950) if wanted.
#pragma once

#include "record/output_file.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace achilles {

/// A whole text at once.
[[nodiscard]] std::string encode_base64(std::string_view bytes);

class Base64Writer {
 public:
  explicit Base64Writer(OutputFile& file, bool compresses = false);
  ~Base64Writer();
  Base64Writer(const Base64Writer&) = delete;
  Base64Writer& operator=(const Base64Writer&) = delete;

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

  /// Written so far, before compression.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  struct Compressor;
  void encode_bytes(std::string_view bytes);
  void compress(std::string_view bytes, bool is_last);

  OutputFile& file_;
  std::unique_ptr<Compressor> compressor_;  // null: none
  std::uint64_t bytes_ = 0;
  std::string rest_;  // fewer than three bytes that wait for more
  std::string text_;  // scratch
};

}  // namespace achilles
