#include <achilles/simulation.hpp>

#include "math/refill.hpp"
#include "time_control/advance.hpp"
#include "time_control/awake_set.hpp"
#include "world/body_arrays.hpp"
#include "world/events.hpp"
#include "world/penetration_meter.hpp"

#include <algorithm>
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
/// alike: within a step nobody knows yet how far contacts let a body go.
double measure_work_of_forces(const BodyArrays& bodies, std::size_t i, const BodyBefore& before) {
  const Vec3 force = bodies.constant_force[i] + before.applied_force;
  const Vec3 torque = bodies.constant_torque[i] + before.applied_torque;
  if (!bodies.is_movable(i) || (force.isZero(0) && torque.isZero(0))) return 0;
  const Eigen::AngleAxisd turn(bodies.orientation[i] * before.orientation.conjugate());
  return force.dot(bodies.position[i] - before.position) + torque.dot(turn.angle() * turn.axis());
}

std::string say_not_finite(const std::string& name) { return "the state of body '" + name + "' ceased to be finite"; }

}  // namespace

struct Simulation::Impl {
  Scene scene;
  Method method;
  World world;
  StepWorkspace scratch;
  AwakeSet awake;
  bool few_awake = false;  // the last step was one of the awake part
  PenetrationMeter meter;
  DetectWorkspace measuring;  // where the step's own follows the part
  std::span<const JointLoad> joint_loads;
  std::optional<EventOptions> watched;
  EventListener listener;
  EventWorkspace event_scratch;
  std::vector<ContactEvent> events;

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
    ContactCache cache;  // empty where the workspace still has it
    std::vector<JointState> joints;
    std::vector<std::uint8_t> asleep;
    bool may_sleep = false;
    SleepState sleep;  // where somebody may sleep
    double time = 0;
    std::int64_t step_index = 0;
  } before;

  /// Methods that replace the World's memory of contacts at the end of a step and touch it nowhere else: the workspace
  /// then has the former one, and nothing need be copied.
  [[nodiscard]] bool exchanges_cache_once() const {
    return std::holds_alternative<SoftStepOptions>(method) || std::holds_alternative<ShockPropagationOptions>(method) ||
           std::holds_alternative<LcpFixedOptions>(method);
  }
  [[nodiscard]] bool may_sleep() const {
    const std::optional<Sleeping> sleeping = find_sleeping(method, scene.step);
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
  scratch.runner.run(bodies.size(), kBodyBlock, [&](std::size_t, std::size_t first, std::size_t last) {
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
  scratch.cache_exchanges = scratch.manifold_exchanges = 0;
  if (!exchanges_cache_once()) {
    copy_to(world.contact_cache.contacts, before.cache.contacts);
    copy_to(world.contact_cache.points, before.cache.points);
  }
  copy_to(world.joint_states, before.joints);
  before.may_sleep = may_sleep();
  if (before.may_sleep) before.sleep = world.sleep;
  before.time = world.time;
  before.step_index = world.step_index;
}

void Simulation::Impl::return_to_before() {
  copy_to(before.position, world.bodies.position);
  copy_to(before.orientation, world.bodies.orientation);
  copy_to(before.velocity, world.bodies.velocity);
  copy_to(before.applied_force, world.bodies.applied_force);
  copy_to(before.applied_torque, world.bodies.applied_torque);
  if (!exchanges_cache_once()) {
    world.contact_cache = before.cache;
  } else if (scratch.cache_exchanges > 0) {
    std::swap(world.contact_cache, scratch.next_cache);
  }
  if (scratch.manifold_exchanges > 0) std::swap(world.manifold_memory, scratch.next_manifolds);
  copy_to(before.joints, world.joint_states);
  copy_to(before.asleep, world.bodies.asleep);
  if (before.may_sleep) world.sleep = before.sleep;
  world.time = before.time;
  world.step_index = before.step_index;
}

void Simulation::Impl::find_events(StepReport& report) {
  achilles::find_events(world, *watched, scratch.runner.threads(), event_scratch, events);
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
  impl_->scene = scene;
  try {
    impl_->method = make_method(scene.method);
  } catch (const std::invalid_argument& error) {
    throw refuse("method", error.what());
  }
  const std::vector<std::string> obstacles = find_obstacles(impl_->method, scene);
  if (!obstacles.empty()) throw refuse("method", obstacles.front());
  try {
    impl_->world = World(scene);
  } catch (const std::invalid_argument& error) {
    throw refuse("bodies", error.what());
  }
  if (scene.events) impl_->watched = scene.events->options;
  if (!scene.triggers.empty() && !impl_->watched) impl_->watched = EventOptions{};
  impl_->scratch.runner.set_threads(threads);
}

Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

/// What forces did in the step, and whether it left numbers.
void Simulation::Impl::look_over(StepReport& report, std::string& nonsense) {
  overviews.resize(BlockRunner::count_blocks(world.bodies.size(), kBodyBlock));
  scratch.runner.run(world.bodies.size(), kBodyBlock, [&](std::size_t block, std::size_t first, std::size_t last) {
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
  if (!finite) nonsense = say_not_finite(world.names[world.first_not_finite().value()]);
}

StepReport Simulation::Impl::step_whole() {
  remember();
  StepReport report;
  std::string nonsense;
  try {
    report = advance(world, method, scratch, scene.step);
    look_over(report, nonsense);
  } catch (const std::invalid_argument& error) {
    nonsense = error.what();  // a stage was handed numbers that grew beyond what it can compute with
  }
  joint_loads = scratch.joint_loads;
  if (nonsense.empty()) return report;
  return_to_before();
  report.stopped = Stop{"not-finite", before.time, nonsense};
  return report;
}

StepReport Simulation::Impl::step_awake() {
  StepReport report;
  std::string nonsense;
  const World& part = awake.part();
  try {
    report = advance_woken(awake.part(), method, scratch, scene.step);
    const BodyArrays& old = world.bodies;
    for (std::uint32_t k = 0; k < part.bodies.size(); ++k) {
      const std::uint32_t i = awake.body_of(k);
      report.external_work += measure_work_of_forces(
          part.bodies, k, {old.position[i], old.orientation[i], old.applied_force[i], old.applied_torque[i]});
    }
    if (const std::optional<std::uint32_t> body = part.first_not_finite()) nonsense = say_not_finite(part.names[*body]);
  } catch (const std::invalid_argument& error) {
    nonsense = error.what();
  }
  if (nonsense.empty()) {
    awake.scatter(world, scratch, report);
    joint_loads = awake.joint_loads();
  } else {
    AwakeSet::abandon(world);
    report.stopped = Stop{"not-finite", world.time, nonsense};
  }
  return report;
}

StepReport Simulation::step() {
  Impl& impl = *impl_;
  Profile* profile = impl.scratch.profile;
  if (profile != nullptr) profile->begin_step();
  const std::optional<Sleeping> sleeping = find_sleeping(impl.method, impl.scene.step);
  impl.few_awake = sleeping && impl.awake.gather(impl.world, *sleeping, impl.scratch);
  if (profile != nullptr && impl.few_awake) {
    profile->mark("awake set");
    profile->count("bodies in the step", static_cast<double>(impl.awake.part().bodies.size()));
  }
  StepReport report = impl.few_awake ? impl.step_awake() : impl.step_whole();
  const bool was_taken_back = report.stopped && report.stopped->reason == "not-finite";
  if (impl.watched && !was_taken_back) impl.find_events(report);
  if (profile != nullptr) profile->mark("rest");
  return report;
}

void Simulation::set_profile(Profile* profile) { impl_->scratch.profile = profile; }

World& Simulation::world() { return impl_->world; }
const World& Simulation::world() const { return impl_->world; }
const Scene& Simulation::scene() const { return impl_->scene; }
double Simulation::step_length() const { return impl_->scene.step; }
std::span<const ContactRecord> Simulation::contacts() const { return impl_->scratch.records; }

std::span<const JointLoad> Simulation::joint_loads() const { return impl_->joint_loads; }

void Simulation::watch_events(const EventOptions& options, EventListener listener) {
  impl_->watched = options;
  impl_->listener = std::move(listener);
}

std::span<const ContactEvent> Simulation::events() const { return impl_->events; }

double Simulation::penetration() {
  DetectWorkspace& helper = impl_->few_awake ? impl_->measuring : impl_->scratch.detection;
  return impl_->meter.measure(impl_->world, impl_->scratch.runner, helper).depth;
}

void Simulation::restore(World world) {
  impl_->world = std::move(world);
  impl_->event_scratch = {};  // it knows the other world
}

}  // namespace achilles
