// Geometries and placements for the tests of this folder.
#pragma once

#include "geometry/geometry.hpp"

namespace achilles::test {

inline Geometry make_single(const Shape& shape) { return *make_geometry(shape).front().geometry; }
inline Geometry make_sphere(double radius) { return make_single({Sphere{radius}}); }
inline Geometry make_box(double x, double y, double z) { return make_single({Box{Vec3(x, y, z)}}); }
inline Geometry make_capsule(double radius, double length) { return make_single({Capsule{radius, length}}); }
inline Geometry make_cylinder(double radius, double height) { return make_single({Cylinder{radius, height}}); }
inline Geometry make_cone(double radius, double height) { return make_single({Cone{radius, height}}); }
inline Geometry make_hull(std::vector<Vec3> points) { return make_single({Hull{std::move(points), {}}}); }
inline Geometry make_plane(const Vec3& normal, double offset) { return make_single({Plane{normal, offset}}); }

inline Transform at(const Vec3& p) { return {Mat3::Identity(), p}; }
inline Transform at(double x, double y, double z) { return at(Vec3(x, y, z)); }
inline Transform turned(const Vec3& axis, double angle, const Vec3& p) {
  return {Eigen::AngleAxisd(angle, axis).toRotationMatrix(), p};
}

}  // namespace achilles::test
