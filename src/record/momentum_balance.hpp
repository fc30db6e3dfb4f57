// Whether momentum changes by what acts from outside alone, followed from step to step.
//
// Over a step of length h all movable bodies together gain
//
//   ΔP = h Σ (m g + F) + Σ J        ΔL = h Σ (x × (m g + F) + T) + Σ r × J        about the origin
//
// where J are the impulses that fixed, scripted and sleeping bodies gave through contacts, at r. What is left over was
// lost or gained by the method. x and r move within a step: both are taken at its start, as fixed steps have it, so
// that ΔL holds to first order in h only.
#pragma once

#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace achilles {

class MomentumBalance {
 public:
  /// The state before the first step.
  void begin(const World& world);
  /// The state that the caller has left between two steps: velocities that were set are none of the method's
  /// doing, nor are forces applied for the step that comes. Not needed where the caller changed nothing.
  void take_given(const World& world);
  /// The state after a step, and the contacts of that step.
  void see(const World& world, std::span<const ContactRecord> contacts);

  /// The largest error of the balance so far, as a share of the momentum in play: the largest sum of m |v| plus what
  /// gravity gave since the start. None where it has no meaning: joints to bodies that do not move take up momentum
  /// that is not recorded; the axes that locks hold are left out, and all of angular momentum where there are any.
  [[nodiscard]] std::optional<double> linear() const;
  [[nodiscard]] std::optional<double> angular() const;

 private:
  struct Sum {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // [N s], [N m s]
    double size = 0, turn = 0;                           // the same without regard to direction
  };
  [[nodiscard]] static Sum measure(const World& world);
  template <class Visit>
  void for_each_active(const World& world, const Visit& visit) const;
  void add_forces(const World& world, double h, Sum& given) const;

  bool is_defined_ = false, is_free_ = true;  // no joint to the outside; no locks
  Vec3 axes_ = Vec3::Ones();                  // 1 where no body is locked
  double time_ = 0;                           // [s]
  Sum before_;
  Vec3 applied_force_ = Vec3::Zero(), applied_torque_ = Vec3::Zero();  // [N], [N m] about the origin, next step only
  std::vector<std::uint8_t> asleep_;                                   // before the step
  std::vector<Vec3> position_;                                         // [m] before the step
  Vec3 linear_ = Vec3::Zero(), angular_ = Vec3::Zero();                // [N s], [N m s] that nothing explains, so far
  double worst_linear_ = 0, worst_angular_ = 0;                        // largest sizes of these
  double linear_scale_ = 0, angular_scale_ = 0;                        // largest so far
  double linear_given_ = 0, angular_given_ = 0;  // by gravity and forces, without regard to direction
};

}  // namespace achilles
