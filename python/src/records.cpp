// Contacts, events and what joints carry, as arrays.
#include "core.hpp"

#include <cctype>
#include <cstddef>
#include <cstring>

namespace achilles::python {
namespace {

struct Column {
  const char* name;
  const char* format;
  std::size_t offset;
};

py::dtype make_dtype(const std::vector<Column>& columns, std::size_t size) {
  py::list names, formats, offsets;
  for (const Column& column : columns) {
    names.append(column.name);
    formats.append(column.format);
    offsets.append(column.offset);
  }
  return {names, formats, offsets, static_cast<py::ssize_t>(size)};
}

/// A copy of records as a structured array.
template <class Record>
py::array copy_records(std::span<const Record> records, const py::dtype& type) {
  py::array array(type, py::array::ShapeContainer{static_cast<py::ssize_t>(records.size())});
  if (!records.empty())
    std::memcpy(array.mutable_data(), static_cast<const void*>(records.data()), records.size_bytes());
  return array;
}

py::array copy_contacts(Core& core) {
  using R = ContactRecord;
  static const std::vector<Column> columns{{"body_a", "u4", offsetof(R, body_a)},
                                           {"body_b", "u4", offsetof(R, body_b)},
                                           {"position", "(3,)f8", offsetof(R, position)},
                                           {"normal", "(3,)f8", offsetof(R, normal)},
                                           {"gap", "f8", offsetof(R, gap)},
                                           {"impulse", "(3,)f8", offsetof(R, impulse)}};
  return copy_records(core.use().contacts(), make_dtype(columns, sizeof(R)));
}

py::array copy_events(Core& core) {
  using R = ContactEvent;
  static const std::vector<Column> columns{{"kind", "u1", offsetof(R, kind)},
                                           {"time", "f8", offsetof(R, time)},
                                           {"first", "u4", offsetof(R, first)},
                                           {"second", "u4", offsetof(R, second)}};
  return copy_records(core.use().events(), make_dtype(columns, sizeof(R)));
}

py::array copy_joint_loads(Core& core) {
  using R = JointLoad;
  static const std::vector<Column> columns{{"force", "(3,)f8", offsetof(R, force)},
                                           {"torque", "(3,)f8", offsetof(R, torque)},
                                           {"drive", "(2,)f8", offsetof(R, drive)}};
  const std::span<const R> loads = core.use().joint_loads();
  const std::size_t count = core.world().joints.size();
  if (loads.size() == count) return copy_records(loads, make_dtype(columns, sizeof(R)));
  return copy_records(std::span<const R>(std::vector<R>(count)), make_dtype(columns, sizeof(R)));  // before a step
}

/// One pair of numbers per joint, for its two axes.
template <class Read>
py::array copy_pairs(Core& core, const Read& read) {
  const std::size_t count = core.world().joints.size();
  py::array_t<double> out({count, std::size_t{2}});
  double* to = out.mutable_data();
  for (std::size_t k = 0; k < count; ++k) {
    const std::array<double, 2> pair = read(core.use(), static_cast<std::uint32_t>(k));
    *to++ = pair[0];
    *to++ = pair[1];
  }
  return make_read_only(std::move(out));
}

/// An IntEnum, which NumPy compares as the number that it is.
void bind_event_kinds(py::module_& module) {
  py::list members;
  for (int k = 0; k <= static_cast<int>(EventKind::kTimer); ++k) {
    std::string name = to_string(static_cast<EventKind>(k));  // "new-touch"
    for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    members.append(py::make_tuple(name, k));
  }
  const py::object kind = py::module_::import("enum").attr("IntEnum")("EventKind", members);
  kind.attr("__module__") = "achilles";
  kind.attr("__doc__") = "What an event says: events['kind'] == EventKind.NEW_TOUCH.";
  module.attr("EventKind") = kind;
  py::class_<ContactEvent>(module, "Event", "An event of the last step.")
      .def_property_readonly(
          "kind",
          [](const ContactEvent& event) {
            return py::module_::import("achilles._core").attr("EventKind")(static_cast<int>(event.kind));
          },
          "an EventKind")
      .def_readonly("time", &ContactEvent::time, "[s]")
      .def_readonly("first", &ContactEvent::first, "index of the first body, of the trigger or of the timer")
      .def_readonly("second", &ContactEvent::second, "index of the second body")
      .def("__repr__", [](const ContactEvent& event) {
        return py::str("Event({}, time={:g}, first={}, second={})")
            .format(to_string(event.kind), event.time, event.first, event.second);
      });
}

}  // namespace

void bind_records(py::class_<Core, std::shared_ptr<Core>>& simulation, py::module_& module) {
  bind_event_kinds(module);
  simulation.def_property_readonly(
      "contacts", &copy_contacts,
      "Contact points of the last step, a structured array with the fields body_a, body_b (indices), position [m], "
      "normal (from a to b), gap [m] and impulse [N s] (on b, over the step).");
  simulation.def_property_readonly(
      "events", &copy_events,
      "Events of the last step, a structured array with the fields kind (an EventKind), time [s], first and second. "
      "Empty unless the scene asks for events or has triggers, or watch_events was called.");
  simulation.def_property_readonly(
      "joint_position",
      [](Core& core) {
        return copy_pairs(core, [](Simulation& s, std::uint32_t k) { return s.joint_motion(k).position; });
      },
      "Positions along the two free axes of each joint [rad] or [m], shape (joints, 2); 0 where there is no axis.");
  simulation.def_property_readonly(
      "joint_velocity",
      [](Core& core) {
        return copy_pairs(core, [](Simulation& s, std::uint32_t k) { return s.joint_motion(k).rate; });
      },
      "Velocities along the two free axes of each joint [rad/s] or [m/s], shape (joints, 2).");
  simulation.def_property_readonly(
      "joint_load", &copy_joint_loads,
      "What each joint did to its second body in the last step: a structured array with the fields force [N], torque "
      "[N m] about the joint's anchor, and drive, of motors and drives along the free axes [N m] or [N].");
}

}  // namespace achilles::python
