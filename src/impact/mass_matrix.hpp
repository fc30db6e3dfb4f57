// The mass matrix of the bodies of one part, and the metric it makes of generalized velocities.
#pragma once

#include <achilles/math.hpp>
#include <cstddef>
#include <vector>

namespace achilles {

/// One block per body; zero along locked degrees of freedom, whose velocities no impulse changes.
struct MassMatrix {
  std::vector<Vec3> mass;     // [kg] per axis
  std::vector<Mat3> inertia;  // [kg m²] world axes

  void clear() {
    mass.clear();
    inertia.clear();
  }
  [[nodiscard]] std::size_t bodies() const { return mass.size(); }

  /// ‖x‖_M², twice the kinetic energy.
  [[nodiscard]] double squared_norm(const double* x) const {
    double sum = 0;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      const Eigen::Map<const Vec3> linear(x + 6 * i), angular(x + 6 * i + 3);
      sum += linear.cwiseAbs2().dot(mass[i]) + angular.dot(inertia[i] * angular);
    }
    return sum;
  }

  [[nodiscard]] double squared_distance(const double* x, const double* y) const {
    double sum = 0;
    for (std::size_t i = 0; i < mass.size(); ++i) {
      const Vec3 linear = Eigen::Map<const Vec3>(x + 6 * i) - Eigen::Map<const Vec3>(y + 6 * i);
      const Vec3 angular = Eigen::Map<const Vec3>(x + 6 * i + 3) - Eigen::Map<const Vec3>(y + 6 * i + 3);
      sum += linear.cwiseAbs2().dot(mass[i]) + angular.dot(inertia[i] * angular);
    }
    return sum;
  }

  /// y = M x.
  void multiply(const double* x, double* y) const {
    for (std::size_t i = 0; i < mass.size(); ++i) {
      Eigen::Map<Vec3>(y + 6 * i) = mass[i].cwiseProduct(Eigen::Map<const Vec3>(x + 6 * i));
      Eigen::Map<Vec3>(y + 6 * i + 3) = inertia[i] * Eigen::Map<const Vec3>(x + 6 * i + 3);
    }
  }
};

}  // namespace achilles
