// Scenes and what is wrong with them.
#include "core.hpp"

#include <achilles/import.hpp>

#include <map>

namespace achilles::python {
namespace {

py::object make_error_type(py::module_& module, const char* name, const py::handle& base, const char* text) {
  const std::string full = std::string("achilles.") + name;
  py::object type =
      py::reinterpret_steal<py::object>(PyErr_NewExceptionWithDoc(full.c_str(), text, base.ptr(), nullptr));
  if (!type) throw py::error_already_set();
  module.attr(name) = type;
  return type;
}

/// Raises achilles.SceneError with all diagnostics; file, line, column and field are those of the first.
void raise_scene_error(const SceneError& error) {
  const py::object type = py::module_::import("achilles._core").attr("SceneError");
  py::object value = type(error.what());
  py::list list;
  for (const Diagnostic& diagnostic : error.diagnostics()) list.append(diagnostic);
  value.attr("diagnostics") = list;
  const Diagnostic first = error.diagnostics().empty() ? Diagnostic{} : error.diagnostics().front();
  value.attr("file") = first.file;
  value.attr("line") = first.line;
  value.attr("column") = first.column;
  value.attr("field") = first.field;
  PyErr_SetObject(type.ptr(), value.ptr());
}

using Sets = std::vector<std::pair<std::string, std::string>>;

std::vector<Override> to_overrides(const Sets& sets) {
  std::vector<Override> overrides;
  for (const auto& [path, value] : sets) overrides.push_back({path, value});
  return overrides;
}

/// The value of a word, or a ValueError that lists the words.
template <class Value>
Value choose(const std::string& word, const char* what, const std::map<std::string, Value>& values) {
  const auto found = values.find(word);
  if (found != values.end()) return found->second;
  std::string allowed;
  for (const auto& [name, value] : values) allowed += (allowed.empty() ? "" : ", ") + name;
  throw py::value_error(std::string(what) + ": found '" + word + "', allowed are " + allowed);
}

std::set<std::string> check_left_out(const std::set<std::string>& words) {
  std::map<std::string, bool> known;
  for (const char* word : kLeftOutWords) known[word] = true;
  for (const std::string& word : words) (void)choose(word, "leave_out", known);
  return words;
}

void bind_load(py::module_& module) {
  using Options = ImportOptions;
  const Options defaults;
  module.def(
      "load_scene",
      [](const std::string& file, const Sets& sets, bool strict, const std::string& base, const std::string& meshes,
         double mesh_error, bool keep_fixed, bool self_collision, bool ground, double hold, double hold_damping,
         const std::string& keyframe, const std::map<std::string, double>& start,
         const std::map<std::string, std::string>& packages, const std::set<std::string>& leave_out) {
        Options options;
        options.strict = strict;
        options.base = choose<Options::Base>(
            base, "base",
            {{"auto", Options::Base::kAuto}, {"free", Options::Base::kFree}, {"fixed", Options::Base::kFixed}});
        options.meshes = choose<Options::Meshes>(meshes, "meshes",
                                                 {{"hull", Options::Meshes::kHull},
                                                  {"decompose", Options::Meshes::kDecompose},
                                                  {"distance-map", Options::Meshes::kDistanceMap}});
        options.mesh_error = mesh_error;
        options.keep_fixed = keep_fixed;
        options.self_collision = self_collision;
        options.ground = ground;
        options.hold_stiffness = hold;
        options.hold_damping = hold_damping;
        options.keyframe = keyframe;
        options.start = start;
        options.packages = packages;
        options.leave_out = check_left_out(leave_out);
        const py::gil_scoped_release release;
        return load_scene(file, to_overrides(sets), options);
      },
      py::arg("file"), py::arg("sets"), py::kw_only(), py::arg("strict") = defaults.strict, py::arg("base") = "auto",
      py::arg("meshes") = "hull", py::arg("mesh_error") = defaults.mesh_error,
      py::arg("keep_fixed") = defaults.keep_fixed, py::arg("self_collision") = defaults.self_collision,
      py::arg("ground") = defaults.ground, py::arg("hold") = defaults.hold_stiffness,
      py::arg("hold_damping") = defaults.hold_damping, py::arg("keyframe") = defaults.keyframe,
      py::arg("start") = defaults.start, py::arg("packages") = defaults.packages,
      py::arg("leave_out") = defaults.leave_out,
      "Reads a scene, or a robot file with the options that `achilles run` has for one.");
}

py::str show_scene(const Scene& scene) {
  return py::str("Scene({!r}, {} bodies, {} joints, {}, {:g} s in steps of {:g} s)")
      .format(scene.name.empty() ? scene.file : scene.name, scene.bodies.size(), scene.joints.size(), scene.method.name,
              scene.duration, scene.step);
}

}  // namespace

void bind_errors(py::module_& module) {
  make_error_type(module, "SceneError", PyExc_ValueError,
                  "A scene that cannot be used. `diagnostics` lists all that is wrong; `file`, `line`, `column` and "
                  "`field` are those of the first.");
  make_error_type(module, "DeadHandleError", PyExc_ReferenceError, "A body or joint that was removed.");
  py::class_<Diagnostic>(module, "Diagnostic", "One error or warning about a scene.")
      .def_property_readonly(
          "severity",
          [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::kError ? "error" : "warning"; },
          "'error' or 'warning'")
      .def_readonly("file", &Diagnostic::file, "the scene file, or the override")
      .def_readonly("line", &Diagnostic::line, "from 1; 0 where there is none")
      .def_readonly("column", &Diagnostic::column, "from 1; 0 where there is none")
      .def_readonly("field", &Diagnostic::field, "path of the key, as bodies.left.mass")
      .def_readonly("message", &Diagnostic::message, "what was found and what is allowed")
      .def(py::pickle(
          [](const Diagnostic& d) {
            return py::make_tuple(d.severity == Diagnostic::Severity::kError, d.file, d.line, d.column, d.field,
                                  d.message);
          },
          [](const py::tuple& saved) {
            const auto severity = saved[0].cast<bool>() ? Diagnostic::Severity::kError : Diagnostic::Severity::kWarning;
            return Diagnostic{severity,
                              saved[1].cast<std::string>(),
                              saved[2].cast<int>(),
                              saved[3].cast<int>(),
                              saved[4].cast<std::string>(),
                              saved[5].cast<std::string>()};
          }))
      .def("__repr__", &Diagnostic::text);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const SceneError& error) {
      raise_scene_error(error);
    }
  });
}

void bind_scene(py::module_& module) {
  py::class_<Scene, std::shared_ptr<Scene>>(module, "CompiledScene", "A scene that was read and checked.")
      .def_readonly("name", &Scene::name)
      .def_readonly("source", &Scene::source)
      .def_readonly("step", &Scene::step)
      .def_readonly("duration", &Scene::duration)
      .def_property_readonly("gravity", [](const Scene& scene) { return from_vec3(scene.gravity); })
      .def_property_readonly("method", [](const Scene& scene) { return scene.method.name; })
      .def_property_readonly("body_names",
                             [](const Scene& scene) {
                               std::vector<std::string> names;
                               for (const BodyDescription& body : scene.bodies) names.push_back(body.name);
                               return names;
                             })
      .def_property_readonly("joint_names",
                             [](const Scene& scene) {
                               std::vector<std::string> names;
                               for (const JointDescription& joint : scene.joints) names.push_back(joint.name);
                               return names;
                             })
      .def_readonly("file", &Scene::file)
      .def_readonly("text", &Scene::text)
      .def_property_readonly("files",
                             [](const Scene& scene) {
                               py::dict files;
                               for (const SceneFile& file : scene.files)
                                 files[file.name.c_str()] = py::bytes(*file.bytes);
                               return files;
                             })
      .def_readonly("warnings", &Scene::warnings)
      .def("__repr__", &show_scene);
  module.def(
      "parse_scene",
      [](const std::string& text, const std::string& file, const Sets& sets,
         const std::map<std::string, py::bytes>& files) {
        std::vector<SceneFile> supply;
        for (const auto& [name, bytes] : files) {
          supply.push_back({name, std::make_shared<const std::string>(bytes.cast<std::string>())});
        }
        const py::gil_scoped_release release;
        return parse_scene(text, file, to_overrides(sets), supply);
      },
      py::arg("text"), py::arg("file"), py::arg("sets"), py::arg("files") = py::dict());
  module.def("move_scene_text", &move_scene_text, py::arg("scene"), py::arg("folder"));
  bind_load(module);
  module.def("scene_text_to_json", &scene_text_to_json, py::arg("text"), py::arg("file"));
  module.def("scene_text_to_yaml", &scene_text_to_yaml, py::arg("text"), py::arg("file"));
  module.def("methods_to_json", &methods_to_json);
  module.def("count_steps", &count_steps, py::arg("time"), py::arg("step"));
  module.def("scene_schema", &scene_schema);
  module.def("version", [] { return std::string(version()); });
}

}  // namespace achilles::python
