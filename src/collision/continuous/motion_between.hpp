// The way between two instants, where only the places at both are known.
#pragma once

#include "collision/continuous/motion.hpp"

#include <achilles/math.hpp>

namespace achilles {

/// The steady motion that takes a body from one placement of its centre of mass to another in time t, turning by the
/// smaller angle; of the piece that stands at X_CG relative to that centre.
[[nodiscard]] BallisticMotion make_motion_between(const Pose& from, const Pose& to, const Transform& X_CG, double t);

}  // namespace achilles
