// The single checks of a certificate: each sees instants or intervals one after the other and ends in a verdict.
#pragma once

#include "collision/overlaps.hpp"
#include "record/certify/paths.hpp"
#include "record/certify/promises.hpp"

#include <array>
#include <vector>

namespace achilles {

/// The scale that figures of one recording are judged against.
struct Scale {
  double step = 0;     // [s]
  double gravity = 0;  // [m/s²]
  double energy = 0;   // [J] in play: largest kinetic energy plus the range of the potential
  double mass = 0;     // [kg] of all that can move
};

/// The clock goes forward; energies, momenta and penetrations in the recording are those of its motion.
class BookCheck {
 public:
  void see(const Instant& instant, const World& world, double depth, std::size_t index);
  [[nodiscard]] Verdict verdict() const;

 private:
  Worst worst_;
  double time_ = -std::numeric_limits<double>::infinity();  // [s] of the instant before
};

/// Energy, less the work of scripts, motors and forces, never rises. Allowed is
///   ½ h Σ m |g·v|         now and at the lowest: what a first-order step keeps under gravity is E ± ½ h Σ m g·v,
///   ½ Σ m (h |g|)²        what gravity gives within a step before a contact takes it back,
///   Σ (h |ω|)² ½ ω·I ω    per step, that an explicit step of the gyroscopic torque adds to a turning body,
///   Σ m |g| d or ½ Σ m (d / h)²  where sunk bodies are mended, d being the largest depth or joint error so far,
/// and rounding.
class EnergyCheck {
 public:
  /// `depth` [m] of the instant, measured.
  void see(const Instant& instant, const World& world, const Promises& promises, const Scale& scale, double depth,
           std::size_t index);
  [[nodiscard]] Verdict verdict(const Promises& promises) const;

 private:
  Worst worst_;
  double lowest_ = 0;       // [J] without the work done on it
  double lowest_time_ = 0;  // [s]
  double lowest_fall_ = 0;  // [W] Σ m |g·v| then
  double work_ = 0;         // [J] since the start
  double turning_ = 0;      // [J] allowed for rotations since the start
  double deepest_ = 0;      // [m] so far, of bodies and joints
  double time_ = 0;         // [s] of the instant before
  bool has_start_ = false;
};

/// The impulses of contacts explain how velocities changed, where every step was recorded: m Δv = m g h + Σ J for every
/// body that no joint, lock or force acts on.
class ImpulseCheck {
 public:
  explicit ImpulseCheck(const World& world);
  void see(const Instant& instant, const World& before, const World& after, const Promises& promises,
           const Scale& scale, std::size_t index);
  [[nodiscard]] Verdict verdict(const Promises& promises) const;

 private:
  std::vector<std::uint8_t> checked_;  // per body
  std::vector<Vec3> given_;            // [N s] per body, scratch
  std::vector<double> size_;           // [N s] per body, without regard to direction, scratch
  Worst worst_;
};

/// Bodies stay out of each other at every time, and follow the laws of motion where nothing outside acts on them.
class MotionCheck {
 public:
  MotionCheck(const Promises& promises, int threads);
  /// The interval that ends in instant `index`.
  void see(const World& before, const World& after, double deepest, const Scale& scale, std::size_t index);
  /// What was measured at an instant itself, without any allowance.
  void see_instant(const World& world, const MeasuredPenetration& measured, std::size_t index);

  [[nodiscard]] std::vector<Verdict> verdicts() const;

 private:
  void see_depths(const World& before, std::size_t index);
  void find_families(const World& before, const World& after);
  void see_families(const World& before, const World& after, double dt, double deepest, const Scale& scale,
                    std::size_t index);
  void see_ways(const World& before, const World& after, double dt, double deepest, const Scale& scale,
                std::size_t index);

  Promises promises_;
  IntervalWorkspace scratch_;
  double deepest_ = 0;  // [m] beyond the allowance, so far
  std::size_t unresolved_ = 0;
  Worst depth_, momentum_, angular_, way_;
  std::vector<std::uint32_t> family_;  // per body: those that may have acted on each other bear the same number
  std::vector<std::uint8_t> bound_;    // per family: something outside acts on it
  /// What the bodies of one family have together, before and after.
  struct Sum {
    double mass = 0;                             // [kg]
    std::array<Vec3, 2> moment, momentum, spin;  // [kg m], [N s], [N m s] about the origin
    double size = 0;                             // [N s] of the momenta without regard to direction
    double turn = 0;                             // [N m s] of the angular momenta about the centre, likewise
    double slack = 0;                            // [N m s] by which steps of first order and mending may err
    double kinetic = 0;                          // [J] at the start
    std::uint32_t bodies = 0;
    std::uint8_t locks = 0;  // of any of them
  };
  std::vector<Sum> sums_;  // per family
};

/// Impulses push, within Coulomb's cone, where bodies touch, and leave no approach.
class ContactCheck {
 public:
  explicit ContactCheck(const World& world);
  void see(const Instant& instant, const World& world, const Promises& promises, const Scale& scale, std::size_t index);
  [[nodiscard]] std::vector<Verdict> verdicts(const Promises& promises) const;

 private:
  void see_touching(const Instant& instant, const World& world, const Promises& promises, std::size_t index);

  std::vector<std::vector<std::uint32_t>> materials_;  // per body
  DetectWorkspace detection_;
  std::vector<Collider> colliders_;
  std::vector<IgnoredPair> ignored_;
  ContactSet touching_;
  Worst cone_, approach_;
};

/// Joints hold.
class JointCheck {
 public:
  void see(const Instant& instant, const World& world, const Promises& promises, std::size_t index);
  [[nodiscard]] Verdict verdict(const Promises& promises) const;

 private:
  Worst worst_;
};

}  // namespace achilles
