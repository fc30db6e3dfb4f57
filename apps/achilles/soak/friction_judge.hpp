// Coulomb's law from motion: what a body on one fixed plane receives over a step.
#pragma once

#include "collision/detect.hpp"
#include "record/instant.hpp"

#include <achilles/world.hpp>

#include <string>
#include <vector>

namespace achilles::program::soak {

struct SlidingFault {
  double excess = 0;  // multiple of what is allowed
  std::string detail;
};

/// A body that touches nothing but fixed bodies, along one normal n, receives the impulse P = m (v' − v − g h) over a
/// step. Coulomb's law bounds it, |P_t| ≤ µ P_n; where all its points slide along one direction d, before and after,
/// P_t = −µ P_n d. A tenth of µ P_n is allowed in the latter: the direction may change within the step.
class FrictionJudge {
 public:
  FrictionJudge(const World& world, double step);
  /// The instant that `world` stands at, with all that overlaps then; remembers it for the next call.
  [[nodiscard]] SlidingFault see(const Instant& instant, const World& world, const ContactSet& overlaps);

 private:
  /// What touches a body.
  struct Touch {
    bool is_simple = true;  // one normal, one coefficient, nothing that moves
    Vec3 normal = Vec3::Zero();
    double friction = 0;
    std::vector<Vec3> points;  // [m] world
  };
  void gather(const Instant& instant, const World& world);
  void add(const World& world, std::uint32_t body, std::uint32_t other, const Vec3& normal, const Vec3& point);
  [[nodiscard]] SlidingFault examine(const World& world, std::uint32_t body) const;
  [[nodiscard]] bool find_sliding(const World& world, std::uint32_t body, double least, Vec3& direction) const;

  double step_ = 0;  // [s]
  bool has_before_ = false;
  std::vector<std::uint8_t> is_free_;                   // per body: no joint, lock or force acts on it
  std::vector<std::uint8_t> is_crowded_, was_crowded_;  // per body: overlaps one that is not fixed, now and before
  std::vector<Vec3> before_position_;
  std::vector<BodyVelocity> before_;
  std::vector<Touch> touches_;  // per body
};

}  // namespace achilles::program::soak
