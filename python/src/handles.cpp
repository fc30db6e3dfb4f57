// Handles of single bodies and joints.
#include "core.hpp"
#include "motors.hpp"

#include <algorithm>
#include <cmath>

namespace achilles::python {
namespace {

using CorePointer = std::shared_ptr<Core>;

[[noreturn]] void throw_dead(const std::string& what) {
  const py::object type = py::module_::import("achilles._core").attr("DeadHandleError");
  PyErr_SetString(type.ptr(), what.c_str());
  throw py::error_already_set();
}

/// A body of a running simulation, by a handle that knows when it was removed.
struct BodyReference {
  CorePointer core;
  BodyHandle handle;

  [[nodiscard]] World& world() const {
    World& own = core->world();
    if (!own.is_alive(handle)) throw_dead("this body was removed");
    return own;
  }
  [[nodiscard]] World& change() const {
    (void)world();
    return core->change();
  }
  [[nodiscard]] std::uint32_t index() const { return world().index_of(handle); }
};

BodyReference find_body(const CorePointer& core, const std::string& name) {
  World& world = core->world();
  const auto found = std::find(world.names.begin(), world.names.end(), name);
  if (found == world.names.end()) throw py::key_error("there is no body '" + name + "'");
  return {core, world.handle_of(static_cast<std::uint32_t>(found - world.names.begin()))};
}

BodyReference get_body(const CorePointer& core, std::int64_t index) {
  World& world = core->world();
  const auto count = static_cast<std::int64_t>(world.names.size());
  if (index < -count || index >= count) {
    throw py::index_error("there are " + std::to_string(count) + " bodies, none of index " + std::to_string(index));
  }
  return {core, world.handle_of(static_cast<std::uint32_t>(index < 0 ? index + count : index))};
}

const char* kind_of(const BodyReference& body) {
  switch (body.world().bodies.kind[body.index()]) {
    case BodyKind::kDynamic:
      return "dynamic";
    case BodyKind::kFixed:
      return "fixed";
    case BodyKind::kScripted:
      return "scripted";
  }
  return "";
}

py::str show_body(const BodyReference& body) {
  if (!body.core->world().is_alive(body.handle)) return "Body(removed)";
  const Vec3 p = body.world().pose(body.handle).p;
  return py::str("Body({!r}, {}, position=[{:.6g}, {:.6g}, {:.6g}])")
      .format(body.world().names[body.index()], kind_of(body), p.x(), p.y(), p.z());
}

void set_position(const BodyReference& body, const py::handle& value) {
  const Vec3 p = to_vec3(value, "position");
  body.change().set_pose(body.handle, {p, body.world().pose(body.handle).q});
}

void set_orientation(const BodyReference& body, const py::handle& value) {
  const Quat q = to_quat(value, "orientation");
  body.change().set_pose(body.handle, {body.world().pose(body.handle).p, q});
}

void set_velocity(const BodyReference& body, const py::handle& value) {
  const Vec3 v = to_vec3(value, "velocity");
  body.change().set_velocity(body.handle, {v, body.world().velocity(body.handle).angular});
}

void set_spin(const BodyReference& body, const py::handle& value) {
  const Vec3 w = to_vec3(value, "spin");
  body.change().set_velocity(body.handle, {body.world().velocity(body.handle).linear, w});
}

/// The same solid of another density.
void set_mass(const BodyReference& body, double mass) {
  BodyArrays& bodies = body.change().bodies;
  const std::uint32_t index = body.index();
  if (!bodies.is_movable(index)) throw py::value_error("only the mass of a dynamic body can be changed");
  if (!(mass > 0) || !std::isfinite(mass)) throw py::value_error("a mass is finite and above 0");
  const double factor = mass / bodies.mass[index];
  bodies.mass[index] = mass;
  bodies.inertia_B[index] *= factor;
  bodies.inverse_inertia_B[index] /= factor;
  body.world().wake(index);
}

/// The point where something acts: the centre of mass unless given.
Vec3 to_point(const BodyReference& body, const py::object& at) {
  return at.is_none() ? body.world().bodies.position[body.index()] : to_vec3(at, "at");
}

void bind_body(py::module_& module) {
  py::class_<BodyReference> body(module, "Body", "A body of a running simulation.");
  body.def_property_readonly(
          "name", [](const BodyReference& b) { return b.world().names[b.index()]; }, "its name in the scene")
      .def_property_readonly("index", &BodyReference::index, "its row in the arrays of the state, at present")
      .def_property_readonly("kind", &kind_of, "'dynamic', 'fixed' or 'scripted'")
      .def_property_readonly(
          "is_alive", [](const BodyReference& b) { return b.core->world().is_alive(b.handle); },
          "False once it was removed")
      .def_property(
          "position", [](const BodyReference& b) { return from_vec3(b.world().pose(b.handle).p); }, &set_position,
          "origin of its frame, as the scene writes it [m]")
      .def_property(
          "orientation", [](const BodyReference& b) { return from_quat(b.world().pose(b.handle).q); }, &set_orientation,
          "unit quaternion w, x, y, z")
      .def_property_readonly(
          "center", [](const BodyReference& b) { return from_vec3(b.world().bodies.position[b.index()]); },
          "centre of mass [m]")
      .def_property(
          "velocity", [](const BodyReference& b) { return from_vec3(b.world().velocity(b.handle).linear); },
          &set_velocity, "of the centre of mass [m/s]")
      .def_property(
          "spin", [](const BodyReference& b) { return from_vec3(b.world().velocity(b.handle).angular); }, &set_spin,
          "angular velocity in world axes [rad/s]")
      .def_property(
          "mass", [](const BodyReference& b) { return b.world().bodies.mass[b.index()]; }, &set_mass,
          "[kg]; a new mass scales the inertia with it")
      .def_property_readonly(
          "asleep", [](const BodyReference& b) { return b.world().bodies.asleep[b.index()] != 0; },
          "whether it sleeps");
  body.def(
          "apply_force",
          [](const BodyReference& b, const py::object& force, const py::object& at) {
            const Vec3 f = to_vec3(force, "force"), x = to_point(b, at);
            b.change().apply_force(b.handle, f, x);
          },
          py::arg("force"), py::arg("at") = py::none(),
          "Adds a force [N] for the next step, at a point of the world [m]; at the centre of mass unless given.")
      .def(
          "apply_torque",
          [](const BodyReference& b, const py::object& torque) {
            b.change().apply_torque(b.handle, to_vec3(torque, "torque"));
          },
          py::arg("torque"), "Adds a torque [N m] for the next step.")
      .def(
          "apply_impulse",
          [](const BodyReference& b, const py::object& impulse, const py::object& at) {
            const Vec3 j = to_vec3(impulse, "impulse"), x = to_point(b, at);
            b.change().apply_impulse(b.handle, j, x);
          },
          py::arg("impulse"), py::arg("at") = py::none(),
          "Changes velocities at once by an impulse [N s] at a point of the world [m].")
      .def(
          "wake", [](const BodyReference& b) { b.change().wake(b.index()); }, "Wakes it and all that sleeps with it.")
      .def(
          "remove",
          [](const BodyReference& b) {
            (void)b.world();
            b.core->remove_body(b.handle);
          },
          "Removes it with its joints; the rows of the arrays above it shift down by one.")
      .def("__eq__",
           [](const BodyReference& a, const py::object& other) {
             if (!py::isinstance<BodyReference>(other)) return false;
             const auto& b = other.cast<const BodyReference&>();
             return a.core == b.core && a.handle == b.handle;
           })
      .def("__hash__",
           [](const BodyReference& b) { return py::hash(py::make_tuple(b.handle.slot, b.handle.generation)); })
      .def("__repr__", &show_body);
}

/// A joint of a running simulation.
struct JointReference {
  CorePointer core;
  JointHandle handle;
  std::string name;

  [[nodiscard]] bool is_alive() const { return core->world().is_alive(handle); }
  [[nodiscard]] std::uint32_t index() const {
    if (!is_alive()) throw_dead("joint '" + name + "' was removed");
    return core->world().index_of(handle);
  }
  [[nodiscard]] const WorldJoint& joint() const { return core->world().joints[index()]; }
};

JointReference get_joint(const CorePointer& core, std::size_t index) {
  return {core, core->world().joint_handle(static_cast<std::uint32_t>(index)), core->world().joint_names[index]};
}

JointReference find_joint(const CorePointer& core, const std::string& name) {
  const std::vector<std::string>& names = core->world().joint_names;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw py::key_error("there is no joint '" + name + "'");
  return get_joint(core, static_cast<std::size_t>(found - names.begin()));
}

/// One number, or as many as there are free axes.
py::object show_axes(const JointReference& joint, const std::array<double, 2>& values) {
  const std::uint32_t axes = joint.joint().axis_count;
  if (axes == 0) return py::none();
  if (axes == 1) return py::float_(values[0]);
  return py::make_tuple(values[0], values[1]);
}

void set_motor(const JointReference& joint, const py::object& speed, const py::object& position, double max,
               std::size_t axis) {
  if (speed.is_none() == position.is_none()) throw py::value_error("set_motor: give speed= or position=");
  const bool is_speed = !speed.is_none();
  const MotorTarget target{is_speed ? JointDrive::Motor::kSpeed : JointDrive::Motor::kPosition,
                           (is_speed ? speed : position).cast<double>(), max};
  const std::uint32_t index = joint.index();
  joint.core->change().set_motor(index, axis, target);
}

void set_spring(const JointReference& joint, double stiffness, double damping, double rest, std::size_t axis) {
  const bool is_possible =
      stiffness >= 0 && damping >= 0 && std::isfinite(stiffness) && std::isfinite(damping) && std::isfinite(rest);
  if (!is_possible) throw py::value_error("set_spring: finite numbers are expected, stiffness and damping not below 0");
  if (axis >= joint.joint().axis_count) throw py::value_error("set_spring: the joint has no such axis");
  const std::uint32_t index = joint.index();
  World& world = joint.core->change();
  JointDrive& drive = world.joints[index].drives[axis];
  drive.stiffness = stiffness;
  drive.damping = damping;
  drive.rest = rest;
  for (const std::uint32_t body : {world.joints[index].body_a, world.joints[index].body_b}) {
    if (world.bodies.is_movable(body)) world.wake(body);
  }
}

Vec3 load_of(const JointReference& joint, Vec3 JointLoad::*part) {
  const std::uint32_t index = joint.index();
  const std::span<const JointLoad> loads = joint.core->use().joint_loads();
  return index < loads.size() ? loads[index].*part : Vec3::Zero();
}

/// Of motors and drives along the free axes.
std::array<double, 2> drive_force_of(const JointReference& joint) {
  const std::uint32_t index = joint.index();
  const std::span<const JointLoad> loads = joint.core->use().joint_loads();
  return index < loads.size() ? loads[index].drive : std::array<double, 2>{};
}

py::object limits_of(const JointReference& joint, std::size_t axis) {
  if (axis >= joint.joint().axis_count) throw py::value_error("limits: the joint has no such axis");
  const JointDrive& drive = joint.joint().drives[axis];
  return py::make_tuple(drive.lower, drive.upper);
}

void set_drive(const JointReference& joint, const std::optional<double>& force, const std::optional<double>& speed,
               const std::optional<double>& position, const std::optional<double>& stiffness,
               const std::optional<double>& damping, const std::optional<double>& max_force,
               const std::optional<double>& max_rate, std::size_t axis) {
  const std::uint32_t index = joint.index();
  change_drive(*joint.core, index, axis, {force, speed, position, stiffness, damping, max_force, max_rate});
}

void bind_drive(py::class_<JointReference>& joint) {
  const py::none none;
  joint
      .def("set_drive", &set_drive, py::kw_only(), py::arg("force") = none, py::arg("speed") = none,
           py::arg("position") = none, py::arg("stiffness") = none, py::arg("damping") = none,
           py::arg("max_force") = none, py::arg("max_rate") = none, py::arg("axis") = 0,
           "What a drive with gains does along a free axis from the next step on, in the words of the scene file; what "
           "is not given stays.")
      .def_property_readonly(
          "drive", [](const JointReference& j) { return show_drive(*j.core, j.index(), 0); },
          "The drive along its first axis: a dict in the words of the scene file, or None.")
      .def_property_readonly(
          "drive_force", [](const JointReference& j) { return show_axes(j, drive_force_of(j)); },
          "of motor and drive along its free axis in the last step [N m] or [N]")
      .def("limits", &limits_of, py::arg("axis") = 0,
           "Lowest and highest position along a free axis [rad] or [m], infinite where there is no limit.");
}

void bind_joint(py::module_& module) {
  py::class_<JointReference> joint(module, "Joint", "A joint of a running simulation.");
  joint.def_readonly("name", &JointReference::name, "its name in the scene")
      .def_property_readonly("index", &JointReference::index, "its row in the arrays of joints, at present")
      .def_property_readonly("is_alive", &JointReference::is_alive, "False once it was removed")
      .def_property_readonly(
          "bodies",
          [](const JointReference& j) {
            const World& world = j.core->world();
            return py::make_tuple(BodyReference{j.core, world.handle_of(j.joint().body_a)},
                                  BodyReference{j.core, world.handle_of(j.joint().body_b)});
          },
          "the two bodies that it holds together")
      .def_property_readonly(
          "position",
          [](const JointReference& j) { return show_axes(j, j.core->use().joint_motion(j.index()).position); },
          "along its free axis [rad] or [m], 0 at the start of the scene; two numbers where there are two axes")
      .def_property_readonly(
          "velocity", [](const JointReference& j) { return show_axes(j, j.core->use().joint_motion(j.index()).rate); },
          "along its free axis [rad/s] or [m/s]")
      .def_property_readonly(
          "motor_target",
          [](const JointReference& j) {
            const WorldJoint& own = j.joint();
            return show_axes(j, {own.drives[0].motor_target, own.drives[1].motor_target});
          },
          "what the motor goes to [rad], [m], [rad/s] or [m/s]")
      .def("set_motor", &set_motor, py::kw_only(), py::arg("speed") = py::none(), py::arg("position") = py::none(),
           py::arg("max"), py::arg("axis") = 0,
           "What the motor does from the next step on: a speed [rad/s] or [m/s], or a position [rad] or [m], with at "
           "most `max` [N m] or [N].")
      .def("set_spring", &set_spring, py::kw_only(), py::arg("stiffness"), py::arg("damping") = 0.0,
           py::arg("rest") = 0.0, py::arg("axis") = 0,
           "The spring and damper along a free axis from the next step on [N m/rad] or [N/m], [N m s/rad] or [N s/m].")
      .def_property_readonly(
          "force", [](const JointReference& j) { return from_vec3(load_of(j, &JointLoad::force)); },
          "on its second body in the last step [N]")
      .def_property_readonly(
          "torque", [](const JointReference& j) { return from_vec3(load_of(j, &JointLoad::torque)); },
          "on its second body in the last step, about its anchor [N m]")
      .def(
          "remove", [](const JointReference& j) { (void)j.index(), j.core->remove_joint(j.handle); }, "Removes it.")
      .def("__eq__",
           [](const JointReference& a, const py::object& other) {
             if (!py::isinstance<JointReference>(other)) return false;
             const auto& b = other.cast<const JointReference&>();
             return a.core == b.core && a.handle == b.handle;
           })
      .def("__hash__", [](const JointReference& j) { return py::hash(py::int_(j.handle.id)); })
      .def("__repr__", [](const JointReference& j) {
        return py::str(j.is_alive() ? "Joint({!r})" : "Joint({!r}, removed)").format(j.name);
      });
  bind_drive(joint);
}

}  // namespace

void bind_handles(py::class_<Core, CorePointer>& simulation, py::module_& module) {
  bind_body(module);
  bind_joint(module);
  simulation.def("body", &find_body, py::arg("name"), "The body of this name; KeyError when there is none.");
  simulation.def("body", &get_body, py::arg("index"), "The body of this index.");
  simulation.def("joint", &find_joint, py::arg("name"), "The joint of this name; KeyError when there is none.");
  simulation.def_property_readonly(
      "motors", &list_motor_names,
      "Names of the joints with a motor or drive along their first axis, in the order of motor_target.");
  simulation.def_property(
      "motor_target",
      [](Core& core) {
        const std::vector<double> targets = read_motor_targets(core);
        return make_read_only(py::array_t<double>(static_cast<py::ssize_t>(targets.size()), targets.data()));
      },
      [](Core& core, const py::object& values) {
        const auto array =
            py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(to_real_array(values));
        if (array.ndim() != 1) throw py::value_error("motor_target: one number per motor is expected");
        write_motor_targets(core, {array.data(), static_cast<std::size_t>(array.shape(0))});
      },
      "What motors and drives go to [rad], [m], [rad/s], [m/s], [N m] or [N], shape (motors,): a copy; assign a whole "
      "array.");
  simulation.def_property_readonly(
      "bodies",
      [](const CorePointer& core) {
        py::list list;
        for (std::size_t i = 0; i < core->world().names.size(); ++i) {
          list.append(get_body(core, static_cast<std::int64_t>(i)));
        }
        return list;
      },
      "All bodies.");
  simulation.def_property_readonly(
      "joints",
      [](const CorePointer& core) {
        py::list list;
        for (std::size_t k = 0; k < core->world().joints.size(); ++k) list.append(get_joint(core, k));
        return list;
      },
      "All joints.");
  simulation.def(
      "_add_body",
      [](const CorePointer& core, const std::string& scene_text) {
        return BodyReference{core, core->add_body(parse_scene(scene_text).bodies.back())};
      },
      "Adds the last body of a scene.");
  simulation.def(
      "_add_joint",
      [](const CorePointer& core, const std::string& scene_text) {
        const JointDescription description = parse_scene(scene_text).joints.back();
        return JointReference{core, core->add_joint(description), description.name};
      },
      "Adds the last joint of a scene.");
}

}  // namespace achilles::python
