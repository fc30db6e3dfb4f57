// Friction of one contact: the impulse within a disc that dissipates most.
#pragma once

#include <achilles/math.hpp>

namespace achilles {

/// The minimizer of ½ fᵀ A f + bᵀ f over ‖f‖ ≤ radius; A symmetric, positive semi-definite, of size 2. Unique where A
/// is definite; where it is not, the shortest. On the rim it satisfies (A + σ I) f = −b with the one σ > 0 that gives
/// the right length, since that length falls strictly with σ.
[[nodiscard]] Vec2 minimize_on_disc(const Eigen::Matrix2d& A, const Vec2& b, double radius);

}  // namespace achilles
