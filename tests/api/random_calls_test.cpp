// The public API called in any order with any arguments: it does what it was asked or throws what it documents. What it
// must not do is crash, hang or leave a world that cannot be saved; run under the sanitizers it must not touch what is
// not its own either.
#include <achilles/contact_graph.hpp>
#include <achilles/query.hpp>
#include <achilles/simulation.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

namespace achilles {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

class Caller {
 public:
  Caller(std::uint64_t seed, const char* method) : engine_(seed), simulation_(make_scene(method)), query_(world()) {
    for (std::uint32_t k = 0; k < world().bodies.size(); ++k) handles_.push_back(world().handle_of(k));
  }

  void call() {
    static constexpr std::array kCalls{
        &Caller::add_body,   &Caller::remove_body, &Caller::add_joint, &Caller::change_joint,
        &Caller::move_body,  &Caller::push_body,   &Caller::sleep,     &Caller::add_others,
        &Caller::ask,        &Caller::cast,        &Caller::save,      &Caller::take_steps,
        &Caller::take_steps, &Caller::take_steps,  &Caller::replace,   &Caller::watch};
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
  }

 private:
  static Scene make_scene(const char* method) {
    return parse_scene(std::string("achilles: 1\n"
                                   "time: {step: 0.01, duration: 1}\n"
                                   "method: {name: ") +
                       method +
                       "}\n"
                       "bodies:\n"
                       "  - {name: ground, kind: fixed, shape: {plane: {normal: [0, 0, 1]}}}\n"
                       "  - {name: lift, kind: scripted, shape: {box: {size: [1, 1, 0.2]}}, position: [5, 0, 0.5]}\n"
                       "  - {name: a, shape: {box: {size: [1, 1, 1]}}, position: [0, 0, 0.5]}\n"
                       "  - {name: b, shape: {sphere: {radius: 0.5}}, position: [0, 0, 1.6]}\n"
                       "  - {name: c, shape: {capsule: {radius: 0.3, length: 1}}, position: [2, 0, 0.9]}\n");
  }

  std::size_t pick(std::size_t count) { return engine_() % count; }
  double number() {
    static constexpr std::array kOdd{0.0, -0.0, -1.0, 1e-9, 1e3, kInf, -kInf, kNotANumber};
    if (pick(12) == 0) return kOdd[pick(kOdd.size())];
    return std::uniform_real_distribution<double>(-2, 2)(engine_);
  }
  double length() { return pick(4) == 0 ? number() : std::uniform_real_distribution<double>(0.1, 1)(engine_); }
  Vec3 vector() { return {number(), number(), number()}; }
  Quat rotation() { return {number(), number(), number(), number()}; }
  Pose pose() { return {3 * vector(), rotation()}; }
  std::uint32_t index(std::size_t count) {
    return pick(8) == 0 ? static_cast<std::uint32_t>(engine_()) : static_cast<std::uint32_t>(pick(count + 1));
  }
  BodyHandle handle() {
    if (handles_.empty() || pick(12) == 0) {
      return {static_cast<std::uint32_t>(engine_()), static_cast<std::uint32_t>(pick(4))};
    }
    return handles_[pick(handles_.size())];  // of the dead as well
  }
  std::string name() {
    static constexpr std::array kNames{"a", "b", "c", "ground", "lift", "nobody", ""};
    return kNames[pick(kNames.size())];
  }
  Shape shape() {
    switch (pick(9)) {
      case 0:
        return {Sphere{length()}};
      case 1:
        return {Box{Vec3(length(), length(), length())}};
      case 2:
        return {Capsule{length(), length()}};
      case 3:
        return {Cylinder{length(), length()}};
      case 4:
        return {Cone{length(), length()}};
      case 5:
        return {Plane{vector(), number()}};
      case 6: {
        Hull hull;
        for (std::size_t k = pick(8); k > 0; --k) hull.points.push_back(vector());
        return {hull};
      }
      case 7: {
        Mesh mesh;
        for (std::size_t k = pick(6); k > 0; --k) mesh.vertices.push_back(vector());
        for (std::size_t k = pick(4); k > 0; --k) {
          mesh.triangles.push_back(
              {static_cast<int>(pick(7)) - 1, static_cast<int>(pick(6)), static_cast<int>(pick(6))});
        }
        return {mesh};
      }
      default:
        return {NoShape{}};
    }
  }
  World& world() { return simulation_.world(); }

  void add_body() {
    if (world().bodies.size() > 12) return;
    BodyDescription body;
    body.name = pick(3) == 0 ? name() : "new" + std::to_string(pick(20));
    body.kind = static_cast<BodyKind>(pick(3));
    body.shape = shape();
    if (pick(3) == 0) body.mass = length();
    if (pick(6) == 0) body.inertia = length() * Mat3::Identity();
    if (pick(6) == 0) body.center = vector();
    body.pose = pose();
    body.velocity = vector();
    body.spin = vector();
    if (pick(8) == 0) body.material = "nothing";
    if (pick(4) == 0) body.locks.bits = static_cast<std::uint8_t>(pick(64));
    if (pick(8) == 0) body.force = vector();
    handles_.push_back(world().add_body(body));
  }
  void remove_body() {
    if (pick(2) == 0) world().remove_body(handle());
  }
  void add_joint() {
    if (world().joints.size() > 6) return;
    JointDescription joint;
    joint.name = pick(4) == 0 ? "" : "joint" + std::to_string(pick(9));
    joint.kind = static_cast<JointKind>(pick(8));
    joint.first = name();
    joint.second = name();
    joint.at = vector();
    for (std::size_t k = pick(4); k > 0; --k) {
      JointAxis axis;
      axis.axis = vector();
      if (pick(3) == 0) axis.limits = {number(), number()};
      if (pick(3) == 0) axis.motor_speed = number();
      axis.motor_max = length();
      axis.stiffness = pick(3) == 0 ? length() : 0;
      joint.axes.push_back(axis);
    }
    if (pick(4) == 0) joint.at_second = vector();
    if (pick(4) == 0) joint.length = number();
    if (pick(6) == 0) joint.compliance = number();
    (void)world().add_joint(joint);
  }
  void change_joint() {
    const std::uint32_t which = index(world().joints.size());
    if (pick(3) == 0) {
      world().remove_joint(which);
    } else {
      world().set_motor(which, pick(3), {static_cast<JointDrive::Motor>(pick(3)), number(), length()});
    }
    (void)world().find_joint(name());
  }
  void move_body() {
    pick(2) == 0 ? world().set_pose(handle(), pose()) : world().set_velocity(handle(), {vector(), vector()});
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
    if (world().triggers.size() < 3 && pick(2) == 0) {
      (void)world().add_trigger({"trigger", shape(), pose()});
    } else if (pick(2) == 0) {
      (void)world().add_timer(0.01 * length());
    } else {
      ScriptDescription script;
      script.body = name();
      for (std::size_t k = pick(4); k > 0; --k) script.space.push_back(vector());
      for (std::size_t k = pick(3); k > 0; --k) script.speed.emplace_back(number(), number());
      for (std::size_t k = pick(3); k > 0; --k) script.turn.emplace_back(number(), rotation());
      world().add_script(script);
    }
  }
  void ask() {
    (void)world().is_alive(handle());
    (void)world().kinetic_energy();
    (void)world().angular_momentum();
    (void)simulation_.penetration();
    (void)make_contact_graph(world(), simulation_.contacts());
    (void)simulation_.joint_loads();
    (void)world().pose(handle());
    (void)world().velocity(handle());
    (void)world().handle_of(index(world().bodies.size()));
    (void)world().find(name());
  }
  void cast() {
    if (pick(2) == 0) query_.update(world());
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
    if (pick(2) == 0) bytes[pick(bytes.size())] ^= static_cast<char>(1U << pick(8));
    std::istringstream in(bytes);
    simulation_.restore(World::load(in));
  }
  void take_steps() {
    for (std::size_t k = pick(3) + 1; k > 0; --k) (void)simulation_.step();
  }
  void replace() {
    Simulation other = std::move(simulation_);
    try {
      (void)simulation_.step();
      ADD_FAILURE() << "a simulation that was moved from takes a step";
    } catch (const std::logic_error&) {
    }
    simulation_ = std::move(other);
  }
  void watch() {
    EventOptions options;
    options.proximity = number();
    options.touching = number();
    simulation_.watch_events(options, [](const ContactEvent&) {});
  }

  std::mt19937_64 engine_;
  Simulation simulation_;
  WorldQuery query_;
  std::vector<BodyHandle> handles_;
};

void call_at_random(const char* method, std::uint64_t seed) {
  Caller caller(seed, method);
  for (int k = 0; k < 60; ++k) {
    caller.call();
    if (k % 20 == 19) caller.check();
  }
}

RC_GTEST_PROP(RandomCalls, OfAnyOrderAndArgumentDoWhatTheyDocumentUnderLcpFixed, (std::uint64_t seed)) {
  call_at_random("lcp-fixed", seed);
}

RC_GTEST_PROP(RandomCalls, OfAnyOrderAndArgumentDoWhatTheyDocumentUnderSoftStep, (std::uint64_t seed)) {
  call_at_random("soft-step", seed);
}

}  // namespace
}  // namespace achilles
