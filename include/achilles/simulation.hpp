// A scene set in motion: the World, the method that advances it and the scratch it needs.
#pragma once

#include <achilles/profile.hpp>
#include <achilles/report.hpp>
#include <achilles/world.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace achilles {

class Simulation {
 public:
  /// Prepares a scene. Throws SceneError when the method cannot run it (it says what it lacks).
  explicit Simulation(const Scene& scene, int threads = 1);
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;

  /// Advances by one step of the scene's length. After a stop (StepReport::stopped) the world stays at the last good
  /// state.
  StepReport step();

  [[nodiscard]] World& world();
  [[nodiscard]] const World& world() const;
  [[nodiscard]] const Scene& scene() const;
  [[nodiscard]] double step_length() const;  // [s]

  /// Contact points of the last step with the impulses that acted there.
  [[nodiscard]] std::span<const ContactRecord> contacts() const;

  /// Forces and torques of the joints in the last step, in the order of World::joints.
  [[nodiscard]] std::span<const JointLoad> joint_loads() const;

  /// From now on every step looks for events (where the scene asks for them or has triggers it does so from the start),
  /// and calls the listener, if there is one, with each of them after the step.
  void watch_events(const EventOptions& options, EventListener listener = {});
  /// Events of the last step.
  [[nodiscard]] std::span<const ContactEvent> events() const;

  /// Deepest interpenetration of the present pose, measured from geometry alone [m].
  [[nodiscard]] double penetration();

  /// From now on every step says there where its time went; null: no more. The profile must outlive that.
  void set_profile(Profile* profile);

  /// Continues from a saved world of the same scene.
  void restore(World world);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Version of the library, "major.minor.patch".
[[nodiscard]] std::string_view version();

}  // namespace achilles
