// The sensors of a simulation.
#pragma once

#include <achilles/query.hpp>
#include <achilles/report.hpp>
#include <achilles/sensor.hpp>
#include <achilles/world.hpp>

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace achilles {

/// What a step left for sensors.
struct SensorInput {
  std::span<const ContactRecord> contacts;
  std::span<const JointLoad> loads;
  double h = 0;  // [s]
};

class SensorBank {
 public:
  SensorBank() = default;
  /// Throws std::out_of_range, naming it, when a joint or body is not there.
  SensorBank(std::span<const SensorDescription> sensors, const World& world);

  [[nodiscard]] bool empty() const { return sensors_.empty(); }
  /// Before a step: what accelerations are measured from.
  void begin_step(const World& world);
  /// After a step, of which there is none yet where the input is empty. A sensor whose joint or body is gone reads not
  /// a number.
  void measure(const World& world, const std::optional<SensorInput>& input);

  [[nodiscard]] std::span<const SensorInfo> infos() const { return infos_; }
  [[nodiscard]] std::span<const double> values() const { return values_; }

 private:
  struct Sensor {
    SensorDescription description;
    BodyHandle body;
    Vec3 velocity_before = Vec3::Zero();  // [m/s] of the sensor's place at the beginning of the step
  };
  /// A copy looks at its own world anew.
  struct Query {
    std::unique_ptr<WorldQuery> query;
    Query() = default;
    ~Query() = default;
    Query(const Query&) noexcept {}
    Query(Query&&) noexcept = default;
    Query& operator=(const Query&) noexcept {
      query = nullptr;
      return *this;
    }
    Query& operator=(Query&&) noexcept = default;
  };

  void measure_joint(const World& world, const Sensor& sensor, const std::optional<SensorInput>& input, double& value);
  void measure_body(const World& world, const Sensor& sensor, const std::optional<SensorInput>& input,
                    std::span<double> values);
  void measure_ray(const World& world, const Sensor& sensor, double& value);

  std::vector<Sensor> sensors_;
  std::vector<SensorInfo> infos_;
  std::vector<double> values_;
  bool has_rays_ = false;
  Query query_;
};

}  // namespace achilles
