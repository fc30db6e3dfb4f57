// Many simulations of one scene, stepped together.
#include "core.hpp"
#include "layout.hpp"
#include "motors.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

namespace achilles::python {
namespace {

using CorePointer = std::shared_ptr<Core>;
using Clock = std::chrono::steady_clock;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

class Batch {
 public:
  Batch(std::vector<CorePointer> worlds, int threads) : worlds_(std::move(worlds)), threads_(threads) {
    if (worlds_.empty()) throw py::value_error("a batch has at least one world");
    if (threads < 1) throw py::value_error("a batch needs at least one thread");
    for (const CorePointer& world : worlds_) {
      if (world->is_watched()) throw py::value_error("the worlds of a batch are made with watch=False");
    }
  }

  [[nodiscard]] std::size_t size() const { return worlds_.size(); }
  [[nodiscard]] const std::vector<CorePointer>& worlds() const { return worlds_; }
  [[nodiscard]] int threads() const { return threads_; }

  /// n steps of every world that has not stopped.
  void step(std::int64_t n) {
    if (n < 1) throw py::value_error("step(n): n must be at least 1");
    while (n > 0) {
      const std::int64_t count = has_listeners() ? 1 : std::min(n, count_between_signals());
      const Clock::time_point began = Clock::now();
      const std::vector<Core*> stepped = step_all(count);
      seconds_per_step_ = std::chrono::duration<double>(Clock::now() - began).count() / static_cast<double>(count);
      n -= count;
      for (Core* const world : stepped) {
        if (!world->listeners().empty()) world->call_listeners();
      }
      if (n > 0 && PyErr_CheckSignals() != 0) throw py::error_already_set();
    }
  }

  /// The number of bodies, which all worlds have; ValueError where bodies were added to or removed from some.
  [[nodiscard]] std::size_t body_count() const {
    const std::size_t count = worlds_[0]->world().bodies.size();
    for (const CorePointer& world : worlds_) {
      if (world->world().bodies.size() != count) throw py::value_error("the worlds have different numbers of bodies");
    }
    return count;
  }

 private:
  [[nodiscard]] bool has_listeners() const {
    return std::ranges::any_of(worlds_, [](const CorePointer& world) { return !world->listeners().empty(); });
  }

  /// Steps of all worlds between two looks for Ctrl-C, by what the last ones took; one before there are any.
  [[nodiscard]] std::int64_t count_between_signals() const {
    constexpr double kMost = 1e9;
    return seconds_per_step_ > 0
               ? static_cast<std::int64_t>(std::clamp(kSignalInterval / seconds_per_step_, 1.0, kMost))
               : 1;
  }

  /// The worlds that took the steps.
  std::vector<Core*> step_all(std::int64_t n) {
    std::vector<Core*> lent;
    std::vector<Simulation*> list;
    std::vector<StepReport> reports;
    bool has_stepped = false;
    const auto take_back = [&] {
      for (std::size_t k = 0; k < lent.size(); ++k) {
        lent[k]->take_back(has_stepped ? reports[k] : StepReport{}, has_stepped);
      }
    };
    try {
      for (const CorePointer& world : worlds_) {
        if (world->stopped()) continue;
        list.push_back(&world->lend());
        lent.push_back(world.get());
      }
      reports.resize(list.size());
      const py::gil_scoped_release release;
      step_together(list, n, threads_, reports);
      has_stepped = true;
    } catch (...) {
      take_back();
      throw;
    }
    take_back();
    return lent;
  }

  std::vector<CorePointer> worlds_;
  int threads_;
  double seconds_per_step_ = 0;  // of all worlds together
};

template <FindLayout kFind>
py::array gather(const Batch& batch) {
  const std::size_t bodies = batch.body_count();
  const std::size_t width = kFind(batch.worlds()[0]->world().bodies).width;
  py::array_t<double> out({batch.size(), bodies, width});
  double* to = out.mutable_data();
  for (const CorePointer& world : batch.worlds()) {
    const Layout layout = kFind(world->world().bodies);
    const auto* from = reinterpret_cast<const char*>(layout.data);
    for (std::size_t i = 0; i < bodies; ++i, to += width) {
      std::memcpy(to, from + i * layout.stride, width * sizeof(double));
    }
  }
  return make_read_only(std::move(out));
}

/// Numbers that NumPy can spread over `shape`.
Array spread(const py::handle& values, const py::tuple& shape) {
  return Array::ensure(py::module_::import("numpy").attr("broadcast_to")(to_real_array(values), shape));
}

template <FindLayout kFind>
void scatter(const Batch& batch, const py::object& values) {
  const std::size_t bodies = batch.body_count();
  const std::size_t width = kFind(batch.worlds()[0]->world().bodies).width;
  const Array array = spread(values, py::make_tuple(batch.size(), bodies, width));
  const double* from = array.data();
  for (const CorePointer& world : batch.worlds()) {
    world->expect_writing();
    const Layout layout = kFind(world->world().bodies);
    auto* to = reinterpret_cast<char*>(layout.data);
    for (std::size_t i = 0; i < bodies; ++i, from += width) {
      std::memcpy(to + i * layout.stride, from, width * sizeof(double));
    }
  }
}

/// From x, y, z, w to w, x, y, z by 1, back by -1.
py::object roll(const py::object& quaternions, int by) {
  return py::module_::import("numpy").attr("roll")(quaternions, by, py::arg("axis") = -1);
}

/// One row of numbers per world.
template <class Read>
py::array gather_rows(const Batch& batch, const Read& read) {
  std::vector<double> numbers;
  std::size_t width = 0;
  for (std::size_t k = 0; k < batch.size(); ++k) {
    const std::vector<double> row = read(*batch.worlds()[k]);
    if (k == 0) width = row.size();
    if (row.size() != width) throw py::value_error("the worlds differ in their joints");
    numbers.insert(numbers.end(), row.begin(), row.end());
  }
  return make_read_only(py::array_t<double>({batch.size(), width}, numbers.data()));
}

std::vector<double> read_joints(Core& core, std::array<double, 2> JointMotion::*part) {
  std::vector<double> numbers;
  for (std::uint32_t k = 0; k < core.world().joints.size(); ++k) {
    const std::array<double, 2> pair = core.use().joint_motion(k).*part;
    numbers.insert(numbers.end(), pair.begin(), pair.end());
  }
  return numbers;
}

py::array gather_joints(const Batch& batch, std::array<double, 2> JointMotion::*part) {
  const py::array rows = gather_rows(batch, [part](Core& core) { return read_joints(core, part); });
  return rows.attr("reshape")(batch.size(), rows.shape(1) / 2, 2);
}

void set_motor_targets(const Batch& batch, const py::object& values) {
  const std::size_t motors = read_motor_targets(*batch.worlds()[0]).size();
  const Array array = spread(values, py::make_tuple(batch.size(), motors));
  for (std::size_t k = 0; k < batch.size(); ++k) {
    write_motor_targets(*batch.worlds()[k], {array.data() + k * motors, motors});
  }
}

void bind_arrays(py::class_<Batch>& batch) {
  batch
      .def_property("position", &gather<find_position>, &scatter<find_position>,
                    "Centres of mass [m], shape (count, n, 3): a copy; assign a whole array to place bodies.")
      .def_property("velocity", &gather<find_velocity>, &scatter<find_velocity>, "[m/s], shape (count, n, 3)")
      .def_property("spin", &gather<find_spin>, &scatter<find_spin>, "[rad/s] in world axes, shape (count, n, 3)")
      .def_property("force", &gather<find_force>, &scatter<find_force>,
                    "[N] at the centres of mass for the next step alone, shape (count, n, 3)")
      .def_property("torque", &gather<find_torque>, &scatter<find_torque>,
                    "[N m] for the next step alone, shape (count, n, 3)")
      .def_property(
          "orientation", [](const Batch& b) { return roll(gather<find_orientation>(b), 1); },
          [](const Batch& b, const py::object& values) {
            scatter<find_orientation>(b, roll(to_real_array(values), -1));
          },
          "Quaternions w, x, y, z, shape (count, n, 4)")
      .def_property_readonly(
          "joint_position", [](const Batch& b) { return gather_joints(b, &JointMotion::position); },
          "[rad] or [m], shape (count, joints, 2)")
      .def_property_readonly(
          "joint_velocity", [](const Batch& b) { return gather_joints(b, &JointMotion::rate); },
          "[rad/s] or [m/s], shape (count, joints, 2)")
      .def_property(
          "motor_target",
          [](const Batch& b) { return gather_rows(b, [](Core& core) { return read_motor_targets(core); }); },
          &set_motor_targets, "What motors and drives go to, shape (count, motors)")
      .def_property_readonly(
          "sensor_values",
          [](const Batch& b) {
            return gather_rows(b, [](Core& core) {
              const std::span<const double> values = core.use().sensor_values();
              return std::vector<double>(values.begin(), values.end());
            });
          },
          "What the sensors read after the last step, shape (count, values), in the order of Simulation.sensors");
}

}  // namespace

void bind_batch(py::module_& module) {
  py::class_<Batch> batch(module, "Batch", "Many simulations stepped together.");
  batch.def(py::init<std::vector<CorePointer>, int>(), py::arg("worlds"), py::arg("threads"))
      .def("__len__", &Batch::size)
      .def_property_readonly("threads", &Batch::threads, "that a step runs on")
      .def(
          "step", &Batch::step, py::arg("n") = 1,
          "Takes n steps of every world that has not stopped itself, on all threads. Worlds that stop stay where they "
          "are until they are reset. Callbacks of worlds are called after each step, world after world. Ctrl-C ends it "
          "between two steps.")
      .def_property_readonly(
          "time",
          [](const Batch& b) {
            const py::array rows = gather_rows(b, [](Core& core) { return std::vector<double>{core.world().time}; });
            return rows.attr("reshape")(-1);
          },
          "[s], shape (count,)")
      .def_property_readonly(
          "stopped",
          [](const Batch& b) {
            py::array_t<bool> out(static_cast<py::ssize_t>(b.size()));
            for (std::size_t k = 0; k < b.size(); ++k) {
              out.mutable_at(static_cast<py::ssize_t>(k)) = b.worlds()[k]->stopped().has_value();
            }
            return make_read_only(std::move(out));
          },
          "Which worlds stopped themselves, shape (count,)")
      .def_property_readonly(
          "state_hash",
          [](const Batch& b) {
            std::vector<std::uint64_t> hashes;
            for (const CorePointer& world : b.worlds()) hashes.push_back(world->world().state_hash());
            return hashes;
          },
          "One number per world that depends on every bit of its state");
  bind_arrays(batch);
}

}  // namespace achilles::python
