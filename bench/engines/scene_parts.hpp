// What the scenes of the benchmark are put together from.
#pragma once

#include <achilles/scene.hpp>

#include <string>

namespace achilles::bench {

/// Friction 0.5, no restitution, steps of 1/60 s.
[[nodiscard]] Scene make_scene(const std::string& name);

void add_plane(Scene& scene, const Vec3& normal, double offset);

/// A movable body of density 1000; returns its name.
std::string add_solid(Scene& scene, const Shape& shape, const Pose& pose);

/// A hull of `points` random points on a sphere of 0.5 m, none of them like another.
[[nodiscard]] Hull make_random_hull(int points, unsigned seed);

}  // namespace achilles::bench
