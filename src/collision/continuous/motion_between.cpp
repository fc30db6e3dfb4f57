#include "collision/continuous/motion_between.hpp"

namespace achilles {

BallisticMotion make_motion_between(const Pose& from, const Pose& to, const Transform& X_CG, double t) {
  BallisticMotion motion;
  motion.center = from.p;
  motion.X_WG = to_transform(from) * X_CG;
  motion.velocity = (to.p - from.p) / t;
  motion.spin = find_mean_spin(from.q, to.q, t);
  return motion;
}

}  // namespace achilles
