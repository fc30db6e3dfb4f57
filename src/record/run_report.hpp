// The report of a run, and the JSON that --report writes.
#pragma once

#include "record/layout.hpp"
#include "record/momentum_balance.hpp"
#include "record/report/run_warnings.hpp"
#include "record/touches.hpp"
#include "world/energy.hpp"

#include <achilles/report.hpp>
#include <achilles/scene.hpp>
#include <achilles/sensor.hpp>
#include <achilles/world.hpp>

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace achilles {

/// Watches a run: begin, then after_step for every step and instant for every recorded instant, then finish.
class ReportBuilder {
 public:
  /// The state before the first step; starts the clock.
  void begin(const World& world, const Scene& scene);
  /// The world as the caller has left it before a step, by setting velocities or applying forces: what that gives
  /// is not counted as an error of the balance of momentum.
  void take_given(const World& world) { balance_.take_given(world); }
  /// The world as the step left it. Costs one look at what is awake, for the energy.
  void after_step(const World& world, const StepReport& step);
  /// Impulses of the step that led to the state of `world`, for what began and ceased to touch, for the statistics per
  /// pair of bodies and for the balance of momentum. Without it the report has none of these.
  void contacts(const World& world, std::span<const ContactRecord> records);
  /// The sensors of the simulation and their present values; then their values after every step.
  void begin_sensors(std::span<const SensorInfo> sensors, std::span<const double> values);
  void sensors(std::span<const double> values);
  /// Deepest interpenetration at a recorded instant [m], measured from geometry. Call it for the last state too: its
  /// value is `penetration.final`.
  void instant(const World& world, double penetration);
  void warn(std::string warning);
  /// One recorded instant of the part of the run that came before this object began: the report then covers the whole.
  /// Means and largest values of what lies between two instants are as fine as the recording.
  void take_earlier(const Scalars& instant, bool is_first);
  /// One event of that part: touches are counted from these.
  void take_earlier(const RecordedEvent& event);
  /// The state from which steps go on after the earlier part: the balance of momentum begins there.
  void resume_from(const World& world) {
    balance_.begin(world);
    energy_ = {};
  }

  /// The report of all that was seen, for the present state.
  [[nodiscard]] RunReport finish(const World& world) const;
  /// The same with another wall time [s] than this object's own clock, for runs that were paused.
  [[nodiscard]] RunReport finish(const World& world, double wall_seconds) const;

 private:
  void count(const RecordedEvent& event);

  std::chrono::steady_clock::time_point start_;
  double start_time_ = 0;       // [s] simulated
  double earlier_seconds_ = 0;  // [s] wall time of the part that came before
  double external_work_ = 0;    // [J] since the start
  double most_work_ = 0;        // [J] the most of it so far, whatever its sign
  struct PairSums {
    std::int64_t count = 0;
    double impulse = 0, peak = 0;  // [N s]
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, PairSums> pairs_;  // by body index
  double contact_sum_ = 0;
  double iteration_sum_ = 0;
  EnergyMeter energy_;
  MomentumBalance balance_;
  RunWarnings limits_;
  bool has_balance_ = false;
  bool has_depth_ = false;
  Touches touches_;
  std::vector<RecordedEvent> touch_events_;  // scratch
  RunReport report_;
};

/// Exactly the keys of the report's contract. Numbers are written so that reading them gives the same bits; a number
/// that is not finite becomes null and a warning that names it. Texts that are not UTF-8 have the offending bytes
/// replaced; bodies whose names would then coincide are distinguished by a number and a warning.
[[nodiscard]] nlohmann::ordered_json to_json(const RunReport& report);

/// Writes the JSON to a file; std::runtime_error with path and reason when that fails.
void write_report(const RunReport& report, const std::string& path);

}  // namespace achilles
