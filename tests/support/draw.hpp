// Random numbers, places and shapes for tests.
#pragma once

#include <achilles/math.hpp>
#include <achilles/shape.hpp>

#include <random>

namespace achilles::testing {

/// The same numbers with every compiler.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  double number(double lower, double upper) { return std::uniform_real_distribution<double>(lower, upper)(random_); }
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  Vec3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  // One draw per statement: the order in which arguments are evaluated is the compiler's choice.
  Vec3 direction() {
    std::normal_distribution<double> normal;
    const double z = normal(random_);
    const double y = normal(random_);
    const double x = normal(random_);
    return Vec3(x, y, z).normalized();
  }
  Mat3 rotation() {
    std::normal_distribution<double> normal;
    const double z = normal(random_);
    const double y = normal(random_);
    const double x = normal(random_);
    const double w = normal(random_);
    return Quat(w, x, y, z).normalized().toRotationMatrix();
  }
  Transform pose(double size) { return {rotation(), vector(size)}; }

  /// Bounded convex shapes of all kinds with edges between these lengths.
  Shape shape(double shortest, double longest) {
    const auto size = [&] { return number(shortest, longest); };
    switch (index(6)) {
      case 0:
        return {Sphere{0.5 * size()}};
      case 1:
        return {Box{{size(), size(), size()}}};
      case 2:
        return {Capsule{0.5 * size(), size()}};
      case 3:
        return {Cylinder{0.5 * size(), size()}};
      case 4:
        return {Cone{0.5 * size(), size()}};
      default: {
        Hull hull;
        for (int i = 0; i < 12; ++i) hull.points.push_back(0.5 * size() * direction());
        return {hull};
      }
    }
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace achilles::testing
