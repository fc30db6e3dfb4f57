// The public API called in any order with any arguments, under every method: it does what it was asked or throws what
// it documents. What it must not do is crash, hang or leave a world that cannot be saved; run under the sanitizers it
// must not touch what is not its own either.
#include "api/random_arguments.hpp"
#include "methods/method_spec.hpp"
#include "record/recording.hpp"
#include "support/full_size.hpp"
#include "support/temporary_folder.hpp"

#include <achilles/contact_graph.hpp>
#include <achilles/query.hpp>
#include <achilles/recorder.hpp>
#include <achilles/simulation.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace achilles {
namespace {

class Caller : testing::RandomArguments {
 public:
  Caller(std::uint64_t seed, const MethodSpec& method)
      : RandomArguments(seed), simulation_(make_scene(method)), query_(world()) {
    for (std::uint32_t k = 0; k < world().bodies.size(); ++k) handles_.push_back(world().handle_of(k));
  }

  void call() {
    static constexpr std::array kCalls{
        &Caller::add_body,   &Caller::remove_body,   &Caller::add_joint,   &Caller::change_joint,
        &Caller::move_body,  &Caller::push_body,     &Caller::sleep,       &Caller::add_others,
        &Caller::ask,        &Caller::cast,          &Caller::save,        &Caller::replace,
        &Caller::watch,      &Caller::add_callbacks, &Caller::copy,        &Caller::record,
        &Caller::couple,     &Caller::ask_joint,     &Caller::ask_sensors, &Caller::change_materials,
        &Caller::take_steps, &Caller::take_steps,    &Caller::take_steps,  &Caller::take_steps};
    try {
      (this->*kCalls[pick(kCalls.size())])();
    } catch (const std::logic_error&) {  // std::invalid_argument, std::out_of_range, or of what was moved from
    } catch (const std::runtime_error&) {
    }
  }

  void check() {
    std::ostringstream out;
    world().save(out);
    std::istringstream in(out.str());
    ASSERT_EQ(World::load(in).state_hash(), world().state_hash());
    ASSERT_FALSE(world().first_not_finite());
    ASSERT_EQ(simulation_.joint_loads().size(), world().joints.size());
  }

 private:
  /// With what the method knows of: scripts, and a joint with the sensors for it.
  static Scene make_scene(const MethodSpec& method) {
    const Capabilities& can = method.capabilities;
    std::string text =
        "achilles: 1\n"
        "time: {step: 0.01, duration: 1}\n"
        "method: {name: " +
        std::string(method.name) +
        "}\n"
        "bodies:\n"
        "  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
        "  - {name: a, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n"
        "  - {name: b, shape: {sphere: {radius: 0.5}}, position: [0, 0, 1.6]}\n"
        "  - {name: c, shape: {capsule: {radius: 0.3, length: 1}}, position: [2, 0, 0.9]}\n";
    if (can.scripts) {
      text += "  - {name: lift, kind: scripted, shape: {box: {size: [1, 1, 0.2]}}, position: [5, 0, 0.5]}\n";
    }
    if (can.joints) {
      text +=
          "joints:\n"
          "  - {name: joint0, kind: hinge, between: [a, c], at: [1, 0, 0.9], axis: [0, 1, 0]}\n";
    }
    text +=
        "sensors:\n"
        "  - {name: feel, kind: touch, body: a}\n"
        "  - {name: force, kind: contact_force, body: b}\n"
        "  - {name: inertial, kind: imu, body: b}\n"
        "  - {name: place, kind: frame, body: c}\n"
        "  - {name: ray, kind: distance_ray, body: b, direction: [0, 0, -1]}\n";
    if (can.joints) {
      text +=
          "  - {name: angle, kind: joint_position, joint: joint0}\n"
          "  - {name: rate, kind: joint_velocity, joint: joint0}\n"
          "  - {name: torque, kind: joint_torque, joint: joint0}\n";
    }
    return parse_scene(text);
  }

  BodyHandle handle() {
    if (handles_.empty() || one_in(12)) return {index(8), static_cast<std::uint32_t>(pick(4))};
    return handles_[pick(handles_.size())];  // of the dead as well
  }
  World& world() { return simulation_.world(); }

  void add_body() {
    if (world().bodies.size() <= 12) handles_.push_back(world().add_body(body()));
  }
  void remove_body() {
    if (one_in(2)) world().remove_body(handle());
  }
  void add_joint() {
    if (world().joints.size() <= 6) (void)world().add_joint(joint());
  }
  void change_joint() {
    const std::uint32_t which = index(world().joints.size());
    switch (pick(4)) {
      case 0:
        return world().remove_joint(which);
      case 1:
        return world().set_motor(which, pick(3), {static_cast<JointDrive::Motor>(pick(3)), number(), length()});
      case 2:
        return world().set_drive(which, pick(3), std::nullopt);
      default:
        return world().set_drive(which, pick(3), drive());
    }
  }
  void couple() {
    if (world().couplings.size() < 3) (void)world().add_coupling(coupling());
  }
  void move_body() {
    one_in(2) ? world().set_pose(handle(), pose()) : world().set_velocity(handle(), {vector(), vector()});
  }
  void push_body() {
    const BodyHandle body = handle();
    world().apply_force(body, vector(), vector());
    world().apply_torque(body, vector());
    world().apply_impulse(body, vector(), vector());
  }
  void sleep() {
    const std::uint32_t first = index(world().bodies.size()), second = index(world().bodies.size());
    switch (pick(4)) {
      case 0:
        return world().wake(first);
      case 1:
        return world().wake_all();
      case 2:
        return world().wake(std::array{first, second});
      default:
        return world().ignore_pair(first, second);
    }
  }
  void add_others() {
    if (world().triggers.size() < 3 && one_in(2)) {
      (void)world().add_trigger({"trigger", shape(), pose()});
    } else if (one_in(2)) {
      (void)world().add_timer(0.01 * length());
    } else {
      world().add_script(script());
    }
  }
  void change_materials() { world().materials = MaterialTable(materials(), {}); }

  void ask() {
    (void)world().is_alive(handle());
    (void)world().has_existed(handle());
    (void)world().kinetic_energy();
    (void)world().potential_energy();
    (void)world().linear_momentum();
    (void)world().angular_momentum();
    (void)simulation_.penetration();
    (void)simulation_.events();
    (void)make_contact_graph(world(), simulation_.contacts());
    (void)world().pose(handle());
    (void)world().velocity(handle());
    (void)world().handle_of(index(world().bodies.size()));
    (void)world().find(name());
  }
  void ask_joint() {
    const std::uint32_t which = index(world().joints.size());
    switch (pick(3)) {
      case 0:
        return (void)simulation_.joint_motion(which);
      case 1:
        return (void)world().joint_rate(which, pick(3));
      default:
        return (void)world().find_joint(joint_name());
    }
  }
  void ask_sensors() {
    std::size_t count = 0;
    for (const SensorInfo& sensor : simulation_.sensors()) {
      EXPECT_EQ(simulation_.sensor_values(sensor.name).size(), sensor.columns.size());
      count += sensor.columns.size();
    }
    EXPECT_EQ(simulation_.sensor_values().size(), count);
    (void)simulation_.sensor_values(name());
  }
  void cast() {
    if (one_in(2)) query_.update(world());
    switch (pick(5)) {
      case 0:
        return (void)query_.cast_ray(vector(), vector(), {}, length());
      case 1:
        return (void)query_.cast_ray_through(vector(), vector());
      case 2:
        return (void)query_.cast_shape(shape(), pose(), vector());
      case 3:
        return (void)query_.find_overlaps(shape(), pose());
      default:
        return (void)query_.find_closest_point(vector(), {}, length());
    }
  }

  void save() {
    std::ostringstream out;
    world().save(out);
    std::string bytes = out.str();
    if (one_in(2)) bytes[pick(bytes.size())] ^= static_cast<char>(1U << pick(8));
    std::istringstream in(bytes);
    simulation_.restore(World::load(in));
  }
  void take_steps() {
    for (std::size_t k = pick(3) + 1; k > 0; --k) (void)simulation_.step();
  }
  void replace() {
    Simulation other = std::move(simulation_);
    EXPECT_THROW((void)simulation_.step(), std::logic_error) << "what was moved from takes a step";
    simulation_ = std::move(other);
  }
  /// A copy goes the same way, also to the same error, alone or together with others.
  void copy() {
    std::array<Simulation, 2> copies{simulation_, simulation_};
    const std::array<Simulation*, 2> list{&copies[0], &copies[1]};
    std::array<StepReport, 2> reports;
    std::string error, other_error;
    try {
      (void)simulation_.step();
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    try {
      step_together(list, 1, 2, reports);
    } catch (const std::exception& thrown) {
      other_error = thrown.what();
    }
    ASSERT_EQ(error, other_error);
    if (!error.empty()) return;
    for (const Simulation& copy : copies) ASSERT_EQ(copy.world().state_hash(), world().state_hash());
    if (one_in(2)) simulation_ = copies[pick(2)];
  }
  void watch() {
    EventOptions options;
    options.proximity = number();
    options.touching = number();
    options.persistent = one_in(2);
    simulation_.watch_events(options, [](const ContactEvent&) {});
  }

  /// Callbacks depend on the world alone, so that copies of the simulation go the same way.
  void add_callbacks() {
    if (callbacks_ < 3) {
      ++callbacks_;
      const Vec3 push = vector();
      const std::size_t period = 1 + pick(4);
      const bool throws = one_in(4);
      simulation_.before_each_step([push, period, throws](Simulation& simulation) {
        World& world = simulation.world();
        if (world.step_index % static_cast<std::int64_t>(period) != 0 || world.bodies.size() == 0) return;
        if (throws) throw std::runtime_error("a callback of the program");
        world.apply_force(world.handle_of(0), push, Vec3::Zero());
      });
      simulation_.after_each_step([](Simulation& simulation, const StepReport&) {
        EXPECT_THROW((void)simulation.step(), std::logic_error);
        (void)simulation.penetration();
      });
    }
    if (one_in(3)) return simulation_.set_contact_callback({});
    const double friction = length(), restitution = one_in(2) ? 0 : length();
    const Vec3 normal = one_in(8) ? vector() : Vec3::Zero();
    const bool rejects = one_in(3);
    simulation_.set_contact_callback([=](const World& world, ProposedContact& contact) {
      contact.friction = friction;
      contact.restitution = restitution;
      if (!normal.isZero(0) && !contact.points.empty()) contact.points[0].normal = normal;
      return !(rejects && world.step_index % 3 == 0);
    });
  }

  /// A recording of a few steps with calls between them; what it holds can be read.
  void record() {
    if (!one_in(4)) return;
    Profile profile;
    RunOptions options;
    options.record_path = folder_.file("run.h5");
    options.csv_path = folder_.file("run.csv");
    options.every = 0.01;
    options.profile = &profile;
    struct NoProfile {
      Simulation& simulation;
      ~NoProfile() { simulation.set_profile(nullptr); }
    } const guard{simulation_};
    Recorder recorder(simulation_, options);
    try {
      for (int k = 0; k < 3; ++k) {
        (void)recorder.step();
        one_in(2) ? push_body() : add_body();
      }
    } catch (const std::exception&) {
    }
    (void)recorder.report();
    (void)recorder.finish();
    const Recording recording(options.record_path);
    Instant instant;
    for (std::size_t k = 0; k < recording.instants(); ++k) recording.read(k, instant);
  }

  const testing::TemporaryFolder folder_;
  Simulation simulation_;
  WorldQuery query_;
  std::vector<BodyHandle> handles_;
  int callbacks_ = 0;
};

class RandomCalls : public ::testing::TestWithParam<std::string> {};

TEST_P(RandomCalls, OfAnyOrderAndArgumentDoWhatTheyDocument) {
  const MethodSpec* const method = find_method(GetParam());
  const std::uint64_t seeds = is_full() ? 2000 : 40;
  for (std::uint64_t seed = 0; seed < seeds && !HasFailure(); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Caller caller(seed, *method);
    for (int k = 0; k < 60 && !HasFailure(); ++k) {
      caller.call();
      if (k % 20 == 19) caller.check();
    }
  }
}

std::vector<std::string> list_methods() {
  std::vector<std::string> names;
  for (const MethodSpec& method : method_specs()) names.emplace_back(method.name);
  return names;
}

std::string name_test(const ::testing::TestParamInfo<std::string>& method) {
  std::string name = method.param;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(, RandomCalls, ::testing::ValuesIn(list_methods()), name_test);

}  // namespace
}  // namespace achilles
