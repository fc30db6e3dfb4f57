// Recording a simulation that a program steps itself.
#pragma once

#include <achilles/run.hpp>
#include <achilles/simulation.hpp>

#include <memory>

namespace achilles {

/// Watches a simulation that a program steps itself: the report, and where the options request them a recording and a
/// CSV file, the same as those of run_scene, so that they can be exported, certified, resumed and viewed. Instants are
/// recorded at the present state, every `every` seconds and at the end.
class Recorder {
 public:
  /// Begins at the present state. The simulation must outlive the recorder and stay at its address; `progress` is not
  /// called. Throws std::runtime_error when a file cannot be written.
  explicit Recorder(Simulation& simulation, const RunOptions& options = {});
  ~Recorder();
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;

  /// One step of the simulation, watched: call it in place of Simulation::step. Velocities set and forces applied since
  /// the last step, also by callbacks before this one, count as given and not as an error of the balance of momentum.
  /// A recording takes no more steps once bodies were added or removed: then std::runtime_error.
  StepReport step();
  /// The report of all so far; its last state is the present one.
  [[nodiscard]] RunReport report() const;
  /// Records the last state, ends the files and returns the report. Nothing is recorded after.
  RunReport finish();

 private:
  friend RunReport run_scene(const Scene& scene, const RunOptions& options);
  friend RunReport resume_run(const std::string& recording_path, const RunOptions& options);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace achilles
