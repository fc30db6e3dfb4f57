// Moving geometries for the tests of continuous collision detection.
#pragma once

#include "collision/continuous/time_of_contact.hpp"
#include "support/full_size.hpp"

#include <random>

namespace achilles::continuous_test {

inline std::shared_ptr<const Geometry> make_solid(const Shape& shape) { return make_geometry(shape).front().geometry; }

/// At rest at `position`, unturned, its centre of mass at its origin.
inline BallisticMotion make_motion(const Vec3& position, const Vec3& velocity = Vec3::Zero(),
                                   const Vec3& spin = Vec3::Zero()) {
  BallisticMotion motion;
  motion.X_WG.p = position;
  motion.center = position;
  motion.velocity = velocity;
  motion.spin = spin;
  return motion;
}

/// Full size when asked for by the environment, a sample of it otherwise.
inline int choose_count(int full, int sample) { return is_full() ? full : sample; }

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}

  double number(double lower, double upper) { return std::uniform_real_distribution<double>(lower, upper)(random_); }
  int index(int count) { return std::uniform_int_distribution<int>(0, count - 1)(random_); }
  Vec3 vector(double size) { return {number(-size, size), number(-size, size), number(-size, size)}; }
  Vec3 direction() {
    std::normal_distribution<double> normal;
    return Vec3(normal(random_), normal(random_), normal(random_)).normalized();
  }
  Mat3 rotation() {
    std::normal_distribution<double> normal;
    return Quat(normal(random_), normal(random_), normal(random_), normal(random_)).normalized().toRotationMatrix();
  }

  /// Convex shapes of all kinds with edges from a twentieth to one metre.
  Shape shape() {
    const auto size = [this] { return number(0.05, 1); };
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

}  // namespace achilles::continuous_test
