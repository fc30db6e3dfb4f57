// Energy stored in the springs of joints and in joints that are compliant themselves, from poses alone.
#pragma once

#include <achilles/world.hpp>

#include <array>
#include <vector>

namespace achilles {

/// Follows the free coordinates of joints from frame to frame. Whole turns are counted: of all turns that lead from one
/// frame to the next, that which is nearest to the recorded spins.
class ElasticEnergy {
 public:
  struct Parts {
    double springs = 0;     // [J] ½ k (q − rest)² along free axes
    double compliance = 0;  // [J] ½ e² / c of the equalities that a compliance c softens, e their error

    [[nodiscard]] double total() const { return springs + compliance; }
  };
  /// The energy at the present pose of the bodies. World::joint_states is not read. Calls are in the order of time.
  [[nodiscard]] Parts measure(const World& world);

  /// Coordinates along the free axes as of the last call [rad] or [m], per joint.
  [[nodiscard]] const std::vector<std::array<double, 2>>& positions() const { return positions_; }

 private:
  std::vector<std::array<double, 2>> positions_;
  double time_ = 0;  // [s] of the last call
};

}  // namespace achilles
