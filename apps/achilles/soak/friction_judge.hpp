// Coulomb's law from motion: what a body receives over a step from all that it touches.
#pragma once

#include "collision/detect.hpp"
#include "record/instant.hpp"

#include <achilles/world.hpp>

#include <span>
#include <string>
#include <vector>

namespace achilles::program::soak {

struct FrictionFault {
  double excess = 0;  // multiple of what is allowed
  std::string detail;
};

/// What one contact point can give a body: N (n + µ t) for any N ≥ 0 and unit t ⊥ n, or, where it slides along d,
/// N (n − µ d) alone.
struct ForceCone {
  Vec3 normal = Vec3::UnitZ();  // n, into the body
  double friction = 0;          // µ
  Vec3 sliding = Vec3::Zero();  // d; zero where the point does not slide
};

/// Distance of an impulse from the sum of cones, by the active-set method of [LawsonHanson74, ch. 23] over their
/// generators: of each cone that which has the steepest descent, t = r_t / |r_t| for the residual r.
[[nodiscard]] double measure_distance_from_cones(std::span<const ForceCone> cones, const Vec3& impulse);

/// A body without joints and locks receives the impulse P = m (v' − v − g h) − f h over a step from all that it
/// touches, whether fixed or moving. Coulomb's law: P lies in the sum of the cones of its contact points, but for 1 %
/// of P; where a point slides along one direction relative to what it touches, before and after, its cone is the ray
/// against that, and a tenth of µ P is allowed, since the direction may change within the step. What touches: the
/// recorded contacts and what overlaps before and after.
class FrictionJudge {
 public:
  /// `are_contacts_known`: the recorded contacts and the overlaps are all that acted; else a body that overlaps one
  /// that is not fixed is not judged.
  FrictionJudge(const World& world, double step, bool are_contacts_known);
  /// The instant that `world` stands at, with all that overlaps then; remembers it for the next call.
  [[nodiscard]] FrictionFault see(const Instant& instant, const World& world, const ContactSet& overlaps);

 private:
  struct Touch {
    std::uint32_t other = 0;
    Vec3 normal = Vec3::Zero();  // into the body
    Vec3 point = Vec3::Zero();   // [m] world
    double friction = 0;
    bool is_directional = false;  // friction depends on the direction; `friction` is the largest
  };
  using Touches = std::vector<std::vector<Touch>>;  // per body
  void add(const World& world, std::uint32_t a, std::uint32_t b, const Vec3& normal, const Vec3& point,
           Touches& touches) const;
  void gather_overlaps(const World& world, const ContactSet& overlaps);
  [[nodiscard]] FrictionFault examine(const World& world, std::uint32_t body);
  [[nodiscard]] Vec3 find_sliding(const World& world, std::uint32_t body, const Touch& touch) const;

  double step_ = 0;  // [s]
  bool are_contacts_known_ = true;
  bool has_before_ = false;
  std::vector<std::uint8_t> is_free_;                   // per body: no joint or lock acts on it
  std::vector<std::uint8_t> is_crowded_, was_crowded_;  // per body: overlaps one that is not fixed, now and before
  std::vector<std::uint8_t> was_asleep_;
  std::vector<Vec3> before_position_;
  std::vector<BodyVelocity> before_;
  Touches overlaps_, overlaps_before_, touches_;
  std::vector<ForceCone> cones_;  // scratch
};

}  // namespace achilles::program::soak
