// What the sizes of a primitive must satisfy. Each throws std::invalid_argument with a sentence that names the defect.
#pragma once

#include <achilles/shape.hpp>

namespace achilles {

void check_shape(const Sphere& sphere);
void check_shape(const Box& box);
void check_shape(const Capsule& capsule);  // its length may be zero
void check_shape(const Cylinder& cylinder);
void check_shape(const Cone& cone);
void check_shape(const Plane& plane);  // the normal may have any length but zero

}  // namespace achilles
