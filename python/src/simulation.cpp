// The simulation itself: steps, time, reports, snapshots.
#include "core.hpp"

#include <sstream>

namespace achilles::python {
namespace {

using CorePointer = std::shared_ptr<Core>;

/// pybind11 before 2.12 reads the arrays of NumPy 2 wrongly, without a word.
void check_numpy() {
#if PYBIND11_VERSION_HEX < 0x020C0000
  const auto numpy = py::module_::import("numpy").attr("__version__").cast<std::string>();
  if (numpy.substr(0, 2) != "1.") {
    throw py::import_error("this build of achilles was made with pybind11 " + std::to_string(PYBIND11_VERSION_MAJOR) +
                           "." + std::to_string(PYBIND11_VERSION_MINOR) + ", which knows NumPy 1 only; NumPy is " +
                           numpy + ". Install achilles with pip, or build it with pybind11 2.12 or later.");
  }
#endif
}

CorePointer make_core(const Scene& scene, int threads, bool watch, const std::string& record,
                      const std::optional<double>& every,
                      const std::vector<std::pair<std::string, std::string>>& sets) {
  check_numpy();
  Watch asked{watch, record, every, {}};
  for (const auto& [path, value] : sets) asked.overrides.push_back({path, value});
  const py::gil_scoped_release release;
  return std::make_shared<Core>(scene, threads, std::move(asked));
}

/// The world's bytes, and the materials with all numbers of their laws.
py::tuple save(const Snapshot& snapshot) {
  std::ostringstream out;
  snapshot.world.save(out);
  py::list materials;
  for (const auto& [name, law] : snapshot.materials) {
    py::object anisotropy = py::none();
    if (law.anisotropy) anisotropy = py::make_tuple(law.anisotropy->x(), law.anisotropy->y());
    materials.append(py::make_tuple(name, law.friction, law.restitution, law.rolling_friction, law.torsional_friction,
                                    law.stiffness, law.damping, anisotropy));
  }
  return py::make_tuple(py::bytes(out.str()), materials);
}

Snapshot load(const py::tuple& saved) {
  std::istringstream in{saved[0].cast<std::string>()};
  Snapshot snapshot{World::load(in), {}};
  for (const py::handle& item : saved[1]) {
    const auto numbers = item.cast<py::tuple>();
    const auto number = [&](std::size_t k) { return numbers[k].cast<double>(); };
    ContactLaw law{number(1), number(2), number(3), number(4), number(5), number(6), {}};
    if (!numbers[7].is_none()) {
      const auto pair = numbers[7].cast<std::pair<double, double>>();
      law.anisotropy = Vec2(pair.first, pair.second);
    }
    snapshot.materials.push_back({numbers[0].cast<std::string>(), law});
  }
  return snapshot;
}

void bind_snapshot(py::module_& module) {
  py::class_<Snapshot>(module, "Snapshot", "The whole state of a simulation at one time; it can be pickled.")
      .def_property_readonly(
          "time", [](const Snapshot& snapshot) { return snapshot.world.time; }, "[s]")
      .def_property_readonly(
          "step_index", [](const Snapshot& snapshot) { return snapshot.world.step_index; }, "steps taken")
      .def(py::pickle(&save, &load))
      .def("__repr__", [](const Snapshot& snapshot) {
        const World& world = snapshot.world;
        return py::str("Snapshot(time={:g}, {} bodies)").format(world.time, world.bodies.size());
      });
}

void bind_steps(py::class_<Core, CorePointer>& simulation) {
  simulation
      .def(
          "step", &Core::step, py::arg("n") = 1,
          "Takes n steps, fewer when the simulation stops itself, and returns the StepReport of the last. Other Python "
          "threads run meanwhile.")
      .def("_step_until", &Core::step_until, py::arg("last"), py::arg("seconds"))
      .def("_report_json", &Core::report_json)
      .def("_close", &Core::close)
      .def("_record_state", &Core::record_state)
      .def("_is_watched", &Core::is_watched)
      .def_property_readonly("is_recording", &Core::is_recording, "whether a recording is being written")
      .def_property_readonly("stopped", &Core::stopped, "why the last step stopped the simulation, a Stop, or None")
      .def_property_readonly(
          "time", [](Core& core) { return core.world().time; }, "simulated time [s]")
      .def_property_readonly(
          "step_index", [](Core& core) { return core.world().step_index; }, "steps taken")
      .def_property_readonly(
          "step_length", [](Core& core) { return core.use().step_length(); }, "of one step [s]")
      .def_property_readonly(
          "threads", [](Core& core) { return core.use().threads(); }, "that a step runs on")
      .def_property_readonly(
          "method", [](Core& core) { return core.use().scene().method.name; }, "name of the method")
      .def_property(
          "gravity", [](Core& core) { return from_vec3(core.world().gravity); },
          [](Core& core, const py::object& value) {
            const Vec3 gravity = to_vec3(value, "gravity");
            if (!gravity.allFinite()) throw py::value_error("gravity: three finite numbers are expected");
            core.change().gravity = gravity;
          },
          "[m/s²]")
      .def("__len__", [](Core& core) { return core.world().bodies.size(); });
}

}  // namespace

void bind_reports(py::module_& module) {
  py::class_<Stop>(module, "Stop", "Why a simulation ended itself.")
      .def_readonly("reason", &Stop::reason, "one word, as 'not-finite'")
      .def_readonly("time", &Stop::time, "[s]")
      .def_readonly("message", &Stop::message, "what happened, between which bodies")
      .def("__repr__", [](const Stop& stop) { return py::str("Stop({!r}, {!r})").format(stop.reason, stop.message); });
  py::class_<StepReport>(module, "StepReport", "What a step says of itself.")
      .def_readonly("contacts", &StepReport::contacts, "contact points")
      .def_readonly("islands", &StepReport::islands, "independent islands solved")
      .def_readonly("iterations", &StepReport::iterations, "of the solver, the largest over the islands")
      .def_readonly("residual", &StepReport::residual, "the largest over the islands [m/s]")
      .def_readonly("impacts", &StepReport::impacts, "impacts resolved, or contacts that bounced")
      .def_readonly("joint_error", &StepReport::joint_error, "largest violation of a joint [m]")
      .def_readonly("external_work", &StepReport::external_work, "of scripts, motors and forces other than gravity [J]")
      .def_readonly("stopped", &StepReport::stopped, "a Stop, or None")
      .def("__repr__", [](const StepReport& report) {
        return py::str("StepReport(contacts={}, iterations={}, residual={:.3g}{})")
            .format(report.contacts, report.iterations, report.residual,
                    report.stopped ? ", stopped=" + report.stopped->reason : std::string());
      });
}

void bind_simulation(py::module_& module) {
  bind_snapshot(module);
  py::class_<Core, CorePointer> simulation(module, "Simulation", py::custom_type_setup(&take_part_in_collection),
                                           "A scene set in motion.");
  bind_listeners(simulation);
  simulation
      .def(py::init(&make_core), py::arg("scene"), py::arg("threads"), py::arg("watch"), py::arg("record"),
           py::arg("every"), py::arg("sets"))
      .def(py::init([](Core& other) {
             (void)other.use();
             return std::make_shared<Core>(other);
           }),
           py::arg("other"));
  bind_steps(simulation);
  bind_state(simulation);
  bind_records(simulation, module);
  bind_listeners(simulation);
  bind_handles(simulation, module);
  bind_sensors(simulation);
  bind_queries(simulation, module);
  simulation.def("snapshot", &Core::snapshot, "The whole state, to return to with restore(). It can be pickled.")
      .def(
          "set_material",
          [](Core& core, const std::string& name, const std::optional<double>& friction,
             const std::optional<double>& restitution, const std::optional<double>& rolling_friction,
             const std::optional<double>& torsional_friction, const std::optional<double>& stiffness,
             const std::optional<double>& damping) {
            core.set_material(name, {friction, restitution, rolling_friction, torsional_friction, stiffness, damping});
          },
          py::arg("name"), py::kw_only(), py::arg("friction") = py::none(), py::arg("restitution") = py::none(),
          py::arg("rolling_friction") = py::none(), py::arg("torsional_friction") = py::none(),
          py::arg("stiffness") = py::none(), py::arg("damping") = py::none(),
          "Changes the law of a material from the next step on; what is not given stays.")
      .def("restore", &Core::restore, py::arg("snapshot"),
           "Returns to a snapshot of this or an equal simulation. The report begins anew.")
      .def(
          "penetration", [](Core& core) { return core.use().penetration(); },
          "Deepest interpenetration of the present poses, measured from geometry alone [m].")
      .def(
          "kinetic_energy", [](Core& core) { return core.world().kinetic_energy(); }, "[J]")
      .def(
          "potential_energy", [](Core& core) { return core.world().potential_energy(); },
          "Of gravity and of the springs of joints [J].")
      .def(
          "linear_momentum", [](Core& core) { return from_vec3(core.world().linear_momentum()); },
          "Of all bodies that can move [N s].")
      .def(
          "angular_momentum", [](Core& core) { return from_vec3(core.world().angular_momentum()); },
          "Of all bodies that can move, about the origin [N m s].")
      .def(
          "state_hash", [](Core& core) { return core.world().state_hash(); },
          "A number that depends on every bit of the state: equal states have equal hashes.")
      .def(
          "wake_all", [](Core& core) { core.change().wake_all(); }, "Wakes all bodies.");
}

}  // namespace achilles::python
