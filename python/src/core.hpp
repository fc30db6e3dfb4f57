// What lies behind a Simulation in Python: the simulation of the library, what watches it, and who looks at its memory.
//
// NumPy arrays of the state are views of the simulation's own memory. Each holds the Core, so that the memory outlives
// the Python object, and is counted in `exports`: while there are views, bodies can be neither added nor removed.
#pragma once

#include <achilles/achilles.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <vector>

namespace achilles::python {

namespace py = pybind11;

inline constexpr double kSignalInterval = 0.05;  // [s] between looks for Ctrl-C

/// How a simulation is watched: for its report, and on request by a recording.
struct Watch {
  bool report = true;
  std::string record_path;      // empty: no recording
  std::optional<double> every;  // [s] between recorded instants
  std::vector<Override> overrides;
};

/// All that a simulation can return to.
struct Snapshot {
  World world;
  std::vector<Material> materials;  // as they were changed since the start
};

/// What is to be different about a material.
struct MaterialChange {
  std::optional<double> friction, restitution, rolling_friction, torsional_friction, stiffness, damping;
};

class Core : public std::enable_shared_from_this<Core> {
 public:
  Core(const Scene& scene, int threads, Watch watch);
  Core(const Core& other);
  Core& operator=(const Core&) = delete;

  /// The simulation, for reading. Throws std::runtime_error while another thread steps it.
  [[nodiscard]] Simulation& use();
  [[nodiscard]] World& world() { return use().world(); }
  /// The same, for what changes velocities or forces.
  [[nodiscard]] World& change();

  /// Up to n steps, fewer when the simulation stops itself, without the GIL; listeners are called after each with it.
  StepReport step(std::int64_t n);
  /// Steps until the step index reaches `last`, or for `seconds` of wall time. Whether that is done or stopped.
  bool step_until(std::int64_t last, double seconds);
  [[nodiscard]] std::string report_json();
  [[nodiscard]] Snapshot snapshot();
  void restore(const Snapshot& snapshot);
  /// Replaces the law of a material, also of sleepers, which wake. Throws std::invalid_argument for impossible numbers.
  void set_material(const std::string& name, const MaterialChange& change);

  /// For stepping many simulations at once: takes what was written, and keeps others away until take_back.
  [[nodiscard]] Simulation& lend();
  void take_back(const StepReport& report, bool has_stepped);
  /// Calls the listeners with the events of the last step.
  void call_listeners();
  /// Ends the recording, if there is one, and returns the report.
  std::string close();

  /// Writes a recording of the present state alone.
  void record_state(const std::string& path);

  BodyHandle add_body(const BodyDescription& description);
  void remove_body(BodyHandle body);
  JointHandle add_joint(const JointDescription& description);
  void remove_joint(JointHandle joint);

  /// Remembers where the bodies are before a view is written, so that the next step wakes those that are moved.
  void expect_writing();
  void add_view() { ++exports_; }
  void drop_view() { --exports_; }

  /// From now on every step looks for events.
  void watch_events(const EventOptions& options);
  /// What watch_events was given; nothing where the scene alone decides.
  [[nodiscard]] const std::optional<EventOptions>& event_options() const { return event_options_; }

  /// Functions of Python that are called with events. They belong to the Python object of the simulation, and end with
  /// it.
  [[nodiscard]] std::vector<py::function>& listeners() { return listeners_; }

  /// The query of the present state.
  [[nodiscard]] const WorldQuery& query();
  /// The report of the last step.
  [[nodiscard]] const std::optional<Stop>& stopped() const { return stopped_; }
  [[nodiscard]] bool is_watched() const { return run_ != nullptr; }
  [[nodiscard]] bool is_recording() const { return run_ && !watch_.record_path.empty(); }

 private:
  void watch_from_here();
  void check_fixed_size(const char* what) const;
  void take_written();
  void wake_written();
  void begin_steps();
  void end_steps();
  StepReport advance_once();

  Simulation simulation_;
  Watch watch_;
  std::unique_ptr<Recorder> run_;
  bool is_busy_ = false;
  bool is_written_ = false;  // a view may have been written since the last step
  int exports_ = 0;
  bool is_rest_known_ = false;
  std::vector<Pose> rest_;  // centres and orientations of all bodies before a view may have been written
  std::optional<EventOptions> event_options_;
  std::vector<py::function> listeners_;
  std::unique_ptr<WorldQuery> query_;
  std::optional<Stop> stopped_;
  std::vector<std::string> notes_;  // for the report
  std::vector<Material> materials_;
};

/// A finite or infinite vector of three numbers from any sequence; ValueError naming `what` otherwise.
[[nodiscard]] Vec3 to_vec3(const py::handle& value, const char* what);
/// A quaternion from four numbers w, x, y, z, made a unit one; ValueError otherwise.
[[nodiscard]] Quat to_quat(const py::handle& value, const char* what);
/// Copies that cannot be written, so that `body.velocity[0] = 1` is an error and not without effect.
[[nodiscard]] py::array from_vec3(const Vec3& v);
[[nodiscard]] py::array from_quat(const Quat& q);
[[nodiscard]] py::array make_read_only(py::array array);
/// NumPy's array of values that are real numbers; TypeError otherwise.
[[nodiscard]] py::object to_real_array(const py::handle& values);

/// Shows the listeners of a Simulation to the garbage collector, so that it finds cycles through them.
void take_part_in_collection(PyHeapTypeObject* heap_type);

void bind_errors(py::module_& module);
void bind_scene(py::module_& module);
void bind_reports(py::module_& module);
void bind_simulation(py::module_& module);
void bind_state(py::class_<Core, std::shared_ptr<Core>>& simulation);
void bind_records(py::class_<Core, std::shared_ptr<Core>>& simulation, py::module_& module);
void bind_listeners(py::class_<Core, std::shared_ptr<Core>>& simulation);
void bind_handles(py::class_<Core, std::shared_ptr<Core>>& simulation, py::module_& module);
void bind_batch(py::module_& module);
void bind_recording(py::module_& module);
void bind_sensors(py::class_<Core, std::shared_ptr<Core>>& simulation);
void bind_queries(py::class_<Core, std::shared_ptr<Core>>& simulation, py::module_& module);

}  // namespace achilles::python
