// Between Python's numbers and the library's vectors.
#include "core.hpp"

#include <cmath>

namespace achilles::python {
namespace {

/// `count` numbers from any sequence. Booleans, texts and complex numbers are no numbers.
std::vector<double> to_numbers(const py::handle& value, std::size_t count, const char* what) {
  const auto fail = [&](const std::string& found) {
    return py::value_error(std::string(what) + ": " + std::to_string(count) + " numbers are expected, not " + found);
  };
  py::array array;
  try {
    array = py::module_::import("numpy").attr("asarray")(value);
  } catch (py::error_already_set&) {
    throw fail(py::str(py::repr(value)));
  }
  const char kind = array.dtype().kind();
  if (array.ndim() != 1 || static_cast<std::size_t>(array.shape(0)) != count ||
      (kind != 'f' && kind != 'i' && kind != 'u')) {
    throw fail(py::str(py::repr(value)));
  }
  const auto numbers = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(array);
  return {numbers.data(), numbers.data() + count};
}

}  // namespace

py::object to_real_array(const py::handle& values) {
  const py::array array = py::module_::import("numpy").attr("asarray")(values);
  const char kind = array.dtype().kind();
  if (kind != 'f' && kind != 'i' && kind != 'u') throw py::type_error("an array of real numbers is expected");
  return array;
}

Vec3 to_vec3(const py::handle& value, const char* what) {
  const std::vector<double> v = to_numbers(value, 3, what);
  return {v[0], v[1], v[2]};
}

Quat to_quat(const py::handle& value, const char* what) {
  const std::vector<double> v = to_numbers(value, 4, what);
  const Quat q(v[0], v[1], v[2], v[3]);
  const double size = q.norm();
  if (!(size > 0) || !std::isfinite(size)) {
    throw py::value_error(std::string(what) + ": a quaternion w, x, y, z must be finite and not zero");
  }
  return q.normalized();
}

py::array make_read_only(py::array array) {
  array.attr("setflags")(py::arg("write") = false);
  return array;
}

py::array from_vec3(const Vec3& v) { return make_read_only(py::array_t<double>(3, v.data())); }

py::array from_quat(const Quat& q) {
  const std::array<double, 4> numbers{q.w(), q.x(), q.y(), q.z()};
  return make_read_only(py::array_t<double>(4, numbers.data()));
}

}  // namespace achilles::python
