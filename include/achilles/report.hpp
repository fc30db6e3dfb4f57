// What a step and a run say of themselves.
#pragma once

#include <achilles/math.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace achilles {

/// Why a simulation ended itself.
struct Stop {
  std::string reason;   // "zeno-point", "impact-does-not-end", "not-finite", ...
  double time = 0;      // [s]
  std::string message;  // for people: what happened, between which bodies
};

/// One contact point after the solve.
struct ContactRecord {
  std::uint32_t body_a = 0;  // dense body indices
  std::uint32_t body_b = 0;
  Vec3 position = Vec3::Zero();  // [m] world
  Vec3 normal = Vec3::UnitZ();   // from a to b
  double gap = 0;                // [m]
  Vec3 impulse = Vec3::Zero();   // [N s] world, over the step, acting on b (minus it acts on a)
};

/// What one step of any method returns.
struct StepReport {
  int contacts = 0;           // contact points
  int groups = 0;             // independent groups solved
  int iterations = 0;         // of the complementarity solver, the largest over the groups
  double residual = 0;        // [m/s] natural map, the largest over the groups
  int impacts = 0;            // impacts resolved at a frozen instant, or contacts that bounced
  int impact_iterations = 0;  // the largest of one impact
  int lineality = 0;          // dimension removed, summed over the impacts of the step
  int new_contacts = 0;       // body pairs that began to touch
  int lost_contacts = 0;      // body pairs that ceased to touch
  int triggers_in = 0;
  int triggers_out = 0;
  double joint_error = 0;    // [m] largest positional violation of a joint after the step
  double external_work = 0;  // [J] done in this step by scripts, motors and forces other than gravity
  std::optional<Stop> stopped;
};

/// The object that --report writes; keys of the JSON carry the same names.
struct RunReport {
  std::string scene, method, impact, solver;
  std::int64_t steps = 0;
  double time = 0;              // [s]
  double wall_seconds = 0;      // [s]
  double real_time_factor = 0;  // simulated per wall second
  struct Energy {
    double initial = 0, final = 0, kinetic = 0, potential = 0;  // [J]
    double max_gain = 0;                                        // [J]
  } energy;
  struct Momentum {
    Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // [N s], [N m s] about the origin, movable bodies
  } momentum;
  struct Penetration {
    double max = 0, final = 0;  // [m]
  } penetration;
  double joint_error_max = 0;  // [m]
  int contacts_max = 0;
  double contacts_mean = 0;
  int iterations_max = 0;
  double iterations_mean = 0;
  double residual_max = 0;  // [m/s]
  std::int64_t impacts = 0;
  int impact_iterations_max = 0;
  std::int64_t lineality = 0;
  std::int64_t new_contacts = 0, lost_contacts = 0, triggers_in = 0, triggers_out = 0;
  std::vector<std::string> warnings;
  std::optional<Stop> stopped;
  struct Body {
    std::string name;
    Pose pose;  // of the body's frame
    BodyVelocity velocity;
    bool asleep = false;
  };
  std::vector<Body> bodies;
};

}  // namespace achilles
