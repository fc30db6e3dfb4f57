// Where a run was outside what its method can do, in sentences for its report.
#pragma once

#include "methods/method_spec.hpp"

#include <achilles/report.hpp>
#include <achilles/scene.hpp>
#include <achilles/world.hpp>

#include <limits>
#include <span>
#include <string>
#include <vector>

namespace achilles {

/// Watches what the report of a run leaves out: depths beside the sizes of bodies, masses beside each other.
///
/// Warned of is
///   friction or restitution of a material that the method ignores,
///   a rigid contact deeper than the method promises, as a share of the smaller body,
///   a depth beyond that of the start and the tolerance of a method that has one,
///   bodies that push or hold each other although one is heavier by more than the method is known to hold,
///   a rigid joint that is off, and an axis beyond its limits, by more than kJointShare of the joint's arm
///   (joint_pose.hpp) and than at the start, a residual above g h, the speed that gravity gives in a step, energy
///   beyond that of the start and the work done by more than 1 % of the larger of what there was at the start (kinetic,
///   elastic, and of gravity above the lowest body) and Σ m g × size, a run slower than real time; methods made for
///   speed that take the scene are named.
class RunWarnings {
 public:
  void begin(const World& world, const Scene& scene);
  /// The depth [m] that the scene began with.
  void set_start_depth(double depth) { start_depth_ = depth; }
  /// The contacts of a step that led to `world`.
  void see(const World& world, std::span<const ContactRecord> contacts);
  /// The report of the run so far; `work` [J] is the largest that was done on the world, whatever its sign.
  [[nodiscard]] std::vector<std::string> list(const RunReport& report, double work) const;

 private:
  /// How far a joint is off and beyond its limits, as shares of its arm.
  struct JointShares {
    double error = 0, overshoot = 0;
  };
  [[nodiscard]] static JointShares measure(const World& world, std::size_t joint);
  void see_joints(const World& world);
  void compare_masses(const World& world, std::uint32_t a, std::uint32_t b);

  struct Pair {
    double share = 0;  // deepest of the size of the smaller body; larger mass by the smaller
    std::string first, second;
  };
  const MethodSpec* method_ = nullptr;
  Promises promises_;                 // of the method with the options of the scene
  std::vector<std::string> faster_;   // methods
  std::vector<std::string> ignored_;  // sentences
  std::vector<double> sizes_;         // [m] per body
  Pair deepest_, heaviest_;
  struct Joint {
    double share = 0;
    std::string name;
    bool slides = false;
  };
  std::vector<JointShares> joints_;                             // at the start
  Joint loosest_, farthest_;                                    // beyond what is allowed: by error, by overshoot
  double tolerance_ = std::numeric_limits<double>::infinity();  // [m] the depth that the method promises
  double start_depth_ = 0;                                      // [m]
  double speed_ = 0;                                            // [m/s] that gravity gives in a step
  double energy_ = 0;                                           // [J] that gains are compared with
};

}  // namespace achilles
