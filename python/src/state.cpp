// The state of all bodies as NumPy arrays: views of the simulation's memory, and copies where no view is possible.
#include "core.hpp"
#include "layout.hpp"

#include <algorithm>

namespace achilles::python {
namespace {

using SimulationClass = py::class_<Core, std::shared_ptr<Core>>;

/// Keeps the simulation alive, and its arrays in their place, as long as an array looks at them.
py::capsule make_owner(Core& core) {
  core.add_view();
  auto* held = new std::shared_ptr<Core>(core.shared_from_this());
  return {held, [](void* owner) {
            auto* core_of_view = static_cast<std::shared_ptr<Core>*>(owner);
            (*core_of_view)->drop_view();
            delete core_of_view;
          }};
}

template <FindLayout kFind>
py::array make_view(Core& core) {
  core.expect_writing();
  BodyArrays& bodies = core.world().bodies;
  const Layout layout = kFind(bodies);
  const std::vector<py::ssize_t> shape{static_cast<py::ssize_t>(bodies.size()), static_cast<py::ssize_t>(layout.width)};
  if (layout.data == nullptr) return py::array_t<double>(shape);
  const std::vector<py::ssize_t> strides{static_cast<py::ssize_t>(layout.stride), sizeof(double)};
  return py::array_t<double>(shape, strides, layout.data, make_owner(core));
}

template <FindLayout kFind>
void assign(Core& core, const py::object& values) {
  make_view<kFind>(core).attr("__setitem__")(py::ellipsis(), to_real_array(values));
}

py::array copy_orientation(Core& core) {
  const BodyArrays& bodies = core.world().bodies;
  py::array_t<double> out({bodies.size(), std::size_t{4}});
  double* to = out.mutable_data();
  for (const Quat& q : bodies.orientation) {
    for (const double number : {q.w(), q.x(), q.y(), q.z()}) *to++ = number;
  }
  return make_read_only(std::move(out));
}

void assign_orientation(Core& core, const py::object& values) {
  const py::module_ numpy = py::module_::import("numpy");
  make_view<find_orientation>(core).attr("__setitem__")(
      py::ellipsis(), numpy.attr("roll")(numpy.attr("broadcast_to")(to_real_array(values),
                                                                    py::make_tuple(core.world().bodies.size(), 4)),
                                         -1, py::arg("axis") = 1));
}

py::array copy_frame_position(Core& core) {
  const BodyArrays& bodies = core.world().bodies;
  py::array_t<double> out({bodies.size(), std::size_t{3}});
  double* to = out.mutable_data();
  for (std::size_t i = 0; i < bodies.size(); ++i) to = std::copy_n(bodies.frame(i).p.data(), 3, to);
  return make_read_only(std::move(out));
}

py::array copy_mass(Core& core) {
  const std::vector<double>& mass = core.world().bodies.mass;
  return make_read_only(py::array_t<double>(static_cast<py::ssize_t>(mass.size()), mass.data()));
}

py::array copy_asleep(Core& core) {
  const std::vector<std::uint8_t>& asleep = core.world().bodies.asleep;
  py::array_t<bool> out(static_cast<py::ssize_t>(asleep.size()));
  std::copy(asleep.begin(), asleep.end(), out.mutable_data());
  return make_read_only(std::move(out));
}

}  // namespace

void bind_state(SimulationClass& simulation) {
  simulation.def_property("position", &make_view<find_position>, &assign<find_position>,
                          "Centres of mass of all bodies [m], shape (n, 3): a view of the simulation's memory.");
  simulation.def_property("velocity", &make_view<find_velocity>, &assign<find_velocity>,
                          "Velocities of the centres of mass [m/s], shape (n, 3): a view.");
  simulation.def_property("spin", &make_view<find_spin>, &assign<find_spin>,
                          "Angular velocities in world axes [rad/s], shape (n, 3): a view.");
  simulation.def_property("orientation", &copy_orientation, &assign_orientation,
                          "Orientations as quaternions w, x, y, z, shape (n, 4): a copy that cannot be written; assign "
                          "a whole array to change them, or write to orientation_xyzw.");
  simulation.def_property(
      "orientation_xyzw", &make_view<find_orientation>, &assign<find_orientation>,
      "Orientations as quaternions x, y, z, w, as they lie in memory and as SciPy takes them, shape "
      "(n, 4): a view. They are made unit quaternions by the next step.");
  simulation.def_property("force", &make_view<find_force>, &assign<find_force>,
                          "Forces at the centres of mass for the next step alone [N], shape (n, 3): a view.");
  simulation.def_property("torque", &make_view<find_torque>, &assign<find_torque>,
                          "Torques for the next step alone [N m], shape (n, 3): a view.");
  simulation.def_property_readonly("frame_position", &copy_frame_position,
                                   "Origins of the bodies' frames, as scenes and reports write them [m], shape (n, 3): "
                                   "a copy.");
  simulation.def_property_readonly("mass", &copy_mass, "Masses [kg], infinite for what no force moves, shape (n,).");
  simulation.def_property_readonly("asleep", &copy_asleep, "Which bodies sleep, shape (n,).");
  simulation.def_property_readonly(
      "names", [](Core& core) { return core.world().names; }, "Names of the bodies, in the order of the arrays.");
}

}  // namespace achilles::python
