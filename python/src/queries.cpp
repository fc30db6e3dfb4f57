// Rays, swept shapes, overlaps and nearest points.
#include "core.hpp"

namespace achilles::python {
namespace {

/// What a query says, with the index of the body.
struct Answer {
  std::uint32_t body = 0;
  double distance = 0;  // [m]
  Vec3 point, normal;
};

template <class Result>
std::optional<Answer> to_answer(Core& core, const std::optional<Result>& result) {
  if (!result) return std::nullopt;
  return Answer{core.world().index_of(result->body), result->distance, result->point, result->normal};
}

/// A body in a scene of its own carries the shape.
Shape to_shape(const std::string& scene_text) { return parse_scene(scene_text).bodies.back().shape; }

std::optional<Answer> cast_ray(Core& core, const py::object& origin, const py::object& direction, double range) {
  const Vec3 from = to_vec3(origin, "origin"), along = to_vec3(direction, "direction");
  return to_answer(core, core.query().cast_ray(from, along, {}, range));
}

/// Distances along many rays, infinite where nothing is hit, and the bodies hit, -1 where there is none.
py::tuple cast_rays(Core& core, const py::object& origin_list, const py::object& direction_list, double range) {
  using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;
  const auto origins = Array::ensure(to_real_array(origin_list));
  const auto directions = Array::ensure(to_real_array(direction_list));
  const auto is_list = [](const py::array& array) { return array.ndim() == 2 && array.shape(1) == 3; };
  if (!is_list(origins) || !is_list(directions) || origins.shape(0) != directions.shape(0)) {
    throw py::value_error("cast_rays: origins and directions of the same shape (count, 3) are expected");
  }
  const py::ssize_t count = origins.shape(0);
  py::array_t<double> distances(count);
  py::array_t<std::int64_t> bodies(count);
  const WorldQuery& query = core.query();
  for (py::ssize_t k = 0; k < count; ++k) {
    const Vec3 from = Eigen::Map<const Vec3>(origins.data(k, 0)), along = Eigen::Map<const Vec3>(directions.data(k, 0));
    const std::optional<QueryHit> hit = query.cast_ray(from, along, {}, range);
    distances.mutable_at(k) = hit ? hit->distance : std::numeric_limits<double>::infinity();
    bodies.mutable_at(k) = hit ? static_cast<std::int64_t>(core.world().index_of(hit->body)) : -1;
  }
  return py::make_tuple(distances, bodies);
}

std::optional<Answer> cast_shape(Core& core, const std::string& scene_text, const py::object& position,
                                 const py::object& orientation, const py::object& path) {
  const Pose start{to_vec3(position, "position"), to_quat(orientation, "orientation")};
  const Vec3 way = to_vec3(path, "path");
  return to_answer(core, core.query().cast_shape(to_shape(scene_text), start, way));
}

std::vector<std::uint32_t> find_overlaps(Core& core, const std::string& scene_text, const py::object& position,
                                         const py::object& orientation) {
  const Pose pose{to_vec3(position, "position"), to_quat(orientation, "orientation")};
  std::vector<std::uint32_t> bodies;
  for (const BodyHandle& handle : core.query().find_overlaps(to_shape(scene_text), pose)) {
    bodies.push_back(core.world().index_of(handle));
  }
  return bodies;
}

std::optional<Answer> find_closest_point(Core& core, const py::object& point, double range) {
  return to_answer(core, core.query().find_closest_point(to_vec3(point, "point"), {}, range));
}

}  // namespace

void bind_queries(py::class_<Core, std::shared_ptr<Core>>& simulation, py::module_& module) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  py::class_<Answer>(module, "Hit", "Where a query met a body.")
      .def_readonly("body", &Answer::body, "index of the body")
      .def_readonly("distance", &Answer::distance, "[m] travelled, or to the point; negative inside a solid")
      .def_property_readonly(
          "point", [](const Answer& a) { return from_vec3(a.point); }, "on the body's surface [m]")
      .def_property_readonly(
          "normal", [](const Answer& a) { return from_vec3(a.normal); }, "unit, out of the body")
      .def("__repr__", [](const Answer& a) {
        return py::str("Hit(body={}, distance={:.6g}, point=[{:.6g}, {:.6g}, {:.6g}])")
            .format(a.body, a.distance, a.point.x(), a.point.y(), a.point.z());
      });
  simulation.def("cast_ray", &cast_ray, py::arg("origin"), py::arg("direction"), py::arg("range") = kInfinity,
                 "The first body on a ray, or None. A ray that starts inside a solid hits it at distance 0.");
  simulation.def("cast_rays", &cast_rays, py::arg("origins"), py::arg("directions"), py::arg("range") = kInfinity,
                 "Many rays at once: (distances, bodies), infinite and -1 where nothing is hit.");
  simulation.def("_cast_shape", &cast_shape);
  simulation.def("_find_overlaps", &find_overlaps);
  simulation.def("find_closest_point", &find_closest_point, py::arg("point"), py::arg("range") = kInfinity,
                 "The point of a body that is nearest to a point, or None where none is within the range [m].");
}

}  // namespace achilles::python
