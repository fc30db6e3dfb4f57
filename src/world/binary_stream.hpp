// Plain values to and from a byte stream, in the machine's own order: for snapshots that come back on the same kind of
// machine. A reader never trusts a length: it grows as bytes arrive, so that a damaged file cannot exhaust memory. A
// checksum closes the stream, so that no flipped bit passes for a state.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace achilles {

/// FNV-1a, 64 bits: every step is a bijection of the sum, so one changed byte always changes it.
class Checksum {
 public:
  void add(const char* data, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) value_ = (value_ ^ static_cast<unsigned char>(data[i])) * 0x100000001b3;
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

class BinaryWriter {
 public:
  explicit BinaryWriter(std::ostream& out) : out_(out) {}

  template <class T>
  void plain(const T& value) {
    bytes(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  /// Elements as raw bytes: trivially copyable, or fixed-size Eigen types, which are plain arrays in memory.
  template <class T>
  void array(const std::vector<T>& values) {
    plain(static_cast<std::uint64_t>(values.size()));
    bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void text(const std::string& value) {
    plain(static_cast<std::uint64_t>(value.size()));
    bytes(value.data(), value.size());
  }
  /// Writes the checksum of everything so far.
  void finish() { plain(std::uint64_t{sum_.value()}); }

 private:
  void bytes(const char* data, std::size_t count) {
    sum_.add(data, count);
    out_.write(data, static_cast<std::streamsize>(count));
  }

  std::ostream& out_;
  Checksum sum_;
};

class BinaryReader {
 public:
  explicit BinaryReader(std::istream& in) : in_(in) {}

  template <class T>
  void plain(T& value) {
    bytes(reinterpret_cast<char*>(&value), sizeof(T));
  }
  template <class T>
  void array(std::vector<T>& values) {
    const std::uint64_t count = length();
    values.clear();
    while (values.size() < count) {
      const std::size_t block = std::min<std::uint64_t>(count - values.size(), kBlock);
      const std::size_t before = values.size();
      values.resize(before + block);
      bytes(reinterpret_cast<char*>(values.data() + before), block * sizeof(T));
    }
  }
  void text(std::string& value) {
    std::vector<char> characters;
    array(characters);
    value.assign(characters.begin(), characters.end());
  }
  /// Number of elements that follow.
  [[nodiscard]] std::uint64_t length() {
    std::uint64_t count = 0;
    plain(count);
    return count;
  }
  /// Compares everything so far with the checksum that follows.
  void finish() {
    const std::uint64_t computed = sum_.value();
    std::uint64_t written = 0;
    plain(written);
    if (written != computed) throw std::runtime_error("the saved world is damaged: its checksum does not fit");
  }

 private:
  static constexpr std::uint64_t kBlock = 1U << 16U;

  void bytes(char* data, std::size_t count) {
    in_.read(data, static_cast<std::streamsize>(count));
    if (static_cast<std::size_t>(in_.gcount()) != count) throw std::runtime_error("the saved world ends too early");
    sum_.add(data, count);
  }

  std::istream& in_;
  Checksum sum_;
};

}  // namespace achilles
