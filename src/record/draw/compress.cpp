#include "record/draw/image.hpp"

#include <algorithm>
#include <array>

namespace achilles {
namespace {

constexpr std::size_t kWindow = 32'768;
constexpr std::size_t kLongest = 258, kShortest = 3;  // [bytes] of a repetition
constexpr int kTries = 24;                            // earlier places looked at for each repetition
constexpr unsigned kEnd = 256;                        // the code that ends a block

// RFC 1951, section 3.2.5: the first length or distance of each code and how many bits follow it.
constexpr std::array<std::uint16_t, 29> kLengthBase{3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                                    31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr std::array<std::uint8_t, 29> kLengthBits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                                   2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr std::array<std::uint16_t, 30> kDistanceBase{1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                                      33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                                      1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr std::array<std::uint8_t, 30> kDistanceBits{0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                                     6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}
  void bits(unsigned value, unsigned count) {
    pending_ |= static_cast<std::uint64_t>(value) << filled_;
    filled_ += count;
    for (; filled_ >= 8; filled_ -= 8, pending_ >>= 8U) out_ += static_cast<char>(pending_ & 255U);
  }
  /// Codes are packed starting with their highest bit.
  void code(unsigned value, unsigned count) {
    unsigned reversed = 0;
    for (unsigned k = 0; k < count; ++k) reversed |= ((value >> k) & 1U) << (count - 1 - k);
    bits(reversed, count);
  }
  void finish() {
    if (filled_ > 0) bits(0, 8 - filled_);
  }

 private:
  std::string& out_;
  std::uint64_t pending_ = 0;
  unsigned filled_ = 0;
};

void put_symbol(BitWriter& out, unsigned symbol) {
  if (symbol < 144) {
    out.code(0x30 + symbol, 8);
  } else if (symbol < 256) {
    out.code(0x190 + symbol - 144, 9);
  } else if (symbol < 280) {
    out.code(symbol - 256, 7);
  } else {
    out.code(0xC0 + symbol - 280, 8);
  }
}

void put_repetition(BitWriter& out, std::size_t length, std::size_t distance) {
  const auto l = static_cast<std::size_t>(std::upper_bound(kLengthBase.begin(), kLengthBase.end(), length) -
                                          kLengthBase.begin() - 1);
  put_symbol(out, static_cast<unsigned>(257 + l));
  out.bits(static_cast<unsigned>(length - kLengthBase[l]), kLengthBits[l]);
  const auto d = static_cast<std::size_t>(std::upper_bound(kDistanceBase.begin(), kDistanceBase.end(), distance) -
                                          kDistanceBase.begin() - 1);
  out.code(static_cast<unsigned>(d), 5);
  out.bits(static_cast<unsigned>(distance - kDistanceBase[d]), kDistanceBits[d]);
}

/// Earlier places of every three bytes, the latest first.
class Places {
 public:
  explicit Places(std::string_view bytes) : bytes_(bytes), last_(1U << 15U, kNone), before_(kWindow, kNone) {}

  void remember(std::size_t at) {
    if (at + kShortest > bytes_.size()) return;
    std::size_t& head = last_[hash(at)];
    before_[at % kWindow] = head;
    head = at;
  }
  /// The longest repetition that starts at `at`: its length (0: none worth it) and how far back.
  [[nodiscard]] std::pair<std::size_t, std::size_t> find(std::size_t at) const {
    std::size_t best = 0, distance = 0;
    if (at + kShortest > bytes_.size()) return {0, 0};
    const std::size_t most = std::min(kLongest, bytes_.size() - at);
    std::size_t place = last_[hash(at)];
    for (int k = 0; k < kTries && place != kNone && at - place <= kWindow - 1; ++k) {
      std::size_t length = 0;
      while (length < most && bytes_[place + length] == bytes_[at + length]) ++length;
      if (length > best) {
        best = length;
        distance = at - place;
        if (best == most) break;
      }
      const std::size_t next = before_[place % kWindow];
      if (next != kNone && next >= place) break;  // overwritten by a later place
      place = next;
    }
    return best >= kShortest ? std::pair(best, distance) : std::pair<std::size_t, std::size_t>(0, 0);
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  [[nodiscard]] std::size_t hash(std::size_t at) const {
    const auto byte = [&](std::size_t k) { return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes_[k])); };
    return ((byte(at) | (byte(at + 1) << 8U) | (byte(at + 2) << 16U)) * 2'654'435'761U) >> 17U;
  }

  std::string_view bytes_;
  std::vector<std::size_t> last_, before_;
};

std::uint32_t adler(std::string_view bytes) {
  std::uint32_t a = 1, b = 0;
  for (const char c : bytes) {
    a = (a + static_cast<unsigned char>(c)) % 65'521U;
    b = (b + a) % 65'521U;
  }
  return (b << 16U) | a;
}

}  // namespace

std::string compress(std::string_view bytes) {
  std::string out = "\x78\x01";
  BitWriter writer(out);
  writer.bits(1, 1);  // the last block
  writer.bits(1, 2);  // fixed codes
  Places places(bytes);
  for (std::size_t at = 0; at < bytes.size();) {
    const auto [length, distance] = places.find(at);
    if (length == 0) {
      put_symbol(writer, static_cast<unsigned char>(bytes[at]));
    } else {
      put_repetition(writer, length, distance);
    }
    const std::size_t end = at + std::max<std::size_t>(length, 1);
    for (; at < end; ++at) places.remember(at);
  }
  put_symbol(writer, kEnd);
  writer.finish();
  const std::uint32_t sum = adler(bytes);
  for (const unsigned shift : {24U, 16U, 8U, 0U}) out += static_cast<char>((sum >> shift) & 255U);
  return out;
}

}  // namespace achilles
