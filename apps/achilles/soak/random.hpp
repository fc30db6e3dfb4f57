// Random numbers that are the same on every machine and with every standard library.
#pragma once

#include <achilles/math.hpp>

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <numbers>

namespace achilles::program::soak {

/// SplitMix64: each seed is a sequence of its own.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * unit(); }
  double log_uniform(double low, double high) { return std::exp(uniform(std::log(low), std::log(high))); }
  /// From `low` to `high`, both included.
  int integer(int low, int high) { return low + static_cast<int>(next() % static_cast<std::uint64_t>(high - low + 1)); }
  bool chance(double probability) { return unit() < probability; }
  template <class T>
  T pick(std::initializer_list<T> values) {
    return values.begin()[next() % values.size()];
  }
  Vec3 direction() {
    const double z = uniform(-1, 1), angle = uniform(0, 2 * std::numbers::pi), r = std::sqrt(1 - z * z);
    return {r * std::cos(angle), r * std::sin(angle), z};
  }
  Vec3 in_box(const Vec3& half) {
    const double x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(-1, 1);
    return Vec3(x, y, z).cwiseProduct(half);
  }

 private:
  std::uint64_t state_;
};

}  // namespace achilles::program::soak
