// The extension module achilles._core. What users see of it is in python/achilles.
#include "core.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace achilles::python;
  module.doc() = "The C++ library behind the package achilles.";
  bind_errors(module);
  bind_scene(module);
  bind_reports(module);
  bind_simulation(module);
  bind_batch(module);
  bind_recording(module);
}
