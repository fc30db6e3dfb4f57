// Energy stored in compliant contacts, from the pose alone.
#pragma once

#include "collision/detect.hpp"

#include <achilles/world.hpp>

#include <vector>

namespace achilles {

class ContactEnergy {
 public:
  explicit ContactEnergy(const World& world);
  /// Σ ½ k d² over the contact points that are d deep between materials of stiffness k [J]. Free of cost where no two
  /// materials are compliant.
  [[nodiscard]] double measure(const World& world);

 private:
  bool is_compliant_ = false;  // some pair of materials
  std::vector<Collider> colliders_;
  std::vector<IgnoredPair> ignored_;
  DetectWorkspace detection_;
  ContactSet contacts_;
};

}  // namespace achilles
