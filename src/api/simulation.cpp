#include <achilles/simulation.hpp>

#include "api/scene_of_world.hpp"
#include "api/sensor_bank.hpp"
#include "api/touch_details.hpp"
#include "constraint/joint_pose.hpp"
#include "math/refill.hpp"
#include "methods/advance.hpp"
#include "methods/capabilities.hpp"
#include "methods/method_spec.hpp"
#include "stepping/awake_set.hpp"
#include "world/body_arrays.hpp"
#include "world/events.hpp"
#include "world/penetration_meter.hpp"
#include "world/world_memory.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace achilles {
namespace {

constexpr std::size_t kBodyBlock = 32;  // bodies that one thread takes at a time, as the stages of a step do

/// What a step began with, of one body.
struct BodyBefore {
  const Vec3& position;
  const Quat& orientation;
  const Vec3& applied_force;
  const Vec3& applied_torque;
};

/// Work of the forces and torques that acted over the step, along the way a body went [J]. Taken here for every method
/// alike: within a step it is not known yet how far contacts let a body go.
double measure_work_of_forces(const BodyArrays& bodies, std::size_t i, const BodyBefore& before) {
  const Vec3 force = bodies.constant_force[i] + before.applied_force;
  const Vec3 torque = bodies.constant_torque[i] + before.applied_torque;
  if (!bodies.is_movable(i) || (force.isZero(0) && torque.isZero(0))) return 0;
  const Eigen::AngleAxisd turn(bodies.orientation[i] * before.orientation.conjugate());
  return force.dot(bodies.position[i] - before.position) + torque.dot(turn.angle() * turn.axis());
}

std::string describe_not_finite(const std::string& name) {
  return "the state of body '" + name + "' ceased to be finite";
}

}  // namespace

struct Simulation::Impl {
  Scene scene;
  const MethodSpec* spec = nullptr;
  std::unique_ptr<Method> method;
  World world;
  AwakeSet awake;
  bool few_awake = false;  // the last step was one of the awake part
  PenetrationMeter meter;
  DetectWorkspace measuring;                         // where the step's own follows the part
  std::vector<std::shared_ptr<const Shape>> shapes;  // of the scene's bodies, as restore() compares them
  std::optional<EventOptions> watched;
  EventListener listener;
  std::vector<BeforeStep> before_step;
  std::vector<AfterStep> after_step;
  bool is_stepping = false;
  EventWorkspace event_scratch;
  std::vector<ContactEvent> events;
  std::vector<ContactEvent*> touches;  // scratch
  SensorBank sensors;

  /// Of a block of bodies, after a step.
  struct Overview {
    double work = 0;  // [J] of the forces
    bool finite = true;
  };
  std::vector<Overview> overviews;

  /// What a step changes, as it was before: where a step that ends in nonsense returns to.
  struct Before {
    std::vector<Vec3> position;
    std::vector<Quat> orientation;
    std::vector<BodyVelocity> velocity;
    std::vector<Vec3> applied_force, applied_torque;
    std::vector<JointState> joints;
    std::vector<std::uint8_t> asleep;
    bool may_sleep = false;
    SleepState sleep;  // where bodies may sleep
    double time = 0;
    std::int64_t step_index = 0;
  } before;

  [[nodiscard]] StepWorkspace& scratch() const { return method->workspace(); }
  [[nodiscard]] bool may_sleep() const {
    const std::optional<Sleeping> sleeping = method->find_sleeping(scene.step);
    return (sleeping && sleeping->options.enabled) ||
           std::find(world.bodies.asleep.begin(), world.bodies.asleep.end(), 1) != world.bodies.asleep.end();
  }
  void remember();
  void look_over(StepReport& report, std::string& nonsense);
  void return_to_before();
  void find_events(StepReport& report);
  [[nodiscard]] StepReport step_whole();
  [[nodiscard]] StepReport step_awake();
};

void Simulation::Impl::remember() {
  const BodyArrays& bodies = world.bodies;
  const auto resize = [n = bodies.size()](auto&... lists) { (lists.resize(n), ...); };
  resize(before.position, before.orientation, before.velocity, before.applied_force, before.applied_torque,
         before.asleep);
  scratch().runner.run(bodies.size(), kBodyBlock, [&](std::size_t, std::size_t first, std::size_t last) {
    const auto copy = [&](const auto& from, auto& to) {
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first), last - first,
                  to.begin() + static_cast<std::ptrdiff_t>(first));
    };
    copy(bodies.position, before.position);
    copy(bodies.orientation, before.orientation);
    copy(bodies.velocity, before.velocity);
    copy(bodies.applied_force, before.applied_force);
    copy(bodies.applied_torque, before.applied_torque);
    copy(bodies.asleep, before.asleep);
  });
  scratch().cache_exchanges = scratch().manifold_exchanges = 0;
  copy_to(world.joint_states, before.joints);
  before.may_sleep = may_sleep();
  if (before.may_sleep) before.sleep = world.memory().sleep;
  before.time = world.time;
  before.step_index = world.step_index;
}

void Simulation::Impl::return_to_before() {
  copy_to(before.position, world.bodies.position);
  copy_to(before.orientation, world.bodies.orientation);
  copy_to(before.velocity, world.bodies.velocity);
  copy_to(before.applied_force, world.bodies.applied_force);
  copy_to(before.applied_torque, world.bodies.applied_torque);
  if (scratch().cache_exchanges > 0) std::swap(world.memory().contact_cache, scratch().former_cache);
  if (scratch().manifold_exchanges > 0) std::swap(world.memory().manifold_memory, scratch().next_manifolds);
  copy_to(before.joints, world.joint_states);
  copy_to(before.asleep, world.bodies.asleep);
  if (before.may_sleep) world.memory().sleep = before.sleep;
  world.time = before.time;
  world.step_index = before.step_index;
}

void Simulation::Impl::find_events(StepReport& report) {
  achilles::find_events(world, *watched, scratch().runner.threads(), event_scratch, events);
  describe_touches({scratch().records, &event_scratch.contacts, before.position, before.velocity}, touches, events);
  for (const ContactEvent& event : events) {
    if (event.kind == EventKind::kTriggerIn) ++report.triggers_in;
    if (event.kind == EventKind::kTriggerOut) ++report.triggers_out;
    if (listener) listener(event);
  }
}

Simulation::Simulation(const Scene& scene, int threads) : impl_(std::make_unique<Impl>()) {
  const auto refuse = [&](const std::string& field, const std::string& message) {
    return SceneError({Diagnostic{Diagnostic::Severity::kError, scene.file, 0, 0, field, message}});
  };
  if (!(scene.step > 0) || !std::isfinite(scene.step)) throw refuse("time.step", "a step must be positive and finite");
  if (threads < 1) throw std::invalid_argument("a simulation needs at least one thread");
  impl_->scene = scene;
  impl_->method = make_method_for(scene);
  impl_->spec = find_method(scene.method.name);
  try {
    impl_->world = World(scene);
  } catch (const std::invalid_argument& error) {
    throw refuse("bodies", error.what());
  }
  const std::vector<std::shared_ptr<const Shape>>& shapes = impl_->world.shapes;
  impl_->shapes.assign(shapes.begin(), shapes.begin() + static_cast<std::ptrdiff_t>(scene.bodies.size()));
  try {
    impl_->sensors = SensorBank(scene.sensors, impl_->world);
  } catch (const std::out_of_range& error) {
    throw refuse("sensors", error.what());
  }
  impl_->sensors.measure(impl_->world, std::nullopt);
  if (scene.events) impl_->watched = scene.events->options;
  if (!scene.triggers.empty() && !impl_->watched) impl_->watched = EventOptions{};
  impl_->scratch().runner.set_threads(threads);
}

Simulation::Simulation(const Simulation& other) : impl_(std::make_unique<Impl>()) {
  const Impl& from = other.impl();
  impl_->scene = from.scene;
  impl_->method = make_method_for(from.scene);  // a method's own memory means nothing between steps
  impl_->spec = from.spec;
  impl_->world = from.world;
  impl_->shapes = from.shapes;
  impl_->watched = from.watched;
  impl_->listener = from.listener;
  impl_->before_step = from.before_step;
  impl_->after_step = from.after_step;
  impl_->events = from.events;
  impl_->sensors = from.sensors;
  StepWorkspace& scratch = impl_->scratch();
  scratch.runner.set_threads(from.scratch().runner.threads());
  scratch.records = from.scratch().records;
  scratch.callback = from.scratch().callback;
}

Simulation& Simulation::operator=(const Simulation& other) {
  if (this != &other) *this = Simulation(other);
  return *this;
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

/// What forces did in the step, and whether it left numbers.
void Simulation::Impl::look_over(StepReport& report, std::string& nonsense) {
  overviews.resize(BlockRunner::count_blocks(world.bodies.size(), kBodyBlock));
  scratch().runner.run(world.bodies.size(), kBodyBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
    Overview overview;
    for (std::size_t i = first; i < last; ++i) {
      overview.work += measure_work_of_forces(
          world.bodies, i,
          {before.position[i], before.orientation[i], before.applied_force[i], before.applied_torque[i]});
      overview.finite = overview.finite && has_finite_state(world.bodies, i);
    }
    overviews[block] = overview;
  });
  bool finite = true;
  for (const Overview& overview : overviews) {
    report.external_work += overview.work;
    finite = finite && overview.finite;
  }
  if (!finite) nonsense = describe_not_finite(world.names[world.first_not_finite().value()]);
}

StepReport Simulation::Impl::step_whole() {
  remember();
  StepReport report;
  std::string nonsense;
  try {
    report = advance(world, *method, scene.step);
    look_over(report, nonsense);
  } catch (const std::invalid_argument& error) {
    nonsense = error.what();  // a stage was handed numbers that grew beyond what it can compute with
  } catch (...) {             // a callback of the program
    return_to_before();
    throw;
  }
  if (nonsense.empty()) {
    copy_to(scratch().joint_loads, world.joint_loads);
    world.joint_loads.resize(world.joints.size());  // a method without joints measures none
    return report;
  }
  return_to_before();
  report.stopped = Stop{"not-finite", before.time, nonsense};
  return report;
}

StepReport Simulation::Impl::step_awake() {
  StepReport report;
  std::string nonsense;
  const World& part = awake.part();
  if (watched) {
    copy_to(world.bodies.position, before.position);
    copy_to(world.bodies.velocity, before.velocity);
  }
  try {
    report = advance_woken(awake.part(), *method, scene.step);
    const BodyArrays& old = world.bodies;
    for (std::uint32_t k = 0; k < part.bodies.size(); ++k) {
      const std::uint32_t i = awake.body_of(k);
      report.external_work += measure_work_of_forces(
          part.bodies, k, {old.position[i], old.orientation[i], old.applied_force[i], old.applied_torque[i]});
    }
    if (const std::optional<std::uint32_t> body = part.first_not_finite())
      nonsense = describe_not_finite(part.names[*body]);
  } catch (const std::invalid_argument& error) {
    nonsense = error.what();
  }
  if (nonsense.empty()) {
    awake.scatter(world, scratch(), report);
    world.joint_loads.assign(awake.joint_loads().begin(), awake.joint_loads().end());
  } else {
    AwakeSet::abandon(world);
    report.stopped = Stop{"not-finite", world.time, nonsense};
  }
  return report;
}

Simulation::Impl& Simulation::impl() const {
  if (impl_ == nullptr) throw std::logic_error("this simulation was moved from: it holds no scene");
  return *impl_;
}

namespace {

/// Holds a flag up while callbacks and steps run.
class Flag {
 public:
  explicit Flag(bool& flag) : flag_(flag) {
    if (flag) throw std::logic_error("a callback of a step called step(): that step is not over");
    flag = true;
  }
  Flag(const Flag&) = delete;
  Flag& operator=(const Flag&) = delete;
  ~Flag() { flag_ = false; }

 private:
  bool& flag_;
};

}  // namespace

void Simulation::before_each_step(BeforeStep callback) { impl().before_step.push_back(std::move(callback)); }
void Simulation::after_each_step(AfterStep callback) { impl().after_step.push_back(std::move(callback)); }

void Simulation::set_contact_callback(ContactCallback callback) {
  if (callback && !impl().spec->capabilities.contact_callbacks) {
    throw std::invalid_argument("method " + std::string(impl().spec->name) + " has no contact callbacks");
  }
  impl().scratch().callback = std::move(callback);
}

void Simulation::begin_step() {
  const Flag flag(impl().is_stepping);
  // A callback may add others: they are called from the next step on.
  for (std::size_t k = 0, count = impl().before_step.size(); k < count; ++k) {
    const BeforeStep callback = impl().before_step[k];
    callback(*this);
  }
}

StepReport Simulation::step() {
  begin_step();
  return step_begun();
}

StepReport Simulation::step_begun() {
  Impl& impl = this->impl();
  const Flag flag(impl.is_stepping);
  // The world may have got what its method cannot do since the last step.
  const std::vector<std::string> obstacles = find_obstacles(*impl.spec, impl.scene.method, impl.world);
  if (!obstacles.empty()) throw std::invalid_argument(obstacles.front());
  Profile* profile = impl.scratch().profile;
  if (profile != nullptr) profile->begin_step();
  const std::optional<Sleeping> sleeping = impl.method->find_sleeping(impl.scene.step);
  // A callback sees the whole world.
  impl.few_awake = sleeping && !impl.scratch().callback && impl.awake.gather(impl.world, *sleeping, impl.scratch());
  if (profile != nullptr && impl.few_awake) {
    profile->mark("awake set");
    profile->count("bodies in the step", static_cast<double>(impl.awake.part().bodies.size()));
  }
  impl.sensors.begin_step(impl.world);
  StepReport report = impl.few_awake ? impl.step_awake() : impl.step_whole();
  const bool was_taken_back = report.stopped && report.stopped->reason == "not-finite";
  if (impl.watched && !was_taken_back) impl.find_events(report);
  if (!impl.sensors.empty() && !was_taken_back) {
    impl.sensors.measure(impl.world, SensorInput{impl.scratch().records, impl.world.joint_loads, impl.scene.step});
  }
  if (profile != nullptr) profile->mark("rest");
  for (std::size_t k = 0, count = impl.after_step.size(); k < count; ++k) {
    const AfterStep callback = impl.after_step[k];
    callback(*this, report);
  }
  return report;
}

void Simulation::set_profile(Profile* profile) { impl().scratch().profile = profile; }

World& Simulation::world() { return impl().world; }
const World& Simulation::world() const { return impl().world; }
const Scene& Simulation::scene() const { return impl().scene; }
double Simulation::step_length() const { return impl().scene.step; }
int Simulation::threads() const { return impl().scratch().runner.threads(); }
std::span<const ContactRecord> Simulation::contacts() const { return impl().scratch().records; }

std::span<const JointLoad> Simulation::joint_loads() const { return impl().world.joint_loads; }

JointMotion Simulation::joint_motion(JointHandle handle) const { return joint_motion(world().index_of(handle)); }

const JointLoad& Simulation::joint_load(JointHandle handle) const {
  const std::uint32_t index = world().index_of(handle);
  return impl().world.joint_loads[index];
}

JointMotion Simulation::joint_motion(std::uint32_t index) const {
  const World& world = impl().world;
  const WorldJoint& joint = world.joints.at(index);
  const JointPose pose = place_joint(joint, world.bodies, world.joint_states[index].position);
  JointMotion motion;
  for (std::size_t axis = 0; axis < joint.axis_count; ++axis) {
    motion.position[axis] = pose.position[axis];
    Row row = make_axis_row(joint, world.bodies, pose, axis);
    row.body_a = joint.body_a;
    row.body_b = joint.body_b;
    motion.rate[axis] = row_velocity(row, world.bodies.velocity);
  }
  return motion;
}

std::span<const SensorInfo> Simulation::sensors() const { return impl().sensors.infos(); }

std::span<const double> Simulation::sensor_values() const { return impl().sensors.values(); }

std::span<const double> Simulation::sensor_values(std::string_view name) const {
  for (const SensorInfo& info : impl().sensors.infos()) {
    if (info.name == name) return impl().sensors.values().subspan(info.first, info.columns.size());
  }
  throw std::out_of_range("there is no sensor '" + std::string(name) + "'");
}

void Simulation::watch_events(const EventOptions& options, EventListener listener) {
  impl().watched = options;
  impl().listener = std::move(listener);
}

std::span<const ContactEvent> Simulation::events() const { return impl().events; }

double Simulation::penetration() {
  Impl& impl = this->impl();
  DetectWorkspace& helper = impl.few_awake ? impl.measuring : impl.scratch().detection;
  return impl.meter.measure(impl.world, impl.scratch().runner, helper).depth;
}

void Simulation::restore(const World& world) {
  const std::string foreign = find_foreign_part(world, impl().scene, impl().shapes);
  if (!foreign.empty()) throw std::invalid_argument("cannot restore the world of another scene: " + foreign);
  impl().world = world;
  impl().event_scratch = {};  // it knows the other world
  impl().sensors.measure(impl().world, std::nullopt);
}

void step_together(std::span<Simulation* const> simulations, std::int64_t steps, int threads,
                   std::span<StepReport> reports) {
  if (reports.size() != simulations.size()) throw std::invalid_argument("step_together: one report per simulation");
  if (threads < 1) throw std::invalid_argument("step_together: at least one thread is needed");
  BlockRunner runner(threads);
  runner.run(simulations.size(), 1, [&](std::size_t, std::size_t first, std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      reports[k] = {};
      for (std::int64_t n = 0; n < steps && !reports[k].stopped; ++n) reports[k] = simulations[k]->step();
    }
  });
}

}  // namespace achilles
