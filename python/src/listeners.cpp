// Events for functions of Python, which belong to the Python object of a simulation.
#include "core.hpp"

#include <algorithm>
#include <utility>

namespace achilles::python {
namespace {

/// The listeners that an object of the type Simulation owns; none before __init__ has run.
std::vector<py::function>* find_listeners(PyObject* self) {
  auto* const instance = reinterpret_cast<py::detail::instance*>(self);
  if (!instance->simple_layout || !instance->simple_holder_constructed) return nullptr;
  return &static_cast<Core*>(instance->simple_value_holder[0])->listeners();
}

int clear_listeners(PyObject* self) {
  std::vector<py::function> former;  // ends after the list is empty: what it runs may look at the list
  if (std::vector<py::function>* const listeners = find_listeners(self)) listeners->swap(former);
  return 0;
}

int visit_listeners(PyObject* self, visitproc visit, void* arg) {
#if PY_VERSION_HEX >= 0x03090000
  Py_VISIT(Py_TYPE(self));
#endif
  const std::vector<py::function>* const listeners = find_listeners(self);
  if (listeners == nullptr) return 0;
  for (const py::function& listener : *listeners) Py_VISIT(listener.ptr());
  return 0;
}

destructor dealloc_of_base = nullptr;

/// Handles and views keep the Core alive: without this a listener that holds one would keep itself alive through it.
void dealloc_simulation(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear_listeners(self);
  dealloc_of_base(self);
}

py::function add_listener(Core& core, py::function callback) {
  core.listeners().push_back(callback);
  return callback;
}

void remove_listener(Core& core, const py::object& callback) {
  std::vector<py::function>& listeners = core.listeners();
  for (const py::function& listener : std::vector<py::function>(listeners)) {  // comparing may run code of Python
    if (!listener.equal(callback)) continue;
    const auto found =
        std::find_if(listeners.begin(), listeners.end(), [&](const py::function& other) { return other.is(listener); });
    if (found != listeners.end()) listeners.erase(found);
    return;
  }
  throw py::value_error("off_event: this is no callback of the simulation");
}

void watch_events(Core& core, double touching, double proximity, bool persistent) {
  if (!(touching >= 0) || !(proximity >= touching)) {
    throw py::value_error("watch_events: 0 <= touching <= proximity is expected");
  }
  core.watch_events({touching, proximity, persistent});
}

py::object show_event_options(const Core& core) {
  const std::optional<EventOptions>& options = core.event_options();
  if (!options) return py::none();
  return py::make_tuple(options->touching, options->proximity, options->persistent);
}

}  // namespace

void take_part_in_collection(PyHeapTypeObject* heap_type) {
  PyTypeObject& type = heap_type->ht_type;
  type.tp_flags |= Py_TPFLAGS_HAVE_GC;
  type.tp_traverse = &visit_listeners;
  type.tp_clear = &clear_listeners;
  dealloc_of_base = type.tp_base->tp_dealloc;
  type.tp_dealloc = &dealloc_simulation;
}

void bind_listeners(py::class_<Core, std::shared_ptr<Core>>& simulation) {
  simulation.def("watch_events", &watch_events, py::arg("touching") = EventOptions{}.touching,
                 py::arg("proximity") = EventOptions{}.proximity, py::arg("persistent") = false,
                 "From now on every step looks for events: bodies nearer than `touching` [m] touch, those nearer than "
                 "`proximity` [m] are near.");
  simulation.def(
      "on_event", &add_listener, py::arg("callback"),
      "Calls callback(event) for every event, after the step in which it was found, and returns the callback: "
      "it may stand as a decorator. An exception that it raises comes out of step(); the step is then done. "
      "Copies of the simulation have no callbacks.");
  simulation.def("off_event", &remove_listener, py::arg("callback"),
                 "Ends what on_event began; ValueError for what is no callback.");
  simulation.def("_event_options", &show_event_options);
}

}  // namespace achilles::python
