// Whether numbers are such that a body can have them.
#pragma once

#include <achilles/math.hpp>

#include <cmath>

namespace achilles {

/// Finite, and of a length that can be made one: neither zero nor so small or large that its square is no number.
[[nodiscard]] inline bool is_finite(const Quat& q) { return std::isnormal(q.squaredNorm()); }
[[nodiscard]] inline bool is_finite(const Pose& pose) { return pose.p.allFinite() && is_finite(pose.q); }
[[nodiscard]] inline bool is_finite(const BodyVelocity& u) { return u.linear.allFinite() && u.angular.allFinite(); }

}  // namespace achilles
