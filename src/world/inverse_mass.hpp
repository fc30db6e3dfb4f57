// Inverse mass of the World's bodies in world axes.
#pragma once

#include "math/inverse_mass.hpp"

#include <achilles/world.hpp>

namespace achilles {

/// Of one body at its present orientation; zero for fixed and scripted bodies and on locked degrees of freedom.
[[nodiscard]] BodyInverseMass compute_inverse_mass(const BodyArrays& bodies, std::size_t body);

}  // namespace achilles
