// A scene set in motion: the World, the method that advances it and the scratch it needs.
#pragma once

#include <achilles/contact_callback.hpp>
#include <achilles/profile.hpp>
#include <achilles/report.hpp>
#include <achilles/sensor.hpp>
#include <achilles/world.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace achilles {

/// Coordinates of a joint along its free axes, and their rates.
struct JointMotion {
  std::array<double, 2> position{};  // [rad] or [m]
  std::array<double, 2> rate{};      // [rad/s] or [m/s]
};

class Simulation;
using BeforeStep = std::function<void(Simulation&)>;
using AfterStep = std::function<void(Simulation&, const StepReport&)>;

/// What was moved from can be assigned to and destroyed; everything else throws std::logic_error then.
class Simulation {
 public:
  /// Prepares a scene. Throws SceneError when the method cannot run it (the message lists what it lacks) or a number is
  /// impossible, std::invalid_argument for less than one thread.
  explicit Simulation(const Scene& scene, int threads = 1);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  /// A copy goes on with the same bits. It has the contacts, loads and events of the last step, the threads, the
  /// callbacks and the listener, but not the profile.
  Simulation(const Simulation& other);
  Simulation& operator=(const Simulation& other);

  /// Advances by one step of the scene's length. After a stop (StepReport::stopped) the world stays at the last good
  /// state. Throws std::invalid_argument when the world has got what the method cannot do, a joint or a material.
  StepReport step();

  /// Calls a function at the beginning of every step from now on, before anything is computed: forces, velocities and
  /// targets that it sets count for this step. May be called several times; the order is kept. A callback that calls
  /// step() gets std::logic_error; what it throws comes out of step(), the step is then not taken.
  void before_each_step(BeforeStep callback);
  /// The same at the end of every step, with contacts, loads, sensors and events of the step.
  void after_each_step(AfterStep callback);

  /// Shows every contact that a step finds to a function, which may change or reject it before it is solved; an empty
  /// function ends that. Throws std::invalid_argument for a method that does not take that into account. A step of
  /// which the function leaves an impossible contact is not taken and throws std::logic_error. Slower: contacts are
  /// found anew in every step.
  void set_contact_callback(ContactCallback callback);

  [[nodiscard]] World& world();
  [[nodiscard]] const World& world() const;
  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] double step_length() const;  // [s]
  [[nodiscard]] int threads() const;

  /// Contact points of the last step with the impulses that acted there.
  [[nodiscard]] std::span<const ContactRecord> contacts() const;

  /// Forces and torques of the joints in the last step, in the order of World::joints; zero for a joint that was added
  /// or loaded since. Valid until the next step, restore() or change of the joints.
  [[nodiscard]] std::span<const JointLoad> joint_loads() const;

  /// Where a joint stands along its free axes [rad] or [m], and how fast it moves there [rad/s] or [m/s], by the
  /// present poses and velocities; 0 where it has no such axis. Whole turns are counted from step to step. Throws
  /// std::out_of_range for an index that there is not.
  [[nodiscard]] JointMotion joint_motion(std::uint32_t index) const;
  [[nodiscard]] JointMotion joint_motion(JointHandle handle) const;
  /// Of one joint, zero before its first step; throws std::out_of_range when it was removed.
  [[nodiscard]] const JointLoad& joint_load(JointHandle handle) const;

  /// The sensors of the scene, and what all of them read after the last step.
  [[nodiscard]] std::span<const SensorInfo> sensors() const;
  [[nodiscard]] std::span<const double> sensor_values() const;
  /// Of one sensor, by name; throws std::out_of_range, naming it, when there is none.
  [[nodiscard]] std::span<const double> sensor_values(std::string_view name) const;

  /// From now on every step looks for events (where the scene requests them or has triggers it does so from the start),
  /// and calls the listener, if there is one, with each of them after the step.
  void watch_events(const EventOptions& options, EventListener listener = {});
  /// Events of the last step.
  [[nodiscard]] std::span<const ContactEvent> events() const;

  /// Deepest interpenetration of the present pose, measured from geometry alone [m].
  [[nodiscard]] double penetration();

  /// From now on every step adds there where its time went; null: no more. The profile must outlive that.
  void set_profile(Profile* profile);

  /// Continues from a saved world of the same scene, whatever was added or removed while it ran. Where the saved world
  /// has as many bodies as the present one, the arrays of the state stay where they are in memory. Throws
  /// std::invalid_argument, and changes nothing, when a body or trigger of the scene is another one in that world.
  void restore(const World& world);

 private:
  friend class Recorder;
  struct Impl;
  /// The two halves of step(): the callbacks before it, and the rest.
  void begin_step();
  StepReport step_begun();
  /// Throws std::logic_error after the simulation was moved from.
  [[nodiscard]] Impl& impl() const;
  std::unique_ptr<Impl> impl_;
};

/// Up to `steps` steps of each simulation, fewer where one stops itself; every simulation on one of `threads` threads,
/// with the same bits as one after the other. reports[k] becomes the last report of simulations[k]. No simulation may
/// stand in the list twice. Throws what the step of a simulation throws; the others may then be anywhere in between.
void step_together(std::span<Simulation* const> simulations, std::int64_t steps, int threads,
                   std::span<StepReport> reports);

/// Version of the library, "major.minor.patch".
[[nodiscard]] std::string_view version();

}  // namespace achilles
