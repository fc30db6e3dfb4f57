// What the sensors of a scene read.
#include "core.hpp"

namespace achilles::python {
namespace {

py::array to_array(std::span<const double> values) {
  return make_read_only(py::array_t<double>(static_cast<py::ssize_t>(values.size()), values.data()));
}

py::array read_sensor(Core& core, const std::string& name) {
  try {
    return to_array(core.use().sensor_values(name));
  } catch (const std::out_of_range&) {
    throw py::key_error("there is no sensor '" + name + "'");
  }
}

py::dict list_sensors(Core& core) {
  py::dict sensors;
  for (const SensorInfo& sensor : core.use().sensors()) {
    py::list columns;
    for (const SensorColumn& column : sensor.columns) {
      columns.append(std::string(column.name) + " [" + std::string(column.unit) + "]");
    }
    sensors[sensor.name.c_str()] = py::tuple(columns);
  }
  return sensors;
}

}  // namespace

void bind_sensors(py::class_<Core, std::shared_ptr<Core>>& simulation) {
  simulation
      .def_property_readonly("sensors", &list_sensors,
                             "The sensors of the scene by name, each with the names and units of its values.")
      .def("sensor", &read_sensor, py::arg("name"),
           "What a sensor read after the last step; KeyError when there is none.")
      .def_property_readonly(
          "sensor_values", [](Core& core) { return to_array(core.use().sensor_values()); },
          "What all sensors read after the last step, one after the other in the order of `sensors`.");
}

}  // namespace achilles::python
