// Recordings: arrays read as they are asked for, verdicts, exports and pictures. Like the program, this uses the
// library's own reader; HDF5 is not for several threads, so the GIL stays taken.
#include "core.hpp"

#include "record/certify/certify.hpp"
#include "record/csv.hpp"
#include "record/gltf.hpp"
#include "record/page.hpp"
#include "record/recording.hpp"
#include "record/render.hpp"

#include <cmath>

namespace achilles::python {
namespace {

std::vector<std::string> list_scalars() {
  std::vector<std::string> names;
  for (const auto& column : kRealColumns) names.emplace_back(column.name);
  for (const auto& column : kVectorColumns) names.emplace_back(column.name);
  for (const auto& column : kCountColumns) names.emplace_back(column.name);
  return names;
}

/// Rows [first, first + count) of an array with one row per instant.
py::array read_rows(const Recording& recording, const std::string& name, std::size_t first, std::size_t count) {
  if (first > recording.instants() || count > recording.instants() - first) {
    throw py::index_error("the recording has " + std::to_string(recording.instants()) + " instants");
  }
  const std::size_t width = recording.row_size(name);
  py::array_t<double> out({count, width});
  recording.read_rows(name, first, count, {out.mutable_data(), count * width});
  return out;
}

py::dict read_contacts(const Recording& recording, std::size_t index) {
  if (index >= recording.instants()) {
    throw py::index_error("the recording has " + std::to_string(recording.instants()) + " instants");
  }
  Instant instant;
  recording.read(index, instant);
  py::dict out;
  const auto count = static_cast<py::ssize_t>(instant.contact_count());
  for_each_contact_array(instant, [&](const std::string& name, const auto& numbers, py::ssize_t width) {
    using Number = typename std::decay_t<decltype(numbers)>::value_type;
    const std::string key = name.substr(name.find('/') + 1);
    out[key.c_str()] =
        width == 1 ? py::array_t<Number>(count, numbers.data()) : py::array_t<Number>({count, width}, numbers.data());
  });
  return out;
}

py::list read_events(const Recording& recording) {
  py::list out;
  for (const RecordedEvent& event : recording.events()) {
    out.append(py::make_tuple(event.time, static_cast<int>(event.kind), event.body_a, event.body_b));
  }
  return out;
}

py::dict describe(const Recording& recording) {
  const RecordingHead& head = recording.head();
  py::list names;
  for (const RecordedBody& body : head.bodies) names.append(body.name);
  py::dict out;
  out["scene"] = head.scene_name;
  out["file"] = head.scene_file;
  out["text"] = head.scene_text;
  out["method"] = head.method;
  out["solver"] = head.solver;
  out["impact"] = head.impact;
  out["version"] = head.version;
  out["step"] = head.step;
  out["duration"] = head.duration;
  out["names"] = names;
  return out;
}

py::array draw(const Recording& recording, double time, int width, int height) {
  if (width < 1 || height < 1 || width > 16'384 || height > 16'384 || !std::isfinite(time)) {
    throw py::value_error("render: a finite time, and a width and height from 1 to 16384 pixels are expected");
  }
  RenderOptions options;
  options.width = width;
  options.height = height;
  const Image image = Renderer(recording, options).draw_at(time);
  return py::array_t<std::uint8_t>({image.height, image.width, 3}, image.rgb.data());
}

}  // namespace

void bind_recording(py::module_& module) {
  py::class_<Recording>(module, "RecordingFile", "A recording (HDF5) as it lies on disk.")
      .def(py::init<std::string>(), py::arg("path"))
      .def_property_readonly("path", &Recording::path)
      .def_property_readonly("instants", &Recording::instants)
      .def_property_readonly("is_complete", &Recording::is_complete)
      .def_property_readonly("report", &Recording::report)
      .def_property_readonly("head", &describe)
      .def("read_rows", &read_rows, py::arg("name"), py::arg("first"), py::arg("count"))
      .def("row_size", &Recording::row_size, py::arg("name"))
      .def("read_contacts", &read_contacts, py::arg("instant"))
      .def("read_events", &read_events)
      .def(
          "certify",
          [](const Recording& r, int threads) {
            return to_json(certify(r, {threads, {}})).dump();
          },
          py::arg("threads"))
      .def(
          "export_csv", [](const Recording& r, const std::string& path) { export_csv(r, path); }, py::arg("path"))
      .def(
          "export_gltf", [](const Recording& r, const std::string& path) { export_gltf(r, path); }, py::arg("path"))
      .def(
          "export_page",
          [](const Recording& r, const std::string& path, const std::string& page_template) {
            PageOptions options;
            options.template_file = page_template;
            export_page(r, path, options);
          },
          py::arg("path"), py::arg("page_template"))
      .def("draw", &draw, py::arg("time"), py::arg("width"), py::arg("height"));
  module.def("list_scalars", &list_scalars);
}

}  // namespace achilles::python
