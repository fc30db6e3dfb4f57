#include "record/page_instant.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace achilles {
namespace {

constexpr std::size_t kArrayAlignment = 8;  // [bytes]

class ArrayWriter {
 public:
  explicit ArrayWriter(std::string& bytes) : bytes_(bytes) { bytes_.clear(); }

  template <class T>
  void put(T value) {
    const std::size_t at = bytes_.size();
    bytes_.resize(at + sizeof value);
    std::memcpy(&bytes_[at], &value, sizeof value);
  }
  void floats(const std::vector<double>& values) {
    for (const double value : values) put(static_cast<float>(value));
    end();
  }
  void end() { bytes_.resize((bytes_.size() + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment, '\0'); }

 private:
  std::string& bytes_;
};

}  // namespace

std::int16_t to_fraction(double value) {
  if (!std::isfinite(value)) return 0;
  return static_cast<std::int16_t>(std::lround(32767 * std::clamp(value, -1.0, 1.0)));
}

void encode_page_instant(const Instant& instant, std::string& bytes) {
  ArrayWriter out(bytes);
  out.put(instant.time);
  out.floats(instant.position);
  for (const double q : instant.orientation) out.put(to_fraction(q));
  out.end();
  for (std::size_t k = 0; k < instant.asleep.size(); k += 8) {
    unsigned bits = 0;
    for (std::size_t b = 0; b < std::min<std::size_t>(8, instant.asleep.size() - k); ++b) {
      if (instant.asleep[k + b] != 0) bits |= 1U << b;
    }
    out.put(static_cast<std::uint8_t>(bits));
  }
  out.end();
  out.floats(instant.velocity);
  out.floats(instant.spin);
  out.put(std::uint32_t{0});
  out.put(static_cast<std::uint32_t>(instant.contact_count()));
  out.end();
  for (std::size_t k = 0; k < instant.contact_count(); ++k) {
    out.put(instant.contact_a[k]);
    out.put(instant.contact_b[k]);
  }
  out.end();
  out.floats(instant.contact_position);
  out.floats(instant.contact_normal);
  out.floats(instant.contact_gap);
  out.floats(instant.contact_impulse);
  for (const auto& column : kRealColumns) out.put(instant.scalars.*column.member);
  for (const auto& column : kVectorColumns) {
    for (const double x : instant.scalars.*column.member) out.put(x);
  }
  for (const auto& column : kCountColumns) out.put(static_cast<double>(instant.scalars.*column.member));
  for (const double value : instant.sensors) out.put(value);
}

}  // namespace achilles
