// The reports of a step and of a run.
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

/// What event-driven stepping spent and passed over; zero for methods without events.
struct EventCosts {
  std::int64_t events = 0;           // instants at which something collided
  std::int64_t toi_calls = 0;        // times of impact searched or bounded, of pairs
  std::int64_t distance_calls = 0;   // distances of pairs
  std::int64_t resting_skipped = 0;  // contacts that rest or part, passed over
  double energy_removed = 0;         // [J] at most: restitution given up where bounces pile up
  double energy_added = 0;           // [J] that kept microcollisions going

  EventCosts& operator+=(const EventCosts& other) {
    events += other.events;
    toi_calls += other.toi_calls;
    distance_calls += other.distance_calls;
    resting_skipped += other.resting_skipped;
    energy_removed += other.energy_removed;
    energy_added += other.energy_added;
    return *this;
  }
};

/// What one step of any method returns.
struct StepReport {
  int contacts = 0;            // contact points
  int islands = 0;             // independent islands solved
  int iterations = 0;          // of the complementarity solver, the largest over the islands
  double residual = 0;         // [m/s] natural map, the largest over the islands
  int impacts = 0;             // impacts resolved at a frozen instant, or contacts that bounced
  int impact_iterations = 0;   // the largest of one impact
  int lineality = 0;           // dimension removed, summed over the impacts of the step
  double impact_estimate = 0;  // applications of the operator expected of the impact that needed most, 0: no estimate
  int hastened_impacts = 0;    // parts of impacts in which reflections one at a time gave way to all at once
  int unpointed_impacts = 0;   // impacts with coupled friction that is not known to end: its cones are not pointed
  int new_contacts = 0;        // body pairs that began to touch
  int lost_contacts = 0;       // body pairs that ceased to touch
  int triggers_in = 0;
  int triggers_out = 0;
  double joint_error = 0;    // [m] largest positional violation of a joint after the step
  double external_work = 0;  // [J] done in this step by scripts, motors and forces other than gravity
  EventCosts costs;
  std::optional<Stop> stopped;
};

/// Contact impulses between two bodies over a run.
struct PairStatistics {
  std::string body_a, body_b;
  std::int64_t count = 0;  // contact points with an impulse, over all steps
  double impulse = 0;      // [N s] sum of their lengths
  double peak = 0;         // [N s] the largest
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
    // What gravity, forces and the recorded impulses of contacts leave unexplained at most, as a share of what is in
    // play; none where it has no meaning: joints to bodies that do not move, locks, states that are not finite.
    std::optional<double> linear_error, angular_error;
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
  double impact_estimate_max = 0;  // applications expected of the worst impact
  std::int64_t hastened_impacts = 0, unpointed_impacts = 0;
  std::int64_t new_contacts = 0, lost_contacts = 0, triggers_in = 0, triggers_out = 0;
  EventCosts costs;
  std::vector<PairStatistics> pairs;  // by impulse, the largest first
  std::vector<std::string> warnings;
  std::optional<Stop> stopped;
  struct Body {
    std::string name;
    Pose pose;  // of the body's frame
    BodyVelocity velocity;
    bool asleep = false;
  };
  std::vector<Body> bodies;
  struct SensorColumn {
    std::string name, unit;
    double last = 0, min = 0, max = 0;  // over all steps
  };
  struct Sensor {
    std::string name;
    std::vector<SensorColumn> columns;
  };
  std::vector<Sensor> sensors;
};

}  // namespace achilles
