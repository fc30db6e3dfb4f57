// How far bodies reach, and how large they are.
#pragma once

#include <achilles/world.hpp>

#include <vector>

namespace achilles {

/// Per body: from its centre of mass to its farthest point [m]; 0 where it has no end, as a plane.
[[nodiscard]] std::vector<double> measure_arms(const World& world);

/// Per body: the geometric mean of the edges of the box around it [m]; infinite where it has no end, 0
/// without a shape.
[[nodiscard]] std::vector<double> measure_sizes(const World& world);

}  // namespace achilles
