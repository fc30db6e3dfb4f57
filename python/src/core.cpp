#include "core.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace achilles::python {
namespace {

using Clock = std::chrono::steady_clock;

/// Marks the simulation as stepping while the GIL is free.
class Busy {
 public:
  explicit Busy(bool& flag) : flag_(flag) { flag_ = true; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
  ~Busy() { flag_ = false; }

 private:
  bool& flag_;
};

/// Whether a body moves along or about an axis that is locked.
bool breaks_lock(const BodyVelocity& u, Locks locks) {
  for (int axis = 0; axis < 3; ++axis) {
    if (((locks.bits >> axis) & 1) != 0 && u.linear[axis] != 0) return true;
    if (((locks.bits >> (axis + 3)) & 1) != 0 && u.angular[axis] != 0) return true;
  }
  return false;
}

}  // namespace

Core::Core(const Scene& scene, int threads, Watch watch)
    : simulation_(scene, threads), watch_(std::move(watch)), materials_(scene.materials) {
  if (materials_.empty()) materials_.push_back({"default", {}});
  watch_from_here();
}

Core::Core(const Core& other)
    : std::enable_shared_from_this<Core>(),
      simulation_(other.simulation_),
      watch_{other.watch_.report, {}, {}, {}},
      is_written_(other.is_written_),
      is_rest_known_(other.is_rest_known_),
      rest_(other.rest_),
      event_options_(other.event_options_),
      stopped_(other.stopped_),
      materials_(other.materials_) {
  watch_from_here();
}

void Core::watch_from_here() {
  run_.reset();
  if (!watch_.report && watch_.record_path.empty()) return;
  RunOptions options;
  options.record_path = watch_.record_path;
  options.every = watch_.every;
  options.overrides = watch_.overrides;
  run_ = std::make_unique<Recorder>(simulation_, options);
}

Simulation& Core::use() {
  if (is_busy_) throw std::runtime_error("the simulation is stepping in another thread");
  return simulation_;
}

World& Core::change() { return use().world(); }

void Core::check_fixed_size(const char* what) const {
  if (exports_ > 0) {
    PyErr_Format(PyExc_BufferError,
                 "cannot %s while arrays of the state are in use: %d of them view the simulation's memory; "
                 "delete or copy them first",
                 what, exports_);
    throw py::error_already_set();
  }
  if (is_recording()) throw std::runtime_error(std::string("cannot ") + what + " while the simulation is recorded");
}

void Core::expect_writing() {
  const BodyArrays& bodies = world().bodies;
  if (std::exchange(is_written_, true) || !has_calm_bodies(world())) return;
  rest_.resize(bodies.size());
  for (std::size_t i = 0; i < rest_.size(); ++i) rest_[i] = {bodies.position[i], bodies.orientation[i]};
  is_rest_known_ = true;
}

void Core::take_written() {
  World& world = simulation_.world();
  BodyArrays& bodies = world.bodies;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double size = bodies.orientation[i].squaredNorm();
    if (std::abs(size - 1) > 1e-12 && std::isfinite(size) && size > 0) bodies.orientation[i].normalize();
    const BodyVelocity& u = bodies.velocity[i];
    const bool is_finite = std::isfinite(size) && size > 0 && bodies.position[i].allFinite() && u.linear.allFinite() &&
                           u.angular.allFinite() && bodies.applied_force[i].allFinite() &&
                           bodies.applied_torque[i].allFinite();
    if (!is_finite) throw std::invalid_argument("body '" + world.names[i] + "' was given a state that is not finite");
    if (bodies.kind[i] == BodyKind::kFixed && !(u.linear.isZero(0) && u.angular.isZero(0))) {
      bodies.velocity[i] = {};
      throw std::invalid_argument("body '" + world.names[i] + "' is fixed: it can be placed anew, but has no velocity");
    }
    if (breaks_lock(u, bodies.locks[i])) {
      world.set_velocity(world.handle_of(static_cast<std::uint32_t>(i)), BodyVelocity(u));
    }
  }
  if (is_rest_known_) wake_written();
}

/// Bodies that were moved, and sleepers that were given a velocity or a force, of which they have none.
void Core::wake_written() {
  World& world = simulation_.world();
  const BodyArrays& bodies = world.bodies;
  for (std::uint32_t i = 0; i < bodies.size(); ++i) {
    const bool is_moved = bodies.position[i] != rest_[i].p || bodies.orientation[i].coeffs() != rest_[i].q.coeffs();
    const BodyVelocity& u = bodies.velocity[i];
    const bool is_pushed = !(u.linear.isZero(0) && u.angular.isZero(0) && bodies.applied_force[i].isZero(0) &&
                             bodies.applied_torque[i].isZero(0));
    if (!bodies.is_movable(i)) {
      if (is_moved) world.wake_all();
    } else if (is_moved || (bodies.asleep[i] != 0 && is_pushed)) {
      world.wake(i);
    }
  }
  is_rest_known_ = false;
}

void Core::begin_steps() {
  (void)use();
  if (is_written_ || exports_ > 0) take_written();
  is_written_ = is_rest_known_ = false;
}

/// Views that are still held may be written before the next step.
void Core::end_steps() {
  if (exports_ > 0) expect_writing();
}

StepReport Core::advance_once() { return run_ ? run_->step() : simulation_.step(); }

void Core::call_listeners() {
  const std::vector<py::function> listeners = listeners_;  // one may add others
  const std::vector<ContactEvent> events(simulation_.events().begin(), simulation_.events().end());
  for (const ContactEvent& event : events) {
    for (const py::function& listener : listeners) listener(event);
  }
}

StepReport Core::step(std::int64_t n) {
  if (n < 1) throw std::invalid_argument("step(n): n must be at least 1");
  StepReport report;
  Clock::time_point looked{};
  if (n > 1) looked = Clock::now();
  while (n > 0) {
    begin_steps();
    {
      const Busy busy(is_busy_);
      const py::gil_scoped_release release;
      do {
        report = advance_once();
        n = report.stopped ? 0 : n - 1;
      } while (n > 0 && listeners_.empty() &&
               std::chrono::duration<double>(Clock::now() - looked).count() < kSignalInterval);
    }
    stopped_ = report.stopped;
    end_steps();
    call_listeners();
    if (n > 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
    if (n > 0) looked = Clock::now();
  }
  return report;
}

bool Core::step_until(std::int64_t last, double seconds) {
  const Clock::time_point start = Clock::now();
  while (use().world().step_index < last) {
    begin_steps();
    {
      const Busy busy(is_busy_);
      const py::gil_scoped_release release;
      do {
        stopped_ = advance_once().stopped;
      } while (!stopped_ && listeners_.empty() && simulation_.world().step_index < last &&
               std::chrono::duration<double>(Clock::now() - start).count() < seconds);
    }
    end_steps();
    call_listeners();
    if (stopped_) return true;
    if (std::chrono::duration<double>(Clock::now() - start).count() >= seconds) break;
  }
  return simulation_.world().step_index >= last;
}

std::string Core::report_json() {
  (void)use();
  if (!run_) throw std::runtime_error("this simulation is not watched: make it with watch=True to get a report");
  RunReport report = run_->report();
  report.warnings.insert(report.warnings.end(), notes_.begin(), notes_.end());
  return report_to_json(report);
}

std::string Core::close() {
  (void)use();
  if (!is_recording()) throw std::runtime_error("this simulation is not recorded, or was closed before");
  const std::string json = report_to_json(run_->finish());
  watch_.record_path.clear();
  return json;
}

void Core::record_state(const std::string& path) {
  RunOptions options;
  options.record_path = path;
  Recorder(use(), options).finish();
}

Snapshot Core::snapshot() {
  begin_steps();
  end_steps();
  return {world(), materials_};
}

void Core::restore(const Snapshot& snapshot) {
  const World& saved = snapshot.world;
  World& own = world();
  if (is_recording()) throw std::runtime_error("cannot restore a state while the simulation is recorded");
  if (saved.bodies.size() != own.bodies.size()) check_fixed_size("restore a state with other bodies");
  simulation_.restore(saved);
  materials_ = snapshot.materials;
  is_written_ = is_rest_known_ = false;
  end_steps();
  stopped_.reset();
  notes_.clear();
  watch_from_here();
}

void Core::set_material(const std::string& name, const MaterialChange& change) {
  World& own = this->change();
  std::vector<Material> changed = materials_;
  const auto found =
      std::find_if(changed.begin(), changed.end(), [&](const Material& material) { return material.name == name; });
  if (found == changed.end()) throw py::key_error("there is no material '" + name + "'");
  ContactLaw& law = found->law;
  law.friction = change.friction.value_or(law.friction);
  law.restitution = change.restitution.value_or(law.restitution);
  law.rolling_friction = change.rolling_friction.value_or(law.rolling_friction);
  law.torsional_friction = change.torsional_friction.value_or(law.torsional_friction);
  law.stiffness = change.stiffness.value_or(law.stiffness);
  law.damping = change.damping.value_or(law.damping);
  own.materials = MaterialTable(changed, simulation_.scene().material_pairs);
  materials_ = std::move(changed);
  own.wake_all();
}

Simulation& Core::lend() {
  begin_steps();
  is_busy_ = true;
  return simulation_;
}

void Core::take_back(const StepReport& report, bool has_stepped) {
  is_busy_ = false;
  if (has_stepped) stopped_ = report.stopped;
  end_steps();
}

BodyHandle Core::add_body(const BodyDescription& description) {
  World& own = world();
  check_fixed_size("add a body");
  begin_steps();
  const BodyHandle handle = own.add_body(description);
  notes_ = {"bodies were added or removed: the report begins there"};
  watch_from_here();
  return handle;
}

void Core::remove_body(BodyHandle body) {
  World& own = world();
  check_fixed_size("remove a body");
  begin_steps();
  own.remove_body(body);
  notes_ = {"bodies were added or removed: the report begins there"};
  watch_from_here();
}

JointHandle Core::add_joint(const JointDescription& description) { return change().add_joint(description); }

void Core::remove_joint(JointHandle joint) { change().remove_joint(joint); }

void Core::watch_events(const EventOptions& options) {
  use().watch_events(options);
  event_options_ = options;
}

const WorldQuery& Core::query() {
  const World& own = world();
  if (query_) {
    query_->update(own);
  } else {
    query_ = std::make_unique<WorldQuery>(own);
  }
  return *query_;
}

}  // namespace achilles::python
