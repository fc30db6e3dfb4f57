// The single checks of a certificate: each sees instants or intervals one after the other and ends in a verdict.
#pragma once

#include "record/certify/contact_energy.hpp"
#include "record/certify/paths.hpp"
#include "record/certify/promises.hpp"
#include "record/elastic_energy.hpp"
#include "world/penetration_meter.hpp"

#include <array>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace achilles {

/// What the bounds of one recording are made of.
struct Scale {
  double step = 0;     // [s]
  double gravity = 0;  // [m/s²]
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

/// What an instant is like beyond the recorded poses and velocities, found anew from them.
struct Findings {
  double depth = 0;                      // [m] of the deepest pair
  double overlap = 0;                    // [m] the sum of all depths
  double joint_error = 0;                // [m] of the worst joint without compliance
  std::span<const std::uint8_t> flying;  // per body: 1 where it flew since the instant before and keeps its energy
};

/// Energy, less the work of scripts, motors and forces, never rises. Energy is kinetic, of gravity, of springs and of
/// compliant joints and contacts. Bodies in flight keep theirs. What else there is may lie above the lowest so far by
///   ½ h Σ m |g·u| + ½ h |dV/dt|  then: what a first-order step keeps is E ± ½ h (Σ m g·u − dV/dt), V of the springs,
///   ½ h Σ m |g·Δu| + ½ h |ΔV|/Δt  summed since, the same of what changed since; of a body on a joint ½ h m |g| |Δu|:
///   it
///                         is moved straight on and then back to its joint, by half of what its velocity changes,
///   ½ Σ m (h |g|)²        what gravity gives within a step before a contact takes it back,
///   Σ h |Δω| |ω × I ω|    per step, of impulses that act on the inertia as it stood at the start of the step (with
///                         I⁻¹ (ω × I ω) Δt for the changes in between that cancel); of a spin that has more energy
///                         than the lowest explains only that share,
///   Σ m |g| d or ½ Σ m (d / h)²  where sunk bodies are moved out, d being the largest depth or joint error since, as
///                         far as the method promises it or the scene began with it; Σ m |g| of all overlaps that the
///                         scene began with,
/// and by rounding of what there was at the start, has been put in, and has fallen, and of sizes: Σ m (10⁻⁹ r / h)².
class EnergyCheck {
 public:
  explicit EnergyCheck(const World& world);
  void see(const Instant& instant, const World& before, const World& world, const Findings& findings,
           const PromisedBounds& promises, const Scale& scale, std::size_t index);
  [[nodiscard]] Verdict verdict(const PromisedBounds& promises) const;

 private:
  void allow(const World& before, const World& world, const Findings& findings, const PromisedBounds& promises,
             const Scale& scale, double available);

  Worst worst_;
  ElasticEnergy elastic_;
  ContactEnergy contact_;
  std::vector<std::uint8_t> jointed_;  // per body
  bool rebounds_ = false;              // some contact may have restitution
  double size_ = 0;                    // [m] of the largest movable body
  double inertia_ = 0;                 // [kg m²] Σ m r² of the movable bodies, r to the farthest point
  double arm_ = 0;                     // [m] the longest of a joint
  double begun_ = 0;                   // [m] depth and joint error at the start
  double overlap_ = 0;                 // [m] the sum of the depths at the start
  double start_ = 0;                   // [J] kinetic and elastic at the start
  double height_ = 0;                  // [J] of gravity at the start
  double spring_ = 0;                  // [J] elastic, at the instant before
  double given_ = 0;                   // [J] of work so far, without regard to its sign
  double work_ = 0;                    // [J] since the start
  double fallen_ = 0;                  // [J] of gravity, the most so far
  double mass_ = 0;                    // [kg] of what did not fly, the most since the lowest
  double lowest_ = 0;                  // [J] without the work done on it
  double lowest_time_ = 0;             // [s]
  // Allowed above the lowest, [J].
  double swing_ = 0;
  double turning_ = 0;
  double deepest_ = 0;  // [m] since the lowest
  double fall_ = 0;     // [J] ½ h Σ m |g·u| of the interval that ends now
  double rate_ = 0;     // [J] ½ h |dV/dt| of that interval
};

/// The impulses of contacts explain how velocities changed, where every step was recorded: m Δv = m g h + Σ J for every
/// body that no joint, lock or force acts on.
class ImpulseCheck {
 public:
  explicit ImpulseCheck(const World& world);
  void see(const Instant& instant, const World& before, const World& after, const PromisedBounds& promises,
           const Scale& scale, std::size_t index);
  [[nodiscard]] Verdict verdict(const PromisedBounds& promises) const;

 private:
  std::vector<std::uint8_t> checked_;  // per body
  std::vector<Vec3> given_;            // [N s] per body, scratch
  std::vector<double> size_;           // [N s] per body, without regard to direction, scratch
  Worst worst_;
};

/// Bodies stay out of each other at every time, and follow the laws of motion where nothing outside acts on them.
class MotionCheck {
 public:
  MotionCheck(const PromisedBounds& promises, int threads);
  /// The interval that ends in instant `index`.
  void see(const World& before, const World& after, double deepest, const Scale& scale, std::size_t index);
  /// Per body, of the interval seen last: whether it flew freely and the method promises that it then keeps its energy.
  [[nodiscard]] std::span<const std::uint8_t> flying() const { return flying_; }
  /// What was measured at an instant itself, without any allowance.
  void see_instant(const World& world, const PenetrationMeter& meter, std::size_t index);
  /// An instant with a pose that is not finite.
  void see_lost_instant(const World& world, std::size_t index);

  [[nodiscard]] std::vector<Verdict> verdicts() const;

 private:
  void see_depths(const World& before, std::size_t index);
  /// [m] A pair may go as deep as the scene began with, and by what the method promises beyond.
  [[nodiscard]] double allowed_depth(std::uint32_t body_a, std::uint32_t body_b) const;
  void find_families(const World& before, const World& after);
  /// What the bodies of one family have together, before and after.
  struct Sum {
    double mass = 0;                             // [kg]
    std::array<Vec3, 2> moment, momentum, spin;  // [kg m], [N s], [N m s] about the origin
    double size = 0;                             // [N s] of the momenta without regard to direction
    double turn = 0;                             // [N m s] of the angular momenta about the centre, likewise
    double slack = 0;                            // [N m s] by which steps of first order and stabilization may err
    double far = 0;                              // [N m s] of the angular momenta about the origin, without direction
    double extent = 0;                           // [m] from the centre to the farthest point
    double given = 0;                            // [N s] Σ m |Δu − Δt g|
    double reach = 0;                            // [m/s] Σ of the speeds of the bodies' points about the centre
    double kinetic = 0;                          // [J] at the start
    std::uint32_t bodies = 0;
    std::uint8_t locks = 0;  // of any of them
  };
  void add_up(const World& before, const World& after, double dt, const Scale& scale);
  void add_slack(const World& before, const World& after, double dt, double deepest, const Scale& scale);
  void find_flying(const World& before);
  void see_family(const World& before, const World& after, std::size_t family, double dt, const Scale& scale,
                  std::size_t index);
  void see_flight(const World& before, const World& after, std::size_t body, double share, std::size_t index);
  void see_ways(const World& before, const World& after, double dt, double deepest, const Scale& scale,
                std::size_t index);

  PromisedBounds promises_;
  IntervalWorkspace scratch_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> begun_;  // [m] by pairs of bodies: depth at the start
  double deepest_ = 0;  // [m] of pairs that began apart, beyond the allowance, so far
  std::size_t unresolved_ = 0;
  Worst depth_, momentum_, angular_, flight_, way_;
  std::vector<std::uint32_t> family_;  // per body: those that may have acted on each other bear the same number
  std::vector<std::uint8_t> bound_;    // per family: something outside acts on it
  std::vector<std::uint8_t> flying_;   // per body
  std::vector<double> arms_;           // [m] per body: from its centre of mass to its farthest point
  double whole_ = 0;                   // [N s] of the momenta of all bodies, without regard to direction
  std::vector<Sum> sums_;              // per family
};

/// Impulses push, within Coulomb's cone, where bodies touch, and leave no approach.
class ContactCheck {
 public:
  explicit ContactCheck(const World& world);
  void see(const Instant& instant, const World& world, const PromisedBounds& promises, const Scale& scale,
           std::size_t index);
  [[nodiscard]] std::vector<Verdict> verdicts(const PromisedBounds& promises) const;

 private:
  void see_touching(const Instant& instant, const World& world, const PromisedBounds& promises, std::size_t index);

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
  /// The largest error [m] of joints without compliance.
  double see(const Instant& instant, const World& world, const PromisedBounds& promises, std::size_t index);
  [[nodiscard]] Verdict verdict(const PromisedBounds& promises) const;

 private:
  Worst worst_;
};

}  // namespace achilles
